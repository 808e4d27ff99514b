"""The change data feed that table_changes(…) reads, and the row filters and column masks that the session applies.

The feed of a range of versions is a set of scans of the files that contain it. Version, timestamp and kind of a change
are equal in all rows of a file, so they are partition values of the scans.

Row filters and masks of a table become SQL around its rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from deltasql.base import LeftToEngineError, errors, pa, session_settings
from deltasql.catalog import Policies, Policy, sql_name
from deltasql.log import (
    DeltaLog,
    Json,
    MarkedRows,
    Metadata,
    Snapshot,
    VersionChanges,
    inline_vector,
    table_properties,
    version_changes,
)
from deltasql.plan import (
    METADATA,
    Operator,
    Pruning,
    Scan,
    SqlQuery,
    SqlText,
    TableName,
    TableVersion,
    UnionAll,
    hidden_view,
)
from deltasql.planner.context import Context
from deltasql.schema import (
    CHANGE_FIELDS,
    CHANGE_TYPE,
    COMMIT_TIMESTAMP,
    COMMIT_VERSION,
    STRING,
    StructType,
    is_integral,
    physical_name,
    sql_text,
    unreadable_part,
)
from deltasql.schema import quote_name as quote
from deltasql.sql import TableReference, literal_constant, micros_of, table_name, timestamp_of, whole_number


def enforced(location: str, context: Context) -> Policies | None:
    """The row filters and masks that apply to the rows at a location; None if there are none, or they do not apply.

    A path, and another name of the location, do not lead around them.
    """
    if not context.setting(session_settings.GOVERNANCE_FILTERS):
        return None
    return Policies.of(entry.governance for entry in context.catalog.governed_at(location))


def refuse_enforced(operation: str, name: TableName, location: str, context: Context) -> None:
    """Raises PolicyTableError for a statement that cannot honour the policies of a table."""
    if enforced(location, context) is not None:
        error = errors.PolicyTableError(operation, str(name))
        raise error.at(context.caret(name.start, name.end) if name.end else None)


def unrestricted(operation: str, name: TableName, context: Context) -> Snapshot:
    """The snapshot of a table whose rows are all read. Raises PolicyTableError for one with policies that apply."""
    context.refuse_version(name)
    snapshot = context.snapshot(name)
    refuse_enforced(operation, name, snapshot.location, context)
    return snapshot


def filtered_query(relation: str, schema: StructType, policies: Policies, table: str, context: Context) -> str:
    """The query over a relation that shows only rows that the filters let through, with masked values.

    Raises LostPolicyColumnError where the table lacks a column that a filter or a mask needs.
    """
    require_columns(schema, policies, table)
    items = []
    for field in schema:
        column, masks = quote(field.name), policies.masks.get(field.name.lower(), ())
        shown = column
        for mask in masks:
            shown = f"CAST({_call(mask, [shown], '', context)} AS {sql_text(field.type)})"
        items.append(f"{shown} AS {column}" if masks else column)
    condition = filter_condition(policies, "", context)
    return f"SELECT {', '.join(items)} FROM {relation}" + (f" WHERE {condition}" if condition else "")


def require_columns(schema: StructType, policies: Policies, table: str) -> None:
    """Raises LostPolicyColumnError where a table lacks a column that one of its filters or masks needs."""
    masks = [mask for masks in policies.masks.values() for mask in masks]
    needed = [*policies.masks, *(column for policy in (*policies.filters, *masks) for column in policy.columns)]
    for column in needed:
        if schema.find(column) is None:
            raise errors.LostPolicyColumnError(quote(column), table)


def filter_condition(policies: Policies, qualifier: str, context: Context) -> str | None:
    """The condition of the row filters over columns with this qualifier; None without a filter."""
    return " AND ".join(_call(policy, [], qualifier, context) for policy in policies.filters) or None


def _call(policy: Policy, first: Sequence[str], qualifier: str, context: Context) -> str:
    """Raises SecurableNotFoundError for a function that was dropped."""
    if context.catalog.function(policy.function) is None:
        advice = "A row filter or a mask calls it: create it again, or run ALTER TABLE … DROP ROW FILTER, or DROP MASK."
        raise errors.SecurableNotFoundError(f"FUNCTION {sql_name(policy.function)}", advice)
    name = ".".join(map(quote, policy.function))
    arguments = [f"{qualifier}{quote(item.text)}" if item.is_column else item.text for item in policy.arguments]
    return f"{name}({', '.join([*first, *arguments])})"


def shown_rows(
    context: Context,
    rows: Scan,
    policies: Policies,
    name: TableName,
    bind_calls: Callable[[str], tuple[str, dict[str, Operator]]],
    *,
    described: bool,
) -> SqlQuery:
    """The rows that the filter lets through, with masked values. `bind_calls` binds the functions of a text.

    The conditions of the query choose no files: those on a masked column are about other values than the files have.
    Raises PolicyTableError for an old version, and for `_metadata`, and LostPolicyColumnError.
    """
    if name.temporal is not None:
        raise errors.PolicyTableError("Time travel", str(name))
    if described and rows.schema.find(METADATA) is None:
        raise errors.PolicyTableError(f"The column {METADATA}", str(name))
    relation = hidden_view()
    sql, functions = bind_calls(filtered_query(relation, rows.schema, policies, str(name), context))
    return SqlQuery(sql, {relation: rows, **functions}, f"shown rows of {name}")


@dataclass(frozen=True, slots=True)
class _File:
    """A file of the feed: its action as in the log, the rows of it that count, and what it says of them."""

    action: Json
    version: int
    change: str | None = None
    marked: MarkedRows | None = None


def changes(reference: TableReference, context: Context) -> Operator:
    """The rows of `table_changes('name', start [, end])`: the table's columns, then CHANGE_FIELDS.

    Raises the errors of `errors.versions`, and what is wrong with the table.
    """
    arguments = reference.arguments or ()
    function = reference.parts[-1]
    if len(arguments) not in {2, 3}:
        raise errors.ChangeArgumentCountError(function=function, count=len(arguments))
    name = _table(function, arguments[0])
    foreign = context.foreign(name)
    if foreign is not None:
        raise context.delta_only(name, foreign, function)
    location = context.catalog.require(name.parts).location if name.path is None else context.catalog.located(name.path)
    refuse_enforced("table_changes", name, location, context)
    # Changes are those of versions, which others see as well.
    log = context.logs(location, str(name)).settled
    span = _span(log, function, arguments[1:], context)
    read = _Feed(log, *span) if span is not None else _Feed(log, 0, -1)
    return read.rows()


def _table(function: str, argument: SqlText) -> TableName:
    text = _literal(argument.text)
    if not isinstance(text, str):
        raise errors.NonConstantChangeArgumentError(function=function, position=1, argument=argument.text)
    if function.lower().endswith("_by_path"):
        return TableName(("delta", text))
    return table_name(text)


def _span(log: DeltaLog, function: str, bounds: Iterable[SqlText], context: Context) -> tuple[int, int] | None:
    """First and last version; None where the versions do not exist yet and the settings allow it."""
    start, *rest = (_bound(function, number, bound, context) for number, bound in enumerate(bounds, start=2))
    latest = log.snapshot().version
    first = start if isinstance(start, int) else log.first_at(start.micros)
    if first is None or first > latest:
        if context.setting(session_settings.CHANGES_OUT_OF_RANGE):
            return None
        if not isinstance(start, int):
            log.version_at(start.micros)
        raise errors.ChangesStartAfterLatestError(table=log.table, start=str(start), latest=latest)
    last = latest
    if rest:
        (end,) = rest
        last = min(end, latest) if isinstance(end, int) else log.version_at(end.micros)
    if last < first:
        raise errors.InvalidChangeRangeError(start=first, end=last)
    return first, last


def derived_changes(changed: VersionChanges, snapshot: Snapshot) -> Operator:
    """The rows of a commit's feed as they follow from its data files: columns of `snapshot`, then CHANGE_FIELDS."""
    return _FeedRows(snapshot, changed.version, [changed], {changed.version: 0}).rows()


