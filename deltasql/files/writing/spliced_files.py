"""Parquet files spliced from column chunks of other files, which are copied as bytes without decoding.

A column chunk is self-contained, and only the footer points at it. The footer is written anew, with the offsets of all
chunks, and without page indexes and bloom filters, which are stored elsewhere and are optional.
Source: Apache Parquet, File Format, and the comments of its Thrift definitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from deltasql.base import pa
from deltasql.files.footers import (
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
from deltasql.log import row_groups

# Fields of RowGroup, ColumnChunk and ColumnMetaData, by their numbers.
_CHUNKS, _UNCOMPRESSED, _GROUP_ROWS, _SORTED_BY, _GROUP_START, _GROUP_SIZE, _ORDINAL = range(1, 8)
_OTHER_FILE, _OFFSET, _META, _PAGE_INDEXES, _ENCRYPTION = 1, 2, 3, (4, 5, 6, 7), (8, 9)
_CHUNK_UNCOMPRESSED, _CHUNK_SIZE, _FILTERS = 6, 7, (14, 15)
_STATISTICS, _ARE_EXACT = 12, (7, 8)
_DATA, _INDEX, _DICTIONARY = 9, 10, 11

_COPIED_KEYS = frozenset({"org.apache.spark.version"})
"""Key-value entries of the footer that are kept. Others may describe columns, which may have been replaced."""
_WRITERS = re.compile(
    r"parquet-cpp-arrow version |parquet-mr version 1\.\d\d\b"
    r"|parquet-rs version [5-9]\d\.|delta-rs version (py-)?[1-9]\."
)
"""`created_by` of writers whose column chunks are copied. Older releases have unreliable chunk metadata, which readers
recognise by the name of the writer; that of others has not been compared.
"""


def may_splice_from(name: str) -> bool:
    """Whether `name` (`created_by`) is a writer whose column chunks may be copied as bytes."""
    return _WRITERS.match(name) is not None


class NotSplicedError(ValueError):
    """Column chunks cannot be copied into another file, for the reason in the message."""


@dataclass(frozen=True)
class _File:
    """A Parquet file in memory."""

    data: memoryview

    @cached_property
    def footer(self) -> row_groups.Struct:
        return footer_of(self.data)[1]

    @cached_property
    def columns(self) -> dict[str, FooterColumn]:
        """Top-level columns by lower-case name, in the order of their chunks."""
        return {column.name.lower(): column for column in columns_of(self.footer)}

    @cached_property
    def groups(self) -> list[row_groups.Struct]:
        return self.footer.structs(ROW_GROUPS)

    @cached_property
    def orders(self) -> dict[str, list[row_groups.Struct]]:
        """The column orders of each column's leaves, by lower-case name; empty if the file has none."""
        return self._by_column(self.footer.structs(ORDERS)) if ORDERS in self.footer else {}

    @cached_property
    def chunks(self) -> list[dict[str, list[row_groups.Struct]]]:
        """For each row group, the chunks of each column's leaves, by lower-case name."""
        return [self._by_column(group.structs(_CHUNKS)) for group in self.groups]

    def _by_column(self, leaves: Sequence[row_groups.Struct]) -> dict[str, list[row_groups.Struct]]:
        following = iter(leaves)
        return {name: [next(following) for _ in range(column.leaves)] for name, column in self.columns.items()}


@dataclass(frozen=True)
class _Group:
    """A row group to be written: for each column name, the source file and the index of the row group there."""

    sources: Mapping[str, tuple[_File, int]]

    @property
    def struct(self) -> row_groups.Struct:
        """The metadata of one of the source row groups. Raises NotSplicedError if their numbers of rows differ."""
        groups = [file.groups[number] for file, number in self.sources.values()]
        if len({group.number(_GROUP_ROWS) for group in groups}) != 1:
            raise NotSplicedError("the columns of a row group have other numbers of rows")
        return groups[0]


def row_group_sizes(data: memoryview) -> list[int]:
    """The number of rows of each row group. Raises ValueError if it is no Parquet file."""
    return [group.number(_GROUP_ROWS) for group in footer_of(data)[1].structs(ROW_GROUPS)]


def spliced(old: memoryview, new: Sequence[memoryview | None]) -> pa.Buffer:
    """The file `old` with columns of its row groups replaced or added.

    For each row group, `new` has a file of one row group, whose columns replace those of the same names or follow the
    others, or None if the row group stays unchanged. If all columns are new, there may be fewer rows, or none. Names
    are compared without case. Raises NotSplicedError if chunks of `old` cannot be copied, or do not match new columns
    of other row groups; ValueError if one is no Parquet file.
    """
    before, after = _File(old), [None if data is None else _File(data) for data in new]
    if len(before.groups) != len(after):
        raise NotSplicedError("the row groups are others")
    files = [before, *(file for file in after if file is not None)]
    names = dict.fromkeys(name for file in files for name in file.columns)
    filled = ((at, file) for at, file in enumerate(after) if file is None or file.footer.number(ROWS))
    return _written(files, names, [_with_columns(before, at, file, names) for at, file in filled])


def _with_columns(old: _File, at: int, new: _File | None, names: Iterable[str]) -> _Group:
    """Row group `at` of the file `old`, with the columns of the file `new`, if there is one, in place of its own."""
    if new is None:
        return _Group(dict.fromkeys(names, (old, at)))
    if len(new.groups) != 1:
        raise NotSplicedError("the row groups are others")
    return _Group({name: (new, 0) if name in new.columns else (old, at) for name in names})


