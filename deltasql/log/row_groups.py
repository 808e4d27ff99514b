"""Parser of a Parquet footer's row groups and column chunks without pyarrow, by Thrift's compact protocol.

pyarrow aborts the process, by an uncaught C++ exception, when it reads the column chunks of some damaged footers: a
type other than the schema's, or inconsistent sizes. Reading rows of such a file raises a proper error.

A reader takes the bytes and the offset of a value, and gives the value and the offset behind it. Damage is a
ValueError, an IndexError or a RecursionError; nothing is read beyond the end. A `Struct` is for changes: it is taken
apart one level at a time, and the rest stays the bytes that it was read from. Source: Parquet's thrift definition;
Thrift Compact Protocol.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from deltasql.base import pa

# A boolean is its own value as a field, and a byte in a list.
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_DEEPEST = 64
_MOST_NEAR = 15
"""So far may the number of a field be from that of the one before, for the distance to be told beside its type."""
# Bytes of a field of these types behind its head; a boolean is in the head.
_INTEGERS = frozenset({I16, I32, I64})
_WIDTHS = {TRUE: 0, FALSE: 0, BYTE: 1, DOUBLE: 8}

Reader: TypeAlias = "Callable[[bytes, int], tuple[Any, int]]"


def varint(data: bytes, at: int) -> tuple[int, int]:
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


def integer(data: bytes, at: int) -> tuple[int, int]:
    value, at = varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def text(data: bytes, at: int) -> tuple[str, int]:
    size, at = varint(data, at)
    require(data, at, size)
    return data[at : at + size].decode(), at + size


def require(data: bytes, at: int, size: int) -> None:
    if size > len(data) - at:
        raise ValueError("its footer is cut off or damaged")


def list_of(kind: int, read: Reader) -> Reader:
    def items(data: bytes, at: int) -> tuple[list[Any], int]:
        values: list[Any] = []
        actual, count, at = _list_head(data, at)
        if actual != kind and count:
            raise ValueError("a list in its footer holds something else")
        for _ in range(count):
            item, at = read(data, at)
            values.append(item)
        return values, at

    return items


def _list_head(data: bytes, at: int) -> tuple[int, int, int]:
    """Type and number of the items, which each take a byte at least, and where they begin."""
    head = data[at]
    at += 1
    count = head >> 4
    if count == 15:
        count, at = varint(data, at)
    require(data, at, count)
    return head & 15, count, at


def struct_fields(data: bytes, at: int, readers: Mapping[int, tuple[int, Reader]]) -> tuple[dict[int, Any], int]:
    """The wanted fields, by number; one of another type than it should be is passed over, as thrift does."""
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        at += 1
        kind, step = head & 15, head >> 4
        if step:
            number += step
        else:
            number, at = integer(data, at)
        reader = readers.get(number)
        if reader is not None and reader[0] == kind:
            fields[number], at = reader[1](data, at)
        elif kind in _INTEGERS:
            # What is passed over mostly are these: a call of its own would take longer than they do.
            while data[at] >= 0x80:
                at += 1
            at += 1
        elif kind > FALSE:
            at = skipped(data, at, kind)
    return fields, at + 1


def skipped(data: bytes, at: int, kind: int, depth: int = 0) -> int:
    """The offset behind the value of a type at `at`. Raises ValueError for an unknown type, and for deep nesting."""
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
            size, at = varint(data, at)
            require(data, at, size)
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
    return at + 1 if kind in {TRUE, FALSE} else skipped(data, at, kind, depth + 1)


def _skipped_list(data: bytes, at: int, depth: int) -> int:
    kind, count, at = _list_head(data, at)
    if kind in _INTEGERS:
        for _ in range(count):
            while data[at] >= 0x80:
                at += 1
            at += 1
        return at
    for _ in range(count):
        at = _skipped_item(data, at, kind, depth)
    return at


def _skipped_struct(data: bytes, at: int, depth: int) -> int:
    while head := data[at]:
        at += 1
        if not head >> 4:
            _, at = varint(data, at)
        kind = head & 15
        if kind in _INTEGERS:
            while data[at] >= 0x80:
                at += 1
            at += 1
        else:
            at = skipped(data, at, kind, depth + 1)
    return at + 1


def _skipped_map(data: bytes, at: int, depth: int) -> int:
    count, at = varint(data, at)
    require(data, at, count)
    if count:
        kinds, at = data[at], at + 1
        for _ in range(count):
            for kind in (kinds >> 4, kinds & 15):
                at = _skipped_item(data, at, kind, depth)
    return at


def raw(data: bytes, at: int) -> tuple[bytes, int]:
    """A run of bytes."""
    size, at = varint(data, at)
    require(data, at, size)
    return data[at : at + size], at + size


def fields_of(readers: Mapping[int, tuple[int, Reader]]) -> Reader:
    return lambda data, at: struct_fields(data, at, readers)


def _struct(data: bytes, at: int) -> tuple[Struct, int]:
    """A struct whose fields are bytes."""
    struct, number = Struct(), 0
    while head := data[at]:
        at += 1
        kind, step = head & 15, head >> 4
        if step:
            number += step
        else:
            number, at = integer(data, at)
        end = skipped(data, at, kind)
        struct.values[number] = (kind, data[at:end])
        at = end
    return struct, at + 1


@dataclass(slots=True)
class Struct:
    """The fields of a struct by their numbers: the type of each, and its bytes."""

    values: dict[int, tuple[int, bytes]] = field(default_factory=dict)

    @classmethod
    def parsed(cls, data: bytes) -> Struct:
        """The struct that begins with the first byte. Raises ValueError where the bytes end within it."""
        try:
            return _struct(data, 0)[0]
        except IndexError:
            raise ValueError("these bytes end amid a Thrift struct") from None

    def __contains__(self, number: int) -> bool:
        return number in self.values

    def number(self, number: int) -> int:
        """An integer; 0 where the field is missing."""
        return integer(self.values[number][1], 0)[0] if number in self.values else 0

    def text(self, number: int) -> str:
        """A text; empty where the field is missing."""
        return text(self.values[number][1], 0)[0] if number in self.values else ""

    def struct(self, number: int) -> Struct:
        """A struct within this one; without fields where it is missing."""
        return Struct.parsed(self.values[number][1]) if number in self.values else Struct()

    def structs(self, number: int) -> list[Struct]:
        """A list of structs; empty where it is missing."""
        return list_of(STRUCT, _struct)(self.values[number][1], 0)[0] if number in self.values else []

    def put_number(self, number: int, value: int, kind: int = I64) -> None:
        """Sets an integer, of type I32 or I64."""
        self.values[number] = (kind, _varint(_zigzag(value)))

    def put_text(self, number: int, value: str) -> None:
        """Sets a text."""
        data = value.encode()
        self.values[number] = (BINARY, _varint(len(data)) + data)

    def put_struct(self, number: int, value: Struct) -> None:
        """Sets a struct."""
        self.values[number] = (STRUCT, value.to_bytes())

    def put_structs(self, number: int, values: Sequence[Struct]) -> None:
        """Sets a list of structs."""
        self.values[number] = (LIST, _list_header(len(values)) + b"".join(value.to_bytes() for value in values))

    def drop(self, *numbers: int) -> None:
        """Removes fields, if present."""
        for number in numbers:
            self.values.pop(number, None)

    def to_bytes(self) -> bytes:
        """The struct as it is written."""
        parts, last = [], 0
        for number, (kind, value) in sorted(self.values.items()):
            near = number - last <= _MOST_NEAR
            header = bytes([number - last << 4 | kind]) if near else bytes([kind]) + _varint(_zigzag(number))
            parts.append(header + value)
            last = number
        return b"".join(parts) + b"\0"


def _list_header(size: int) -> bytes:
    return bytes([size << 4 | STRUCT]) if size < 15 else bytes([0xF0 | STRUCT]) + _varint(size)


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _zigzag(value: int) -> int:
    return value << 1 if value >= 0 else (-value << 1) - 1


_MAGIC, _ENCRYPTED = b"PAR1", b"PARE"
TAIL = 8
"""Number of bytes at the end of a file after the footer: the footer's length, and the magic number."""


