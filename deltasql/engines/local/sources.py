"""Rows that this process has without an engine, and joins of small tables.

These are constants, rows in memory, tables, Parquet files, and views of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

from deltasql.base import DeltaSqlError, LeftToEngineError, Numbers, np, pa, pc, require_value, session_settings
from deltasql.engines.choice import require_fits_in_memory, require_streaming, scan_size
from deltasql.engines.local.aggregates import aggregated, aggregated_in_memory
from deltasql.engines.local.selections import (
    BoundRows,
    PlainScan,
    SelectedRows,
    arranged,
    indexes_where,
    local_query,
    only_scan,
    ordered_indexes,
    require_plain,
    rows_of,
    selected,
    values,
)
from deltasql.files import Piece, SessionFacts, column_pieces, literal_table, parquet_files, read_columns
from deltasql.log import is_local
from deltasql.plan import MemoryRows, Operator, Scan, SqlQuery, Supplied, ViewColumns, hidden_names, tallies
from deltasql.schema import BOOLEAN, DOUBLE, StructField, StructType, arrow_type, as_nullable, bare_schema, to_table
from deltasql.sql import (
    ColumnOf,
    Compared,
    Joined,
    RowExpression,
    RowScope,
    Selection,
    Widened,
    _is_alone,
    columns_of,
    constants_of,
    counted_rows,
    counting,
    current_micros,
    may_be_null,
    plain_columns,
    result_field,
    row_condition,
    row_expression,
    selection,
    without_parquet_path,
)


@dataclass(frozen=True, eq=False, slots=True)
class LocalRows:
    """Columns, and how to read the rows: all at once, or in pieces, in their order, where these are files' rows.

    Raises what `PlainScan.table` raises. `read` raises LeftToEngineError for more rows than this process holds at once.
    """

    schema: StructType
    read: Callable[[], pa.Table]
    pieces: Callable[[], Iterator[Piece]] | None = None

    def mapped(self, schema: StructType, change: Callable[[pa.Table], pa.Table]) -> LocalRows:
        """The rows with other columns, or fewer of the rows, for which it is enough to look at one piece at a time."""
        pieces = self.pieces
        changed = None if pieces is None else lambda: (piece.mapped(change) for piece in pieces())
        return LocalRows(schema, lambda: change(self.read()), changed)

    def table(self, session: SessionFacts) -> pa.Table:
        """All rows: see `PlainScan.table`."""
        return self.read()

    def renamed(self, names: Sequence[str]) -> LocalRows:
        """The columns with other names, by position. Raises LeftToEngineError where there are not so many."""
        if len(names) != len(self.schema.fields):
            raise LeftToEngineError("the number of columns is another one")
        named = (replace(item, name=name) for item, name in zip(self.schema, names, strict=True))
        return self.mapped(StructType(tuple(named)), lambda rows: rows.rename_columns(list(names)))

    def chosen(self, pairs: Sequence[tuple[str, str]]) -> LocalRows:
        """Some columns, each with the name that it gets. Raises LeftToEngineError for one that is not there once."""
        indexes = [self._column_index(name) for name, _ in pairs]
        fields = tuple(self.schema.fields[index] for index in indexes)
        return self.mapped(StructType(fields), lambda rows: rows.select(indexes)).renamed([name for _, name in pairs])

    def where(self, alias: str, condition: RowExpression | None) -> LocalRows:
        """The rows, by an alias, for which a condition is TRUE.

        Raises LeftToEngineError where one of its columns is not there once.
        """
        if condition is None:
            return self
        for column in columns_of(condition):
            self._column_index(column.name)
        return self.mapped(self.schema, lambda rows: rows.take(indexes_where(condition, rows_of(alias, rows))))

    def with_computed(self, alias: str, computed: Sequence[tuple[str, str]]) -> LocalRows:
        """The rows, by an alias, with more columns: their names and SQL.

        Raises LeftToEngineError for expressions that this process does not evaluate.
        """
        if not computed:
            return self
        scope = RowScope({alias: self.schema}, calls=True)
        expressions = [row_expression(text, scope) for _, text in computed]
        for expression in expressions:
            for column in columns_of(expression):
                self._column_index(column.name)
        added = [
            StructField(name, expression.type, may_be_null(expression, scope))
            for (name, _), expression in zip(computed, expressions, strict=True)
        ]

        def change(rows: pa.Table) -> pa.Table:
            bound = rows_of(alias, rows)
            for field, expression in zip(added, expressions, strict=True):
                rows = rows.append_column(field.name, values(expression, bound).cast(arrow_type(field.type)))
            return rows

        return self.mapped(StructType((*self.schema, *added)), change)

    def _column_index(self, name: str) -> int:
        indexes = [index for index, item in enumerate(self.schema) if item.name.lower() == name.lower()]
        if len(indexes) != 1 or self.schema.find(name) is None:
            raise LeftToEngineError(f"there is not one column {name}")
        return indexes[0]


def local_rows(session: SessionFacts, operator: Operator, *, streams: bool = False) -> LocalRows:
    """The rows of `operator`. Raises LeftToEngineError where they are many, or not certain without an engine.

    With `streams` the caller takes them piece by piece, so that they may be any number.
    """
    if any(tallies(operator)):
        raise LeftToEngineError("rows are counted by expectation")
    if isinstance(operator, Supplied) and isinstance(operator.frame, MemoryRows) and not operator.names:
        operator = operator.frame
    if isinstance(operator, MemoryRows):
        table = operator.table
        return LocalRows(operator.schema, lambda: table)
    constants = constants_of(operator)
    if constants is not None:
        return LocalRows(constants.schema, partial(literal_table, constants))
    readers = (
        (_of_memory, _of_files, _of_view) if isinstance(operator, SqlQuery) and not _is_over_table(operator) else ()
    )
    for reader in readers:
        with suppress(LeftToEngineError):
            return reader(session, operator, streams)
    return _of_table(session, operator, streams)


def _is_over_table(query: SqlQuery) -> bool:
    return len(query.relations) == 1 and isinstance(next(iter(query.relations.values())), Scan)


def local_schema(session: SessionFacts, operator: Operator) -> StructType | None:
    """The columns of `operator` where no engine need be asked."""
    with suppress(LeftToEngineError):
        session.require_computing()
        if (constants := constants_of(operator)) is not None:
            return constants.schema
        for reader in (_queried, _of_memory, _of_files, _of_view):
            with suppress(LeftToEngineError):
                return reader(session, operator, True).schema
    return None


def _queried(session: SessionFacts, operator: Operator, streams: bool = False) -> PlainScan | SelectedRows | LocalRows:
    """A query over one table: an aggregate query, or one for its rows."""
    grouped = aggregated(session, operator)
    return local_query(session, operator, streams=streams) if grouped is None else LocalRows(*grouped)


def _of_table(session: SessionFacts, operator: Operator, streams: bool) -> LocalRows:
    plan = _queried(session, operator, streams)
    if isinstance(plan, LocalRows):
        return plan
    if streams and (isinstance(plan, PlainScan) or plan.is_streamed):
        return LocalRows(plan.schema, partial(plan.table, session), partial(plan.pieces, session))
    if isinstance(plan, PlainScan):
        scan = plan.scan
        require_fits_in_memory(session, scan.table.location, scan_size(scan))
    return LocalRows(plan.schema, partial(plan.table, session))


def _of_view(session: SessionFacts, operator: Operator, streams: bool) -> LocalRows:
    """The rows of ``SELECT … FROM view WHERE …``, where this process reads those of the view's query."""
    if not isinstance(operator, SqlQuery) or len(operator.relations) != 1 or operator.settings or operator.view:
        raise LeftToEngineError("the rows are not those of one view")
    ((relation, view),) = operator.relations.items()
    parsed = selection(operator.sql, relation)
    streams = streams and not parsed.order and parsed.limit is None
    if isinstance(view, Supplied) and isinstance(view.frame, MemoryRows):
        return _selected(local_rows(session, view), parsed)
    if not isinstance(view, SqlQuery) or view.settings:
        raise LeftToEngineError("the rows are not those of one view")
    rows = local_rows(session, replace(view, view=None), streams=streams)
    return _selected(rows if view.view is None else _shown(rows, view.view), parsed)


