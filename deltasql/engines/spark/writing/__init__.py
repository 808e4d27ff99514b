"""DataFrames → data files in a fresh directory of the table, with the log's description of each.

The files are invisible to readers until a commit names them, which is done by `execution`.
"""
