"""Arrow tables → data files below the table, and files that are rewritten row group by row group.

The files are invisible to readers until a commit names them, which is done by `execution`.
"""
