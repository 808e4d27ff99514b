"""Statements that tell what there is: DESCRIBE, SHOW, EXPLAIN.

None of them changes anything.
"""