def rows_of_changes(log: DeltaLog, snapshot: Snapshot, changed: Sequence[VersionChanges]) -> Operator:
    """The changed rows of some versions, also of a table without a change data feed, as columns of `snapshot`.

    CHANGE_FIELDS follow. Rows that a rewrite of their file has copied count as changed.
    """
    times = log.commit_times(item.version for item in changed)
    return _FeedRows(snapshot, snapshot.version, changed, times).rows()


@dataclass(frozen=True, slots=True)
class _Moment:
    micros: int


def _bound(function: str, position: int, bound: SqlText, context: Context) -> int | _Moment:
    """A version, or a point in time. Constants are parsed, other expressions are computed by Spark."""
    value = _literal(bound.text)
    if value is None and bound.text.strip().upper() != "NULL":
        names = {token.key for token in bound.tokens if token.kind == "quoted"}
        if names:
            raise errors.NonConstantChangeArgumentError(function=function, position=position, argument=bound.text)
        value = context.analyst.value(bound.text)
    match value:
        case None:
            raise errors.NullChangeBoundError
        case bool():
            raise errors.NonConstantChangeArgumentError(function=function, position=position, argument=bound.text)
        case int():
            return value
        case datetime():
            return _Moment(micros_of(value if value.tzinfo else value.astimezone()))
        case _:
            return _Moment(timestamp_of(f"'{value}'", context.time_zone, context.analyst.value))


def _literal(text: str) -> int | str | None:
    """The value of an integer or a string; None for any other expression."""
    whole = whole_number(text.strip())
    if whole is not None:
        return whole
    try:
        constant = literal_constant(text, None)
    except LeftToEngineError:
        return None
    is_plain = is_integral(constant.type) or constant.type == STRING
    return constant.value if is_plain and isinstance(constant.value, (int, str)) else None


