"""Aggregate queries over one table: its rows are grouped in this process, piece by piece.

Of each piece there are the states of its groups: numbers of rows, sums, least and greatest values. States of one group
are then united, so that the rows of a table are never in memory together. What depends on the order of all rows, as the
sum of floating-point numbers does, is computed of small tables alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from deltasql.base import LeftToEngineError, np, pa, session_settings
from deltasql.engines.choice import is_small, require_searching, scan_size
from deltasql.engines.local.selections import SelectedRows, indexes_where, only_scan, rows_of, selected
from deltasql.files import SessionFacts, memory_limit, reader_schema, results_of
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
_GROUP_BYTES = 1 << 10
"""Memory that a group of an aggregate query takes: its values are objects of Python."""
_SPLIT_BYTES = 4 << 20
"""One task of Spark reads a file of so many bytes: its `spark.sql.files.openCostInBytes`."""
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
    scope = _RowScope(session, scan.schema, query.table, scan)
    try:
        result = AggregateRows(query, scope)
    except LeftToEngineError as left:
        raise LeftToEngineError(left.reason or "the query has more than keys and aggregates of one table") from None
    names = list({item.name: None for item in scope.columns} or {scan.schema.fields[0].name: None})
    alias, where = query.table.alias or query.table.parts[-1], None if query.where is None else query.where.text
    chosen = Selection(tuple((name, name) for name in names), alias, where, (), None)
    rows = selected(session, scan, chosen, streams=not scope.is_small)

    return result.schema, lambda: _table(scope, result, partial(_parts, session, scope, rows))


def aggregated_in_memory(
    session: SessionFacts, sql: str, rows: MemoryRows
) -> tuple[StructType, Callable[[], pa.Table]] | None:
    """As `aggregated`, of a query over rows in memory."""
    query = aggregate_query(inner_query(sql))
    if query is None:
        return None
    scope = _RowScope(session, rows.schema, query.table)
    result = AggregateRows(query, scope)
    alias, where = query.table.alias or query.table.parts[-1], None
    if query.where is not None:
        where = row_condition(query.where.text, RowScope({alias: rows.schema}, current_micros()))

    def parts(keys: Sequence[str]) -> Iterator[_Part]:
        table = rows.table
        if where is not None:
            table = table.take(indexes_where(where, rows_of(alias, table)))
        yield scope.part(table, keys)

    return result.schema, lambda: _table(scope, result, parts)


def _table(scope: _RowScope, result: AggregateRows, parts: Callable[[Sequence[str]], Iterable[_Part]]) -> pa.Table:
    """The rows of an aggregate query, of whose source `parts` gives the groups by the names of their keys."""
    keys = result.keys or []
    try:
        return to_table(result.schema, result.rows(scope.united(parts(keys), keys)))
    except (OverflowError, ValueError):
        # Python has no such dates.
        raise LeftToEngineError("a value is outside the range of Python's types") from None


def _parts(session: SessionFacts, scope: _RowScope, rows: SelectedRows, keys: Sequence[str]) -> Iterator[_Part]:
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

    @property
    def states(self) -> tuple[str, ...]:
        """Arrow's aggregates of the column that are the state of this one."""
        if self.aggregate.distinct:
            return ("count_distinct",)
        return ("sum", "count") if self.aggregate.function in {"sum", "avg"} else (self.aggregate.function,)


class _Part(NamedTuple):
    """The groups of some rows, each a row of `groups`: its keys, the number of its rows, and the states of aggregates.

    `sizes` has for each sum of whole numbers the sum of the same numbers without their signs.
    """

    groups: pa.Table
    sizes: Mapping[tuple[str, ...], int]


