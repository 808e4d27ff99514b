"""Statements of Spark's SQL rewritten for Sail: names, order, stars, set operations, pipes, variables, CHAR.

All edit the text by position. Expressions with other results on Sail are checked or refused in `guards`.
"""
