"""Parquet data files of tables: footers, statistics, rows as Arrow, and files that Arrow writes.

Independent of engines and PySpark: everything runs in this process, for every engine and for the log.
"""
