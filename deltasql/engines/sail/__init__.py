"""Sail, an engine without Java that is reached as a Spark Connect server: its additions to `engines/spark`.

Its SQL is rewritten in `dialect` and checked in `guards`.
"""
