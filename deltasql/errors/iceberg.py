"""Refusals of tables that Iceberg reads as well."""

from __future__ import annotations

from deltasql.errors.base import DeltaSqlError, condition

_STATE = "KD00E"


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.VERSION_MUTUAL_EXCLUSIVE",
    _STATE,
    "{table} can have one version of Iceberg compatibility only, and {keys} are true. Set the others to 'false'.",
)
class IcebergVersionsError(DeltaSqlError):
    """Two versions at once."""

    table: str
    keys: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.WRONG_REQUIRED_TABLE_PROPERTY",
    _STATE,
    "{table} cannot have {version}: it needs 'delta.columnMapping.mode' = 'name' or 'id', not '{mode}'. "
    "Set that property first.",
)
class IcebergMappingError(DeltaSqlError):
    """Iceberg finds columns by their ids."""

    table: str
    version: str
    mode: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.DELETION_VECTORS_SHOULD_BE_DISABLED",
    _STATE,
    "{table} cannot have {version} together with deletion vectors. Set 'delta.enableDeletionVectors' = 'false' and run "
    "REORG TABLE {table} APPLY (PURGE) first.",
)
class IcebergVectorsError(DeltaSqlError):
    """Iceberg does not read deletion vectors."""

    table: str
    version: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.UNSUPPORTED_DATA_TYPE",
    _STATE,
    "{table} cannot have {version} with column {column} of type {type}: {reason}. "
    "Leave the column out, or switch the compatibility off: ALTER TABLE {table} SET TBLPROPERTIES ('{key}' = 'false').",
)
class IcebergTypeError(DeltaSqlError):
    """A type that Iceberg lacks, or that we cannot write as it wants it."""

    table: str
    version: str
    column: str
    type: str
    reason: str
    key: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.UNSUPPORTED_TYPE_WIDENING",
    _STATE,
    "{table} cannot have {version}: the type of {column} changes from {old} to {new}, which Iceberg does not know. "
    "Keep the type, or write the table anew: CREATE OR REPLACE TABLE {table} AS SELECT * FROM {table}.",
)
class IcebergWideningError(DeltaSqlError):
    """A change of type that old files of the table would not survive in Iceberg."""

    table: str
    version: str
    column: str
    old: str
    new: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.FILES_NOT_ICEBERG_COMPAT",
    _STATE,
    "{table} cannot have {version}: its files do not hold the partition columns, which Iceberg reads from them. "
    "Write the table anew: CREATE OR REPLACE TABLE {table} PARTITIONED BY (…) TBLPROPERTIES ('{key}' = 'true') AS "
    "SELECT * FROM {table}.",
)
class IcebergFilesError(DeltaSqlError):
    """Files of before the compatibility."""

    table: str
    version: str
    key: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.REPLACE_TABLE_CHANGE_PARTITION_NAMES",
    _STATE,
    "{table} has {version} and cannot be replaced by a table with other partition columns: "
    "({old}) would become ({new}). Drop the table and create it anew.",
)
class IcebergPartitionsError(DeltaSqlError):
    """REPLACE TABLE with other partition columns."""

    table: str
    version: str
    old: str
    new: str


@condition(
    "DELTA_ICEBERG_COMPAT_VIOLATION.MISSING_STATISTICS",
    _STATE,
    "{path} cannot be added to {table}, which has {version}: its statistics have no numRecords, which Iceberg needs.",
)
class IcebergStatisticsError(DeltaSqlError):
    """A file without a row count."""

    path: str
    table: str
    version: str
