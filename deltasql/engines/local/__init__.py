"""In-process evaluation: expressions over Arrow columns, joins of a few rows, and rewrites of files by them.

For small statements, which take an engine longer to start and to answer. `sql/evaluated` reads the SQL.
"""
