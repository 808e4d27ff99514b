"""Errors of CONVERT TO DELTA; those of the files that it takes over are in `sources`."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_CONVERT_NON_PARQUET_TABLE",
    "0AKDC",
    "CONVERT TO DELTA takes over files of Parquet, and {source} has others. Write its rows into a new table: "
    "CREATE TABLE t AS SELECT * FROM {source}.",
)
class NonParquetSourceError(DeltaSqlError):
    """CONVERT TO DELTA of files that are not Parquet."""

    source: str


@condition(
    "DELTA_MISSING_PROVIDER_FOR_CONVERT",
    "0AKDC",
    "{path} is a path, and nothing says what lies there. Write CONVERT TO DELTA parquet.{path} for a folder of Parquet "
    "files, or iceberg.{path}.",
)
class MissingProviderError(DeltaSqlError):
    """CONVERT TO DELTA of a path without its format."""

    path: str


@condition(
    "DELTA_PARTITION_SCHEMA_IN_ICEBERG_TABLES",
    "42613",
    "A table of Iceberg says itself how it is partitioned. Leave PARTITIONED BY out.",
)
class IcebergPartitionedByError(DeltaSqlError):
    """CONVERT TO DELTA of an Iceberg table, with PARTITIONED BY."""
