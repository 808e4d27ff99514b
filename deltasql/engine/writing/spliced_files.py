"""Parquet files in which some columns are others, and the rest stays as it is: its bytes are copied, and not decoded.

The chunks of a column point at nothing outside of themselves, and are pointed at by the footer alone, which is written
anew: with the places of all chunks, and without indexes and filters, which lie elsewhere and may be left out.
Source: Apache Parquet, File Format, and the comments of its Thrift definitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deltasql.engine.writing.parquet_footer import (
    CHILDREN,
    CREATED_BY,
    KEY,
    KEYS,
    MAGIC,
    ORDERS,
    ROW_GROUPS,
    SCHEMA,
    VERSION,
    Column,
    columns_of,
    ending,
    footer_of,
)
from deltasql.engine.writing.thrift import I32, Struct

# Fields of RowGroup, ColumnChunk and ColumnMetaData, by their numbers.
_CHUNKS, _UNCOMPRESSED, _ROWS, _SORTED_BY, _GROUP_START, _GROUP_SIZE = 1, 2, 3, 4, 5, 6
_OTHER_FILE, _OFFSET, _META, _PAGE_INDEXES, _ENCRYPTION = 1, 2, 3, (4, 5, 6, 7), (8, 9)
_CHUNK_UNCOMPRESSED, _CHUNK_SIZE, _FILTERS = 6, 7, (14, 15)
_DATA, _INDEX, _DICTIONARY = 9, 10, 11

_KEPT_KEYS = frozenset({"org.apache.spark.version"})
"""Entries that speak of how values are written. Others tell of columns, some of which are others now."""
_WRONG_SIZES = re.compile(r"parquet-mr version 1\.[0-2]\b")
"""Who wrote too small sizes of chunks. Source: Apache Parquet, PARQUET-816."""


class NotSplicedError(ValueError):
    """A file whose columns cannot be taken apart: the message says why."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A file, whole."""

    data: memoryview
    footer: Struct
    columns: list[Column]
    groups: list[Struct]

    @classmethod
    def of(cls, data: memoryview) -> _Source:
        footer = footer_of(data)[1]
        return cls(data, footer, columns_of(footer), footer.structs(ROW_GROUPS))

    def chunks(self) -> Iterator[list[list[Struct]]]:
        """For each row group the chunks of each column."""
        for group in self.groups:
            chunks = iter(group.structs(_CHUNKS))
            yield [[next(chunks) for _ in range(column.leaves)] for column in self.columns]

    def orders(self) -> list[list[Struct]]:
        """By what values of each column compare, for each of its leaves; empty where the file does not tell."""
        orders = iter(self.footer.structs(ORDERS))
        return (
            [[next(orders) for _ in range(column.leaves)] for column in self.columns] if ORDERS in self.footer else []
        )


def row_group_sizes(data: memoryview) -> list[int]:
    """How many rows each row group of a file has. Raises ValueError for what is no Parquet file."""
    return [group.number(_ROWS) for group in footer_of(data)[1].structs(ROW_GROUPS)]


def spliced(old: memoryview, new: memoryview) -> bytes:
    """The file `old` with the columns of the file `new`: in place of its own of these names, or behind the others.

    Both are whole files with the same numbers of rows in their row groups. Names are compared without case. Raises
    NotSplicedError for an old file that is encrypted, in pieces, or too old, ValueError for what is no Parquet file.
    """
    before, after = _Source.of(old), _Source.of(new)
    _check(before, after)
    sources = (before, after)
    places = _places(before, after)
    parts: list[bytes | memoryview] = [MAGIC]
    position, groups = len(MAGIC), []
    for group, *chunks in zip(before.groups, before.chunks(), after.chunks(), strict=True):
        start, moved = position, []
        for source, column in places:
            for chunk in chunks[source][column]:
                first, size = _extent(chunk.struct(_META))
                parts.append(sources[source].data[first : first + size])
                moved.append(_moved(chunk, position - first))
                position += size
        groups.append(_group(group, moved, start, position - start))
    parts.append(ending(_footer(before, after, places, groups)))
    return b"".join(parts)


def _check(before: _Source, after: _Source) -> None:
    if _WRONG_SIZES.match(before.footer.text(CREATED_BY)):
        raise NotSplicedError("its writer did not count all bytes of a column")
    if [group.number(_ROWS) for group in before.groups] != [group.number(_ROWS) for group in after.groups]:
        raise NotSplicedError("the row groups are of other sizes")
    for group in before.groups:
        for chunk in group.structs(_CHUNKS):
            if _OTHER_FILE in chunk or _META not in chunk or any(number in chunk for number in _ENCRYPTION):
                raise NotSplicedError("a column is encrypted, or in another file")


def _places(before: _Source, after: _Source) -> list[tuple[int, int]]:
    """Where each column is from: 0 for the old file and 1 for the new one, and its number there."""
    new = {column.name.lower(): number for number, column in enumerate(after.columns)}
    places = []
    for number, column in enumerate(before.columns):
        replaced = new.pop(column.name.lower(), None)
        places.append((0, number) if replaced is None else (1, replaced))
    return [*places, *((1, number) for number in new.values())]


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
    group.drop(_SORTED_BY)
    group.put_structs(_CHUNKS, chunks)
    group.put_number(_UNCOMPRESSED, sum(chunk.struct(_META).number(_CHUNK_UNCOMPRESSED) for chunk in chunks))
    group.put_number(_GROUP_START, start)
    group.put_number(_GROUP_SIZE, size)
    return group


def _footer(before: _Source, after: _Source, places: Sequence[tuple[int, int]], groups: Sequence[Struct]) -> Struct:
    """The bounds of floating-point columns mean in all what they mean in files of the new one's writer: less."""
    sources = (before, after)
    footer = Struct(dict(before.footer.values))
    root = before.footer.structs(SCHEMA)[0]
    root.put_number(CHILDREN, len(places), I32)
    elements = (element for source, column in places for element in sources[source].columns[column].elements)
    footer.put_structs(SCHEMA, [root, *elements])
    footer.put_structs(ROW_GROUPS, groups)
    footer.put_number(VERSION, max(source.footer.number(VERSION) for source in sources), I32)
    footer.values[CREATED_BY] = after.footer.values[CREATED_BY]
    footer.drop(KEYS, ORDERS)
    if kept := [entry for entry in before.footer.structs(KEYS) if entry.text(KEY) in _KEPT_KEYS]:
        footer.put_structs(KEYS, kept)
    orders = [source.orders() for source in sources]
    if all(orders):
        footer.put_structs(ORDERS, [order for source, column in places for order in orders[source][column]])
    return footer
