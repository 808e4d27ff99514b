"""Expressions over aggregates with Spark's types, names and values, from the statistics of groups of files."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from deltasql.schema.lengths import declared_length
from deltasql.schema.type_lattice import INTEGRAL, fits
from deltasql.schema.types import INTEGER, LONG, DataType, DecimalType, StructField, StructType
from deltasql.skipping.conditions import INTEGRAL as INTEGRAL_NAMES
from deltasql.skipping.conditions import BoundedColumn
from deltasql.skipping.partition_conditions import partition_value
from deltasql.skipping.predicates import find_column
from deltasql.skipping.tallies import FileGroup, TallyFilter, has_exact_high, has_exact_low
from deltasql.sql.cursor import LeftToEngineError, require_value
from deltasql.sql.queries.aggregate_query import Aggregate, Arithmetic, Coalesce, Expression, Named, Whole

_KEY_KINDS = frozenset({*INTEGRAL_NAMES, "decimal", "boolean", "string", "date"})
"""Types with one spelling per value in the log: floats have two zeros, timestamps a zone."""

_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


@dataclass(frozen=True, slots=True)
class Group:
    """The files behind one result row: file groups, each with its partition values by column name."""

    parts: tuple[tuple[FileGroup, Mapping[str, Any]], ...]

    def key(self, name: str) -> Any:
        return self.parts[0][1][name]


@dataclass(frozen=True, slots=True)
class Value:
    """An expression over a Group: its name in Spark's header, its type, and the function that computes it.

    `key` is the partition column, for an expression that is one; `is_aggregate` is True for an aggregate.
    """

    name: str
    kind: DataType
    nullable: bool
    of: Callable[[Group], Any]
    key: StructField | None = None
    is_aggregate: bool = False


@dataclass(slots=True)
class LogScope:
    """The one table that a query reads; `qualifiers` are those that its columns may have.

    `keys` and `data_columns` collect the columns that are needed from the log: partition columns, by name, and others.
    """

    schema: StructType
    partition_columns: Sequence[str]
    qualifiers: frozenset[tuple[str, ...]]
    keys: dict[str, BoundedColumn] = field(default_factory=dict)
    data_columns: dict[BoundedColumn, TallyFilter] = field(default_factory=dict)

    def value(self, expression: Expression) -> Value:
        """The Value of an expression. Raises LeftToEngineError for one that the log may not determine."""
        match expression:
            case Whole(value):
                kind = INTEGER if fits(value, INTEGER) else LONG
                return Value(str(value), kind, False, lambda group: value)
            case Named():
                return self._key(expression)
            case Aggregate(argument=Whole(value)):
                return Value(f"count({value})", LONG, False, _rows, is_aggregate=True)
            case Aggregate():
                return self._aggregate(expression)
            case Arithmetic():
                return self._arithmetic(expression)
            case Coalesce(parts):
                return _coalesced([self.value(part) for part in parts])

    def column(self, named: Named) -> tuple[StructField, BoundedColumn]:
        """A column of the table. Raises LeftToEngineError."""
        *qualifier, name = named.parts
        folded = tuple(part.lower() for part in qualifier)
        if qualifier and (folded not in self.qualifiers or self.schema.find(qualifier[0]) is not None):
            raise LeftToEngineError
        item = require_value(self.schema.find(name))
        if declared_length(item) is not None:
            raise LeftToEngineError
        return item, require_value(find_column((name,), self.schema, self.partition_columns))

    def _key(self, named: Named) -> Value:
        item, column = self.column(named)
        if column.partition is None or column.kind not in _KEY_KINDS:
            raise LeftToEngineError
        self.keys[item.name] = column
        return Value(named.parts[-1], item.type, item.nullable, lambda group: group.key(item.name), item)

    def _aggregate(self, aggregate: Aggregate) -> Value:
        assert isinstance(aggregate.argument, Named)
        item, column = self.column(aggregate.argument)
        prefix = "DISTINCT " if aggregate.distinct else ""
        name = f"{aggregate.function}({prefix}{aggregate.argument.parts[-1]})"
        kind, nullable = (LONG, False) if aggregate.function == "count" else (item.type, True)
        of = self._of_key(aggregate, column) if column.partition else self._of_column(aggregate, column)
        return Value(name, kind, nullable, of, is_aggregate=True)

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

    def _arithmetic(self, expression: Arithmetic) -> Value:
        left, right = self.value(expression.left), self.value(expression.right)
        kind = _wider([left.kind, right.kind])
        compute = _OPERATIONS[expression.op]

        def of(group: Group) -> Any:
            values = left.of(group), right.of(group)
            if None in values:
                return None
            result = compute(*values)
            # Spark raises an error here, or goes on at the other end.
            return require_value(result if fits(result, kind) else None)

        name, nullable = f"({left.name} {expression.op} {right.name})", left.nullable or right.nullable
        return Value(name, kind, nullable, of, is_aggregate=left.is_aggregate or right.is_aggregate)


def _rows(group: Group) -> int:
    return sum(files.rows for files, _ in group.parts)


def _end(function: str, value: Callable[[FileGroup, Mapping[str, Any]], Any]) -> Callable[[Group], Any]:
    """The lowest or highest value in a group, None where it has none."""
    choose: Callable[..., Any] = min if function == "min" else max

    def of(group: Group) -> Any:
        ends = (value(*part) for part in group.parts)
        return choose((item for item in ends if item is not None), default=None)

    return of


def _coalesced(parts: list[Value]) -> Value:
    kinds = {part.kind for part in parts}
    kind = parts[0].kind if len(kinds) == 1 else _wider(list(kinds))

    def of(group: Group) -> Any:
        return next((value for part in parts if (value := part.of(group)) is not None), None)

    name = f"coalesce({', '.join(part.name for part in parts)})"
    nullable, is_aggregate = all(part.nullable for part in parts), any(part.is_aggregate for part in parts)
    return Value(name, kind, nullable, of, is_aggregate=is_aggregate)


def _wider(kinds: Sequence[DataType]) -> DataType:
    """The widest of some types of whole numbers. Raises LeftToEngineError for others."""
    if not set(kinds) <= set(INTEGRAL):
        raise LeftToEngineError
    return max(kinds, key=INTEGRAL.index)


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
