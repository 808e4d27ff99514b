"""Builders of grammar rules that several families share: names, types, options and expressions.

Those of one family of statements are in `statements`.
"""
