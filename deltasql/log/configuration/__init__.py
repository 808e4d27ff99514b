"""Configuration of a table: properties, table features, Iceberg compatibility, row tracking, indexed columns.

Requirements of features on clients are in `protocol`; session settings are in `deltasql.base.settings`.
"""
