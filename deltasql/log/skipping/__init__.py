"""Data skipping: the files of a table that may contain a row that a predicate selects.

A predicate becomes a condition on columns, which is evaluated on partition values and statistics. The rows that a
statement reads are decided by the planner; this package only excludes files.
"""
