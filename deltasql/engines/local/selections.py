"""In-process evaluation of queries over one table, and of expressions over Arrow tables, with Spark's semantics.

Queries that choose and order rows need a small table, or few rows of any. For queries that select columns unchanged
this process reads the files itself if the caller fetches all rows. Spark would read these files, and send each row
through a socket: 5,000,000 rows of ten columns took it 3 times as long. Types, names and nullability are those of
Spark's readers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

from typing_extensions import assert_never

from deltasql.base import LeftToEngineError, Numbers, np, pa, pc, session_settings
from deltasql.engines.choice import is_small, require_searching, require_streaming, scan_size
from deltasql.files import (
    ADDRESS,
    FileReader,
    Piece,
    RowFilter,
    SessionFacts,
    deleted_by_file,
    file_pieces,
    literal_table,
    located,
    memory_limit,
    readable_files,
    reader_schema,
    require_memory,
    rows_by_file,
    tables_of,
    vector_positions,
)
from deltasql.plan import Literals, Operator, Scan, SqlQuery
from deltasql.schema import (
    BOOLEAN,
    DIGITS_OF_LONG,
    DOUBLE,
    MOST_DIGITS,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    has_lengths,
    sql_text,
    typed,
    with_lengths,
    without_metadata,
)
from deltasql.sql import (
    Case,
    ColumnOf,
    Compared,
    Computed,
    Constant,
    Denied,
    FirstOf,
    InList,
    IsNull,
    Joined,
    LikePattern,
    NullIf,
    Order,
    Recased,
    RowExpression,
    RowScope,
    Selection,
    Widened,
    columns_of,
    current_micros,
    is_ordered,
    plain_columns,
    row_condition,
    selection,
)

_NUMBERS = frozenset({"byte", "short", "integer", "long", "float", "double"})
_TYPES = _NUMBERS | {"boolean", "string", "binary", "date", "timestamp", "timestamp_ntz"}
_OF_PARTITIONS = frozenset({"byte", "short", "integer", "long", "boolean", "string", "date"})
"""Types whose values are the same whoever reads their text."""


@dataclass(frozen=True, eq=False, slots=True)
class PlainScan:
    """Columns of a scan, each with the name that it gets."""

    scan: Scan
    columns: tuple[StructField, ...]
    names: tuple[str, ...]

    @property
    def schema(self) -> StructType:
        """As Spark has it."""
        return without_metadata(
            StructType(tuple(replace(item, name=name) for item, name in zip(self.columns, self.names, strict=True)))
        )

    def table(self, session: SessionFacts) -> pa.Table:
        """All rows. Raises DataFileNotFoundError, UnreadableDataFileError, and LeftToEngineError for what only Spark
        knows how to read.
        """
        return plain_rows(session, self.scan, self.columns).rename_columns(list(self.names))

    def pieces(self, session: SessionFacts) -> Iterator[Piece]:
        """As `table`, piece by piece."""
        for piece in plain_pieces(session, self.scan, self.columns):
            yield piece.mapped(lambda rows: rows.rename_columns(list(self.names)))


@dataclass(frozen=True, slots=True)
class ScanFilter:
    """Which rows of a scan are read: those of which `mask` says so, from columns of these names and their number."""

    columns: frozenset[str]
    mask: Callable[[pa.Table, int], np.ndarray[Any, Any]]


def plain_rows(
    session: SessionFacts,
    scan: Scan,
    columns: Sequence[StructField],
    row_filter: ScanFilter | None = None,
    *,
    files: range | None = None,
    addresses: Numbers | None = None,
) -> pa.Table:
    """The rows of a scan with some of its columns, and ADDRESS if it is among them: see `PlainScan.table`.

    `columns` include those of the filter. `files` are the numbers of the files that are read (None: all), `addresses`
    those of the rows in ascending order (None: all that are not deleted). Raises LeftToEngineError where the rows take
    more than the limit of memory.
    """
    read = tables_of(plain_pieces(session, scan, columns, row_filter, files=files, addresses=addresses))
    tables = list(_up_to(memory_limit(session), read))
    return pa.concat_tables(tables) if tables else reader_schema(StructType(tuple(columns))).empty_table()


def first_rows(
    session: SessionFacts, scan: Scan, columns: Sequence[StructField], row_filter: ScanFilter | None, count: int
) -> pa.Table:
    """As `plain_rows`, at least `count` rows if there are so many; the files behind them are not read."""
    found, size = [reader_schema(StructType(tuple(columns))).empty_table()], 0
    # One by one: of the pieces behind the last nothing is to be read.
    for piece in plain_pieces(session, scan, columns, row_filter):
        found.append(piece.read())
        size += found[-1].num_rows
        if size >= count:
            break
    return pa.concat_tables(found)


def plain_pieces(
    session: SessionFacts,
    scan: Scan,
    columns: Sequence[StructField],
    row_filter: ScanFilter | None = None,
    *,
    files: range | None = None,
    addresses: Numbers | None = None,
) -> Iterator[Piece]:
    """As `plain_rows`, piece by piece, in the order of the files, and of any number."""
    scan = replace(located(scan), marked_only=addresses is not None)
    parted = {name.lower() for name in scan.partition_columns}
    # Rows without a column could not be counted.
    stored = StructType(tuple(item for item in columns if item.name.lower() not in parted) or (ADDRESS,))
    values = _partition_values(scan, [item for item in columns if item.name.lower() in parted])
    locations = scan.files.column("location").to_pylist()
    if addresses is None:
        paths = locations if files is None else locations[files.start : files.stop]
        marked = _deleted(session, scan, readable_files(scan, paths, may_be_missing=False))
    else:
        marked = {locations[file]: partial(np.asarray, rows) for file, rows in rows_by_file(addresses)}
        paths = list(marked)
    target = reader_schema(StructType(tuple(columns)))
    reader = FileReader(
        session.stores, scan, stored, None if row_filter is None else _filter(row_filter, values, target)
    )
    for path, piece in file_pieces(reader, paths, marked=marked):
        yield piece.mapped(partial(_with_values, values=values.get(path, {}), target=target))


def _deleted(session: SessionFacts, scan: Scan, paths: Sequence[str]) -> dict[str, Callable[[], Numbers]]:
    """The row indexes that are deleted of each file with a deletion vector."""
    vectors = deleted_by_file(scan, paths)
    return {path: partial(vector_positions, session.stores, scan, vector) for path, vector in vectors.items()}


def _up_to(limit: int, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows of files. Raises LeftToEngineError where they take more than `limit` bytes."""
    size = 0
    for table in tables:
        size += table.nbytes
        if size > limit:
            raise LeftToEngineError(f"the rows take more than {session_settings.MEMORY_LIMIT.name}, {limit:,} bytes")
        yield table


