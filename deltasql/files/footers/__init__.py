"""Footers of Parquet files: read in pure Python and by Arrow, checked, and changed.

The conversion of footers to the log's statistics is in `statistics`.
"""
