"""Aggregate queries answered from the log, checks of stored SQL text, and the commits that enable row tracking.

The log answers an aggregate query over one table with Spark's types and values, from the statistics of groups of files.

The text of views and functions in the catalog must not depend on the session or the time. Row tracking is enabled at
once for a new table, and in an existing one after a backfill of row ids.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

from deltasql.base import (
    DeltaSqlError,
    LeftToEngineError,
    errors,
    has_plain_meaning,
    require_value,
    session_settings,
)
from deltasql.log import INTEGRAL as INTEGRAL_NAMES
from deltasql.log import (
    BoundedColumn,
    Condition,
    FileGroup,
    Metadata,
    Protocol,
    Snapshot,
    TableProperties,
    TallyFilter,
    condition,
    file_groups,
    find_column,
    has_exact_high,
    has_exact_low,
    partition_only,
    partition_value,
    table_properties,
    with_row_id_columns,
)
from deltasql.plan import Scan, SqlQuery, SqlText, TableName
from deltasql.planner.binding import calls_session_functions
from deltasql.planner.change_feed import enforced
from deltasql.planner.context import Context
from deltasql.planner.read_files import location_of
from deltasql.schema import BOOLEAN, LONG, DataType, DecimalType, StructField, StructType, fits
from deltasql.schema import quote_name as quote
from deltasql.sql import (
    Aggregate,
    AggregateQuery,
    AggregateRows,
    AggregateScope,
    ColumnReference,
    TableReference,
    aggregate_query,
    derived_type,
    free_names,
    function_calls,
    markers,
    table_references,
)

_KEY_KINDS = frozenset({*INTEGRAL_NAMES, "decimal", "boolean", "string", "date"})
"""Types with one spelling per value in the log: floats have two zeros, timestamps a zone."""


@dataclass(frozen=True, slots=True)
class Group:
    """The files behind one result row: file groups, each with its partition values by column name."""

    parts: tuple[tuple[FileGroup, Mapping[str, Any]], ...]

    def key(self, name: str) -> Any:
        return self.parts[0][1][name]


class LogScope(AggregateScope):
    """A table whose log answers a query; what it does not determine is left to an engine.

    `keys` and `data_columns` collect the columns that are needed from the log: partition columns, by name, and others.
    """

    def __init__(self, schema: StructType, partition_columns: Sequence[str], table: TableReference) -> None:
        super().__init__(schema, table)
        self._partition_columns = partition_columns
        self.keys: dict[str, BoundedColumn] = {}
        self.data_columns: dict[BoundedColumn, TallyFilter] = {}

    def key(self, item: StructField) -> Callable[[Group], Any]:
        column = self._bounded(item)
        if column.partition is None or column.kind not in _KEY_KINDS:
            raise LeftToEngineError
        self.keys[item.name] = column
        return lambda group: group.key(item.name)

    def aggregate(self, aggregate: Aggregate, item: StructField) -> tuple[DataType, Callable[[Group], Any]]:
        if aggregate.function not in {"count", "min", "max"}:
            raise LeftToEngineError
        column = self._bounded(item)
        kind = LONG if aggregate.function == "count" else item.type
        return kind, self._of_key(aggregate, column) if column.partition else self._of_column(aggregate, column)

    def rows(self, group: Group) -> int:
        return sum(files.rows for files, _ in group.parts)

    def _bounded(self, item: StructField) -> BoundedColumn:
        return require_value(find_column((item.name,), self.schema, self._partition_columns))

    def _of_key(self, aggregate: Aggregate, column: BoundedColumn) -> Callable[[Group], Any]:
        name = require_value(column.partition)
        if column.kind not in _KEY_KINDS:
            raise LeftToEngineError
        self.keys[name] = column
        if aggregate.distinct:
            return lambda group: len({values[name] for _, values in group.parts} - {None})
        if aggregate.function == "count":
            return lambda group: sum(files.rows for files, values in group.parts if values[name] is not None)
        return _end(aggregate.function, lambda files, values: values[name])

    def _of_column(self, aggregate: Aggregate, column: BoundedColumn) -> Callable[[Group], Any]:
        function, before = aggregate.function, self.data_columns.get(column, TallyFilter())
        is_exact = {"count": True, "min": has_exact_low(column), "max": has_exact_high(column)}
        if aggregate.distinct or not is_exact[function]:
            raise LeftToEngineError
        self.data_columns[column] = TallyFilter(
            before.count or function == "count", before.low or function == "min", before.high or function == "max"
        )
        if function == "count":
            return lambda group: sum(require_value(files.tallies[column].count) for files, _ in group.parts)
        if function == "min":
            return _end(function, lambda files, values: typed(files.tallies[column].low, column))
        return _end(function, lambda files, values: typed(files.tallies[column].high, column))


def _end(function: str, value: Callable[[FileGroup, Mapping[str, Any]], Any]) -> Callable[[Group], Any]:
    """The lowest or highest value in a group, None where it has none."""
    choose: Callable[..., Any] = min if function == "min" else max

    def of(group: Group) -> Any:
        ends = (value(*part) for part in group.parts)
        return choose((item for item in ends if item is not None), default=None)

    return of


def key_values(group: FileGroup, keys: Mapping[str, BoundedColumn]) -> dict[str, Any]:
    """The typed partition values of a file group, by column name. Raises LeftToEngineError."""
    pairs = zip(keys.items(), group.texts, strict=True)
    return {name: _key_value(text, column) for (name, column), text in pairs}


def _key_value(text: str | None, column: BoundedColumn) -> Any:
    if not text:
        return None
    return typed(require_value(partition_value(column, text, None)), column)


def typed(value: Any, column: BoundedColumn) -> Any:
    """A value of the log in the Python type of Spark's rows. Raises LeftToEngineError for one that its type lacks."""
    if value is None:
        return None
    if isinstance(column.type, DecimalType):
        return _decimal(Decimal(value), column.type)
    if column.kind == "date":
        return _date(value)
    if column.kind in INTEGRAL_NAMES and not fits(value, column.type):
        raise LeftToEngineError
    return value


