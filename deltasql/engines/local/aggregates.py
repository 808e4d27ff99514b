"""Aggregate queries over one table: its rows are grouped in this process, piece by piece.

Of each piece there are the states of its groups: numbers of rows, sums, least and greatest values. States of one group
are then united, so that the rows of a table are never in memory together. What depends on the order of all rows, as the
sum of floating-point numbers does, is computed of small tables alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from typing import Any, NamedTuple, TypeAlias

from deltasql.base import LeftToEngineError, Numbers, np, pa, pc
from deltasql.engines.choice import is_small, require_searching, scan_size
from deltasql.engines.local.selections import SelectedRows, indexes_where, only_scan, rows_of, selected
from deltasql.files import GROUPS, SPLIT_BYTES, SessionFacts, reader_schema, results_of
from deltasql.plan import MemoryRows, Operator, Scan
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
    RowScope,
    Selection,
    TableReference,
    aggregate_query,
    current_micros,
    inner_query,
    row_condition,
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
        require_searching(session, scan.table.location, scan_size(scan))
    scope = _RowScope(scan.schema, query.table, scan)
    try:
        result = AggregateRows(query, scope)
    except LeftToEngineError as left:
        raise LeftToEngineError(left.reason or "the query has more than keys and aggregates of one table") from None
    names = list({item.name: None for item in scope.columns} or {scan.schema.fields[0].name: None})
    alias, where = query.table.alias or query.table.parts[-1], None if query.where is None else query.where.text
    chosen = Selection(tuple((name, name) for name in names), alias, where, (), None)
    rows = selected(session, scan, chosen, streams=not scope.is_small)

    def computed() -> pa.Table:
        try:
            groups = scope.united(_parts(session, scope, rows, result.keys), result.keys or [])
            return to_table(result.schema, result.rows(groups))
        except (OverflowError, ValueError):
            # Python has no such dates.
            raise LeftToEngineError("a value is outside the range of Python's types") from None

    return result.schema, computed


def aggregated_in_memory(sql: str, rows: MemoryRows) -> tuple[StructType, Callable[[], pa.Table]] | None:
    """As `aggregated`, of a query over rows in memory."""
    query = aggregate_query(inner_query(sql))
    if query is None:
        return None
    scope = _RowScope(rows.schema, query.table)
    result = AggregateRows(query, scope)
    alias, where = query.table.alias or query.table.parts[-1], None
    if query.where is not None:
        where = row_condition(query.where.text, RowScope({alias: rows.schema}, current_micros()))

    def computed() -> pa.Table:
        table = rows.table
        if where is not None:
            table = table.take(indexes_where(where, rows_of(alias, table)))
        groups = scope.united([scope.part(table, result.keys)], result.keys or [])
        return to_table(result.schema, result.rows(groups))

    return result.schema, computed


def _parts(session: SessionFacts, scope: _RowScope, rows: SelectedRows, keys: list[str] | None) -> Iterator[_Part]:
    """The groups of all rows of a small table at once, else those of each piece."""
    if scope.is_small:
        yield scope.part(rows.table(session), keys)
        return
    # Without keys no rows are one group.
    yield scope.part(reader_schema(StructType(rows.plain.columns)).empty_table(), keys)
    yield from results_of(rows.pieces(session), lambda table: scope.part(table, keys))


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


class _Sum(NamedTuple):
    """The sum of some values of a group, and how many they are."""

    total: Any
    values: int


_State: TypeAlias = Any
"""The state of an aggregate by some rows of a group: an int of counts, a _Sum, a least or greatest value, or a set."""


class _Part(NamedTuple):
    """The groups of some rows: by the values of their keys the numbers of rows, and the states of the aggregates.

    `sizes` has for each sum of whole numbers the sum of the same numbers without their signs.
    """

    groups: Mapping[tuple[Any, ...], tuple[_State, ...]]
    sizes: Mapping[tuple[str, ...], int]


class _RowScope(AggregateScope):
    """A table whose rows are read, or are in memory where there is no scan.

    A group has the values of its keys and aggregates by their names.
    """

    def __init__(self, schema: StructType, table: TableReference, scan: Scan | None = None) -> None:
        super().__init__(schema, table)
        self.columns: list[StructField] = []
        """The columns that are read."""
        self._asked: list[_Asked] = []
        self.is_small = scan is None or is_small(scan)
        sizes = scan.files.column("size").to_pylist() if scan is not None and self.is_small else []
        self._is_in_order = scan is not None and self.is_small and len(sizes) <= 1 and sum(sizes) <= SPLIT_BYTES
        """Whether one task of Spark would read all rows, and so add them in their order."""

    def key(self, item: StructField) -> Callable[[Any], Any]:
        if not _is_grouped(item.type):
            raise LeftToEngineError(f"rows are grouped by a column of type {sql_text(item.type)}")
        self.columns.append(item)
        return lambda group: group["key", item.name]

    def aggregate(self, aggregate: Aggregate, item: StructField) -> tuple[DataType, Callable[[Any], Any]]:
        kind = _kind(aggregate, item.type)
        if not self.is_small:
            _require_mergeable(aggregate, item.type)
        self.columns.append(item)
        name = (aggregate.function, "distinct" if aggregate.distinct else "", item.name)
        self._asked.append(_Asked(name, aggregate, item))
        return kind, lambda group: group[name]

    def rows(self, group: GroupValues) -> int:
        count: int = group[_ROWS]
        return count

    def part(self, table: pa.Table, keys: list[str] | None) -> _Part:
        """The groups of some rows. Raises LeftToEngineError where they are many, or a value is not certain."""
        numbers, count, firsts = _numbered(table, keys)
        rows = _Rows(table, numbers, count)
        values = [table.column(name).take(pa.array(firsts)).to_pylist() for name in keys or ()]
        named = list(zip(*values, strict=True)) if values else [()] * count
        sizes: dict[tuple[str, ...], int] = {}
        states = [np.bincount(numbers, minlength=count).tolist()]
        states += [self._states(rows, asked, sizes) for asked in self._asked]
        return _Part(dict(zip(named, zip(*states, strict=True), strict=True)), sizes)

    def united(self, parts: Iterable[_Part], keys: Sequence[str]) -> list[GroupValues]:
        """The groups of all rows, from those of parts of them, by these keys. Raises what `part` raises."""
        groups: dict[tuple[Any, ...], tuple[_State, ...]] = {}
        sizes = Counter[tuple[str, ...]]()
        for part in parts:
            for key, states in part.groups.items():
                others = groups.get(key)
                groups[key] = states if others is None else self._joined(others, states)
            _require_few(len(groups))
            sizes.update(part.sizes)
        for name, size in sizes.items():
            if size >= (_EXACT if name[0] == "avg" else _LONG):
                raise LeftToEngineError("numbers add up to more digits than those of their sum's type")
        return [self._values(keys, key, states) for key, states in groups.items()]

    def _joined(self, some: tuple[_State, ...], more: tuple[_State, ...]) -> tuple[_State, ...]:
        pairs = zip(self._asked, some[1:], more[1:], strict=True)
        return (some[0] + more[0], *(_united(asked.aggregate.function, one, other) for asked, one, other in pairs))

    def _values(self, names: Sequence[str], key: tuple[Any, ...], states: tuple[_State, ...]) -> GroupValues:
        values: dict[tuple[str, ...], Any] = {("key", name): value for name, value in zip(names, key, strict=True)}
        values[_ROWS] = states[0]
        for asked, state in zip(self._asked, states[1:], strict=True):
            values[asked.name] = _value(asked, state)
        return values

    def _states(self, rows: _Rows, asked: _Asked, sizes: dict[tuple[str, ...], int]) -> list[_State]:
        """The states of an aggregate, one for each group; adds to `sizes`: see `_Part`."""
        column = rows.table.column(asked.item.name).combine_chunks()
        values, numbers = column, rows.numbers
        if column.null_count:
            valid = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
            values, numbers = column.take(pa.array(valid)), rows.numbers[valid]
        function = asked.aggregate.function
        if function == "count" and asked.aggregate.distinct:
            return _distinct(values, numbers, rows.groups)
        counts = np.bincount(numbers, minlength=rows.groups).tolist()
        if function == "count":
            return list(counts)
        if function in {"min", "max"}:
            return _grouped(values, numbers, rows.groups, function)
        if is_integral(asked.item.type):
            sizes[asked.name] = _size(values)
        return list(map(_Sum, self._sums(values, numbers, rows.groups, asked.item.type), counts))

    def _sums(self, values: pa.Array, numbers: Numbers, count: int, kind: DataType) -> list[Any]:
        """The sum of each group. Raises LeftToEngineError where it depends on the order of rows."""
        if isinstance(kind, DecimalType):
            return _decimal_sums(values, numbers, count, kind)
        if is_integral(kind):
            return _added(values.to_numpy().astype(np.int64), numbers, count)
        doubles = values.to_numpy().astype(np.float64)
        if not self._is_in_order and not _is_exact(doubles):
            raise LeftToEngineError("a sum of floating-point numbers depends on the order of rows in several files")
        return _added(doubles, numbers, count)


def _require_mergeable(aggregate: Aggregate, kind: DataType) -> None:
    """Raises LeftToEngineError for an aggregate whose states of pieces are not enough for that of all rows."""
    if aggregate.distinct:
        raise LeftToEngineError("distinct values of a table that is not small are counted")
    if aggregate.function in {"sum", "avg"} and kind in {FLOAT, DOUBLE}:
        raise LeftToEngineError("a sum of floating-point numbers depends on the order of rows in several files")


def _require_few(groups: int) -> None:
    if groups > GROUPS:
        raise LeftToEngineError(f"there are {groups:,} groups, more than {GROUPS:,}")


def _united(function: str, some: _State, more: _State) -> _State:
    """The state of a group by the rows of two states."""
    if function == "count":
        return some + more
    if isinstance(some, _Sum):
        return _Sum(more.total if some.total is None else some.total + (more.total or 0), some.values + more.values)
    if some is None or more is None:
        return more if some is None else some
    return (max if function == "max" else min)(some, more)


def _value(asked: _Asked, state: _State) -> Any:
    """An aggregate of a group by its state."""
    if not isinstance(state, _Sum):
        return state
    if not state.values:
        return None
    return state.total if asked.aggregate.function == "sum" else _average(state.total, state.values, asked.item.type)


_FEW_NUMBERS = 10_000
_LARGEST_MASK = 1 << 20


def _size(values: pa.Array) -> int:
    """The sum of whole numbers without their signs, or little more.

    It must be below the limits of a sum's type: part of a sum may overflow before the sum.
    """
    if len(values) <= _FEW_NUMBERS:
        return sum(map(abs, values.to_pylist()))
    return int(np.abs(values.to_numpy().astype(np.float64)).sum() * (1 + 2**-20)) + 1


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
    count = min(1, table.num_rows)
    for name in keys:
        codes, most = _codes(table.column(name).combine_chunks())
        numbers, count = _dense(numbers * most + codes, max(count, 1) * most)
        _require_few(count)
    firsts = np.zeros(count, np.int64)
    firsts[numbers[::-1]] = np.arange(table.num_rows)[::-1]
    return numbers, count, firsts


def _dense(numbers: Numbers, most: int) -> tuple[Numbers, int]:
    """Numbers below `most`, renumbered without gaps in their order, and how many distinct ones there are."""
    if most > max(_LARGEST_MASK, 4 * len(numbers)):
        found, numbers = np.unique(numbers, return_inverse=True)
        return numbers, len(found)
    # In place of a sort, which takes ten times as long.
    is_there = np.zeros(most, bool)
    is_there[numbers] = True
    return (np.cumsum(is_there) - 1)[numbers], int(np.count_nonzero(is_there))


def _codes(values: pa.Array) -> tuple[Numbers, int]:
    """A number for each value, the same for equal ones, and one that is higher than all; NULL has a number, too."""
    codes = pc.dictionary_encode(values, null_encoding="encode").indices.to_numpy().astype(np.int64)
    return codes, int(codes.max(initial=0)) + 1


def _distinct(values: pa.Array, numbers: Numbers, count: int) -> list[int]:
    codes, most = _codes(values)
    pairs = np.unique(numbers * most + codes)
    counts: list[int] = np.bincount(pairs // most, minlength=count).tolist()
    return counts


def _grouped(values: pa.Array, numbers: Numbers, count: int, function: str) -> list[Any]:
    """An aggregate of Arrow's for each group, None where it has no value."""
    table = pa.table({"group": pa.array(numbers), "value": values})
    found = table.group_by("group").aggregate([("value", function)])
    pairs = zip(found.column("group").to_pylist(), found.column(f"value_{function}").to_pylist(), strict=True)
    by_group = dict(pairs)
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
    if kind.precision <= _DIGITS_OF_LONG:
        # Digits that fit into 64 bits are the lower half of the 128.
        digits = np.frombuffer(values.buffers()[1], np.int64)[::2][values.offset : values.offset + len(values)]
        if float(np.abs(digits.astype(np.float64)).sum()) < _LONG / 2:
            return [Decimal(total).scaleb(-kind.scale) for total in _added(digits, numbers, count)]
    return _grouped(values.cast(pa.decimal128(MOST_DIGITS, kind.scale)), numbers, count, "sum")


_DIGITS_OF_LONG = 18


def _average(total: Any, count: int, kind: DataType) -> Any:
    if not isinstance(kind, DecimalType):
        return total / count
    unit = Decimal(1).scaleb(-_average_kind(kind).scale)
    return _QUOTIENT.divide(total, Decimal(count)).quantize(unit, rounding=ROUND_HALF_UP, context=_QUOTIENT)
