"""Parquet files put together of pieces of others: what stays as it is is copied as bytes, and not decoded.

The chunks of a column point at nothing outside of themselves, and are pointed at by the footer alone, which is written
anew: with the places of all chunks, and without indexes and filters, which lie elsewhere and may be left out.
Source: Apache Parquet, File Format, and the comments of its Thrift definitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from deltasql.datafiles.footers.edits import (
    CHILDREN,
    CREATED_BY,
    KEY,
    KEYS,
    MAGIC,
    ORDERS,
    ROW_GROUPS,
    ROWS,
    SCHEMA,
    VERSION,
    FooterColumn,
    columns_of,
    ending,
    footer_of,
    together,
)
from deltasql.datafiles.footers.thrift import I32, Struct

if TYPE_CHECKING:
    import pyarrow as pa

# Fields of RowGroup, ColumnChunk and ColumnMetaData, by their numbers.
_CHUNKS, _UNCOMPRESSED, _GROUP_ROWS, _SORTED_BY, _GROUP_START, _GROUP_SIZE, _ORDINAL = range(1, 8)
_OTHER_FILE, _OFFSET, _META, _PAGE_INDEXES, _ENCRYPTION = 1, 2, 3, (4, 5, 6, 7), (8, 9)
_CHUNK_UNCOMPRESSED, _CHUNK_SIZE, _FILTERS = 6, 7, (14, 15)
_DATA, _INDEX, _DICTIONARY = 9, 10, 11

_KEPT_KEYS = frozenset({"org.apache.spark.version"})
"""Entries that speak of how values are written. Others tell of columns, some of which are others now."""
_WRITERS = re.compile(r"parquet-cpp-arrow version |parquet-mr version 1\.\d\d\b")
"""Whose chunks are copied. Others cut the bounds of long texts short; older ones are not to be believed in all they say
of a chunk, and readers know them by their name.
"""


def is_known_writer(name: str) -> bool:
    """Whether files are taken apart that say of themselves that they are written by this one."""
    return _WRITERS.match(name) is not None


class NotSplicedError(ValueError):
    """A file whose pieces cannot be parts of another one: the message says why."""


@dataclass(frozen=True)
class _File:
    """A file, whole."""

    data: memoryview

    @cached_property
    def footer(self) -> Struct:
        return footer_of(self.data)[1]

    @cached_property
    def columns(self) -> dict[str, FooterColumn]:
        """By names in lower case, in the order of their chunks."""
        return {column.name.lower(): column for column in columns_of(self.footer)}

    @cached_property
    def groups(self) -> list[Struct]:
        return self.footer.structs(ROW_GROUPS)

    @cached_property
    def orders(self) -> dict[str, list[Struct]]:
        """By what values of each column compare, for each of its leaves; empty where the file does not tell."""
        return self._by_column(self.footer.structs(ORDERS)) if ORDERS in self.footer else {}

    @cached_property
    def chunks(self) -> list[dict[str, list[Struct]]]:
        """The chunks of each column in each row group, one for each of its leaves."""
        return [self._by_column(group.structs(_CHUNKS)) for group in self.groups]

    def _by_column(self, leaves: Sequence[Struct]) -> dict[str, list[Struct]]:
        following = iter(leaves)
        return {name: [next(following) for _ in range(column.leaves)] for name, column in self.columns.items()}


@dataclass(frozen=True)
class _Group:
    """A row group to come: which file each of its columns is from, and the number of its row group there."""

    sources: Mapping[str, tuple[_File, int]]

    @property
    def struct(self) -> Struct:
        """What one of these files says of it. Raises NotSplicedError where they have other numbers of rows."""
        found = [file.groups[number] for file, number in self.sources.values()]
        if len({group.number(_GROUP_ROWS) for group in found}) != 1:
            raise NotSplicedError("the columns of a row group have other numbers of rows")
        return found[0]


def row_group_sizes(data: memoryview) -> list[int]:
    """How many rows each row group of a file has. Raises ValueError for what is no Parquet file."""
    return [group.number(_GROUP_ROWS) for group in footer_of(data)[1].structs(ROW_GROUPS)]


def spliced(old: memoryview, new: Sequence[memoryview | None]) -> pa.Buffer:
    """The file `old` with other columns in its row groups.

    For each of them `new` has a file of one row group, whose columns come in place of those of these names, or behind
    the others, or None where the row group stays as it is. Where all columns are new their rows may be fewer, or none.
    Names are compared without case. Raises NotSplicedError where `old` cannot be taken apart, or its columns do not fit
    to new ones of other row groups; ValueError for what is no Parquet file.
    """
    before, after = _File(old), [None if data is None else _File(data) for data in new]
    if len(before.groups) != len(after):
        raise NotSplicedError("the row groups are others")
    files = [before, *(file for file in after if file is not None)]
    names = dict.fromkeys(name for file in files for name in file.columns)
    filled = ((at, file) for at, file in enumerate(after) if file is None or file.footer.number(ROWS))
    return _written(files, names, [_with_columns(before, at, file, names) for at, file in filled])


def _with_columns(old: _File, at: int, new: _File | None, names: Iterable[str]) -> _Group:
    """A row group of an old file, with the columns of a new one."""
    if new is None:
        return _Group(dict.fromkeys(names, (old, at)))
    if len(new.groups) != 1:
        raise NotSplicedError("the row groups are others")
    return _Group({name: (new, 0) if name in new.columns else (old, at) for name in names})


def joined(data: Sequence[memoryview]) -> pa.Buffer:
    """The rows of one file or more with the same columns as one file."""
    files = [_File(item) for item in data]
    filled = [file for file in files if file.footer.number(ROWS)]
    groups = [_Group(dict.fromkeys(file.columns, (file, at))) for file in filled for at in range(len(file.groups))]
    return _written(files, files[0].columns, groups)


def _written(files: Sequence[_File], names: Iterable[str], groups: Sequence[_Group]) -> pa.Buffer:
    """A file of row groups with columns of these names; what holds for all of them is that of the first file."""
    for file in files:
        if len(file.columns) != file.footer.structs(SCHEMA)[0].number(CHILDREN):
            raise NotSplicedError("names of columns differ in case alone")
    columns = {name: _column(name, groups or [_Group({name: (files[0], 0)})]) for name in names}
    parts: list[bytes | memoryview] = [MAGIC]
    position, written = len(MAGIC), []
    for group in groups:
        start, moved = position, []
        for name, (file, at) in group.sources.items():
            for chunk in file.chunks[at][name]:
                first, size = _extent(chunk.struct(_META))
                parts.append(file.data[first : first + size])
                moved.append(_moved(chunk, position - first))
                position += size
        written.append(_group(group.struct, moved, start, position - start))
    parts.append(ending(_footer(files, columns, written)))
    return together(parts)


def _column(name: str, groups: Sequence[_Group]) -> tuple[_File, FooterColumn]:
    """The column of a name, and the file to ask about it. Raises NotSplicedError where files have it otherwise."""
    files = {id(file): file for group in groups for file, _ in (group.sources[name],)}
    for file in files.values():
        if name not in file.columns:
            raise NotSplicedError(f"a row group lacks the column {name}")
        _check(file, name)
    first, *others = files.values()
    elements = [element.to_bytes() for element in first.columns[name].elements]
    if any([element.to_bytes() for element in file.columns[name].elements] != elements for file in others):
        raise NotSplicedError(f"the column {name} is written in another way")
    return first, first.columns[name]


def _check(file: _File, name: str) -> None:
    if not is_known_writer(file.footer.text(CREATED_BY)):
        raise NotSplicedError(f"files of the writer {file.footer.text(CREATED_BY)!r} are not taken apart")
    for chunks in file.chunks:
        for chunk in chunks[name]:
            if _OTHER_FILE in chunk or _META not in chunk or any(number in chunk for number in _ENCRYPTION):
                raise NotSplicedError("a column is encrypted, or in another file")


def _extent(meta: Struct) -> tuple[int, int]:
    """Where a chunk begins, and its bytes. A dictionary comes first; some writers say 0 where there is none."""
    begins = [meta.number(_DATA), *(place for number in (_INDEX, _DICTIONARY) if (place := meta.number(number)) > 0)]
    return min(begins), meta.number(_CHUNK_SIZE)


def _moved(chunk: Struct, by: int) -> Struct:
    """A chunk whose bytes stand so much farther behind."""
    meta = chunk.struct(_META)
    for number in (_DATA, _INDEX, _DICTIONARY):
        if meta.number(number) > 0:
            meta.put_number(number, meta.number(number) + by)
    meta.drop(*_FILTERS)
    moved = Struct(dict(chunk.values))
    moved.drop(*_PAGE_INDEXES)
    # No metadata of a chunk stands beside its data.
    moved.put_number(_OFFSET, 0)
    moved.put_struct(_META, meta)
    return moved


def _group(old: Struct, chunks: Sequence[Struct], start: int, size: int) -> Struct:
    group = Struct(dict(old.values))
    group.drop(_SORTED_BY, _ORDINAL)
    group.put_structs(_CHUNKS, chunks)
    group.put_number(_UNCOMPRESSED, sum(chunk.struct(_META).number(_CHUNK_UNCOMPRESSED) for chunk in chunks))
    group.put_number(_GROUP_START, start)
    group.put_number(_GROUP_SIZE, size)
    return group


def _footer(
    files: Sequence[_File], columns: Mapping[str, tuple[_File, FooterColumn]], groups: Sequence[Struct]
) -> Struct:
    """The bounds of floating-point columns mean in all what they mean in files of the last one's writer: less."""
    footer = Struct(dict(files[0].footer.values))
    root = files[0].footer.structs(SCHEMA)[0]
    root.put_number(CHILDREN, len(columns), I32)
    footer.put_structs(SCHEMA, [root, *(element for _, column in columns.values() for element in column.elements)])
    footer.put_structs(ROW_GROUPS, groups)
    footer.put_number(ROWS, sum(group.number(_GROUP_ROWS) for group in groups))
    footer.put_number(VERSION, max(file.footer.number(VERSION) for file in files), I32)
    footer.values[CREATED_BY] = files[-1].footer.values[CREATED_BY]
    footer.drop(KEYS, ORDERS)
    if kept := [entry for entry in files[0].footer.structs(KEYS) if entry.text(KEY) in _KEPT_KEYS]:
        footer.put_structs(KEYS, kept)
    if all(file.orders for file, _ in columns.values()):
        footer.put_structs(ORDERS, list(_orders(columns)))
    return footer


def _orders(columns: Mapping[str, tuple[_File, FooterColumn]]) -> Iterator[Struct]:
    for name, (file, _) in columns.items():
        yield from file.orders[name]
