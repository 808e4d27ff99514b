"""A user's own Spark session whose SQL, readers, writers and catalog are deltasql's.

Converts calls of PySpark's interface to those of a session. The readers and writers themselves are in `frames`.
"""