def joined(data: Sequence[memoryview]) -> pa.Buffer:
    """One file with the row groups of several files, which have the same columns."""
    files = [_File(item) for item in data]
    filled = [file for file in files if file.footer.number(ROWS)]
    groups = [_Group(dict.fromkeys(file.columns, (file, at))) for file in filled for at in range(len(file.groups))]
    return _written(files, files[0].columns, groups)


def _written(files: Sequence[_File], names: Iterable[str], groups: Sequence[_Group]) -> pa.Buffer:
    """A file of row groups with the columns `names`; properties of the whole file are those of the first of `files`."""
    for file in files:
        # Columns are found by lower-case name: of two that differ in case alone, one would be lost.
        if len(file.columns) != file.footer.structs(SCHEMA)[0].number(CHILDREN):
            raise NotSplicedError("names of columns differ in case alone")
    # A file without row groups still needs a schema: that of the first source.
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
    """A source file and its column `name`. Raises NotSplicedError if the source files define the column differently."""
    files = {id(file): file for group in groups for file, _ in (group.sources[name],)}
    for file in files.values():
        if name not in file.columns:
            raise NotSplicedError(f"a row group lacks the column {name}")
        _check(file, name)
    first, *others = files.values()
    # The file has one schema for all row groups. With another type, nullability or field id a chunk would be misread.
    elements = [element.to_bytes() for element in first.columns[name].elements]
    if any([element.to_bytes() for element in file.columns[name].elements] != elements for file in others):
        raise NotSplicedError(f"the column {name} is written in another way")
    return first, first.columns[name]


def _check(file: _File, name: str) -> None:
    if not may_splice_from(file.footer.text(CREATED_BY)):
        raise NotSplicedError(f"files of the writer {file.footer.text(CREATED_BY)!r} are not taken apart")
    for chunks in file.chunks:
        for chunk in chunks[name]:
            # Offsets into another file mean nothing for these bytes. Encrypted pages are bound to their file and row
            # group, and cannot be decrypted elsewhere.
            if _OTHER_FILE in chunk or _META not in chunk or any(number in chunk for number in _ENCRYPTION):
                raise NotSplicedError("a column is encrypted, or in another file")
            # Some writers truncate the bounds of long texts, and say so. Beside chunks of a writer that never does,
            # which names the new file, readers would take them for values.
            statistics = chunk.struct(_META).struct(_STATISTICS)
            if any(number in statistics and statistics.values[number][0] != row_groups.TRUE for number in _ARE_EXACT):
                raise NotSplicedError("bounds of a column are truncated")


def _extent(meta: row_groups.Struct) -> tuple[int, int]:
    """Offset and size of a chunk in bytes. A dictionary comes first; some writers have offset 0 for none."""
    begins = [meta.number(_DATA), *(offset for number in (_INDEX, _DICTIONARY) if (offset := meta.number(number)) > 0)]
    return min(begins), meta.number(_CHUNK_SIZE)


def _moved(chunk: row_groups.Struct, by: int) -> row_groups.Struct:
    """A chunk with its offsets moved by `by` bytes, without bloom filters and page indexes."""
    meta = chunk.struct(_META)
    for number in (_DATA, _INDEX, _DICTIONARY):
        if meta.number(number) > 0:
            meta.put_number(number, meta.number(number) + by)
    meta.drop(*_FILTERS)
    moved = row_groups.Struct(dict(chunk.values))
    moved.drop(*_PAGE_INDEXES)
    # There is no copy of the chunk's metadata beside its data.
    moved.put_number(_OFFSET, 0)
    moved.put_struct(_META, meta)
    return moved


def _group(old: row_groups.Struct, chunks: Sequence[row_groups.Struct], start: int, size: int) -> row_groups.Struct:
    group = row_groups.Struct(dict(old.values))
    # New values may be in another order, and sorting columns are indexes into the old list of columns. Ordinals would
    # have gaps where a row group is left out. Both fields are optional.
    group.drop(_SORTED_BY, _ORDINAL)
    group.put_structs(_CHUNKS, chunks)
    group.put_number(_UNCOMPRESSED, sum(chunk.struct(_META).number(_CHUNK_UNCOMPRESSED) for chunk in chunks))
    group.put_number(_GROUP_START, start)
    group.put_number(_GROUP_SIZE, size)
    return group


def _footer(
    files: Sequence[_File], columns: Mapping[str, tuple[_File, FooterColumn]], groups: Sequence[row_groups.Struct]
) -> row_groups.Struct:
    """The new footer. `created_by` is that of the last file, whose floating-point bounds readers trust least."""
    footer = row_groups.Struct(dict(files[0].footer.values))
    root = files[0].footer.structs(SCHEMA)[0]
    root.put_number(CHILDREN, len(columns), row_groups.I32)
    footer.put_structs(SCHEMA, [root, *(element for _, column in columns.values() for element in column.elements)])
    footer.put_structs(ROW_GROUPS, groups)
    footer.put_number(ROWS, sum(group.number(_GROUP_ROWS) for group in groups))
    footer.put_number(VERSION, max(file.footer.number(VERSION) for file in files), row_groups.I32)
    footer.values[CREATED_BY] = files[-1].footer.values[CREATED_BY]
    footer.drop(KEYS, ORDERS)
    if entries := [entry for entry in files[0].footer.structs(KEYS) if entry.text(KEY) in _COPIED_KEYS]:
        footer.put_structs(KEYS, entries)
    # The list has an entry for each leaf, or is missing. Bounds of a file without it have no defined order, and must
    # not get one from the other files.
    if all(file.orders for file, _ in columns.values()):
        footer.put_structs(ORDERS, list(_orders(columns)))
    return footer


def _orders(columns: Mapping[str, tuple[_File, FooterColumn]]) -> Iterator[row_groups.Struct]:
    for name, (file, _) in columns.items():
        yield from file.orders[name]
