"""Statements that read rows or change them, in SQL and by DataFrames.

How rows lie in files is the matter of `files`.
"""
