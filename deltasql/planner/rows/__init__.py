"""The rows that statements read and write: sources, row changes, checks, what replaces what, and read sets.

Values of columns are in `values`, definitions of tables in `tables`; `deltasql.engines` evaluates the rows.
"""