def _decimal(value: Decimal, kind: DecimalType) -> Decimal:
    unit = Decimal(1).scaleb(-kind.scale)
    # The digits fit: a value that has more of them would be none of the column's.
    if value != value.quantize(unit) or value.adjusted() >= kind.precision - kind.scale:
        raise LeftToEngineError
    return value.quantize(unit)


def _date(days: int) -> date:
    try:
        return date(1970, 1, 1) + timedelta(days=days)
    except OverflowError:
        # Python has no such years.
        raise LeftToEngineError from None


FileValues: TypeAlias = tuple[FileGroup, Mapping[str, Any]]
"""A file group, and its partition values by column name."""


@dataclass(frozen=True, slots=True)
class RowsOfLog:
    """Result rows computed from the log of one table version; `explain_text` is the text of EXPLAIN."""

    schema: StructType
    rows: tuple[tuple[Any, ...], ...]
    explain_text: str


def answered_rows(context: Context, text: SqlText) -> RowsOfLog | None:
    """The rows of a query answered from the log; None where Spark must compute them or report the error."""
    query = aggregate_query(text.text)
    if (
        query is None
        or not context.setting(session_settings.ANSWER_FROM_LOG)
        or not has_plain_meaning(context.settings, context.analyst.setting)
    ):
        return None
    try:
        snapshot = _snapshot(context, query.table)
        if snapshot is None or calls_session_functions(context, text.text):
            return None
        return _answered(context, query, snapshot)
    except (LeftToEngineError, DeltaSqlError):
        # What is wrong is said where the query is bound, with its place.
        return None


def _snapshot(context: Context, table: TableReference) -> Snapshot | None:
    """Snapshot of the table that is read; None for a view and for an object that only Spark knows."""
    name = TableName(table.parts, table.start, table.end, table.temporal)
    if context.is_view(name) or context.foreign(name) is not None:
        return None
    location = location_of(context, name)
    if location is None or enforced(location, context) is not None:
        return None
    snapshot = context.snapshot(replace(name, start=0, end=0), location)
    snapshot.check_readable()
    return snapshot if len(snapshot.schema) else None


def _answered(context: Context, query: AggregateQuery, snapshot: Snapshot) -> RowsOfLog:
    scope = LogScope(snapshot.schema, snapshot.partition_columns, query.table)
    result = AggregateRows(query, scope)
    selection = _partition_condition(context, query, snapshot)
    vectors = "deletionVectors" in snapshot.protocol.features
    keys, zone = list(scope.keys.values()), context.time_zone
    files = snapshot.read_files(
        lambda live: file_groups(live, selection, keys, scope.data_columns, vectors=vectors, timezone=zone)
    )
    rows = result.rows(_groups([(item, key_values(item, scope.keys)) for item in files], result.keys))
    names = ", ".join(result.schema.names)
    description = f"Log of {snapshot.table}@v{snapshot.version} [{names}] rows: {len(rows)}, no data file is read"
    return RowsOfLog(result.schema, rows, description)


def _partition_condition(context: Context, query: AggregateQuery, snapshot: Snapshot) -> Condition | None:
    """WHERE as a condition on partition columns. Raises LeftToEngineError for any other condition."""
    if query.where is None:
        return None
    text, columns = query.where.text, snapshot.partition_columns
    alias = query.table.alias or query.table.parts[-1]
    if derived_type(text, snapshot.schema) != BOOLEAN or not partition_only(text, columns, alias):
        raise LeftToEngineError
    return condition(text, snapshot.schema, columns, alias, context.time_zone)


def _groups(files: Sequence[FileValues], keys: Sequence[str] | None) -> list[Group]:
    """The file groups of each row of the result: by their values of the partition columns `keys`, or all in one."""
    if keys is None:
        return [Group(tuple(files))]
    groups: dict[tuple[Any, ...], list[FileValues]] = {}
    for item in files:
        groups.setdefault(tuple(item[1][name] for name in keys), []).append(item)
    return [Group(tuple(parts)) for parts in groups.values()]


