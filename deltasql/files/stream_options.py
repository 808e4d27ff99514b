"""The options of a stream that reads a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deltasql.base.errors.streams import (
    StreamStartsError,
    TimeTravelStreamError,
    UnsupportedStreamOptionError,
)
from deltasql.base.errors.versions import TimestampInvalidError
from deltasql.base.timezone import parse_timestamp, zone
from deltasql.files.frame_options import (
    EXCLUDE_REGEX,
    FAIL_ON_DATA_LOSS,
    IGNORE_CHANGES,
    IGNORE_DELETES,
    IGNORE_FILE_DELETION,
    LATEST,
    MAX_BYTES,
    MAX_FILES,
    SKIP_CHANGE_COMMITS,
    STARTING_TIMESTAMP,
    STARTING_VERSION,
    STREAM_CHANGE_DATA,
    STREAM_CHANGE_FEED,
    Options,
)
from deltasql.log.reading.stream_source import StreamRules
from deltasql.sql.constants import micros_of


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
        raise StreamStartsError
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
            raise TimeTravelStreamError(name)
    for key, name in (("schematrackinglocation", "schemaTrackingLocation"), ("schemalocation", "schemaLocation")):
        if key in texts:
            advice = "After a rename or a drop: a new checkpoint, with startingVersion."
            raise UnsupportedStreamOptionError(name, advice)
    if texts.get("witheventtimeorder", "").lower() == "true":
        advice = "For a watermark that drops no row of the start: startingVersion = 0 reads versions in their order."
        raise UnsupportedStreamOptionError("withEventTimeOrder", advice)


def _micros(value: str, time_zone: str | None) -> int:
    moment = parse_timestamp(value.strip())
    if moment is None:
        raise TimestampInvalidError(expression=repr(value))
    return micros_of(moment if moment.tzinfo else moment.replace(tzinfo=zone(time_zone)))
