"""Footers of data files of other writers: fetched, checked, and with the interface that our statistics read.

`file_statistics` takes a footer of pyarrow. pyarrow itself aborts the process for some damaged footers, and does not
have types and ids as Spark needs them, so these classes have the same attributes over a footer that Python has read.

The statistics of files that a table takes over, by the code that makes them of files of our own.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from deltasql.base.errors.sources import SourceFileError
from deltasql.files.footers.metadata import (
    BYTE_ARRAY,
    DOUBLE,
    FIXED,
    FLOAT,
    INT32,
    INT64,
    Chunk,
    Element,
    ParquetMetadata,
    leaves,
    parse_metadata,
    parse_schema,
)
from deltasql.files.foreign.parquet_types import atomic_type
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.log_store import FOOTER, LogStore
from deltasql.log.storage.row_groups import TAIL, footer_length
from deltasql.schema.type_lattice import is_integral
from deltasql.schema.types import DOUBLE as DOUBLE_TYPE
from deltasql.schema.types import FLOAT as FLOAT_TYPE
from deltasql.schema.types import DataType, DecimalType

_THREADS = 32
_LAYOUTS = {INT32: "<i", INT64: "<q", FLOAT: "<f", DOUBLE: "<d"}
_UNSIGNED = {INT32: "<I", INT64: "<Q"}


def fetch_footers(store: LogStore, files: Sequence[tuple[str, int]]) -> list[ParquetMetadata]:
    """The footers of some files, by path in the store and size in bytes, in their order.

    Each costs one request of an object store, or two where it is long. Raises SourceFileError with the first file that
    is no Parquet file, or a damaged one.
    """

    def fetch(file: tuple[str, int]) -> ParquetMetadata:
        path, size = file
        try:
            return _fetch(store, path, size)
        except (ValueError, FileNotFoundError) as error:
            reason = "it is gone" if isinstance(error, FileNotFoundError) else str(error)
            raise SourceFileError(store.url(path), reason) from error

    if isinstance(store, LocalLogStore):
        # To parse takes longer than to read, and threads take turns at that.
        return list(map(fetch, files))
    with ThreadPoolExecutor(min(_THREADS, max(1, len(files)))) as threads:
        return list(threads.map(fetch, files))


def _fetch(store: LogStore, path: str, size: int) -> ParquetMetadata:
    start = max(size - FOOTER, 0)
    end = store.read_range(path, start, size - start) if size else b""
    if len(end) != size - start:
        raise ValueError("it became shorter while it was read")
    length = footer_length(end[-TAIL:], size) + TAIL
    if length > len(end):
        end = store.read_range(path, size - length, length)
    return parse_metadata(end[-length:-TAIL])


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf column of a file: its element, and its path as the table calls it; None where no column is that.

    `bounded`: whether the file's values compare as the table's do.
    """

    element: Element
    path: str | None
    bounded: bool


def file_leaves(schema: bytes, columns: Mapping[tuple[str, ...], DataType], ids: Mapping[int, str]) -> list[Leaf]:
    """The leaves of a file's schema. `columns` are the types of the table's leaf columns by physical path, of which
    those without an id are found without case, as Spark finds them.

    With `ids`, the physical names of fields by their ids, fields of the file are known by these.
    Raises ValueError for a damaged schema.
    """
    folded = {tuple(name.lower() for name in path): path for path in columns}
    pairs = []
    for above, element in leaves(parse_schema(schema)):
        path = _path((*above, element), ids)
        if path is not None and not ids:
            path = folded.get(tuple(name.lower() for name in path), path)
        stored, kind = atomic_type(element, element.physical or 0), columns.get(path or ())
        pairs.append(
            Leaf(
                element,
                None if path is None else ".".join(path),
                bool(stored and kind and _compares(stored, kind)),
            )
        )
    return pairs


def _path(elements: Sequence[Element], ids: Mapping[int, str]) -> tuple[str, ...] | None:
    """The path of a leaf as the table calls it; None for a field that the table has not."""
    names = tuple(_name(item, ids) for item in elements)
    return None if None in names else tuple(map(str, names))


def _name(element: Element, ids: Mapping[int, str]) -> str | None:
    """The physical name of a field. Without an id it is a part of a list or map, or of a file without ids."""
    if element.field_id is None or not ids:
        return element.name
    return ids.get(element.field_id, element.name if element.name in {"element", "key", "value"} else None)


