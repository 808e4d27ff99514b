"""The rows that statements write: columns, casts, defaults, generated values, checks, and read sets.

Definitions of tables are in `tables`; `deltasql.engines` evaluates the rows.
"""
