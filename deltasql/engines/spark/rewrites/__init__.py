"""UPDATE, DELETE, MERGE, OPTIMIZE: rows of files that are there into new files and deletion vectors.

Which files, and what becomes of a row, is in the operator already. How files are written is in `writing`.
"""
