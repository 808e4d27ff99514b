"""Structs in Thrift's compact protocol, which the footers of Parquet files are written in.

A struct is taken apart one level at a time: what nobody asks for is kept as the bytes that it came in.
Source: Apache Thrift, Thrift Compact Protocol.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

I32, I64 = 5, 6
_BINARY, _LIST, _STRUCT = 8, 9, 12
_TRUTHS = (1, 2)
"""Types of fields that are a truth value each, and have no bytes."""
_MOST_NEAR = 15
"""So far may the number of a field be from that of the one before, for the distance to be told beside its type."""


@dataclass(slots=True)
class Struct:
    """The fields of a struct by their numbers: the type of each, and its bytes."""

    values: dict[int, tuple[int, bytes]] = field(default_factory=dict)

    @classmethod
    def parsed(cls, data: bytes) -> Struct:
        """The struct that begins with the first byte. Raises ValueError where the bytes end within it."""
        try:
            return _Reader(data).struct()
        except IndexError:
            raise ValueError("these bytes end amid a Thrift struct") from None

    def __contains__(self, number: int) -> bool:
        return number in self.values

    def number(self, number: int) -> int:
        """An integer; 0 where the field is missing."""
        return _unzigzag(_Reader(self.values[number][1]).varint()) if number in self.values else 0

    def text(self, number: int) -> str:
        """A text; empty where the field is missing."""
        if number not in self.values:
            return ""
        reader = _Reader(self.values[number][1])
        size = reader.varint()
        return reader.data[reader.position : reader.position + size].decode()

    def struct(self, number: int) -> Struct:
        """A struct within this one; without fields where it is missing."""
        return Struct.parsed(self.values[number][1]) if number in self.values else Struct()

    def structs(self, number: int) -> list[Struct]:
        """A list of structs; empty where it is missing."""
        if number not in self.values:
            return []
        reader = _Reader(self.values[number][1])
        return [reader.struct() for _ in range(reader.list_size())]

    def put_number(self, number: int, value: int, kind: int = I64) -> None:
        """Sets an integer, of type I32 or I64."""
        self.values[number] = (kind, _varint(_zigzag(value)))

    def put_text(self, number: int, value: str) -> None:
        """Sets a text."""
        data = value.encode()
        self.values[number] = (_BINARY, _varint(len(data)) + data)

    def put_struct(self, number: int, value: Struct) -> None:
        """Sets a struct."""
        self.values[number] = (_STRUCT, value.to_bytes())

    def put_structs(self, number: int, values: Sequence[Struct]) -> None:
        """Sets a list of structs."""
        self.values[number] = (_LIST, _list_header(len(values)) + b"".join(value.to_bytes() for value in values))

    def drop(self, *numbers: int) -> None:
        """Takes fields away, where they are there."""
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


class _Reader:
    """A position in some bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def struct(self) -> Struct:
        found = Struct()
        for number, kind in self._fields():
            start = self.position
            self._skip(kind)
            found.values[number] = (kind, self.data[start : self.position])
        return found

    def list_size(self) -> int:
        """Enters a list."""
        return self._list_header()[0]

    def _list_header(self) -> tuple[int, int]:
        header = self._byte()
        return self.varint() if header >> 4 == 15 else header >> 4, header & 0x0F

    def _fields(self) -> Iterator[tuple[int, int]]:
        """Number and type of each field of a struct; its value is to be passed before the next is asked for."""
        last = 0
        while (header := self._byte()) != 0:
            last = last + (header >> 4) if header >> 4 else _unzigzag(self.varint())
            yield last, header & 0x0F

    def _skip(self, kind: int) -> None:
        """Passes over a value."""
        match kind:
            case 3:
                self._byte()
            case 4 | 5 | 6:
                self.varint()
            case 7:
                self._pass(8)
            case 8:
                self._pass(self.varint())
            case 12:
                for _, inner in self._fields():
                    self._skip(inner)
            case 9 | 10:
                size, inner = self._list_header()
                self._skip_items(size, (inner,))
            case 11:
                self._skip_map()
            case 1 | 2:
                # A truth value is in its type.
                return
            case _:
                raise ValueError(f"these bytes have a Thrift value of type {kind}")

    def _skip_map(self) -> None:
        size = self.varint()
        if size:
            kinds = self._byte()
            self._skip_items(size, (kinds >> 4, kinds & 0x0F))

    def _skip_items(self, size: int, kinds: Iterable[int]) -> None:
        """In a list truth values take a byte each."""
        items = [3 if kind in _TRUTHS else kind for kind in kinds]
        for _ in range(size):
            for kind in items:
                self._skip(kind)

    def _pass(self, size: int) -> None:
        self.position += size
        if self.position > len(self.data):
            raise IndexError

    def _byte(self) -> int:
        byte = self.data[self.position]
        self.position += 1
        return byte


def _list_header(size: int) -> bytes:
    return bytes([size << 4 | _STRUCT]) if size < 15 else bytes([0xF0 | _STRUCT]) + _varint(size)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _zigzag(value: int) -> int:
    return value << 1 if value >= 0 else (-value << 1) - 1


def _unzigzag(value: int) -> int:
    return value >> 1 ^ -(value & 1)
