"""Statements of Spark's SQL as Sail understands them: names, order, stars, set operations, pipes, variables, CHAR.

All edit the text by position. What Sail computes otherwise than Spark is checked or refused in `guards`.
"""
