"""What a statement writes into rows: columns, casts, defaults, generated values, checks, and what it has read for them.

Definitions of tables are in `tables`; what runs the rows is `engine`.
"""
