"""The options of DataFrames: of writes, of reads and of streams.

A new option is one declaration in this module, and the code that reads it. Names are matched in any letter case.
Unknown options are ignored, as in Spark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, Union

from deltasql.base import (
    CODECS,
    Registry,
    RegistryEntry,
    any_text,
    boolean,
    byte_size,
    count,
    errors,
    one_of,
    parse_timestamp,
    zone,
)
from deltasql.log import StreamRules
from deltasql.sql import micros_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Option(RegistryEntry[T]):
    """One option of a DataFrame's write, read or stream."""

    def refusal(self, text: str) -> Exception:
        """IllegalOptionError, and for the version that a query reads InvalidVersionOptionError."""
        if self.name == "versionAsOf":
            return errors.InvalidVersionOptionError(repr(text))
        return errors.IllegalOptionError(self.name, repr(text), self.legal)


class Options:
    """The options of one write, read or stream: `options[MERGE_SCHEMA]` is the value of one.

    `texts` are the values as text, by names in lower case.
    """

    __slots__ = ("texts",)

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def __getitem__(self, entry: Option[T]) -> T:
        """The value of an option, or its default. Raises the option's `refusal`."""
        return entry.value(self.texts.get(entry.name.lower()))


WRITE_OPTIONS: Registry[Option[Any]] = Registry()
READ_OPTIONS: Registry[Option[Any]] = Registry()
STREAM_OPTIONS: Registry[Option[Any]] = Registry()

LATEST = "latest"


def _version_or_latest(text: str) -> int | str:
    return LATEST if text.strip().lower() == LATEST else count()(text)


