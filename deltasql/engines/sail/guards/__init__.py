"""Expressions that Sail evaluates otherwise than Spark: they are checked where they stand, or refused.

A call whose results were not compared with Spark's is refused. How statements are spelled for Sail is in `dialect`.
"""
