"""Aggregates with Spark's types and values, from the statistics of groups of files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from deltasql.base.errors.base import LeftToEngineError
from deltasql.log.skipping.conditions import INTEGRAL as INTEGRAL_NAMES
from deltasql.log.skipping.conditions import BoundedColumn
from deltasql.log.skipping.partition_conditions import partition_value
from deltasql.log.skipping.predicates import find_column
from deltasql.log.skipping.tallies import FileGroup, TallyFilter, has_exact_high, has_exact_low
from deltasql.schema.type_lattice import fits
from deltasql.schema.types import LONG, DataType, DecimalType, StructField, StructType
from deltasql.sql.cursor import require_value
from deltasql.sql.evaluated.aggregates import AggregateScope
from deltasql.sql.queries.aggregate_query import Aggregate
from deltasql.sql.queries.relations import TableReference

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
