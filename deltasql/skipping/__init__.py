"""Data skipping: which files of a table may hold a row that a predicate asks for.

A predicate becomes a condition on columns, and the condition is held against partition values and statistics. Which
rows a statement reads is the planner's business; this room only ever says which files it need not read.
"""