def _compares(session_value: DataType, table: DataType) -> bool:
    if session_value == table or (is_integral(session_value) and is_integral(table)):
        return True
    if isinstance(session_value, DecimalType) and isinstance(table, DecimalType):
        return session_value.scale == table.scale
    return (session_value, table) == (FLOAT_TYPE, DOUBLE_TYPE)


class ReadFooter:
    """A footer with those attributes of `pyarrow.parquet.FileMetaData` that `file_statistics` reads.

    Raises ValueError where its column chunks do not fit its schema.
    """

    def __init__(self, footer: ParquetMetadata, columns: Sequence[Leaf]) -> None:
        for group in footer.groups:
            if [chunk.physical for chunk in group.chunks] != [leaf.element.physical for leaf in columns]:
                raise ValueError("its column chunks do not fit its schema")
        self._footer, self._columns = footer, columns
        self.num_rows = footer.rows
        self.num_row_groups = len(footer.groups)
        self.num_columns = len(columns)
        self.created_by = footer.created_by
        self.metadata = {key.encode(): value.encode() for key, value in footer.pairs.items()}

    def row_group(self, number: int) -> _RowGroup:
        group = self._footer.groups[number]
        return _RowGroup(group.rows, group.chunks, self._columns)

    @property
    def schema(self) -> _Schema:
        return _Schema(self._columns)


@dataclass(frozen=True, slots=True)
class _Schema:
    columns: Sequence[Leaf]

    def column(self, number: int) -> _Column:
        return _Column(self.columns[number])


@dataclass(frozen=True, slots=True)
class _Column:
    leaf: Leaf

    @property
    def path(self) -> str | None:
        return self.leaf.path

    @property
    def logical_type(self) -> _Column:
        return self

    def to_json(self) -> str:
        logical = self.leaf.element.logical or ("",)
        return json.dumps({"timeUnit": logical[1]} if logical[0] == "timestamp" else {})


@dataclass(frozen=True, slots=True)
class _RowGroup:
    num_rows: int
    chunks: Sequence[Chunk]
    columns: Sequence[Leaf]

    @property
    def num_columns(self) -> int:
        return len(self.chunks)

    def column(self, number: int) -> _ColumnChunk:
        return _ColumnChunk(self.chunks[number], self.columns[number])


class _ColumnChunk:
    def __init__(self, chunk: Chunk, leaf: Leaf) -> None:
        self.path_in_schema = "" if leaf.path is None else leaf.path
        self.num_values = chunk.values
        self.statistics = None if chunk.bounds is None else _Statistics(chunk, leaf)


class _Statistics:
    """Bounds as values of the physical type: numbers, or bytes; `min` and `max` are those of decimals."""

    def __init__(self, chunk: Chunk, leaf: Leaf) -> None:
        assert chunk.bounds is not None
        self._bounds, self._element = chunk.bounds, leaf.element
        self.null_count = chunk.bounds.nulls
        self.has_null_count = chunk.bounds.nulls is not None
        self.physical_type = "INT64" if chunk.physical == INT64 else ""
        self._bounded = leaf.bounded

    @cached_property
    def has_min_max(self) -> bool:
        return self._bounded and self.min_raw is not None and self.max_raw is not None

    @cached_property
    def min_raw(self) -> Any:
        return _value(self._bounds.low, self._element)

    @cached_property
    def max_raw(self) -> Any:
        return _value(self._bounds.high, self._element)

    @property
    def min(self) -> Decimal | None:
        return _decimal(self.min_raw, self._element)

    @property
    def max(self) -> Decimal | None:
        return _decimal(self.max_raw, self._element)


def _value(data: bytes | None, element: Element) -> Any:
    """A bound as a value of its physical type; None where the bytes are none."""
    physical, logical = element.physical, element.logical
    if data is None or physical in {BYTE_ARRAY, FIXED}:
        return data
    unsigned = logical is not None and logical[0] == "integer" and not logical[2]
    layout = (_UNSIGNED if unsigned else _LAYOUTS).get(-1 if physical is None else physical)
    if layout is None or len(data) != struct.calcsize(layout):
        return None
    return struct.unpack(layout, data)[0]


def _decimal(value: Any, element: Element) -> Decimal | None:
    logical = element.logical
    scale = logical[2] if logical is not None and logical[0] == "decimal" else 0
    if isinstance(value, bytes):
        if not 0 < len(value) <= 32:
            return None
        value = int.from_bytes(value, "big", signed=True)
    return None if not isinstance(value, int) else Decimal((int(value < 0), tuple(map(int, str(abs(value)))), -scale))
