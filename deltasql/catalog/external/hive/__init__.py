"""A Hive metastore as a catalog, by its Thrift protocol."""
