"""Errors of VACUUM."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT",
    "22003",
    "RETAIN {hours} HOURS is less than the {configured} hours for which {table} keeps deleted files: readers of an "
    "older version, and writers with files that are not committed yet, would miss them. Retain at least "
    "{configured} hours. If no other process uses the table now: "
    "SET spark.databricks.delta.retentionDurationCheck.enabled = false.",
    remedy="Retain more hours, or switch the check off while no other process uses the table.",
)
class RetentionTooShortError(DeltaSqlError):
    """RETAIN below `delta.deletedFileRetentionDuration` while the check is on."""

    table: str
    hours: str
    configured: str


@condition(
    "DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE",
    "22003",
    "RETAIN {hours} HOURS lies in the future. Give a number of hours from 0 on.",
)
class NegativeRetentionError(DeltaSqlError):
    """RETAIN of a negative number."""

    hours: str


@condition(
    "DELTA_CANNOT_VACUUM_LITE",
    "55000",
    "VACUUM LITE of {table} needs the log from version {needed} on, and it begins with version {earliest}: files "
    "removed before are not named in it. Run: VACUUM {table} FULL.",
)
class VacuumLiteError(DeltaSqlError):
    """The log no longer has all removals of files since the last VACUUM."""

    table: str
    needed: int
    earliest: int


@condition(
    "DELTA_INVALID_INVENTORY_SCHEMA",
    "42000",
    "The inventory has the columns {columns}. It must have: path STRING, length BIGINT, isDir BOOLEAN, "
    "modificationTime BIGINT (in milliseconds).",
    remedy="Select these columns with these types.",
)
class InventorySchemaError(DeltaSqlError):
    """USING INVENTORY of something else."""

    columns: str


@condition(
    "DELTA_UNSUPPORTED_VACUUM_SPECIFIC_PARTITION",
    "0AKDC",
    "{path} lies inside of the table at {root}, which can only be vacuumed as a whole. Run: VACUUM '{root}'.",
)
class VacuumPartitionError(DeltaSqlError):
    """VACUUM of a folder inside of a table."""

    path: str
    root: str
