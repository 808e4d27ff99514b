"""Aggregate queries over one table answered from its log: the plan that replaces Spark's.

Aggregates with Spark's types and values, from the statistics of groups of files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

from deltasql.base.errors.base import DeltaSqlError, LeftToEngineError
from deltasql.base.settings.session_settings import ANSWER_FROM_LOG, has_plain_meaning
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.skipping.conditions import INTEGRAL as INTEGRAL_NAMES
from deltasql.log.skipping.conditions import BoundedColumn, Condition
from deltasql.log.skipping.partition_conditions import partition_value
from deltasql.log.skipping.predicates import condition, find_column
from deltasql.log.skipping.pruning import partition_only
from deltasql.log.skipping.tallies import FileGroup, TallyFilter, file_groups, has_exact_high, has_exact_low
from deltasql.plan.base import SqlText, TableName
from deltasql.planner.binding import calls_session_functions
from deltasql.planner.context import Context
from deltasql.planner.governance.enforcing import enforced
from deltasql.planner.selected_files import location_of
from deltasql.schema.type_lattice import fits
from deltasql.schema.types import BOOLEAN, LONG, DataType, DecimalType, StructField, StructType
from deltasql.sql.evaluated.aggregates import AggregateRows, AggregateScope
from deltasql.sql.expression_types import derived_type
from deltasql.sql.queries.incremental import Aggregate, AggregateQuery, aggregate_query
from deltasql.sql.queries.relations import TableReference
from deltasql.sql.tokens import require_value

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
        or not context.setting(ANSWER_FROM_LOG)
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
