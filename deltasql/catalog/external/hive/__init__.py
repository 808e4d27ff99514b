"""A Hive metastore as a catalog, by its Thrift protocol. The meaning of its records is in `metastore`."""
