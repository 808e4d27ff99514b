"""What clients must know to read or write a table: protocol versions and table features.

Whether deltasql may read or write one table is judged in `configuration`, which also knows its metadata.
"""
