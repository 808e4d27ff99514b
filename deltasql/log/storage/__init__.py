"""Bytes of a table: object stores and the local disk, paths, listings, and who may create a version.

Knows no action of the protocol.
"""
