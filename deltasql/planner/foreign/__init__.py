"""Tables of other formats than Delta: their columns and files as a snapshot, and the partitions of their folders.

Rules of statements are in `statements.rules`, the definition of such a table is in the catalog.
"""
