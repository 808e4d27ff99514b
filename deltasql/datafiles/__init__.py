"""Parquet data files of tables: footers, statistics, rows as Arrow, and files that Arrow writes.

No engine and no PySpark: what is here runs in this process, for every engine and for the log.
"""
