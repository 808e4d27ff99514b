"""AWS Glue's Data Catalog as a catalog, by boto3. The meaning of its records is in `metastore`."""
