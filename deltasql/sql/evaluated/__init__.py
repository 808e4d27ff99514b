"""SQL that is computed without an engine: expressions over the columns of rows, and queries of constants alone.

What is read here are texts; `engine/evaluation` computes values of them.
"""
