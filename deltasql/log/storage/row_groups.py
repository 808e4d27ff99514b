"""Parser of a Parquet footer's row groups and column chunks without pyarrow.

pyarrow aborts the process, by an uncaught C++ exception, when it reads the column chunks of some damaged footers: a
type other than the schema's, or inconsistent sizes. Reading rows of such a file raises a proper error.
Source: Parquet's thrift definition.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from deltasql.base.lazy import pa
from deltasql.log.storage.thrift import (
    BINARY,
    I64,
    LIST,
    STRUCT,
    fields_of,
    integer,
    list_of,
    struct_fields,
    text,
)

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
