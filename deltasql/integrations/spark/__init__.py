"""A user's own Spark session whose SQL, readers, writers and catalog are deltasql's.

Holds what stands between PySpark's words and those of a session. What the words do is in `frames`.
"""
