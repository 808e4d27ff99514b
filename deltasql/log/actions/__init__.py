"""Actions of the Delta protocol: as objects, as lines of JSON, as Arrow tables; and the bytes of deletion vectors.

What they add up to is in `replay`; what a table allows by its properties in `configuration`.
"""
