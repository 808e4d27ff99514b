"""Storage of a table: object stores and the local disk, paths, listings, and the atomic creation of versions.

Independent of the actions of the protocol.
"""