def _filter(row_filter: ScanFilter, values: Mapping[str, Mapping[str, Any]], columns: pa.Schema) -> RowFilter:
    """Which rows of files are wanted, of which all have some partition values, by the file's location."""

    def mask(path: str, rows: pa.Table, count: int) -> np.ndarray[Any, Any]:
        for name in row_filter.columns & values.get(path, {}).keys():
            value = _plain_scans_repeated(values[path][name], columns.field(name).type, count)
            rows = rows.append_column(name, value) if rows.num_columns else pa.table({name: value})
        return row_filter.mask(rows, count)

    return RowFilter(row_filter.columns, mask)


def plain_scan(session: SessionFacts, operator: Operator, *, streams: bool = False) -> PlainScan:
    """A query that is columns of one table as they are: see `require_scan_size` for `streams`.

    Raises LeftToEngineError for any other query.
    """
    relation, sql, scan = only_scan(session, operator)
    require_scan_size(session, scan, streams=streams)
    columns = plain_columns(sql, relation)
    if columns is None:
        raise LeftToEngineError("the query is more than columns of one table")
    return with_columns(scan, columns)


def only_scan(session: SessionFacts, operator: Operator) -> tuple[str, str, Scan]:
    """The one scan that a query is over, which this process may read: its name in the query, the query, the scan.

    Raises LeftToEngineError for any other operator.
    """
    if not isinstance(operator, SqlQuery) or len(operator.relations) != 1 or operator.settings or operator.view:
        raise LeftToEngineError("the rows are not those of one table")
    ((relation, scan),) = operator.relations.items()
    if not isinstance(scan, Scan):
        raise LeftToEngineError("the rows are not those of one table")
    session.require_fetching()
    _require_plain(scan)
    return relation, operator.sql, scan


