"""The definitions of tables and views: columns, keys, properties, features, names and locations.

Rows are not changed here, except in files that DROP FEATURE rewrites.
"""
