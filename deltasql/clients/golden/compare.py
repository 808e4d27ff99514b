"""Comparison of golden texts statement by statement, with placeholders for values that differ between runs.

Only values that the logs and this run have generated are replaced: ids and clocks that come neither from statements nor
from rows of users. The directive `-- mask:` hides others; a recorded value that later runs cannot reproduce gives a
warning. Directives are comments that steer how a golden file is run and recorded.

The results of another engine are compared with the golden files, and their differences classified.
"""

from __future__ import annotations

import datetime as dt
import difflib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from deltasql.base import calls, errors, similar_names
from deltasql.files import zone_of
from deltasql.schema import ArrayType, DataType, MapType, StructType

_COMMENT = re.compile(r"--\s*([a-z]+)\s*:\s*(.*?)\s*$", re.IGNORECASE)
_SWITCH = re.compile(r"on|off", re.IGNORECASE)
_LEGAL = {
    "name": ("<text>", re.compile(r".*")),
    "expect": ("no jvm", re.compile(r"no jvm", re.IGNORECASE)),
    "log": ("on|off", _SWITCH),
    "sort": ("on|off", _SWITCH),
    "mask": ("<column>, … | /<pattern>/ | none", re.compile(r"/.+/|[^/].*")),
    "levels": ("<isolation level>, …", re.compile(r"\w+(\s*,\s*\w+)*")),
    "session": ("<name>", re.compile(r"\w+")),
    "check": ("", re.compile(r"")),
    "schedule": ("all | begin <session>, commit <session>, …", re.compile(r".+")),
}
_DIRECTIVES = tuple(f"{name}: {legal}".rstrip() for name, (legal, _) in _LEGAL.items())


@dataclass(frozen=True, slots=True)
class DirectivePosition:
    """A line of a golden file, for messages."""

    file: Path
    line: int

    def error(self, problem: str) -> errors.ScheduleError:
        """The error of a schedule that is wrong at this line."""
        return errors.ScheduleError(file=str(self.file), line=self.line, problem=problem)


@dataclass(frozen=True, slots=True)
class Directive:
    """One comment of the form `-- name: value`; the name in lower case."""

    name: str
    value: str
    position: DirectivePosition


def directive(comment: str, position: DirectivePosition) -> Directive | None:
    """The directive in a comment line; None for prose. Raises UnknownDirectiveError.

    A word before a colon that is similar to a directive's name is taken for a misspelling, and raises the error.
    """
    match = _COMMENT.match(comment)
    if match is None:
        return None
    name, value = match[1].lower(), match[2]
    if name in _LEGAL and _LEGAL[name][1].fullmatch(value):
        return Directive(name, value, position)
    if name in _LEGAL or similar_names(name, _LEGAL, cutoff=0.75):
        raise errors.UnknownDirectiveError(
            file=str(position.file), line=position.line, text=comment.strip(), known=_DIRECTIVES
        )
    return None


TITLE = "-- statement"
"""Beginning of the text of each statement."""

_PLACEHOLDER = re.compile(r"<(?:uuid-\d+|time|ms)>")

SCHEDULE = "-- schedule"
"""Beginning of the text of each schedule."""

_ALIKE = 0.6
"""The share of equal characters from which one SQL is taken for a changed version of the other."""


@dataclass(frozen=True, slots=True)
class Change:
    """A statement whose outcome differs: `diff` has the lines of a unified diff.

    `before` and `after` are the lines, from 1, at which its text begins in either golden text; 0 where it is missing.
    """

    title: str
    before: int
    after: int
    diff: str

    @property
    def heading(self) -> str:
        """The title, and whether only one of the texts has the statement."""
        if self.before and self.after:
            return self.title
        return f"{self.title} ({'only in the golden file' if self.before else 'new'})"


def difference(expected: str, actual: str) -> str:
    """ "" when equal, else a unified diff of each statement that differs, under its first line."""
    return "\n".join(f"@@ {change.heading}\n{change.diff}\n" for change in changes(expected, actual))


def changes(expected: str, actual: str) -> Iterator[Change]:
    """The statements that differ, in the order of the texts.

    Statements are matched by name, else by SQL, else by their position between matched ones.
    """
    if expected == actual:
        return
    for left, right in _pairs(_blocks(expected), _blocks(actual)):
        if left.text != right.text:
            lines = unified(left.text.splitlines(), right.text.splitlines(), 3)
            yield Change(_title(right.text or left.text), left.line, right.line, "\n".join(lines))


class _Block(NamedTuple):
    """The text of one statement, and the line that it begins at."""

    text: str
    line: int


_NONE = _Block("", 0)


def _pairs(old: Sequence[_Block], new: Sequence[_Block]) -> Iterator[tuple[_Block, _Block]]:
    """Matched pairs of old and new blocks; _NONE stands for a missing one."""
    names = _names(old) & _names(new)
    matcher = difflib.SequenceMatcher(
        None, [_key(item, names) for item in old], [_key(item, names) for item in new], False
    )
    for _, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        yield from _by_position(old[old_start:old_end], new[new_start:new_end])


def _names(blocks: Sequence[_Block]) -> set[str]:
    """The names that exactly one block has."""
    counts = Counter(_name(item.text) for item in blocks)
    return {name for name, number in counts.items() if name and number == 1}


def _key(item: _Block, names: set[str]) -> str:
    """The key by which a block is matched: its name, or title and SQL."""
    name = _name(item.text)
    return name if name in names else _statement(item.text)


