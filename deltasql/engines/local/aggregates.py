"""Aggregate queries over a small table: its rows are grouped in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from typing import Any, NamedTuple, TypeAlias

from deltasql.base import LeftToEngineError, Numbers, np, pa, pc
from deltasql.engines.choice import is_small, scan_size
from deltasql.engines.local.selections import only_scan, selected
from deltasql.files import FEW_BYTES, GROUPS, SPLIT_BYTES, SessionFacts
from deltasql.plan import Operator, Scan
from deltasql.schema import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    LONG,
    MOST_DIGITS,
    STRING,
    DataType,
    DecimalType,
    StructField,
    StructType,
    is_integral,
    sql_text,
    to_table,
)
from deltasql.sql import (
    Aggregate,
    AggregateRows,
    AggregateScope,
    Selection,
    TableReference,
    aggregate_query,
    inner_query,
)

GroupValues: TypeAlias = "Mapping[tuple[str, ...], Any]"
"""The values of a group: of its keys, of its aggregates, and the number of its rows."""

_ROWS = ("rows",)
_LONG, _EXACT = 2**63, 2**53
"""Whole numbers below these are of the type BIGINT, and exact as DOUBLE."""
_QUOTIENT = Context(prec=MOST_DIGITS + 1, rounding=ROUND_DOWN)
"""As Spark divides decimals, before it rounds to the scale of the result."""


def aggregated(session: SessionFacts, operator: Operator) -> tuple[StructType, Callable[[], pa.Table]] | None:
    """The columns of an aggregate query over one small table, and how to compute its rows; None for other queries.

    Raises LeftToEngineError where Spark's result is not certain; computing the rows raises it, too, as for sums that
    depend on the order of rows.
    """
    session.require_computing()
    _, sql, scan = only_scan(session, operator)
    query = aggregate_query(inner_query(sql))
    if query is None:
        return None
    if not is_small(scan):
        raise LeftToEngineError(f"{scan_size(scan):,} bytes are aggregated, more than {FEW_BYTES:,}")
    scope = _RowScope(scan, query.table)
    try:
        result = AggregateRows(query, scope)
    except LeftToEngineError as left:
        raise LeftToEngineError(left.reason or "the query has more than keys and aggregates of one table") from None
    names = list({item.name: None for item in scope.columns} or {scan.schema.fields[0].name: None})
    alias, where = query.table.alias or query.table.parts[-1], None if query.where is None else query.where.text
    rows = selected(session, scan, Selection(tuple((name, name) for name in names), alias, where, (), None))

    def computed() -> pa.Table:
        try:
            groups = scope.groups(rows.table(session), result.keys)
            return to_table(result.schema, result.rows(groups))
        except (OverflowError, ValueError):
            # Python has no such dates.
            raise LeftToEngineError("a value is outside the range of Python's types") from None

    return result.schema, computed


class _Asked(NamedTuple):
    """An aggregate of a column, by its name in a group."""

    name: tuple[str, ...]
    aggregate: Aggregate
    item: StructField


class _Rows(NamedTuple):
    """Rows with the number of the group of each, below `groups`."""

    table: pa.Table
    numbers: Numbers
    groups: int


class _RowScope(AggregateScope):
    """A table whose rows are read; a group has the values of its keys and aggregates by their names."""

    def __init__(self, scan: Scan, table: TableReference) -> None:
        super().__init__(scan.schema, table)
        self.columns: list[StructField] = []
        """The columns that are read."""
        self._asked: list[_Asked] = []
        sizes = scan.files.column("size").to_pylist()
        self._is_in_order = len(sizes) <= 1 and sum(sizes) <= SPLIT_BYTES
        """Whether one task of Spark would read all rows, and so add them in their order."""

    def key(self, item: StructField) -> Callable[[Any], Any]:
        if not _is_grouped(item.type):
            raise LeftToEngineError(f"rows are grouped by a column of type {sql_text(item.type)}")
        self.columns.append(item)
        return lambda group: group["key", item.name]

    def aggregate(self, aggregate: Aggregate, item: StructField) -> tuple[DataType, Callable[[Any], Any]]:
        kind = _kind(aggregate, item.type)
        self.columns.append(item)
        name = (aggregate.function, "distinct" if aggregate.distinct else "", item.name)
        self._asked.append(_Asked(name, aggregate, item))
        return kind, lambda group: group[name]

    def rows(self, group: GroupValues) -> int:
        count: int = group[_ROWS]
        return count

    def groups(self, table: pa.Table, keys: list[str] | None) -> list[GroupValues]:
        """The groups of rows. Raises LeftToEngineError where they are many, or a value of theirs is not certain."""
        numbers, count, firsts = _numbered(table, keys)
        rows = _Rows(table, numbers, count)
        columns: dict[tuple[str, ...], list[Any]] = {
            ("key", name): table.column(name).take(pa.array(firsts)).to_pylist() for name in keys or ()
        }
        columns[_ROWS] = np.bincount(numbers, minlength=count).tolist()
        columns.update({asked.name: self._computed(rows, asked) for asked in self._asked})
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]

    def _computed(self, rows: _Rows, asked: _Asked) -> list[Any]:
        """An aggregate of each group."""
        column = rows.table.column(asked.item.name).combine_chunks()
        valid = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
        values, numbers = column.take(pa.array(valid)), rows.numbers[valid]
        counts = np.bincount(numbers, minlength=rows.groups)
        function, kind = asked.aggregate.function, asked.item.type
        if function == "count":
            return _distinct(values, numbers, rows.groups) if asked.aggregate.distinct else counts.tolist()
        if function in {"min", "max"}:
            return _ends(values, numbers, rows.groups, highest=function == "max")
        sums = self._sums(values, numbers, rows.groups, kind, most=_EXACT if function == "avg" else _LONG)
        pairs = zip(sums, counts.tolist(), strict=True)
        if function == "sum":
            return [total if number else None for total, number in pairs]
        return [_average(total, number, kind) if number else None for total, number in pairs]

    def _sums(self, values: pa.Array, numbers: Numbers, count: int, kind: DataType, most: int) -> list[Any]:
        """The sum of each group. Raises LeftToEngineError where it depends on the order of rows.

        Whole numbers without their signs must add up to less than `most`: part of a sum may overflow before the sum.
        """
        if isinstance(kind, DecimalType):
            return _decimal_sums(values, numbers, count, kind)
        if is_integral(kind):
            if sum(map(abs, values.to_pylist())) >= most:
                raise LeftToEngineError("numbers add up to more digits than those of their sum's type")
            return _added(values.to_numpy().astype(np.int64), numbers, count)
        doubles = values.to_numpy().astype(np.float64)
        if not self._is_in_order and not _is_exact(doubles):
            raise LeftToEngineError("a sum of floating-point numbers depends on the order of rows in several files")
        return _added(doubles, numbers, count)


def _kind(aggregate: Aggregate, kind: DataType) -> DataType:
    """The type of an aggregate. Raises LeftToEngineError for one of a column of other types."""
    found = _kind_of_sum(aggregate.function, kind) if aggregate.function in {"sum", "avg"} else None
    if aggregate.function == "count" and not (aggregate.distinct and not _is_grouped(kind)):
        found = LONG
    if aggregate.function in {"min", "max"} and _is_grouped(kind):
        found = kind
    if found is None:
        raise LeftToEngineError(f"{aggregate.function} of a column of type {sql_text(kind)}")
    return found


def _kind_of_sum(function: str, kind: DataType) -> DataType | None:
    if isinstance(kind, DecimalType):
        if kind.precision + 10 > MOST_DIGITS:
            return None
        return _average_kind(kind) if function == "avg" else DecimalType(kind.precision + 10, kind.scale)
    if is_integral(kind):
        return LONG if function == "sum" else DOUBLE
    return DOUBLE if kind in {FLOAT, DOUBLE} else None


def _is_grouped(kind: DataType) -> bool:
    return is_integral(kind) or kind in {BOOLEAN, STRING, DATE} or isinstance(kind, DecimalType)


def _average_kind(kind: DecimalType) -> DecimalType:
    return DecimalType(kind.precision + 4, kind.scale + 4)


def _numbered(table: pa.Table, keys: list[str] | None) -> tuple[Numbers, int, Numbers]:
    """The number of each row's group, how many groups there are, and a row of each."""
    numbers = np.zeros(table.num_rows, np.int64)
    if keys is None:
        return numbers, 1, numbers[:0]
    for name in keys:
        codes, most = _codes(table.column(name).combine_chunks())
        _, numbers = np.unique(numbers * most + codes, return_inverse=True)
    groups, firsts, numbers = np.unique(numbers, return_index=True, return_inverse=True)
    if len(groups) > GROUPS:
        raise LeftToEngineError(f"there are {len(groups):,} groups, more than {GROUPS:,}")
    return numbers, len(groups), firsts