def answered_query(session: SessionFacts, operator: Operator) -> PlainScan | SelectedRows | LocalRows:
    """A query that this process answers by itself: over one table, rows in memory, or of constants alone.

    Raises LeftToEngineError for any other.
    """
    constants = constants_of(operator)
    if constants is not None:
        session.require_computing()
        return LocalRows(constants.schema, partial(literal_table, constants))
    if not (
        isinstance(operator, SqlQuery) and any(isinstance(item, MemoryRows) for item in operator.relations.values())
    ):
        with suppress(LeftToEngineError):
            return _counted(session, operator)
        return _queried(session, operator)
    session.require_fetching()
    session.require_computing()
    return _of_memory(session, operator, False)


def _counted(session: SessionFacts, operator: Operator) -> LocalRows:
    """The number of the rows of a table for which a condition is TRUE. Raises LeftToEngineError for any other query."""
    session.require_computing()
    relation, sql, scan = only_scan(session, operator)
    parsed = counting(sql, relation)
    used = columns_of(row_condition(parsed.where, RowScope({parsed.alias: scan.schema}, current_micros())))
    # One of the columns that are read anyway.
    name = require_value(next((column.name for column in used), None))
    rows = selected(session, scan, Selection(((name, name),), parsed.alias, parsed.where, (), None))
    field = result_field(parsed.name, counted_rows(1, len))
    result = StructType((field,))
    return LocalRows(result, lambda: to_table(result, [[rows.table(session).num_rows]]))