def settings_of_text(context: Context) -> dict[str, str]:
    """The settings that change the meaning of a text; the time zone is one even where it is not set."""
    zone = context.time_zone
    return {**({} if zone is None else {session_settings.TIME_ZONE.name: zone}), **context.meaning}


def refuse_parameters(name: str, text: SqlText, context: Context) -> None:
    """Raises StoredParameterError for a text with parameters, whether values are bound to them or not."""
    for bound in context.bound.values:
        if text.start <= bound.start < text.start + len(text.text):
            raise errors.StoredParameterError(name, bound.marker).at(context.caret(bound.start, bound.end))
    for start, end in markers(text.text):
        caret = context.caret(text.start + start, text.start + end)
        raise errors.StoredParameterError(name, text.text[start:end]).at(caret)


def refuse_temporary(name: str, text: SqlText, context: Context) -> None:
    """Raises TemporaryReferenceError for a text that names a temporary view, table or function."""
    for reference in table_references(text.text):
        parts = reference.parts
        ours = context.view_key(parts) is not None
        # A table comes before a view that Spark alone knows.
        if reference.arguments is None and (ours or _is_sparks_view(parts, context)):
            caret = context.caret(text.start + reference.start, text.start + reference.end)
            raise _temporary(name, "view", parts).at(caret)
        if reference.arguments is None and context.is_temporary_table(TableName(parts)):
            caret = context.caret(text.start + reference.start, text.start + reference.end)
            raise _temporary(name, "table", parts).at(caret)
    for call in function_calls(text.text):
        if context.temporary_function(call.parts) is not None or context.analyst.knows_function(call.parts):
            caret = context.caret(text.start + call.start, text.start + call.end)
            raise _temporary(name, "function", call.parts).at(caret)


def _temporary(name: str, kind: str, parts: tuple[str, ...]) -> errors.TemporaryReferenceError:
    shown = ".".join(map(quote, parts))
    return errors.TemporaryReferenceError(name, kind, shown, f"Make {shown} without TEMPORARY, or {name} with it.")


def refuse_variables(
    name: str, text: SqlText, rows: SqlQuery, context: Context, parameters: Collection[str] | None = None
) -> None:
    """Raises TemporaryReferenceError for a text that names a variable of the session.

    Columns come before variables, and so do the `parameters` of a function; `rows` is then the query of the tables that
    its text reads. For a view, `parameters` is None and `rows` its query: Spark's plan of it shows whether a name is a
    variable.
    """
    if not context.analyst.started:
        return
    proven = parameters is not None
    for reference in _unexplained(text.text, (*(parameters or ()), *_columns(rows))):
        if _is_variable(_variable(reference.parts), context) and (proven or _uses_variable(rows, context)):
            shown = ".".join(map(quote, reference.parts))
            caret = context.caret(text.start + reference.start, text.start + reference.end)
            raise errors.TemporaryReferenceError(name, "variable", shown, "Write its value.").at(caret)


def _columns(rows: SqlQuery) -> Iterator[str]:
    """The names of the columns of the tables that `rows` reads directly."""
    for scan in rows.relations.values():
        if isinstance(scan, Scan):
            yield from scan.schema.names


def _unexplained(sql: str, columns: Iterable[str]) -> Iterator[ColumnReference]:
    """The first reference to each name that may be a variable, since it is none of `columns`."""
    column_names, variables = {column.lower() for column in columns}, set[str]()
    for reference in free_names(sql):
        variable = _variable(reference.parts).lower()
        if variable not in variables and reference.parts[0].lower() not in column_names:
            variables.add(variable)
            yield reference


def _variable(parts: tuple[str, ...]) -> str:
    """The quoted variable that a dotted name may refer to, without `session`; the parts behind it are fields."""
    folded = [part.lower() for part in parts]
    at = 2 if folded[:2] == ["system", "session"] else 1 if folded[0] == "session" else 0
    return quote(parts[at] if at < len(parts) else parts[0])


def _is_variable(name: str, context: Context) -> bool:
    try:
        context.analyst.schema(SqlQuery(f"SELECT session.{name}", {}, "query"))
    except DeltaSqlError:
        return False
    return True


def _uses_variable(rows: SqlQuery, context: Context) -> bool:
    return "variablereference(" in context.analyst.spark_plan(rows, "extended")


def _is_sparks_view(parts: tuple[str, ...], context: Context) -> bool:
    return len(parts) <= 3 and context.catalog.find(parts) is None and context.analyst.knows_view(parts)


def tracked_metadata(metadata: Metadata, protocol: Protocol, snapshot: Snapshot | None) -> Metadata:
    """The metadata of a created or replaced table, with the properties of row tracking.

    Row ids outlive the rows of a replaced table: one that tracks its rows goes on doing so, unless the statement
    disables it.
    """
    old = TableProperties({} if snapshot is None else snapshot.configuration)
    if old[table_properties.ROW_TRACKING] and table_properties.ROW_TRACKING not in metadata.properties:
        metadata = metadata.with_configuration({table_properties.ROW_TRACKING.name: "true"})
    return with_row_id_columns(metadata, protocol, old.configuration)
