"""Expressions that Sail evaluates otherwise than Spark: checks are added to them in the text, or they are refused.

A call whose results were not compared with Spark's is refused. The rewriting of statements is in `dialect`.
"""
