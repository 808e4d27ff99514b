"""SQL that is evaluated without an engine: expressions over the columns of rows, and queries of constants alone.

These modules parse texts; `engines/local` computes the values.
"""
