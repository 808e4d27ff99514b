"""What this process computes of rows by itself, by Arrow: expressions over their columns, and joins of a few rows.

For small statements, whose rows cost an engine less than to be asked. `sql/evaluated` reads the SQL; which
statements go this way, and what becomes of the rows, is in `engine/rewrites`.
"""
