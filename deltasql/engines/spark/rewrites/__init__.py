"""UPDATE, DELETE, MERGE, OPTIMIZE: rows of existing files are written to new files and deletion vectors.

The files and the actions on their rows are part of the operator. Writing of files is in `writing`.
"""