def _of_memory(session: SessionFacts, operator: Operator, streams: bool) -> LocalRows:
    """The rows of ``SELECT … FROM rows WHERE …`` over rows in memory, or their aggregates."""
    if not isinstance(operator, SqlQuery) or len(operator.relations) != 1 or operator.settings or operator.view:
        raise LeftToEngineError("the rows are not those in memory alone")
    ((relation, rows),) = operator.relations.items()
    if not isinstance(rows, MemoryRows):
        raise LeftToEngineError("the rows are not those in memory alone")
    grouped = aggregated_in_memory(session, operator.sql, rows)
    if grouped is not None:
        return LocalRows(*grouped)
    parsed = selection(operator.sql, relation, computes=True)
    return _selected(LocalRows(rows.schema, lambda: rows.table), parsed, are_in_memory=True)


def _shown(rows: LocalRows, view: ViewColumns) -> LocalRows:
    """The columns of a view, from the rows of its query. Raises LeftToEngineError if one is missing or was retyped."""
    pairs = [(name, item.name) for name, item in zip(view.names, view.schema, strict=True)]
    chosen = rows.chosen(pairs)
    if view.typed and any(
        as_nullable(item.type) != as_nullable(due.type) for item, due in zip(chosen.schema, view.schema, strict=True)
    ):
        raise LeftToEngineError("a column of a view has another type by now")
    return chosen


def _selected(rows: LocalRows, parsed: Selection, *, are_in_memory: bool = False) -> LocalRows:
    """The rows that a query selects. Functions are called of rows in memory, which are those of metadata.

    Raises LeftToEngineError for expressions that this process does not evaluate.
    """
    scope = RowScope({parsed.alias: rows.schema}, calls=are_in_memory)
    where = None if parsed.where is None else row_condition(parsed.where, scope)
    rows = rows.where(parsed.alias, where).with_computed(parsed.alias, parsed.computed)
    matching = rows.chosen(parsed.columns) if parsed.columns else rows
    if not parsed.order and parsed.limit is None:
        return matching
    names = [item.name for item in matching.schema]
    # A column that is not selected may order the rows.
    hidden = [name for name in _ordering_columns(parsed) if name.lower() not in map(str.lower, names)]
    wider = matching
    if hidden and parsed.columns:
        wider = rows.chosen([*parsed.columns, *((name, name) for name in hidden)])
    order = ordered_indexes(wider.schema, parsed.order)

    def read() -> pa.Table:
        return arranged(wider.read(), order, parsed.limit).select(range(len(names))).rename_columns(names)

    return LocalRows(matching.schema, read)


def _ordering_columns(parsed: Selection) -> list[str]:
    """The columns that ORDER BY names, each once."""
    return list(dict.fromkeys(item.column for item in parsed.order if isinstance(item.column, str)))


