"""Spark's functions: their names, those that a table's expressions may call, and the types of what they give.

What computes them is the engine; how a call stands in a text is read by the modules above.
"""
