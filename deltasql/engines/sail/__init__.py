"""Sail, an engine without Java that is reached as a Spark Connect server: what it needs beside `engines/spark`.

Its SQL is rewritten in `dialect` and checked in `guards`.
"""
