"""What tables and views are: their columns, keys, properties, features, names and places.

Rows that are in them are not changed here, but for files that a DROP FEATURE writes anew.
"""
