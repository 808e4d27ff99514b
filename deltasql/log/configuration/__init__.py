"""What a table is set to: properties, table features, Iceberg compatibility, row tracking, indexed columns."""