def _codes(values: pa.Array) -> tuple[Numbers, int]:
    """A number for each value, the same for equal ones, and one that is higher than all; NULL has a number, too."""
    codes = pc.dictionary_encode(values, null_encoding="encode").indices.to_numpy().astype(np.int64)
    return codes, int(codes.max(initial=0)) + 1


def _distinct(values: pa.Array, numbers: Numbers, count: int) -> list[int]:
    codes, most = _codes(values)
    pairs = np.unique(numbers * most + codes)
    counts: list[int] = np.bincount(pairs // most, minlength=count).tolist()
    return counts


def _ends(values: pa.Array, numbers: Numbers, count: int, *, highest: bool) -> list[Any]:
    """The lowest or highest value of each group, None where it has none."""
    order = pc.sort_indices(
        pa.table({"group": pa.array(numbers), "value": values}),
        sort_keys=[("group", "ascending"), ("value", "descending" if highest else "ascending")],
    ).to_numpy()
    groups, firsts = np.unique(numbers[order], return_index=True)
    found = values.take(pa.array(order[firsts])).to_pylist()
    by_group: Mapping[int, Any] = dict(zip(groups.tolist(), found, strict=True))
    return [by_group.get(number) for number in range(count)]


def _added(values: Numbers, numbers: Numbers, count: int) -> list[Any]:
    """The sum of each group, to which values are added one after the other, as by Spark."""
    sums = np.zeros(count, values.dtype)
    np.add.at(sums, numbers, values)
    return list(sums.tolist())


def _is_exact(values: np.ndarray[Any, Any]) -> bool:
    """Whether doubles add up to the same in any order: all are multiples of a unit, and few of them."""
    if not np.isfinite(values).all():
        return False
    sizes = np.abs(values)
    total = float(sizes.sum())
    unit = 2.0 ** (np.frexp(total)[1] - 52) if total else 1.0
    return bool(np.all(np.mod(sizes, unit) == 0))


def _decimal_sums(values: pa.Array, numbers: Numbers, count: int, kind: DecimalType) -> list[Any]:
    wide = values.cast(pa.decimal128(MOST_DIGITS, kind.scale))
    sums = pa.table({"group": pa.array(numbers), "value": wide}).group_by("group").aggregate([("value", "sum")])
    pairs = zip(*(sums.column(name).to_pylist() for name in ("group", "value_sum")), strict=True)
    by_group = dict(pairs)
    return [by_group.get(number) for number in range(count)]


def _average(total: Any, count: int, kind: DataType) -> Any:
    if not isinstance(kind, DecimalType):
        return total / count
    unit = Decimal(1).scaleb(-_average_kind(kind).scale)
    return _QUOTIENT.divide(total, Decimal(count)).quantize(unit, rounding=ROUND_HALF_UP, context=_QUOTIENT)
