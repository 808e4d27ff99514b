"""Requirements on readers and writers of a table: protocol versions and table features.

Whether deltasql may read or write one table is decided in `configuration`, which also has its metadata.
"""
