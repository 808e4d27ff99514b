"""DataFrames → data files in a fresh directory of the table, with what the log says of each.

Nobody sees these files until a commit names them, which is for `execution`.
"""
