"""Actions of the Delta protocol: as objects, as lines of JSON, as Arrow tables; and the bytes of deletion vectors.

Their replay to a table's state is in `replay`; the effects of table properties are in `configuration`.
"""
