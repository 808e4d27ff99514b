"""Errors of the versions that a statement names: time travel, and the change data feed."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "INCORRECT_NUMBER_OF_ARGUMENTS",
    "42605",
    "{function} takes a table, a start and maybe an end, not {count:arguments}: {function}('name', start [, end]).",
    remedy="Write table_changes('t', start) or table_changes('t', start, end).",
)
class ChangeArgumentCountError(DeltaSqlError):
    """table_changes with fewer than two or more than three arguments."""

    function: str
    count: int


@condition(
    "DELTA_CDC_NON_CONSTANT_ARGUMENT",
    "42K0H",
    "Argument {position} of {function} must be a constant, and {argument} is none.",
    remedy="Write a literal, a parameter or an expression of constants.",
)
class NonConstantChangeArgumentError(DeltaSqlError):
    """An argument of table_changes that depends on rows."""

    function: str
    position: int
    argument: str


@condition(
    "DELTA_CDC_READ_NULL_RANGE_BOUNDARY",
    "22004",
    "The range of changes begins or ends at NULL. Give a version or a timestamp, or leave the end out.",
)
class NullChangeBoundError(DeltaSqlError):
    """NULL as the start or the end of a range of changes."""


@condition(
    "DELTA_INVALID_CDC_RANGE",
    "22003",
    "The range of changes ends at {end}, before its start {start}.",
    remedy="Swap the two bounds.",
)
class InvalidChangeRangeError(DeltaSqlError):
    """A range of changes that ends before its start."""

    start: int
    end: int


@condition(
    "DELTA_CDC_START_VERSION_AFTER_LATEST",
    "22003",
    "The changes of {table} are asked for from {start} on, and its latest version is {latest}.",
    remedy="Choose an earlier start: DESCRIBE HISTORY lists the versions.",
)
class ChangesStartAfterLatestError(DeltaSqlError):
    """A start that is not there yet."""

    table: str
    start: str
    latest: int


@condition(
    "DELTA_MISSING_CHANGE_DATA",
    "KD002",
    "{table} recorded no changes at version {version}, so those of versions {start} to {end} cannot be told. DESCRIBE "
    "HISTORY shows since when it does. To record them from now on, run: ALTER TABLE {table} SET TBLPROPERTIES "
    "('delta.enableChangeDataFeed' = 'true')",
    remedy="Start at a later version, or enable the feed for versions to come.",
)
class MissingChangeDataError(DeltaSqlError):
    """The change data feed was off at some version of the range."""

    table: str
    version: int
    start: int
    end: int


@condition(
    "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE",
    "0AKDC",
    "The schema of {table} changed at version {version}: {reason}. Read the changes of versions {start} to {end} in "
    "two parts, before and after it.",
)
class IncompatibleChangeSchemaError(DeltaSqlError):
    """Rows of one version of the range cannot be read with the schema of another."""

    table: str
    version: int
    start: int
    end: int
    reason: str


@condition(
    "DELTA_VERSION_NOT_FOUND",
    "22003",
    "{table} has no version {version}. Available are versions {earliest} to {latest}.",
    remedy="Choose a version that the message names; DESCRIBE HISTORY lists them.",
)
class VersionNotFoundError(DeltaSqlError):
    """VERSION AS OF a version that the table does not have, or has no longer."""

    table: str
    version: int
    earliest: int
    latest: int


@condition(
    "DELTA_NO_COMMITS_FOUND",
    "KD006",
    "No commits found in {location}, the log of {table}.",
    remedy="Use VERSION AS OF a version with a checkpoint, or restore the commit files.",
)
class NoCommitsFoundError(DeltaSqlError):
    """Time travel to a timestamp in a log that has no commit files."""

    table: str
    location: str


@condition(
    "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
    "42816",
    "{timestamp} is before the earliest version available of {table}: {earliest} (version {version}). "
    "Use a timestamp at or after it.",
)
class TimestampTooEarlyError(DeltaSqlError):
    """TIMESTAMP AS OF a time before the first version that is available."""

    table: str
    timestamp: str
    earliest: str
    version: int


@condition(
    "DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
    "42816",
    "{timestamp} is after the latest version available of {table}: {latest} (version {version}). "
    "Use a timestamp at or before it.",
)
class TimestampTooLateError(DeltaSqlError):
    """TIMESTAMP AS OF a time after the latest version."""

    table: str
    timestamp: str
    latest: str
    version: int


@condition(
    "DELTA_TIMESTAMP_INVALID",
    "42816",
    "{expression} is not a valid timestamp. Write one like TIMESTAMP AS OF '2024-01-31 12:00:00'.",
)
class TimestampInvalidError(DeltaSqlError):
    """A time-travel expression that does not give a timestamp."""

    expression: str
