"""Errors of reading a change data feed."""

from __future__ import annotations

from deltasql.errors.base import DeltaSqlError, condition


@condition(
    "INCORRECT_NUMBER_OF_ARGUMENTS",
    "42605",
    "{function} takes a table, a start and maybe an end, not {count:arguments}: {function}('name', start [, end]).",
)
class ChangeArgumentCountError(DeltaSqlError):
    """table_changes with fewer than two or more than three arguments."""

    function: str
    count: int


@condition(
    "DELTA_CDC_NON_CONSTANT_ARGUMENT",
    "42K0H",
    "Argument {position} of {function} must be a constant, and {argument} is none.",
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
    """NULL as start or end."""


@condition("DELTA_INVALID_CDC_RANGE", "22003", "The range of changes ends at {end}, before its start {start}.")
class InvalidChangeRangeError(DeltaSqlError):
    """End before start."""

    start: int
    end: int


@condition(
    "DELTA_CDC_START_VERSION_AFTER_LATEST",
    "22003",
    "The changes of {table} are asked for from {start} on, and its latest version is {latest}.",
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
