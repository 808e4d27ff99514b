"""The compact protocol of thrift, in which the footers of Parquet files are written, read without pyarrow.

A reader takes the bytes and where a value begins, and gives the value and where it ends. Damage is a ValueError, an
IndexError or a RecursionError; nothing is read that is not there. Source: thrift's compact protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

# A boolean is its own value as a field, and a byte in a list.
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_DEEPEST = 64
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
        count, at = varint(data, at)
    require(data, at, count)
    return head & 15, count, at


def struct_fields(data: bytes, at: int, wanted: Mapping[int, tuple[int, Reader]]) -> tuple[dict[int, Any], int]:
    """The wanted fields, by number; one of another type than it should be is passed over, as thrift does."""
    found: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        at += 1
        kind, step = head & 15, head >> 4
        if step:
            number += step
        else:
            number, at = integer(data, at)
        known = wanted.get(number)
        if known is not None and known[0] == kind:
            found[number], at = known[1](data, at)
        elif kind in _INTEGERS:
            # What is passed over mostly are these: a call of its own would take longer than they do.
            while data[at] >= 0x80:
                at += 1
            at += 1
        elif kind > FALSE:
            at = skipped(data, at, kind)
    return found, at + 1


def skipped(data: bytes, at: int, kind: int, depth: int = 0) -> int:
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


def fields_of(wanted: Mapping[int, tuple[int, Reader]]) -> Reader:
    return lambda data, at: struct_fields(data, at, wanted)