def with_columns(scan: Scan, selected: Sequence[tuple[str, str]]) -> PlainScan:
    """Columns with the names that they get; all where none is asked for.

    Raises LeftToEngineError where one is not there, or has a type that this process does not read.
    """
    pairs = selected or [(item.name, item.name) for item in scan.schema]
    columns = tuple(item for column, _ in pairs if (item := scan.schema.find(column)) is not None)
    if len(columns) < len(pairs):
        raise LeftToEngineError("a column is an expression, or is not there")
    require_plain(columns, scan.partition_columns)
    return PlainScan(scan, columns, tuple(name for _, name in pairs))


def _require_plain(scan: Scan) -> None:
    if scan.identity or scan.described or scan.row_ids is not None or scan.marked_only or scan.in_process:
        raise LeftToEngineError("metadata columns of rows or files are read")


def require_scan_size(session: SessionFacts, scan: Scan, *, streams: bool) -> None:
    """Raises LeftToEngineError where this process does not read all rows of a scan at once.

    With `streams` they are read piece by piece, and may be any number.
    """
    size = pc.sum(scan.files.column("size")).as_py() or 0
    if streams:
        require_streaming(session, scan.table.location, size)
        return
    require_memory(session, size)


def require_plain(columns: Iterable[StructField], partition_columns: Iterable[str]) -> None:
    """Raises LeftToEngineError for a column whose values this process does not have as Spark has them."""
    parted = {name.lower() for name in partition_columns}
    for item in columns:
        if not _is_plain(item, item.name.lower() in parted):
            kind = sql_text(with_lengths(StructType((item,))).fields[0].type)
            role = "partition column" if item.name.lower() in parted else "column"
            raise LeftToEngineError(f"the {role} {item.name} is of type {kind}")


def _is_plain(item: StructField, parted: bool) -> bool:
    """Whether the column's values are Arrow's, and no blanks belong to them."""
    if parted:
        return isinstance(item.type, PrimitiveType) and item.type.name in _OF_PARTITIONS and not _has_lengths(item)
    return _has_values(item.type) and not _has_lengths(item)


def _has_lengths(item: StructField) -> bool:
    return has_lengths(with_lengths(StructType((item,))))


def _has_values(kind: DataType) -> bool:
    match kind:
        case PrimitiveType(name=name):
            return name in _TYPES
        case DecimalType():
            return True
        case ArrayType(element=element):
            return _has_values(element)
        case MapType(key=key, value=value):
            return _has_values(key) and _has_values(value)
        case StructType():
            return all(_has_values(item.type) for item in kind)
        case _:
            return False


def _partition_values(scan: Scan, columns: list[StructField]) -> dict[str, dict[str, Any]]:
    """The values of partition columns by the location of the file. Raises LeftToEngineError for a text that is none."""
    if not columns:
        return {}
    texts = zip(*(scan.files.column(name).to_pylist() for name in ("location", "partitionValues")), strict=True)
    arrays = {}
    for path, row in texts:
        folded = {name.lower(): text for name, text in row.items()}
        arrays[path] = {item.name: _value(folded.get(item.name.lower()), item.type) for item in columns}
    return arrays


