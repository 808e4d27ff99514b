"""The definitions of tables and views: columns, keys, properties, features, names and locations.

Rows do not change, except in files that DROP FEATURE rewrites.
"""
