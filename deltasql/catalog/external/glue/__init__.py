"""AWS Glue's Data Catalog as a catalog, by boto3."""