def _value(text: str | None, kind: DataType) -> Any:
    if text is None:
        return None
    try:
        value = typed(text, kind)
    except ValueError:
        value = None
    if value is None or (kind == PrimitiveType("boolean") and text not in {"true", "false"}):
        raise LeftToEngineError(f"{text} is a partition value of type {sql_text(kind)}")
    return value


def _with_values(rows: pa.Table, values: dict[str, Any], target: pa.Schema) -> pa.Table:
    """`rows` of a file with the values that all of them have."""
    if not values:
        return rows
    arrays = [
        _plain_scans_repeated(values[field.name], field.type, rows.num_rows)
        if field.name in values
        else rows.column(field.name)
        for field in target
    ]
    return pa.Table.from_arrays(arrays, schema=target)


def _plain_scans_repeated(value: Any, kind: pa.DataType, count: int) -> pa.Array:
    """A value so many times. Raises LeftToEngineError for one that is none of this type."""
    try:
        return pa.repeat(pa.scalar(value, kind), count)
    except (pa.ArrowInvalid, OverflowError):
        raise LeftToEngineError from None


_COMPARE = {
    "=": "equal",
    "<>": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}
"""Arrow's functions for comparison operators; they return NULL where Spark's do."""
_CHECKED = {"+": "add_checked", "-": "subtract_checked", "*": "multiply_checked"}
_OF_DOUBLES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}


@dataclass(frozen=True, eq=False, slots=True)
class BoundRows:
    """`count` joined rows: row n consists of row n of each table, by alias."""

    tables: Mapping[str, pa.Table]
    count: int

    def column(self, alias: str, name: str) -> pa.ChunkedArray:
        return self.tables[alias].column(name)

    def at(self, row_indexes: Numbers) -> BoundRows:
        """The rows with some row indexes."""
        return BoundRows({alias: table.take(row_indexes) for alias, table in self.tables.items()}, len(row_indexes))


def rows_of(alias: str, table: pa.Table) -> BoundRows:
    """The rows of one table."""
    return BoundRows({alias: table}, table.num_rows)


def values(expression: RowExpression, rows: BoundRows) -> pa.Array | pa.ChunkedArray:
    """The expression's value for each row. Raises LeftToEngineError for arithmetic that overflows."""
    result = _values(expression, rows)
    return _repeated(result, rows.count) if isinstance(expression, Constant) else result


def _values(expression: RowExpression, rows: BoundRows) -> Any:
    """As `values`, but a constant yields an Arrow scalar."""
    match expression:
        case ColumnOf(alias, name):
            return rows.column(alias, name)
        case Constant():
            return _scalar(expression)
        case Widened(value, kind):
            return _cast(values(value, rows), kind)
        case Compared(operator, left, right):
            return _compared(operator, left.type, *_sides(left, right, rows))
        case Joined(operator, parts):
            how = partial(_joined, f"{operator.lower()}_kleene")
            return reduce(how, (values(part, rows) for part in parts))
        case Denied(value):
            return pc.invert(values(value, rows))
        case IsNull(value):
            return pc.is_null(values(value, rows))
        case InList(value, constants):
            return _one_of(values(value, rows), constants)
        case Computed(operator, left, right, kind):
            return _computed(operator, kind, *_sides(left, right, rows))
        case _:
            return _called(expression, rows)


def _called(expression: NullIf | Recased | LikePattern | FirstOf | Case, rows: BoundRows) -> Any:
    """The values of functions and CASE."""
    match expression:
        case NullIf(value, other):
            of_rows = values(value, rows)
            equal = pc.fill_null(pc.equal(of_rows, _values(other, rows)), fill_value=False)
            return pc.if_else(equal, pa.scalar(None, of_rows.type), of_rows)
        case Recased(function, value):
            return _recased(function, values(value, rows))
        case LikePattern(value, pattern):
            return pc.match_like(values(value, rows), pattern)
        case FirstOf(parts):
            return pc.coalesce(*(values(part, rows) for part in parts))
        case Case(branches, otherwise):
            result = values(otherwise, rows)
            for condition, value in reversed(branches):
                is_true = pc.fill_null(values(condition, rows), fill_value=False)
                result = pc.if_else(is_true, values(value, rows), result)
            return result
        case _:
            assert_never(expression)