def _of_files(session: SessionFacts, operator: Operator, streams: bool) -> LocalRows:
    """The rows of ``SELECT … FROM parquet.`path` ``. What is wrong with the files, the engine says."""
    if not (isinstance(operator, SqlQuery) and _is_alone(operator)):
        raise LeftToEngineError("the rows are not those of files")
    session.require_fetching()
    parsed = without_parquet_path(operator.sql)
    pairs = None if parsed is None else plain_columns(parsed.sql, parsed.relation)
    if parsed is None or pairs is None:
        raise LeftToEngineError("the query is more than columns of Parquet files")
    try:
        paths, columns = parquet_files(session.stores, parsed.path)
    except (DeltaSqlError, FileNotFoundError):
        raise LeftToEngineError("the files are not there, or not alike") from None
    return _columns_of(session, paths, columns, pairs, streams)


def _columns_of(
    session: SessionFacts, paths: Sequence[str], columns: StructType, pairs: Sequence[tuple[str, str]], streams: bool
) -> LocalRows:
    """Columns of files, all where none is asked for, with the names that they get.

    Raises LeftToEngineError where one is not there, or not certain, or the files are large, and StorageError.
    """
    pairs = pairs or [(item.name, item.name) for item in columns]
    fields = [item for name, _ in pairs if (item := columns.find(name)) is not None]
    if len(fields) < len(pairs):
        raise LeftToEngineError("a column is an expression, or is not there")
    require_plain(fields, ())
    try:
        size = sum(_size(session, path) for path in paths)
    except DeltaSqlError:
        raise LeftToEngineError("a file is not there") from None
    if streams:
        require_streaming(session, paths[0], size)
    else:
        require_fits_in_memory(session, paths[0], size)
    names, stored = [name for _, name in pairs], StructType(tuple(dict.fromkeys(fields)))

    def arranged_columns(rows: pa.Table) -> pa.Table:
        return rows.select([item.name for item in fields]).rename_columns(names)

    def read() -> pa.Table:
        with _left_if_unreadable():
            return arranged_columns(read_columns(session.stores, paths, stored))

    def pieces() -> Iterator[Piece]:
        with _left_if_unreadable():
            for piece in column_pieces(session.stores, paths, stored):
                yield Piece(piece.size, partial(_read_or_left, piece)).mapped(arranged_columns)

    named = (replace(item, name=name) for item, name in zip(fields, names, strict=True))
    return LocalRows(bare_schema(StructType(tuple(named))), read, pieces if streams else None)


def _read_or_left(piece: Piece) -> pa.Table:
    with _left_if_unreadable():
        return piece.read()


@contextmanager
def _left_if_unreadable() -> Iterator[None]:
    """Context: the engine says what is wrong with a file."""
    try:
        yield
    except DeltaSqlError:
        raise LeftToEngineError("a file cannot be read in this process") from None


def _size(session: SessionFacts, path: str) -> int:
    """Bytes of a file. Raises StorageError, and LeftToEngineError for one that the engine has keys of its own to."""
    if not (is_local(path) or session.is_in_process):
        raise LeftToEngineError("the files are in an object store that the engine has keys to")
    store, name = session.stores.of_file(path)
    return store.head(name).size


