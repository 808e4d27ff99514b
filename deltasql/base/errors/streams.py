"""Errors of streams that read a table."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET",
    "42613",
    "startingVersion and startingTimestamp both say where the stream begins. Keep one.",
)
class StreamStartsError(DeltaSqlError):
    """A stream with both startingVersion and startingTimestamp."""


@condition(
    "DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS",
    "0AKDC",
    "{option} names one version, and a stream reads them all. To begin at one: startingVersion or startingTimestamp.",
    remedy="Use startingVersion or startingTimestamp.",
)
class TimeTravelStreamError(DeltaSqlError):
    """A stream with versionAsOf or timestampAsOf."""

    option: str


@condition(
    "DELTA_SOURCE_IGNORE_DELETE",
    "0A000",
    "Version {version} of {table} deleted rows (for example in {file}), and the stream has read them already. "
    "To go on without telling of it: option('ignoreDeletes', True).",
    remedy="Set ignoreDeletes to continue, or readChangeFeed to read the changes.",
)
class SourceDeleteError(DeltaSqlError):
    """A stream reads a table in which another statement has deleted rows."""

    table: str
    version: int
    file: str


@condition(
    "DELTA_SOURCE_TABLE_IGNORE_CHANGES",
    "0A000",
    "Version {version} of {table} changed rows ({operation}), and the stream has read them already. "
    "To leave such versions out: option('skipChangeCommits', True). For the changes: option('readChangeFeed', True).",
    remedy="Set skipChangeCommits to leave such versions out, or readChangeFeed to read the changes.",
)
class SourceChangeError(DeltaSqlError):
    """A stream reads a table in which another statement has changed rows."""

    table: str
    version: int
    operation: str


@condition(
    "DELTA_SCHEMA_CHANGED_WITH_VERSION",
    "KD007",
    "The schema of {table} changed in version {version}: {reason}. Start the query again: it goes on with the new one.",
)
class SchemaChangedError(DeltaSqlError):
    """A running stream that meets a change of schema, and would go on after a restart."""

    table: str
    version: int
    reason: str


@condition(
    "DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG",
    "42KD4",
    "Version {version} of {table} cannot be read with the schema of now: {reason}. "
    "Start with a new checkpoint, from a version after the change: option('startingVersion', …).",
)
class IncompatibleStreamSchemaError(DeltaSqlError):
    """A stream over versions whose data cannot be read with the table's current schema."""

    table: str
    version: int
    reason: str


@condition(
    "DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE",
    "55019",
    "The checkpoint is of the table with the id {old}, and {table} is now another one, with the id {new}. "
    "Start with a new checkpoint.",
)
class DifferentTableError(DeltaSqlError):
    """A stream whose checkpoint belongs to another table of the same name."""

    table: str
    old: str
    new: str


@condition(
    "DELTA_MISSING_FILES_UNEXPECTED_VERSION",
    "42K03",
    "The stream goes on at version {version} of {table}, and the log begins at {earliest}: what lies between is gone "
    "and was not read. To go on without it: option('failOnDataLoss', False).",
    remedy="Start a new checkpoint, or set failOnDataLoss to False.",
)
class StreamDataLossError(DeltaSqlError):
    """A stream continues at a version whose log files are gone."""

    table: str
    version: int
    earliest: int


@condition(
    "DELTA_REGEX_OPT_SYNTAX_ERROR",
    "2201B",
    "excludeRegex {pattern} is no regular expression: {reason}.",
    remedy="Correct the regular expression.",
)
class ExcludePatternError(DeltaSqlError):
    """excludeRegex with a pattern that is no regular expression."""

    pattern: str
    reason: str


@condition(
    "DELTA_STREAMING_UNSUPPORTED_COLUMN",
    "0AKDC",
    "Column {column} is {type}, which streams of tables do not read. Leave it out: stream from a table without it.",
)
class UnsupportedStreamColumnError(DeltaSqlError):
    """A stream of a table with a column type that streams do not read."""

    column: str
    type: str


@condition(
    "DELTA_STREAMING_UNSUPPORTED_OPTION",
    "0AKDC",
    "The option {option} is not supported for streams of tables. {advice}",
    remedy="Leave the option out, or use the alternative that the message names.",
)
class UnsupportedStreamOptionError(DeltaSqlError):
    """A stream with an option that deltasql does not have."""

    option: str
    advice: str
