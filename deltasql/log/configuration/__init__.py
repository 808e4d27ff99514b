"""What a table is set to: properties, table features, Iceberg compatibility, row tracking, indexed columns.

What each feature asks of clients is in `protocol`; settings of a session are in `deltasql.settings`.
"""