class _RowScope(AggregateScope):
    """A table whose rows are read, or are in memory where there is no scan.

    A group has the values of its keys and aggregates by their names.
    """

    def __init__(
        self, session: SessionFacts, schema: StructType, table: TableReference, scan: Scan | None = None
    ) -> None:
        super().__init__(schema, table)
        self._session = session
        self.columns: list[StructField] = []
        """The columns that are read."""
        self._asked: list[_Asked] = []
        self.is_small = scan is None or is_small(scan)
        sizes = scan.files.column("size").to_pylist() if scan is not None and self.is_small else []
        self._is_in_order = scan is not None and self.is_small and len(sizes) <= 1 and sum(sizes) <= _SPLIT_BYTES
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

    def part(self, table: pa.Table, keys: Sequence[str]) -> _Part:
        """The groups of some rows. Raises LeftToEngineError where a value is not certain."""
        columns = [table.column(name) for name in keys]
        sizes: dict[tuple[str, ...], int] = {}
        calls = []
        for number, asked in enumerate(self._asked, len(columns)):
            columns.append(self._added(asked, table.column(asked.item.name), sizes))
            calls += [(f"c{number}", state) for state in asked.states]
        return _Part(_grouped(columns, table.num_rows, len(keys), calls, counts=True), sizes)

    def _added(self, asked: _Asked, values: pa.ChunkedArray, sizes: dict[tuple[str, ...], int]) -> pa.ChunkedArray:
        """The values in the type in which they are added up, where they are; adds to `sizes`: see `_Part`.

        Raises LeftToEngineError where a sum depends on the order of rows.
        """
        kind = asked.item.type
        if "sum" not in asked.states:
            return values
        if isinstance(kind, DecimalType):
            return values.cast(pa.decimal128(MOST_DIGITS, kind.scale))
        if is_integral(kind):
            sizes[asked.name] = _size(values.drop_null())
            return values.cast(pa.int64())
        doubles = values.cast(pa.float64())
        if not self._is_in_order and not _is_exact(doubles.drop_null().to_numpy()):
            raise LeftToEngineError("a sum of floating-point numbers depends on the order of rows in several files")
        return doubles

    def united(self, parts: Iterable[_Part], keys: Sequence[str]) -> list[GroupValues]:
        """The groups of all rows, from those of parts of them, by these keys. Raises what `part` raises."""
        tables: list[pa.Table] = []
        joined, sizes = 0, Counter[tuple[str, ...]]()
        for part in parts:
            tables.append(part.groups)
            sizes.update(part.sizes)
            # Twice the work at most, and memory for twice the groups.
            if sum(groups.num_rows for groups in tables) > 2 * joined + _FEW_NUMBERS:
                tables = [self._joined(tables, len(keys))]
                joined = tables[0].num_rows
                self._require_room(joined)
        for name, size in sizes.items():
            if size >= (_EXACT if name[0] == "avg" else _LONG):
                raise LeftToEngineError("numbers add up to more digits than those of their sum's type")
        groups = tables[0] if len(tables) == 1 else self._joined(tables, len(keys))
        self._require_room(groups.num_rows)
        return list(self._values(groups, keys))

    def _joined(self, parts: Sequence[pa.Table], keys: int) -> pa.Table:
        """The groups of several parts, of which counts and sums are added up."""
        table = pa.concat_tables(parts)
        states = ["count", *(state for asked in self._asked for state in asked.states)]
        calls = [(f"c{number}", state if state in _EXTREMES else "sum") for number, state in enumerate(states, keys)]
        return _grouped(table.columns, table.num_rows, keys, calls)

    def _require_room(self, groups: int) -> None:
        """Raises LeftToEngineError for more groups than this process may have in memory."""
        limit = memory_limit(self._session)
        if groups * _GROUP_BYTES > limit:
            raise LeftToEngineError(f"{groups:,} groups take more than {session_settings.MEMORY_LIMIT.name}, {limit:,}")

    def _values(self, groups: pa.Table, keys: Sequence[str]) -> Iterator[GroupValues]:
        """The values of each group."""
        columns = (column.to_pylist() for column in groups.columns)
        named = {name: next(columns) for name in [*(("key", name) for name in keys), _ROWS]}
        for asked in self._asked:
            states = [next(columns) for _ in asked.states]
            named[asked.name] = states[0] if len(states) == 1 else list(map(partial(_value, asked), *states))
        return (dict(zip(named, row, strict=True)) for row in zip(*named.values(), strict=True))


def _require_mergeable(aggregate: Aggregate, kind: DataType) -> None:
    """Raises LeftToEngineError for an aggregate whose states of pieces are not enough for that of all rows."""
    if aggregate.distinct:
        raise LeftToEngineError("distinct values of a table that is not small are counted")
    if aggregate.function in {"sum", "avg"} and kind in {FLOAT, DOUBLE}:
        raise LeftToEngineError("a sum of floating-point numbers depends on the order of rows in several files")


def _grouped(
    columns: Sequence[Any], rows: int, keys: int, calls: Sequence[tuple[str, str]], *, counts: bool = False
) -> pa.Table:
    """Rows grouped by the first `keys` of the columns c0, c1 …: the keys, and a column for each call of an aggregate.

    With `counts` the number of rows stands before the calls. Without keys all rows are one group, also of no rows.
    """
    named = {f"c{number}": column for number, column in enumerate(columns)}
    by = list(named)[:keys]
    if not keys and rows:
        # Arrow adds doubles of a group in their order, but those of no group in pairs.
        by, named["all"] = ["all"], pa.repeat(pa.scalar(0, pa.int8()), rows)
    counted: list[Any] = [([], "count_all")] if counts else []
    found = pa.table(named).group_by(by, use_threads=False).aggregate(counted + list(calls))
    results = [*by[:keys], *(["count_all"] if counts else []), *(f"{name}_{function}" for name, function in calls)]
    return found.select(results).rename_columns([f"c{number}" for number in range(len(results))])


def _value(asked: _Asked, total: Any, count: int) -> Any:
    """A sum or an average of some values, by their sum and their number; NULL of none."""
    if not count:
        return None
    return total if asked.aggregate.function == "sum" else _average(total, count, asked.item.type)


_FEW_NUMBERS = 10_000
_EXTREMES = frozenset({"min", "max"})


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


def _is_exact(values: np.ndarray[Any, Any]) -> bool:
    """Whether doubles add up to the same in any order: all are multiples of a unit, and few of them."""
    if not np.isfinite(values).all():
        return False
    sizes = np.abs(values)
    total = float(sizes.sum())
    unit = 2.0 ** (np.frexp(total)[1] - 52) if total else 1.0
    return bool(np.all(np.mod(sizes, unit) == 0))


def _average(total: Any, count: int, kind: DataType) -> Any:
    if not isinstance(kind, DecimalType):
        return total / count
    unit = Decimal(1).scaleb(-_average_kind(kind).scale)
    return _QUOTIENT.divide(total, Decimal(count)).quantize(unit, rounding=ROUND_HALF_UP, context=_QUOTIENT)