@dataclass(frozen=True, slots=True)
class ColumnChunk:
    """One column chunk of a row group; `nulls` is its null count, None if the footer has none."""

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
    """The row groups of a file. `leaves` is the index of each leaf column by its dotted path."""

    groups: tuple[RowGroup, ...]
    leaves: Mapping[str, int]


def read_footer(file: pa.NativeFile) -> Footer:
    """The footer of an open file. Raises ValueError if it is damaged, and what the file raises."""
    size = file.seek(0, 2)
    file.seek(max(size - TAIL, 0))
    length = footer_length(file.read(TAIL), size)
    file.seek(size - TAIL - length)
    return parse_footer(bytes(file.read(length)))


def footer_length(tail: bytes, size: int) -> int:
    """The footer's length in bytes, from `tail`, the last TAIL bytes of a file of `size` bytes. Raises ValueError."""
    magic = tail[-4:]
    if len(tail) < TAIL or magic not in {_MAGIC, _ENCRYPTED}:
        raise ValueError("it does not end like a Parquet file")
    if magic == _ENCRYPTED:
        raise ValueError("it is encrypted")
    (length,) = struct.unpack("<I", tail[-TAIL:-4])
    if length > size - TAIL:
        raise ValueError(f"its footer cannot have {length} bytes")
    return int(length)


def parse_footer(data: bytes) -> Footer:
    """The footer parsed from its bytes. Raises ValueError if it is damaged."""
    try:
        fields, _ = struct_fields(data, 0, _FILE)
    except (IndexError, RecursionError, struct.error) as error:
        raise ValueError("its footer is cut off or damaged") from error
    groups = tuple(fields.get(4, ()))
    if not groups:
        return Footer((), {})
    first = groups[0].chunks
    if any(len(group.chunks) != len(first) for group in groups):
        raise ValueError("its row groups have different columns")
    return Footer(groups, {".".join(chunk.path): number for number, chunk in enumerate(first)})


def _chunk(data: bytes, at: int) -> tuple[ColumnChunk, int]:
    column, at = struct_fields(data, at, _COLUMN)
    fields = column.get(3, {})
    values, nulls = fields.get(5), fields.get(12, {}).get(3)
    if values is None or values < 0 or 3 not in fields or (nulls is not None and not 0 <= nulls <= values):
        raise ValueError("its footer describes an impossible column")
    return ColumnChunk(tuple(fields[3]), values, nulls), at


def _group(data: bytes, at: int) -> tuple[RowGroup, int]:
    fields, at = struct_fields(data, at, _GROUP)
    rows = fields.get(3, -1)
    if rows < 0:
        raise ValueError("its footer describes a row group without a size")
    return RowGroup(rows, tuple(fields.get(1, ()))), at


# By the numbers of thrift's fields.
_STATISTICS = {3: (I64, integer)}
_META = {3: (LIST, list_of(BINARY, text)), 5: (I64, integer), 12: (STRUCT, fields_of(_STATISTICS))}
_COLUMN = {3: (STRUCT, fields_of(_META))}
_GROUP = {1: (LIST, list_of(STRUCT, _chunk)), 3: (I64, integer)}
_FILE = {4: (LIST, list_of(STRUCT, _group))}