def _by_position(old: Sequence[_Block], new: Sequence[_Block]) -> Iterator[tuple[_Block, _Block]]:
    """Pairs in order; if the numbers of blocks differ, only those with similar SQL."""
    if len(old) == len(new):
        yield from zip(old, new, strict=True)
        return
    start = 0
    for block in new:
        like = next((index for index in range(start, len(old)) if _alike(old[index], block)), None)
        if like is None:
            yield _NONE, block
            continue
        yield from ((gone, _NONE) for gone in old[start:like])
        yield old[like], block
        start = like + 1
    yield from ((gone, _NONE) for gone in old[start:])


def _alike(one: _Block, other: _Block) -> bool:
    # Titles are left out: they are often equal.
    first, second = (_statement(item.text).partition("\n")[2] for item in (one, other))
    return difflib.SequenceMatcher(None, first, second, False).ratio() >= _ALIKE


def hides(expected: str, actual: str) -> bool:
    """Whether the texts are equal except for values in `actual` that are placeholders in `expected`.

    This is true of files of earlier versions, which hid all values that looked like ids or times of the run.
    """
    old, new = expected.splitlines(), actual.splitlines()
    return len(old) == len(new) and all(
        left == right or _hides(left, right) for left, right in zip(old, new, strict=True)
    )


def _hides(expected: str, actual: str) -> bool:
    # The numbers of ids differ where one is no longer counted.
    pieces = _PLACEHOLDER.split(expected)
    pattern = ".+?".join(re.escape(piece) for piece in pieces)
    return len(pieces) > 1 and re.fullmatch(pattern, actual) is not None


def _blocks(text: str) -> list[_Block]:
    blocks: list[tuple[list[str], int]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith((TITLE, SCHEDULE)) or not blocks:
            blocks.append(([], number))
        blocks[-1][0].append(line)
    return [_Block("\n".join(lines).rstrip("\n"), number) for lines, number in blocks]


def _statement(block: str) -> str:
    """Title and SQL."""
    return block.split("\n-- ", 1)[0]


def _name(block: str) -> str:
    """The name from `-- name:`, "" without one."""
    return block.partition("\n")[0].removeprefix(TITLE).removeprefix(SCHEDULE).lstrip(": ")


def _title(block: str) -> str:
    return _name(block) or _statement(block).splitlines()[-1]


def unified(before: Sequence[str], after: Sequence[str], context: int) -> Iterator[str]:
    """The lines of a unified diff without its headers."""
    lines = difflib.unified_diff(before, after, lineterm="", n=context)
    # The two file headers are dropped by line number: a changed line that starts with -- looks like one of them.
    return (line for number, line in enumerate(lines) if number > 1 and not line.startswith("@@ "))


_ERROR = re.compile(r"^-- error (\S+)", re.MULTILINE)
_REFUSED = "UNSUPPORTED_FEATURE.SAIL"


class Verdict(Enum):
    """Result of one statement compared with its golden file; the value is its text in reports."""

    SAME = "the same to the last character"
    REFUSED = "refused by name"
    WORDED = "the same condition, worded otherwise"
    OTHER_ERROR = "another condition"
    FAILS = "fails"
    PASSES = "passes where it should fail"
    DIFFERS = "another result"
    FOLLOWS = "behind one of the file that failed otherwise"


def verdicts(expected: str, actual: str) -> list[tuple[str, Verdict]]:
    """The actual text of each statement of a golden file, with its verdict.

    A difference after an earlier statement of the file that failed unexpectedly counts as its consequence (FOLLOWS).
    """
    labelled, failed = list[tuple[str, Verdict]](), False
    for expected_block, actual_block in zip(_error_blocks(expected), _error_blocks(actual), strict=False):
        verdict = _verdict(expected_block, actual_block)
        if failed and verdict not in {Verdict.SAME, Verdict.REFUSED, Verdict.WORDED}:
            verdict = Verdict.FOLLOWS
        failed = failed or verdict in {Verdict.REFUSED, Verdict.FAILS, Verdict.PASSES}
        labelled.append((actual_block, verdict))
    return labelled


def summary(files: Iterable[tuple[str, str]]) -> str:
    """One line with the numbers of verdicts in some files, which are pairs of expected and actual text."""
    counts = Counter(verdict for expected, actual in files for _, verdict in verdicts(expected, actual))
    others = [f"{counts[verdict]} {verdict.value}" for verdict in Verdict if verdict is not Verdict.SAME]
    shown = [text for text in others if not text.startswith("0 ")]
    return f"{counts[Verdict.SAME]} of {counts.total()} statements {Verdict.SAME.value}; {', '.join(shown)}".rstrip(
        "; "
    )


def new_errors(expected: str, actual: str) -> list[str]:
    """The error conditions in `actual` whose blocks are not in `expected`."""
    old_blocks = Counter(_error_blocks(expected))
    return [
        _condition(block) for block in (Counter(_error_blocks(actual)) - old_blocks).elements() if _condition(block)
    ]


def _verdict(expected: str, actual: str) -> Verdict:
    if expected == actual:
        return Verdict.SAME
    should, does = _condition(expected), _condition(actual)
    if does.startswith(_REFUSED):
        return Verdict.REFUSED
    if should and does:
        return Verdict.WORDED if should.split(".")[0] == does.split(".")[0] else Verdict.OTHER_ERROR
    if does:
        return Verdict.FAILS
    return Verdict.PASSES if should else Verdict.DIFFERS


def _condition(block: str) -> str:
    match = _ERROR.search(block)
    return match[1] if match is not None else ""


def _error_blocks(text: str) -> Iterator[str]:
    for block in f"\n{text}".split("\n-- statement")[1:]:
        yield block.rstrip()


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
        if not moments or any(_normal_key(moment) in self._script_times for moment in moments):
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
            yield _normal_key(moment)
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


def _normal_key(moment: dt.datetime) -> str:
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
        raise errors.GoldenMaskError(file=str(item.position.file), line=item.position.line, reason=str(error)) from None
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