def _one_of(of_rows: pa.Array | pa.ChunkedArray, constants: Sequence[Constant]) -> pa.Array | pa.ChunkedArray:
    """Whether values are among some constants; NULL for NULL, and where nothing is found beside a constant NULL."""
    found = pc.is_in(of_rows, value_set=_array(constants).drop_null().cast(of_rows.type))
    has_null = any(constant.value is None for constant in constants)
    unknown = pc.invert(found) if has_null else pc.is_null(of_rows)
    return pc.if_else(unknown, pa.scalar(None, pa.bool_()), found)


def _recased(function: str, texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    if not pc.all(pc.string_is_ascii(texts), min_count=0).as_py():
        # Java has rules of its own for other letters.
        raise LeftToEngineError("the case of letters beyond ASCII is changed")
    return pc.call_function(f"ascii_{function}", [texts])


def _sides(left: RowExpression, right: RowExpression, rows: BoundRows) -> tuple[Any, Any]:
    """The values of both sides; one constant side stays an Arrow scalar."""
    return values(left, rows) if isinstance(right, Constant) else _values(left, rows), _values(right, rows)


def computed_table(expressions: Iterable[RowExpression], rows: BoundRows, schema: pa.Schema) -> pa.Table:
    """A table of `schema` with the values of expressions, one per column."""
    return pa.Table.from_arrays([values(item, rows) for item in expressions], names=schema.names).cast(schema)


def indexes_where(condition: RowExpression | None, rows: BoundRows) -> Numbers:
    """Ascending indexes of the rows for which a condition is TRUE; all rows if there is no condition."""
    return np.arange(rows.count) if condition is None else np.flatnonzero(true_mask(condition, rows))


def true_mask(condition: RowExpression, rows: BoundRows) -> Numbers:
    """Boolean array: for each row, whether a condition is TRUE."""
    mask: Numbers = pc.fill_null(values(condition, rows), fill_value=False).to_numpy(zero_copy_only=False)
    return mask


def _joined(
    how: str, left: pa.Array | pa.ChunkedArray, right: pa.Array | pa.ChunkedArray
) -> pa.Array | pa.ChunkedArray:
    return pc.call_function(how, [left, right])


def _compared(operator: str, kind: DataType, left: Any, right: Any) -> pa.Array | pa.ChunkedArray:
    if operator == "<=>":
        both = pc.and_(pc.is_null(left), pc.is_null(right))
        return pc.or_(both, pc.fill_null(_compared("=", kind, left, right), fill_value=False))
    mask = pc.call_function(_COMPARE[operator], [left, right])
    return mask if kind != DOUBLE else _with_nan(operator, left, right, mask)


def _with_nan(operator: str, left: Any, right: Any, mask: Any) -> pa.Array | pa.ChunkedArray:
    """Arrow's comparison result `mask` for DOUBLEs, corrected to Spark's rules: NaN = NaN, and NaN is the greatest."""
    if operator[0] == ">":
        return _with_nan(operator.replace(">", "<"), right, left, mask)
    mine, others = pc.is_nan(left), pc.is_nan(right)
    match operator:
        case "=":
            return pc.or_(mask, pc.and_(mine, others))
        case "<>":
            return pc.and_not(mask, pc.and_(mine, others))
        case "<":
            return pc.or_(mask, pc.and_not(others, mine))
        case _:
            return pc.or_(mask, others)


def _computed(operator: str, kind: DataType, left: Any, right: Any) -> pa.Array | pa.ChunkedArray:
    if operator == "%":
        # With the sign of the dividend, as in Spark.
        return pc.subtract(left, pc.multiply(pc.divide(left, right), right))
    try:
        return pc.call_function((_OF_DOUBLES if kind == DOUBLE else _CHECKED)[operator], [left, right])
    except pa.ArrowInvalid:
        # A setting of Spark decides between an error and NULL.
        raise LeftToEngineError("the result of an expression is beyond its type") from None


def _cast(values: pa.Array | pa.ChunkedArray, kind: DataType) -> pa.Array | pa.ChunkedArray:
    """Values as a wider type. Raises LeftToEngineError for one that has too many digits for a decimal."""
    from deltasql.schema import arrow_type

    try:
        if isinstance(kind, DecimalType) and pa.types.is_integer(values.type):
            # First to a type that has any number of the source: Arrow wants that.
            values = values.cast(pa.decimal128(min(MOST_DIGITS, DIGITS_OF_LONG + kind.scale), kind.scale))
        # Of a DOUBLE the nearest one.
        return values.cast(arrow_type(kind), safe=isinstance(kind, DecimalType))
    except pa.ArrowInvalid:
        # A setting of Spark decides between an error and NULL.
        raise LeftToEngineError("a value has too many digits for its type") from None


def _scalar(constant: Constant) -> pa.Scalar:
    if constant.type == VOID:
        return pa.scalar(None)
    return _array([constant])[0]


def _array(constants: Sequence[Constant]) -> pa.ChunkedArray:
    """The values of some constants of one type."""
    column = StructType((StructField("value", constants[0].type),))
    return literal_table(Literals(column, (tuple(constant.value for constant in constants),))).column(0)


def _repeated(scalar: pa.Scalar, count: int) -> pa.Array:
    return pa.repeat(scalar, count)


@dataclass(frozen=True, eq=False, slots=True)
class SelectedRows:
    """Rows of a scan, which goes by an alias, for which `where` is TRUE: in their order, up to a limit."""

    plain: PlainScan
    alias: str
    where: RowExpression | None
    order: tuple[tuple[int, Order], ...]
    limit: int | None

    @property
    def scan(self) -> Scan:
        return self.plain.scan

    @property
    def schema(self) -> StructType:
        return self.plain.schema

    def table(self, session: SessionFacts) -> pa.Table:
        """All rows: see `PlainScan.table`."""
        if self.order or self.limit is None:
            read = plain_rows(session, self.plain.scan, self._read(), self._row_filter)
        else:
            read = first_rows(session, self.plain.scan, self._read(), self._row_filter, self.limit)
        rows = arranged(read.select([item.name for item in self.plain.columns]), self.order, self.limit)
        return rows.rename_columns(list(self.plain.names))

    @property
    def is_streamed(self) -> bool:
        """Whether the rows are neither ordered nor limited, so that `pieces` has them."""
        return not self.order and self.limit is None

    def pieces(self, session: SessionFacts) -> Iterator[Piece]:
        """As `table`, piece by piece."""
        names, renamed = [item.name for item in self.plain.columns], list(self.plain.names)
        read = plain_pieces(session, self.plain.scan, self._read(), self._row_filter)
        return (piece.mapped(lambda rows: rows.select(names).rename_columns(renamed)) for piece in read)

    @property
    def _row_filter(self) -> ScanFilter | None:
        where, alias = self.where, self.alias
        if where is None:
            return None
        named = frozenset(column.name for column in columns_of(where))
        return ScanFilter(named, lambda rows, count: true_mask(where, BoundRows({alias: rows}, count)))

    def _read(self) -> list[StructField]:
        """The columns that are asked for, and those that the condition needs, each once."""
        columns = {item.name: item for item in self.plain.columns}
        used = () if self.where is None else columns_of(self.where)
        for column in used:
            item = self.plain.scan.schema.find(column.name)
            assert item is not None
            columns[item.name] = item
        return list(columns.values())


def local_query(session: SessionFacts, operator: Operator, *, streams: bool = False) -> PlainScan | SelectedRows:
    """A query that this process answers by itself: see `require_scan_size` for `streams`.

    Raises LeftToEngineError for any other.
    """
    with suppress(LeftToEngineError):
        return plain_scan(session, operator, streams=streams)
    return selected_rows(session, operator, streams=streams)


def selected_rows(session: SessionFacts, operator: Operator, *, streams: bool = False) -> SelectedRows:
    """The rows that a query with WHERE, ORDER BY or LIMIT selects from one table.

    Raises LeftToEngineError where it is anything else, or all rows of a table that is not small.
    """
    session.require_computing()
    relation, sql, scan = only_scan(session, operator)
    return selected(session, scan, selection(sql, relation), streams=streams)


def selected(session: SessionFacts, scan: Scan, parsed: Selection, *, streams: bool = False) -> SelectedRows:
    """As `selected_rows`, of a parsed query over a scan."""
    require_scan_size(session, scan, streams=streams and not parsed.order and parsed.limit is None)
    plain = with_columns(scan, parsed.columns)
    if not is_small(scan):
        require_searching(session, scan.table.location, scan_size(scan))
    where = None if parsed.where is None else _condition(parsed.where, parsed.alias, plain)
    return SelectedRows(plain, parsed.alias, where, ordered_indexes(plain.schema, parsed.order), parsed.limit)


def _condition(text: str, alias: str, plain: PlainScan) -> RowExpression:
    """A condition on rows of the scan. Raises LeftToEngineError where only an engine can tell."""
    schema = plain.scan.schema
    parsed = row_condition(text, RowScope({alias: schema}, current_micros()))
    used = [item for column in columns_of(parsed) if (item := schema.find(column.name)) is not None]
    require_plain(used, plain.scan.partition_columns)
    return parsed


def ordered_indexes(columns: StructType, order: Sequence[Order]) -> tuple[tuple[int, Order], ...]:
    """The places of the columns that rows are ordered by. Raises LeftToEngineError where one is none of these."""
    return tuple(_ordered(columns, order))


def _ordered(columns: StructType, order: Sequence[Order]) -> Iterator[tuple[int, Order]]:
    names = [item.name.lower() for item in columns]
    for item in order:
        if isinstance(item.column, int):
            indexes = [item.column - 1] if 0 < item.column <= len(names) else []
        else:
            indexes = [index for index, name in enumerate(names) if name == item.column.lower()]
        if len(indexes) != 1:
            raise LeftToEngineError("ORDER BY is of an expression, or of a column that is not selected")
        kind = columns.fields[indexes[0]].type
        if not (is_ordered(kind) or kind == BOOLEAN):
            raise LeftToEngineError(f"ORDER BY of a column of type {sql_text(kind)}")
        yield indexes[0], item


def arranged(rows: pa.Table, order: Sequence[tuple[int, Order]], limit: int | None) -> pa.Table:
    """Rows in the order of some columns, which go by their places, up to a limit; the columns are called by no name."""
    numbered = rows.rename_columns([f"c{number}" for number in range(rows.num_columns)])
    for number, item in reversed(order):
        numbered = numbered.take(_sort_indexes(numbered.column(number), item))
    return numbered if limit is None else numbered.slice(0, limit)


def _sort_indexes(column: pa.ChunkedArray, order: Order) -> Any:
    """Where the values stand in their order; what is equal stays as it is."""
    nulls = np.flatnonzero(pc.is_null(column).to_numpy(zero_copy_only=False))
    valid = np.flatnonzero(pc.is_valid(column).to_numpy(zero_copy_only=False))
    ranks = pc.rank(column.take(valid), sort_keys="ascending", tiebreaker="dense").to_numpy().astype(np.int64)
    indexes = valid[np.argsort(-ranks if order.descending else ranks, kind="stable")]
    return np.concatenate([nulls, indexes] if order.nulls_first else [indexes, nulls])
