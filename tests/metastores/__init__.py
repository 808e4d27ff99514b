"""Catalogs of other systems on their own servers: a real Hive metastore, and moto in place of AWS Glue."""
