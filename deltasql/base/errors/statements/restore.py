"""Errors of RESTORE."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_CANNOT_RESTORE_TABLE_VERSION",
    "22003",
    "{table} cannot be restored to version {version}. Available are versions {earliest} to {latest}.",
    remedy="Choose a version that the message names.",
)
class RestoreVersionError(DeltaSqlError):
    """RESTORE to a version that the log does not have."""

    table: str
    version: int
    earliest: int
    latest: int


@condition(
    "DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER",
    "22003",
    "{table} cannot be restored to {timestamp}, which is before its earliest version: {earliest}. "
    "Use a timestamp at or after it.",
)
class RestoreTimestampEarlierError(DeltaSqlError):
    """RESTORE to a time before the log begins."""

    table: str
    timestamp: str
    earliest: str


@condition(
    "DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER",
    "22003",
    "{table} cannot be restored to {timestamp}, which is after its latest version: {latest}. "
    "Use a timestamp at or before it.",
)
class RestoreTimestampGreaterError(DeltaSqlError):
    """RESTORE to a time after the last commit."""

    table: str
    timestamp: str
    latest: str


@condition(
    "DELTA_CANNOT_RESTORE_MISSING_FILES",
    "42K03",
    "{table} cannot be restored to version {version}: {count} of its files are gone, among them {files}. Restore a "
    "newer version, or take what is left: SET spark.sql.files.ignoreMissingFiles = true.",
)
class RestoreMissingFilesError(DeltaSqlError):
    """VACUUM has deleted files of the version."""

    table: str
    version: int
    count: int
    files: tuple[str, ...]
