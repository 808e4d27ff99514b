"""Queries that select columns of a table unchanged: this process reads the files itself if the caller fetches all rows.

Spark would read the same files, and send each row through a socket: 5,000,000 rows of ten columns took it 3 times as
long. Types, names and nullability are those of Spark's readers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.lazy import np, pa, pc
from deltasql.base.settings.session_settings import MEMORY_LIMIT
from deltasql.engines.choice import require_streaming
from deltasql.files.memory import RESULT_BYTES, SessionFacts, memory_limit, require_memory
from deltasql.files.reading.file_reader import ADDRESS, FileReader, Piece, RowFilter, reader_schema, tables_of
from deltasql.files.reading.file_tables import (
    deleted_by_file,
    file_pieces,
    located,
    readable_files,
    vector_positions,
)
from deltasql.plan.operators import Operator, Scan, SqlQuery
from deltasql.schema.edits import without_metadata
from deltasql.schema.json import typed
from deltasql.schema.text import has_lengths, sql_text, with_lengths
from deltasql.schema.types import (
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
)
from deltasql.sql.queries.query_filters import plain_columns

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
    """Which rows of a scan are read: those of which `mask` says so, from columns of these names and their number.

    Of more than `most` of them the engine is to read all.
    """

    columns: frozenset[str]
    mask: Callable[[pa.Table, int], np.ndarray[Any, Any]]
    most: int


def plain_rows(
    session: SessionFacts, scan: Scan, columns: Sequence[StructField], row_filter: ScanFilter | None = None
) -> pa.Table:
    """The rows of a scan with some of its columns, and ADDRESS if it is among them: see `PlainScan.table`.

    `columns` include those of the filter. Raises LeftToEngineError where the rows are more than the filter's `most`,
    or take more than the limit of memory.
    """
    most = math.inf if row_filter is None else row_filter.most
    read = tables_of(plain_pieces(session, scan, columns, row_filter))
    tables = list(_up_to(most, memory_limit(session), read))
    return pa.concat_tables(tables) if tables else reader_schema(StructType(tuple(columns))).empty_table()


def plain_pieces(
    session: SessionFacts, scan: Scan, columns: Sequence[StructField], row_filter: ScanFilter | None = None
) -> Iterator[Piece]:
    """As `plain_rows`, piece by piece, in the order of the files, and of any number."""
    scan = located(scan)
    parted = {name.lower() for name in scan.partition_columns}
    # Rows without a column could not be counted.
    stored = StructType(tuple(item for item in columns if item.name.lower() not in parted) or (ADDRESS,))
    values = _partition_values(scan, [item for item in columns if item.name.lower() in parted])
    paths = readable_files(scan, scan.files.column("location").to_pylist(), may_be_missing=False)
    marked = {
        path: partial(vector_positions, session.stores, scan, vector)
        for path, vector in deleted_by_file(scan, paths).items()
    }
    target = reader_schema(StructType(tuple(columns)))
    reader = FileReader(
        session.stores, scan, stored, None if row_filter is None else _filter(row_filter, values, target)
    )
    for path, piece in file_pieces(reader, paths, marked=marked):
        yield piece.mapped(partial(_with_values, values=values.get(path, {}), target=target))


def _up_to(most: float, limit: int, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows of files. Raises LeftToEngineError where they are more than `most`, or take more than `limit` bytes."""
    size = 0
    for table in tables:
        most -= table.num_rows
        if most < 0:
            raise LeftToEngineError("more rows are found than this process computes")
        size += table.nbytes
        if size > limit:
            raise LeftToEngineError(f"the rows take more than {MEMORY_LIMIT.name}, {limit:,} bytes")
        yield table


def _filter(row_filter: ScanFilter, values: Mapping[str, Mapping[str, Any]], columns: pa.Schema) -> RowFilter:
    """Which rows of files are wanted, of which all have some partition values, by the file's location."""

    def mask(path: str, rows: pa.Table, count: int) -> np.ndarray[Any, Any]:
        for name in row_filter.columns & values.get(path, {}).keys():
            value = _repeated(values[path][name], columns.field(name).type, count)
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
    if size > RESULT_BYTES:
        raise LeftToEngineError(f"{size:,} bytes are read, more than {RESULT_BYTES:,}")
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
        _repeated(values[field.name], field.type, rows.num_rows) if field.name in values else rows.column(field.name)
        for field in target
    ]
    return pa.Table.from_arrays(arrays, schema=target)


def _repeated(value: Any, kind: pa.DataType, count: int) -> pa.Array:
    """A value so many times. Raises LeftToEngineError for one that is none of this type."""
    try:
        return pa.repeat(pa.scalar(value, kind), count)
    except (pa.ArrowInvalid, OverflowError):
        raise LeftToEngineError from None
