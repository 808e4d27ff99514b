"""The options of a stream that reads a table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from deltasql.errors.frames import IllegalOptionError
from deltasql.errors.log import TimestampInvalidError
from deltasql.errors.streams import (
    ExcludePatternError,
    StreamStartsError,
    TimeTravelStreamError,
    UnsupportedStreamOptionError,
)
from deltasql.log.configuration.property_values import byte_size
from deltasql.log.reading.stream_source import StreamRules
from deltasql.schema.timezone import parse_timestamp, zone
from deltasql.sql.constants import micros_of

MOST_FILES = 1000


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """What a stream reads, and how much of it in one batch; bytes are a soft limit, of whole files."""

    rules: StreamRules
    most_files: float
    most_bytes: float


def stream_options(given: Mapping[str, str]) -> StreamOptions:
    """The options by their keys in lower case; those that nobody knows are let through.

    Raises IllegalOptionError, StreamStartsError, TimeTravelStreamError, ExcludePatternError, TimestampInvalidError,
    UnsupportedStreamOptionError.
    """
    for key, name in (("versionasof", "versionAsOf"), ("timestampasof", "timestampAsOf")):
        if key in given:
            raise TimeTravelStreamError(name)
    for key, name in (("schematrackinglocation", "schemaTrackingLocation"), ("schemalocation", "schemaLocation")):
        if key in given:
            advice = "After a rename or a drop: a new checkpoint, with startingVersion."
            raise UnsupportedStreamOptionError(name, advice)
    version, timestamp = given.get("startingversion"), given.get("startingtimestamp")
    if version is not None and timestamp is not None:
        raise StreamStartsError
    from_latest = version is not None and version.strip().lower() == "latest"
    rules = StreamRules(
        starting_version=None if version is None or from_latest else _count("startingVersion", version),
        starting_micros=None if timestamp is None else _micros(timestamp, given.get("deltasql.timezone")),
        from_latest=from_latest,
        ignore_deletes=_is_on(given, "ignoreDeletes"),
        ignore_changes=_is_on(given, "ignoreChanges") or _is_on(given, "ignoreFileDeletion"),
        skip_change_commits=_is_on(given, "skipChangeCommits"),
        change_feed=_is_on(given, "readChangeFeed") or _is_on(given, "readChangeData"),
        fail_on_data_loss=_is_on(given, "failOnDataLoss", default="true"),
        exclude=_pattern(given.get("excluderegex")),
    )
    files = _count("maxFilesPerTrigger", given.get("maxfilespertrigger", str(MOST_FILES)), least=1)
    return StreamOptions(rules, files, _bytes(given.get("maxbytespertrigger")))


def _is_on(given: Mapping[str, str], option: str, default: str = "false") -> bool:
    value = given.get(option.lower(), default)
    if value.lower() not in {"true", "false"}:
        raise IllegalOptionError(option, repr(value), "true or false")
    return value.lower() == "true"


def _count(option: str, value: str, least: int = 0) -> int:
    text = value.strip()
    if not text.isdecimal() or int(text) < least:
        raise IllegalOptionError(option, repr(value), f"a whole number from {least} on")
    return int(text)


def _bytes(value: str | None) -> float:
    if value is None:
        return float("inf")
    try:
        size = byte_size(value)
    except ValueError:
        size = 0
    if size <= 0:
        raise IllegalOptionError("maxBytesPerTrigger", repr(value), "a size such as 1048576 or 10g")
    return size


def _micros(value: str, time_zone: str | None) -> int:
    moment = parse_timestamp(value.strip())
    if moment is None:
        raise TimestampInvalidError(expression=repr(value))
    return micros_of(moment if moment.tzinfo else moment.replace(tzinfo=zone(time_zone)))


def _pattern(value: str | None) -> str | None:
    if value is None:
        return None
    try:
        re.compile(value)
    except re.error as error:
        raise ExcludePatternError(value, str(error)) from error
    return value
