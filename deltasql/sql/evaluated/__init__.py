"""SQL that is computed without an engine: expressions over the columns of rows, and queries of constants alone.

What is read here are texts; `engines/local` computes values of them.
"""
