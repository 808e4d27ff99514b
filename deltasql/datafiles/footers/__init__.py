"""Footers of Parquet files: read in pure Python and by Arrow, checked, and changed.

What a footer says of the values is brought into the terms of the log in `statistics`.
"""
