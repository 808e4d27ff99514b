"""Spark's functions: their names, those that a table's expressions may call, and their result types.

The engine computes them; calls are parsed by the modules above.
"""
