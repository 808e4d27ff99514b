"""In-process evaluation: expressions over Arrow columns, joins of a few rows, and rewrites of files by them.

For small statements, whose rows cost an engine less than to be asked. `sql/evaluated` reads the SQL.
"""
