"""What the footer of a Parquet file says of its column chunks, read without pyarrow.

pyarrow ends the process, by an exception in C++ that nobody catches, where it is asked for the chunks of some damaged
footers: a type that is not the schema's, sizes that do not fit it. To read rows of such a file it refuses properly.
Source: Parquet's thrift definition, and the compact protocol of thrift.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import pyarrow as pa

_MAGIC = b"PAR1"
_TAIL = 8
# Types of the compact protocol. A boolean is its own value as a field, and a byte in a list.
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_DEEPEST = 64
# Bytes of a field of these types behind its head; a boolean is in the head.
_WIDTHS = {_TRUE: 0, _FALSE: 0, _BYTE: 1, _DOUBLE: 8}

_Reader: TypeAlias = "Callable[[bytes, int], tuple[Any, int]]"


@dataclass(frozen=True, slots=True)
class ColumnChunk:
    """One column of a row group; `nulls` is None where the footer does not say."""

    path: tuple[str, ...]
    values: int
    nulls: int | None

    @property
    def may_have_values(self) -> bool:
        return self.nulls is None or self.nulls < self.values


@dataclass(frozen=True, slots=True)
class RowGroup:
    rows: int
    chunks: tuple[ColumnChunk, ...]


@dataclass(frozen=True, slots=True)
class Footer:
    """The row groups of a file. `leaves` gives the number of each leaf column by its path with dots."""

    groups: tuple[RowGroup, ...]
    leaves: Mapping[str, int]


def read_footer(file: pa.NativeFile) -> Footer:
    """The footer of an open file. Raises ValueError where it makes no sense, and what the file raises."""
    size = file.seek(0, 2)
    file.seek(max(size - _TAIL, 0))
    tail = file.read(_TAIL)
    if len(tail) < _TAIL or tail[4:] != _MAGIC:
        raise ValueError("it does not end like a Parquet file")
    (length,) = struct.unpack_from("<I", tail)
    if length > size - _TAIL:
        raise ValueError(f"its footer cannot have {length} bytes")
    file.seek(size - _TAIL - length)
    return parse_footer(bytes(file.read(length)))


def parse_footer(data: bytes) -> Footer:
    """The footer in `data`. Raises ValueError."""
    try:
        fields, _ = _struct(data, 0, _FILE)
    except (IndexError, RecursionError, struct.error) as error:
        raise ValueError("its footer is cut off or damaged") from error
    groups = tuple(fields.get(4, ()))
    if not groups:
        return Footer((), {})
    first = groups[0].chunks
    if any(len(group.chunks) != len(first) for group in groups):
        raise ValueError("its row groups have different columns")
    return Footer(groups, {".".join(chunk.path): number for number, chunk in enumerate(first)})


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number in its footer is too long")


def _integer(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def _text(data: bytes, at: int) -> tuple[str, int]:
    size, at = _varint(data, at)
    _require(data, at, size)
    return data[at : at + size].decode(), at + size


def _require(data: bytes, at: int, size: int) -> None:
    if size > len(data) - at:
        raise ValueError("its footer is cut off or damaged")


def _list_of(kind: int, read: _Reader) -> _Reader:
    def items(data: bytes, at: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        actual, count, at = _list_head(data, at)
        if actual != kind and count:
            raise ValueError("a list in its footer holds something else")
        for _ in range(count):
            item, at = read(data, at)
            found.append(item)
        return found, at

    return items


def _list_head(data: bytes, at: int) -> tuple[int, int, int]:
    """Type and number of the items, which each take a byte at least, and where they begin."""
    head = data[at]
    at += 1
    count = head >> 4
    if count == 15:
        count, at = _varint(data, at)
    _require(data, at, count)
    return head & 15, count, at


def _struct(data: bytes, at: int, wanted: Mapping[int, tuple[int, _Reader]]) -> tuple[dict[int, Any], int]:
    """The wanted fields, by number; one of another type than it should be is passed over, as thrift does."""
    found: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        at += 1
        kind, step = head & 15, head >> 4
        if step:
            number += step
        else:
            number, at = _integer(data, at)
        known = wanted.get(number)
        if known is not None and known[0] == kind:
            found[number], at = known[1](data, at)
        else:
            at = _skipped(data, at, kind)
    return found, at + 1


def _skipped(data: bytes, at: int, kind: int, depth: int = 0) -> int:
    """Where the value of a type that begins here ends. Raises ValueError for an unknown type, and for deep nesting."""
    if depth > _DEEPEST:
        raise ValueError("its footer is nested too deeply")
    if kind in _WIDTHS:
        return at + _WIDTHS[kind]
    match kind:
        case 4 | 5 | 6:
            while data[at] >= 0x80:
                at += 1
            return at + 1
        case 8:
            size, at = _varint(data, at)
            _require(data, at, size)
            return at + size
        case 9 | 10:
            return _skipped_list(data, at, depth)
        case 11:
            return _skipped_map(data, at, depth)
        case 12:
            return _skipped_struct(data, at, depth)
    raise ValueError("its footer holds a value of no known type")


def _skipped_item(data: bytes, at: int, kind: int, depth: int) -> int:
    """Where an item of a list or map ends."""
    return at + 1 if kind in {_TRUE, _FALSE} else _skipped(data, at, kind, depth + 1)


def _skipped_list(data: bytes, at: int, depth: int) -> int:
    kind, count, at = _list_head(data, at)
    for _ in range(count):
        at = _skipped_item(data, at, kind, depth)
    return at


def _skipped_struct(data: bytes, at: int, depth: int) -> int:
    while head := data[at]:
        at += 1
        if not head >> 4:
            _, at = _varint(data, at)
        at = _skipped(data, at, head & 15, depth + 1)
    return at + 1


def _skipped_map(data: bytes, at: int, depth: int) -> int:
    count, at = _varint(data, at)
    _require(data, at, count)
    if count:
        kinds, at = data[at], at + 1
        for _ in range(count):
            for kind in (kinds >> 4, kinds & 15):
                at = _skipped_item(data, at, kind, depth)
    return at


def _chunk(data: bytes, at: int) -> tuple[ColumnChunk, int]:
    column, at = _struct(data, at, _COLUMN)
    fields = column.get(3, {})
    values, nulls = fields.get(5), fields.get(12, {}).get(3)
    if values is None or values < 0 or 3 not in fields or (nulls is not None and not 0 <= nulls <= values):
        raise ValueError("its footer describes an impossible column")
    return ColumnChunk(tuple(fields[3]), values, nulls), at


def _group(data: bytes, at: int) -> tuple[RowGroup, int]:
    fields, at = _struct(data, at, _GROUP)
    rows = fields.get(3, -1)
    if rows < 0:
        raise ValueError("its footer describes a row group without a size")
    return RowGroup(rows, tuple(fields.get(1, ()))), at


def _fields(wanted: Mapping[int, tuple[int, _Reader]]) -> _Reader:
    return lambda data, at: _struct(data, at, wanted)


# By the numbers of thrift's fields.
_STATISTICS = {3: (_I64, _integer)}
_META = {3: (_LIST, _list_of(_BINARY, _text)), 5: (_I64, _integer), 12: (_STRUCT, _fields(_STATISTICS))}
_COLUMN = {3: (_STRUCT, _fields(_META))}
_GROUP = {1: (_LIST, _list_of(_STRUCT, _chunk)), 3: (_I64, _integer)}
_FILE = {4: (_LIST, _list_of(_STRUCT, _group))}
