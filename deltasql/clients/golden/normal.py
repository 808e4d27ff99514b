"""Replaces values that differ between runs by placeholders: only those that the logs and this run have generated.

The directive `-- mask:`, and the warning for a recorded value that later runs cannot reproduce.

Generated values of a log: ids and clocks that come neither from statements nor from rows of users.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deltasql.base.errors.usage import GoldenMaskError
from deltasql.clients.golden.directives import Directive
from deltasql.files.render.values import zone_of
from deltasql.schema.types import ArrayType, DataType, MapType, StructType
from deltasql.sql.tokens import calls

_CLOCK = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_CREATED = re.compile(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} \d\d \d\d:\d\d:\d\d UTC \d{4}\b")
"""Creation time of a table, view or function in DESCRIBE and SHOW."""
_MILLISECONDS = re.compile(r"\b\d{13}\b")
_REST_OF_PATH = r"(?P<rest>[^\s'\"`,|]*)"

_PLAN = "== Physical Plan =="
_OF_PLAN = re.compile(r"( read \(| files, |\ntime: |\n\w*Bytes\w*: )[\d,]+(?= bytes| ms|\n|$)")
"""Bytes and times in EXPLAIN."""
_SIZES = re.compile(r"(bytes\w*|size\w*|(time|duration)(ms)?)$|^(time|duration)", re.IGNORECASE)
_MACHINE = re.compile(r"^(engine_?info|user_?(id|name)|tags)$", re.IGNORECASE)
_DISTRIBUTION = frozenset({"min", "max", "avg"})
_METRICS = "operationMetrics"

_UTC = dt.timezone.utc
# The clock of a file system may lag behind that of the process by a tick.
_TICK = dt.timedelta(milliseconds=100)


class Normalizer:
    """Placeholders for one file: equal ids get equal numbers, so that different ones stay distinguishable.

    `script` is the text of the file: values that it contains are not replaced.
    """

    def __init__(self, warehouse: str, script: str = "") -> None:
        self._warehouse = re.compile(rf"(?:file:(?://)?)?{re.escape(warehouse)}{_REST_OF_PATH}")
        self._started = dt.datetime.now(_UTC) - _TICK
        self._written = frozenset(text.lower() for text in UUID.findall(script))
        self._script_times = frozenset(_moments(script)) | frozenset(_MILLISECONDS.findall(script))
        self._numbers: dict[str, int] = {}
        self._ids: set[str] = set()
        self._clocks: set[int] = set()

    def learn(self, generated: GeneratedValues) -> None:
        """Adds generated values of a log, which are replaced from now on."""
        self._ids |= generated.ids
        self._clocks |= generated.clocks

    def text(self, text: str, zone: str = "UTC", *, of_query: bool = False) -> str:
        """`text` with `$WAREHOUSE`, `<uuid-1>`, `<time>` and `<ms>`.

        Times are replaced if a log has generated them, and outside of rows of queries (`of_query`) also if they are
        any time of this run. One without an offset is in `zone`.
        """

        def clock(match: re.Match[str]) -> str:
            return "<time>" if self._is_of_run(match[0], zone, of_query) else match[0]

        def milliseconds(match: re.Match[str]) -> str:
            return "<ms>" if self._is_milliseconds_of_run(match[0], of_query) else match[0]

        text = self._warehouse.sub(self._path, text)
        if _PLAN in text:
            text = _OF_PLAN.sub(r"\1<n>", text)
        text = UUID.sub(self._uuid, text)
        text = _CREATED.sub("<time>", _CLOCK.sub(clock, text))
        return _MILLISECONDS.sub(milliseconds, text)

    def unsettled(self, text: str) -> str:
        """The first time or date of this run in a recorded text, or ""."""
        today = {self._started.date().isoformat(), dt.datetime.now(_UTC).date().isoformat()}
        for match in re.finditer(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?", text):
            if self._is_of_run(match[0], "UTC", False):
                return match[0]
            if match[0] in today and match[0] not in self._script_times:
                return match[0]
        return ""

    def foreign_id(self, text: str) -> str:
        """The first id in a recorded text that is neither replaced nor in the script, or ""."""
        return next((uuid for uuid in UUID.findall(text) if uuid.lower() not in self._written), "")

    def _path(self, match: re.Match[str]) -> str:
        # The warehouse is new: ids in its file names are of this run.
        self._ids.update(uuid.lower() for uuid in UUID.findall(file_name(match["rest"])))
        return f"$WAREHOUSE{match['rest']}"

    def _uuid(self, match: re.Match[str]) -> str:
        uuid = match[0].lower()
        if uuid not in self._ids or uuid in self._written:
            return match[0]
        return f"<uuid-{self._numbers.setdefault(uuid, len(self._numbers) + 1)}>"

    def _is_of_run(self, text: str, zone: str, of_query: bool) -> bool:
        moments = [moment for name in (zone, "UTC") if (moment := _moment(text, name)) is not None]
        if not moments or any(_key(moment) in self._script_times for moment in moments):
            return False
        if any(_milliseconds(moment) in self._clocks for moment in moments):
            return True
        return not of_query and any(
            self._started <= moment + _precision(text) for moment in moments if self._past(moment)
        )

    def _is_milliseconds_of_run(self, text: str, of_query: bool) -> bool:
        if text in self._script_times:
            return False
        if int(text) in self._clocks:
            return True
        moment = dt.datetime.fromtimestamp(int(text) / 1000, _UTC)
        return not of_query and self._started <= moment and self._past(moment)

    def _past(self, moment: dt.datetime) -> bool:
        return moment <= dt.datetime.now(_UTC) + _TICK


def _moments(script: str) -> Iterator[str]:
    """The clocks and dates in the script."""
    for match in _CLOCK.finditer(script):
        moment = _moment(match[0], "UTC")
        if moment is not None:
            yield _key(moment)
    yield from re.findall(r"\d{4}-\d\d-\d\d", script)


def _moment(text: str, zone: str) -> dt.datetime | None:
    """The time of a clock in UTC; without an offset it is in `zone`. None for an invalid one."""
    text = re.sub(r"(\.\d{1,6})\d*", lambda part: part[1].ljust(7, "0"), text.replace("Z", "+00:00"))
    text = re.sub(r"([+-]\d\d)(\d\d)$", r"\1:\2", text)
    try:
        moment = dt.datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone_of(zone))).astimezone(_UTC)
    except (ValueError, OverflowError, KeyError):
        return None


def _key(moment: dt.datetime) -> str:
    return moment.isoformat()


def _milliseconds(moment: dt.datetime) -> int:
    return (moment - dt.datetime(1970, 1, 1, tzinfo=_UTC)) // dt.timedelta(milliseconds=1)


def _precision(clock: str) -> dt.timedelta:
    """The precision of the text of a clock."""
    return dt.timedelta(milliseconds=1) if "." in clock else dt.timedelta(seconds=1)


def is_measure(name: str) -> bool:
    """Whether a metric of this name counts bytes or time, which differ from machine to machine."""
    return _SIZES.search(name) is not None


def _is_masked(name: str, parent: str) -> bool:
    if is_measure(name) or _MACHINE.match(name):
        return True
    return name in _DISTRIBUTION and parent.lower().startswith("files")


def masked(value: Any, kind: DataType, name: str = "", parent: str = "") -> Any:
    """A value of a command's output with a `<name>` placeholder for sizes, durations and facts of the machine.

    Only for commands: results of queries and table properties are never hidden.
    """
    if value is None:
        return None
    if _is_masked(name, parent):
        return f"<{name}>"
    match kind:
        case StructType():
            return [masked(item, part.type, part.name, name) for item, part in zip(value, kind, strict=True)]
        case MapType(value=inner) if name == _METRICS:
            return {key: masked(item, inner, str(key), name) for key, item in value.items()}
        case ArrayType(element=element):
            return [masked(item, element, "", name) for item in value]
        case _:
            return value


NONE = "none"

_RANDOM = frozenset({"rand", "random", "randn", "randstr", "uniform", "shuffle"})
_NEW_ID = frozenset({"uuid"})


@dataclass(frozen=True, slots=True)
class Mask:
    """Columns, by lower-case name, and patterns whose values are hidden. `settled` suppresses the warning.

    `statement_columns` are the columns of this statement's own directives: it is an error if the result lacks one.
    """

    columns: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()
    statement_columns: frozenset[str] = frozenset()
    settled: bool = False

    def with_directive(self, directive: Directive, whole_file: bool) -> Mask:
        """This mask extended by a further directive. Raises GoldenMaskError."""
        if directive.value.lower() == NONE:
            return Mask(settled=True)
        if directive.value.startswith("/"):
            return Mask(self.columns, (*self.patterns, _pattern(directive)), self.statement_columns, True)
        columns = frozenset(name.strip().strip("`").lower() for name in directive.value.split(","))
        statement_columns = self.statement_columns if whole_file else self.statement_columns | columns
        return Mask(self.columns | columns, self.patterns, statement_columns, True)

    def hides(self, column: str) -> bool:
        return column.lower() in self.columns

    def text(self, text: str) -> str:
        """`text` with `<masked>` for the matches of the patterns."""
        for pattern in self.patterns:
            text = re.sub(pattern, "<masked>", text)
        return text

    def missing(self, columns: Sequence[str]) -> str:
        """The defect if the result lacks a column of the mask, or ""."""
        names = {column.lower() for column in columns}
        lost = sorted(name for name in self.statement_columns if name not in names)
        return (
            f"'-- mask: {lost[0]}' hides nothing: the result has {', '.join(columns) or 'no columns'}." if lost else ""
        )


NO_MASK = Mask()


def _pattern(item: Directive) -> str:
    pattern = item.value[1:].removesuffix("/")
    try:
        re.compile(pattern)
    except re.error as error:
        raise GoldenMaskError(file=str(item.position.file), line=item.position.line, reason=str(error)) from None
    return pattern


def warning(sql: str, recorded: str, has_rows: bool, normal: Normalizer) -> str:
    """Why the text recorded for a statement will differ in a later run, as far as can be detected, or "".

    `recorded` is the recorded text without the statement; `has_rows` is whether it read or wrote rows.
    """
    if text := normal.unsettled(recorded):
        return f"it tells the time of this run: {text}"
    if has_rows and calls(sql, _NEW_ID) and (text := normal.foreign_id(recorded)):
        return f"it tells an id that is new in every run: {text}"
    if has_rows and calls(sql, _RANDOM):
        return "it calls a random function"
    return ""


UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)

_FILES = ("add", "remove", "cdc", "sidecar")
_COLUMN_NAMES = re.compile(
    r"^delta\.rowTracking\.materialized(RowId|RowCommitVersion)ColumnName$", re.IGNORECASE
)  # Delta protocol, Row Tracking
_ENABLED_AT = "delta.inCommitTimestampEnablementTimestamp"
_PHYSICAL = "delta.columnMapping.physicalName"


@dataclass(frozen=True, slots=True)
class GeneratedValues:
    """Ids in lower case, and clocks in milliseconds UTC."""

    ids: frozenset[str]
    clocks: frozenset[int]


def generated_values(actions: Iterable[Mapping[str, Any]]) -> GeneratedValues:
    """The generated values of one commit: table and transaction ids, UUIDs in file and physical column names, times.

    Comments, properties and partition values are never included. Ids of applications are: one that a user has chosen
    also stands in the script, whose values are not hidden.
    """
    ids: set[str] = set()
    clocks: set[int] = set()
    for action in actions:
        for kind, value in action.items():
            if isinstance(value, Mapping):
                ids.update(uuid.lower() for text in _texts(kind, value) for uuid in UUID.findall(text))
                clocks.update(_clocks(kind, value))
    return GeneratedValues(frozenset(ids), frozenset(clocks))


def _texts(kind: str, action: Mapping[str, Any]) -> Iterator[str]:
    """The texts of an action that contain generated ids."""
    if kind in _FILES:
        yield file_name(str(action.get("path", "")))
    elif kind == "metaData":
        yield str(action.get("id", ""))
        yield from (str(value) for key, value in _configuration(action).items() if _COLUMN_NAMES.match(key))
        yield from _physical_names(json.loads(action.get("schemaString") or "{}"))
    elif kind == "commitInfo":
        yield str(action.get("txnId", ""))
    elif kind == "txn":
        yield str(action.get("appId", ""))


def file_name(path: str) -> str:
    """A path without its partition folders, whose values are the user's."""
    return "/".join(part for part in path.split("/") if "=" not in part)


def _physical_names(node: Any) -> Iterator[str]:
    """The physical names of columns at any depth of a schema."""
    if isinstance(node, list):
        for item in node:
            yield from _physical_names(item)
    if isinstance(node, Mapping):
        metadata = node.get("metadata")
        if isinstance(metadata, Mapping) and _PHYSICAL in metadata:
            yield str(metadata[_PHYSICAL])
        yield from (name for key, item in node.items() if key != "metadata" for name in _physical_names(item))


def _clocks(kind: str, action: Mapping[str, Any]) -> Iterator[int]:
    keys = {
        "commitInfo": ("timestamp", "inCommitTimestamp"),
        "metaData": ("createdTime",),
        "add": ("modificationTime",),
        "remove": ("deletionTimestamp",),
        "txn": ("lastUpdated",),
    }
    values = [action.get(key) for key in keys.get(kind, ())]
    if kind == "metaData":
        values.append(_configuration(action).get(_ENABLED_AT))
    yield from (int(value) for value in values if value is not None and str(value).isdecimal())


def _configuration(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    return metadata.get("configuration") or {}
