"""Statements that show metadata and plans: DESCRIBE, SHOW, EXPLAIN.

None of them changes anything.
"""