class _Feed:
    """The changes of one table from version `start` to `end`, both included."""

    def __init__(self, log: DeltaLog, start: int, end: int) -> None:
        self.log, self.start, self.end = log, start, end
        latest = log.snapshot()
        mapped = latest.properties.maps_columns
        self.snapshot = log.snapshot(end) if mapped and 0 <= end < latest.version else latest
        self.snapshot.check_readable()
        self.versions: list[VersionChanges] = []
        if start <= end:
            self._check(log.snapshot(start).metadata, start)
            for changed in version_changes(log, start, end):
                if changed.metadata is not None:
                    self._check(Metadata.from_json(changed.metadata), changed.version)
                self.versions.append(changed)

    def rows(self) -> Operator:
        times = self.log.commit_times(item.version for item in self.versions)
        return _FeedRows(self.snapshot, self.end, self.versions, times).rows()

    def _check(self, metadata: Metadata, version: int) -> None:
        if not metadata.properties[table_properties.CHANGE_DATA_FEED]:
            raise errors.MissingChangeDataError(table=self.log.table, version=version, start=self.start, end=self.end)
        reason = unreadable_part(self.snapshot.schema, metadata.schema)
        if reason is not None:
            raise errors.IncompatibleChangeSchemaError(
                table=self.log.table, version=version, start=self.start, end=self.end, reason=reason
            )


@dataclass(frozen=True, slots=True)
class _FeedRows:
    """The feed of some versions as scans that give the columns of `snapshot`. `times` are those of commits, in ms."""

    snapshot: Snapshot
    end: int
    versions: Sequence[VersionChanges]
    times: Mapping[int, int]

    def rows(self) -> Operator:
        scans = [self._scan(layer) for group in self._groups() for layer in _layers(group)]
        return UnionAll(tuple(scans)) if scans else self._scan([])

    def _groups(self) -> list[list[_File]]:
        """The files of the feed by what their rows tell, each group in the order of versions."""
        return [
            [_File(file, item.version) for item in self.versions for file in item.changes],
            [_File(file, item.version, "insert") for item in self.versions for file in item.inserted],
            [_File(file, item.version, "delete") for item in self.versions for file in item.deleted],
            [_File(m.file, item.version, "delete", m) for item in self.versions for m in item.marked],
            [_File(m.file, item.version, "insert", m) for item in self.versions for m in item.unmarked],
        ]

    def _scan(self, files: list[_File]) -> Scan:
        """One scan over files of one kind."""
        own_type = not files or files[0].change is None
        names = [
            *self.snapshot.partition_columns,
            *([] if own_type else [CHANGE_TYPE]),
            COMMIT_VERSION,
            COMMIT_TIMESTAMP,
        ]
        return Scan(
            table=TableVersion(self.snapshot.table, self.snapshot.location, self.end, asked=True),
            schema=StructType((*self.snapshot.schema, *CHANGE_FIELDS)),
            partition_columns=tuple(names),
            files=self._files(files, names),
            pruning=Pruning(len(files)),
            marked_only=bool(files) and files[0].marked is not None,
        )

    def _files(self, files: list[_File], names: list[str]) -> Any:
        from deltasql.log import DELETION_VECTOR

        values = pa.struct([(name, pa.string()) for name in names])
        columns = {
            "path": pa.array([item.action["path"] for item in files], pa.string()),
            "partitionValues": pa.array([self._values(item) for item in files], values),
            "size": pa.array([item.action.get("size") or 0 for item in files], pa.int64()),
            "stats": pa.nulls(len(files), pa.string()),
            "deletionVector": pa.array([_vector(item) for item in files], DELETION_VECTOR),
        }
        return pa.table(columns)

    def _values(self, file: _File) -> dict[str, str | None]:
        stored = file.action.get("partitionValues") or {}
        fields = (self.snapshot.schema.find(name) for name in self.snapshot.partition_columns)
        row_values = {field.name: stored.get(physical_name(field)) for field in fields if field is not None}
        moment = datetime.fromtimestamp(self.times[file.version] / 1000, timezone.utc)
        stamp = moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
        return row_values | {CHANGE_TYPE: file.change, COMMIT_VERSION: str(file.version), COMMIT_TIMESTAMP: stamp}


def _vector(file: _File) -> Json | None:
    """The rows that do not count, or for marked rows the only ones that do."""
    if file.marked is not None:
        return inline_vector(file.marked.rows).to_json()
    return file.action.get("deletionVector")


def _layers(files: list[_File]) -> Iterator[list[_File]]:
    """`files` in lists that hold each path once: a file may come, go and come again."""
    layers: dict[int, list[_File]] = defaultdict(list)
    seen: dict[str, int] = defaultdict(int)
    for file in files:
        layers[seen[file.action["path"]]].append(file)
        seen[file.action["path"]] += 1
    yield from layers.values()
