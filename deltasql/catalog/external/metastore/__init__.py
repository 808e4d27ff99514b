"""Catalogs with the tables of Apache Hive: what Hive's metastore and AWS Glue have in common.

A client (`model.Metastore`) speaks the protocol of one of them. `tables`, `schemas`, `views` and `sources` are Spark's
conventions: which properties say what a table is. `store` is the store of names on a client.
"""