def equal_pairs(left: BoundRows, right: BoundRows, on: RowExpression, limit: int) -> tuple[Numbers, Numbers]:
    """Row indexes, left and right, of the pairs of rows for which `on` is TRUE, ordered by the left index.

    Raises LeftToEngineError where the pairs that have to be evaluated take more than `limit` bytes of memory.
    """
    left, right = _used(left, on), _used(right, on)
    width = _PAIR_BYTES + _row_bytes(left) + _row_bytes(right)
    first, second = _candidates(left, right, on, limit // width)
    hit = indexes_where(on, paired(left, first, right, second))
    return first[hit], second[hit]


def _used(rows: BoundRows, expression: RowExpression) -> BoundRows:
    """The columns of the rows that an expression reads."""
    used = list(columns_of(expression))
    tables = {
        alias: table.select(list({column.name: None for column in used if column.alias == alias}))
        for alias, table in rows.tables.items()
    }
    return BoundRows(tables, rows.count)


def _row_bytes(rows: BoundRows) -> int:
    size: int = sum(table.nbytes for table in rows.tables.values())
    return size // max(1, rows.count)


def _require_few(pairs: int, most: int) -> None:
    if pairs > most:
        raise LeftToEngineError(f"{pairs:,} pairs of rows take more memory than {session_settings.MEMORY_LIMIT.name}")


def paired(left: BoundRows, first: Numbers, right: BoundRows, second: Numbers) -> BoundRows:
    """Joined rows: the left row with each index in `first`, beside the right row with the index in `second`."""
    return BoundRows({**left.at(first).tables, **right.at(second).tables}, len(first))


def _candidates(left: BoundRows, right: BoundRows, on: RowExpression, most: int) -> tuple[Numbers, Numbers]:
    """Row indexes of a superset of the pairs for which `on` is TRUE: those equal in one equality of `on`, else all.

    Raises LeftToEngineError for more than `most`.
    """
    for key in equalities(on):
        sides = {_alias(key.left): key.left, _alias(key.right): key.right}
        mine = [sides[alias] for alias in left.tables if alias in sides]
        others = [sides[alias] for alias in right.tables if alias in sides]
        if len(mine) == len(others) == 1:
            return _with_equal(left, mine[0], right, others[0], most)
    _require_few(left.count * right.count, most)
    return np.repeat(np.arange(left.count), right.count), np.tile(np.arange(right.count), left.count)


def equalities(on: RowExpression) -> Iterator[Compared]:
    """Equalities that `on` implies, over types that allow a lookup: no BOOLEAN, and no DOUBLE, which has two zeros."""
    match on:
        case Compared("=") as comparison if comparison.left.type not in {BOOLEAN, DOUBLE}:
            yield comparison
        case Joined("AND", parts):
            for part in parts:
                yield from equalities(part)


def _alias(side: RowExpression) -> str | None:
    """Alias of the table whose column, possibly widened, a side of a comparison is; None for any other expression."""
    match side:
        case ColumnOf(alias):
            return alias
        case Widened(value):
            return _alias(value)
        case _:
            return None


def _with_equal(
    left: BoundRows, mine: RowExpression, right: BoundRows, others: RowExpression, most: int
) -> tuple[Numbers, Numbers]:
    """Row indexes, left and right, of all pairs with equal values; NULL equals nothing."""
    left_values, right_values = values(mine, left), values(others, right)
    distinct = pc.unique(right_values).drop_null()
    codes = pc.index_in(left_values, value_set=distinct, skip_nulls=True)
    their_codes = pc.fill_null(pc.index_in(right_values, value_set=distinct, skip_nulls=True), len(distinct)).to_numpy()
    order = np.argsort(their_codes, kind="stable")
    at = np.flatnonzero(pc.is_valid(codes).to_numpy(zero_copy_only=False))
    indexes = pc.drop_null(codes).to_numpy(zero_copy_only=False)
    starts, ends = (np.searchsorted(their_codes[order], indexes, side=side) for side in ("left", "right"))
    times = ends - starts
    _require_few(int(times.sum()), most)
    # The places behind each start, one after another.
    steps = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    return np.repeat(at, times), order[np.repeat(starts, times) + steps]


# Pairs of the rows of a large target and of a source, whose join keys are equal: the target is streamed by blocks

_LEAST_ROWS = 1 << 20
"""Rows of a block: a join of so many takes about 50 ms, beside which its start does not count."""
_PAIR_BYTES = 64
"""Of memory for each pair: two numbers, and copies of them in their order."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Addresses of target rows (ROW_ADDRESS) in ascending order, each beside the index of the source row it meets."""

    addresses: Numbers
    sources: Numbers

    def between(self, start: int, end: int) -> Pairs:
        """The pairs whose addresses are in [start, end)."""
        first, last = np.searchsorted(self.addresses, [start, end]).tolist()
        return Pairs(self.addresses[first:last], self.sources[first:last])


class JoinKeys:
    """The equalities of an ON between expressions of the target and of the source, in this order.

    Raises LeftToEngineError where ON has none: the engine then compares each row with each.
    """

    def __init__(self, on: RowExpression, target: str, source: str) -> None:
        self._target, self._source = target, source
        found = {item: sides for item in equalities(on) if (sides := self._sides(item)) is not None}
        if not found:
            raise LeftToEngineError("ON has no equality between the target and the source")
        self._pairs = list(found.values())
        self.are_all = all(item in found for item in _conjuncts(on))
        """Whether ON is these equalities and nothing else."""

    def _sides(self, equality: Compared) -> tuple[RowExpression, RowExpression] | None:
        for mine, other in ((equality.left, equality.right), (equality.right, equality.left)):
            if _aliases(mine) == {self._target} and _aliases(other) == {self._source}:
                return mine, other
        return None

    @property
    def target_columns(self) -> frozenset[str]:
        """Names of the target's columns in the keys."""
        return frozenset(column.name for mine, _ in self._pairs for column in columns_of(mine))

    def of_target(self, rows: pa.Table) -> pa.Table:
        """The keys of rows of the target, numbered, beside their ROW_ADDRESS."""
        keys = self._evaluated([mine for mine, _ in self._pairs], self._target, rows)
        return keys.append_column(hidden_names.ROW_ADDRESS, rows.column(hidden_names.ROW_ADDRESS))

    def of_source(self, rows: pa.Table) -> pa.Table:
        """The keys of rows of the source, numbered, beside the index of each row."""
        keys = self._evaluated([other for _, other in self._pairs], self._source, rows)
        return keys.append_column(hidden_names.SOURCE_ROW, pa.array(np.arange(rows.num_rows)))

    @staticmethod
    def _evaluated(keys: Sequence[RowExpression], alias: str, rows: pa.Table) -> pa.Table:
        bound = BoundRows({alias: rows}, rows.num_rows)
        return pa.table({str(at): values(key, bound).cast(arrow_type(key.type)) for at, key in enumerate(keys)})


def _aliases(expression: RowExpression) -> set[str]:
    return {column.alias for column in columns_of(expression)}


def _conjuncts(on: RowExpression) -> Iterator[RowExpression]:
    if isinstance(on, Joined) and on.operator == "AND":
        for part in on.parts:
            yield from _conjuncts(part)
    else:
        yield on


def met(target: Iterable[pa.Table], source: pa.Table, most_bytes: int) -> Pairs:
    """The pairs of the target's rows, piece by piece, and the source's: see `JoinKeys` for their columns.

    Raises LeftToEngineError where the pairs take more than `most_bytes` of memory.
    """
    found, count = list[pa.Table](), 0
    for block in _blocks(target, max(_LEAST_ROWS, 2 * source.num_rows)):
        found.append(_hash_joined(block, source))
        count += found[-1].num_rows
        if count * _PAIR_BYTES > most_bytes:
            raise LeftToEngineError(f"the pairs of rows that meet take more than {most_bytes:,} bytes")
    if not found:
        return Pairs(np.array([], np.int64), np.array([], np.int64))
    joined = pa.concat_tables(found)
    addresses, sources = (joined.column(number).to_numpy() for number in range(2))
    order = np.lexsort((sources, addresses))
    return Pairs(addresses[order], sources[order])


def _blocks(tables: Iterable[pa.Table], least: int) -> Iterator[pa.Table]:
    waiting, count = list[pa.Table](), 0
    for table in tables:
        waiting.append(table)
        count += table.num_rows
        if count >= least:
            yield pa.concat_tables(waiting)
            waiting, count = [], 0
    if count:
        yield pa.concat_tables(waiting)


def _hash_joined(target: pa.Table, source: pa.Table) -> pa.Table:
    """ROW_ADDRESS and SOURCE_ROW of the rows with equal keys. NULL equals nothing."""
    from pyarrow.acero import Declaration, HashJoinNodeOptions, TableSourceNodeOptions

    keys = target.column_names[:-1]
    options = HashJoinNodeOptions(
        "inner",
        left_keys=keys,
        right_keys=keys,
        left_output=[hidden_names.ROW_ADDRESS],
        right_output=[hidden_names.SOURCE_ROW],
    )
    inputs = [Declaration("table_source", TableSourceNodeOptions(table)) for table in (target, source)]
    return Declaration("hashjoin", options, inputs=inputs).to_table()
