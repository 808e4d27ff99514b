"""Arrow tables → data files below the table, and files that are rewritten row group by row group.

Nobody sees these files until a commit names them, which is for `execution`.
"""