def _names(text: str) -> tuple[str, ...]:
    """Names with commas between them. Raises ValueError for an empty one."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise ValueError("a name is empty")
    return names


def _pattern(text: str) -> str:
    """A regular expression. Raises ExcludePatternError."""
    try:
        re.compile(text)
    except re.error as error:
        raise errors.ExcludePatternError(text, str(error)) from error
    return text


def _flag(registry: Registry[Option[Any]], name: str, default: str, applies: str, documentation: str) -> Option[bool]:
    return registry.add(Option(name, boolean, "true or false", default, documentation, applies))


def _maybe(
    registry: Registry[Option[Any]], name: str, read: Callable[[str], T], legal: str, applies: str, documentation: str
) -> Option[T | None]:
    """Adds an option without a default."""
    return registry.add(Option(name, read, legal, None, documentation, applies))


_TEXT, _BOOLEAN, _TIME = "any text", "true or false", "a timestamp"
_VERSION = "a version: a whole number from 0 on"
_WRITES, _OVERWRITES = "writes", "overwrites"

MERGE_SCHEMA = _maybe(
    WRITE_OPTIONS,
    "mergeSchema",
    boolean,
    _BOOLEAN,
    "writes, streams",
    "Columns that only the DataFrame has become the table's; beats `schema.autoMerge.enabled` both ways.",
)
OVERWRITE_SCHEMA = _flag(
    WRITE_OPTIONS,
    "overwriteSchema",
    "false",
    "overwrites, complete streams",
    "Columns and partitioning become the DataFrame's.",
)
REPLACE_WHERE = _maybe(
    WRITE_OPTIONS,
    "replaceWhere",
    any_text,
    "a condition in SQL",
    _OVERWRITES,
    "Rows that satisfy this are deleted; the new rows must satisfy it.",
)
REPLACE_USING = _maybe(
    WRITE_OPTIONS,
    "replaceUsing",
    _names,
    "names of columns with commas between them, none of them empty",
    _OVERWRITES,
    "Deletes table rows with the values of a DataFrame row in these columns, where NULL matches nothing; then inserts "
    "all rows of the DataFrame.",
)
REPLACE_ON = _maybe(
    WRITE_OPTIONS,
    "replaceOn",
    any_text,
    "a condition in SQL",
    _OVERWRITES,
    "Deletes table rows for which this is TRUE with a DataFrame row; `df.alias(…)` qualifies columns of the DataFrame.",
)
TARGET_ALIAS = _maybe(
    WRITE_OPTIONS,
    "targetAlias",
    any_text,
    "a name",
    _OVERWRITES,
    "The qualifier of table columns in `replaceOn`.",
)
IGNORE_NULL_PARTITIONS = _flag(
    WRITE_OPTIONS,
    "useNullIntolerantEqualityWithDPO",
    "false",
    _OVERWRITES,
    "With true a dynamic overwrite keeps rows of partitions with a NULL.",
)
OVERWRITE_MODE = _maybe(
    WRITE_OPTIONS,
    "partitionOverwriteMode",
    one_of("static", "dynamic"),
    "'static' or 'dynamic'",
    _OVERWRITES,
    "With dynamic the partitions that the rows fall into are replaced; beats the setting of that name.",
)
USER_METADATA = _maybe(
    WRITE_OPTIONS,
    "userMetadata",
    any_text,
    _TEXT,
    "writes, streams",
    "A note that goes into the history of the commit.",
)
TXN_APP_ID = _maybe(
    WRITE_OPTIONS, "txnAppId", any_text, _TEXT, _WRITES, "The application that writes, for idempotent writes."
)
TXN_VERSION = _maybe(
    WRITE_OPTIONS,
    "txnVersion",
    any_text,
    "a whole number from 0 on",
    _WRITES,
    "The number of the application's write; one that is not above the last is skipped.",
)
DATA_CHANGE = _flag(
    WRITE_OPTIONS,
    "dataChange",
    "true",
    _WRITES,
    "With false the write only moves rows, so that streams need not read them again.",
)
COMPRESSION = _maybe(
    WRITE_OPTIONS,
    "compression",
    one_of(*CODECS),
    ", ".join(CODECS),
    "writes, streams",
    "How the new files are compressed; beats `delta.parquet.compression.codec`.",
)
MOST_ROWS = _maybe(
    WRITE_OPTIONS,
    "maxRecordsPerFile",
    count(),
    "a whole number; 0: any number",
    "writes, streams",
    "How many rows a new file has at most; beats `spark.sql.files.maxRecordsPerFile`.",
)
OPTIMIZES = _maybe(
    WRITE_OPTIONS,
    "optimizeWrite",
    boolean,
    _BOOLEAN,
    "writes, streams",
    "Spark shuffles rows into fewer, larger files; beats setting and property.",
)
_maybe(WRITE_OPTIONS, "path", any_text, _TEXT, "new tables", "Where the table lies.")

VERSION_AS_OF = _maybe(READ_OPTIONS, "versionAsOf", count(), _VERSION, "reads", "The version that is read.")
TIMESTAMP_AS_OF = _maybe(READ_OPTIONS, "timestampAsOf", any_text, _TIME, "reads", "The time whose version is read.")
READ_CHANGE_FEED = _flag(
    READ_OPTIONS, "readChangeFeed", "false", "reads", "The changes are read, as `table_changes` gives them."
)
READ_CHANGE_DATA = _flag(READ_OPTIONS, "readChangeData", "false", "reads", "An older name of `readChangeFeed`.")
FIRST_VERSION = _maybe(
    READ_OPTIONS, "startingVersion", count(), _VERSION, "reads of changes", "The first version of the changes."
)
FIRST_TIMESTAMP = _maybe(
    READ_OPTIONS, "startingTimestamp", any_text, _TIME, "reads of changes", "The time from which changes are read."
)
LAST_VERSION = _maybe(
    READ_OPTIONS, "endingVersion", count(), _VERSION, "reads of changes", "The last version of the changes."
)
LAST_TIMESTAMP = _maybe(
    READ_OPTIONS, "endingTimestamp", any_text, _TIME, "reads of changes", "The time up to which changes are read."
)

STARTING_VERSION: Option[Union[int, str, None]] = _maybe(
    STREAM_OPTIONS,
    "startingVersion",
    _version_or_latest,
    "a whole number from 0 on",
    "new queries",
    "The stream begins with what this version adds; with `latest`, with what comes from now on.",
)
STARTING_TIMESTAMP = _maybe(
    STREAM_OPTIONS,
    "startingTimestamp",
    any_text,
    _TIME,
    "new queries",
    "The stream begins with the first version at or after this time.",
)
MAX_FILES = STREAM_OPTIONS.add(
    Option(
        "maxFilesPerTrigger",
        count(1),
        "a whole number from 1 on",
        "1000",
        "How many files one batch has at most.",
        "batches",
    )
)
MAX_BYTES = _maybe(
    STREAM_OPTIONS,
    "maxBytesPerTrigger",
    byte_size,
    "a size such as 1048576 or 10g",
    "batches",
    "How big one batch is; a soft limit, of whole files.",
)
IGNORE_DELETES = _flag(
    STREAM_OPTIONS, "ignoreDeletes", "false", "changed tables", "The stream goes on where a version only deletes rows."
)
SKIP_CHANGE_COMMITS = _flag(
    STREAM_OPTIONS,
    "skipChangeCommits",
    "false",
    "changed tables",
    "Versions that delete or change rows are left out.",
)
IGNORE_CHANGES = _flag(
    STREAM_OPTIONS,
    "ignoreChanges",
    "false",
    "changed tables",
    "Rewritten files are read again, with rows that were read before.",
)
IGNORE_FILE_DELETION = _flag(
    STREAM_OPTIONS, "ignoreFileDeletion", "false", "changed tables", "An older name of `ignoreChanges`."
)
STREAM_CHANGE_FEED = _flag(
    STREAM_OPTIONS,
    "readChangeFeed",
    "false",
    "streams",
    "The changes, as `table_changes` tells them: the rows of the start as inserts, then each version's.",
)
STREAM_CHANGE_DATA = _flag(STREAM_OPTIONS, "readChangeData", "false", "streams", "An older name of `readChangeFeed`.")
EXCLUDE_REGEX = _maybe(
    STREAM_OPTIONS,
    "excludeRegex",
    _pattern,
    "a regular expression",
    "files",
    "Files whose path matches are left out.",
)
FAIL_ON_DATA_LOSS = _flag(
    STREAM_OPTIONS,
    "failOnDataLoss",
    "true",
    "cleaned-up logs",
    "With false the stream goes on where log files are gone that were not read yet.",
)


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """The rules of a stream, and the limits of one batch; bytes are a soft limit, of whole files."""

    rules: StreamRules
    most_files: float
    most_bytes: float


def stream_options(texts: Mapping[str, str]) -> StreamOptions:
    """The options by their keys in lower case; unknown ones are ignored.

    Raises IllegalOptionError, StreamStartsError, TimeTravelStreamError, ExcludePatternError, TimestampInvalidError,
    UnsupportedStreamOptionError.
    """
    _refuse_others(texts)
    options = Options(texts)
    version, timestamp = options[STARTING_VERSION], options[STARTING_TIMESTAMP]
    if version is not None and timestamp is not None:
        raise errors.StreamStartsError
    most_bytes = options[MAX_BYTES]
    rules = StreamRules(
        starting_version=version if isinstance(version, int) else None,
        starting_micros=None if timestamp is None else _micros(timestamp, texts.get("deltasql.timezone")),
        from_latest=version == LATEST,
        ignore_deletes=options[IGNORE_DELETES],
        ignore_changes=options[IGNORE_CHANGES] or options[IGNORE_FILE_DELETION],
        skip_change_commits=options[SKIP_CHANGE_COMMITS],
        change_feed=options[STREAM_CHANGE_FEED] or options[STREAM_CHANGE_DATA],
        fail_on_data_loss=options[FAIL_ON_DATA_LOSS],
        exclude=options[EXCLUDE_REGEX],
    )
    return StreamOptions(rules, options[MAX_FILES], float("inf") if most_bytes is None else most_bytes)


def _refuse_others(texts: Mapping[str, str]) -> None:
    """Raises TimeTravelStreamError, UnsupportedStreamOptionError."""
    for key, name in (("versionasof", "versionAsOf"), ("timestampasof", "timestampAsOf")):
        if key in texts:
            raise errors.TimeTravelStreamError(name)
    for key, name in (("schematrackinglocation", "schemaTrackingLocation"), ("schemalocation", "schemaLocation")):
        if key in texts:
            advice = "After a rename or a drop: a new checkpoint, with startingVersion."
            raise errors.UnsupportedStreamOptionError(name, advice)
    if texts.get("witheventtimeorder", "").lower() == "true":
        advice = "For a watermark that drops no row of the start: startingVersion = 0 reads versions in their order."
        raise errors.UnsupportedStreamOptionError("withEventTimeOrder", advice)


def _micros(value: str, time_zone: str | None) -> int:
    moment = parse_timestamp(value.strip())
    if moment is None:
        raise errors.TimestampInvalidError(expression=repr(value))
    return micros_of(moment if moment.tzinfo else moment.replace(tzinfo=zone(time_zone)))
