"""Columns of PySpark as SQL expressions with the same meaning, of classic sessions and of Spark Connect.

Reads the trees of Columns, and imports no PySpark. Belongs here: a kind of node, a literal, a function. What no test
compares with Spark is refused by name.
"""
