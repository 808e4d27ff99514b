"""The footer of a Parquet file: what is read and changed of it where Arrow offers no way.

It is the end of the file and nothing points into it, so that it can be exchanged for a longer one.
Source: Apache Parquet, File Format, and the comments of its Thrift definitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deltasql.datafiles.footers.row_groups import TAIL, footer_length
from deltasql.datafiles.footers.thrift import Struct

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC = b"PAR1"

# Fields of FileMetaData, SchemaElement and KeyValue, by their numbers.
VERSION, SCHEMA, ROWS, ROW_GROUPS, KEYS, CREATED_BY, ORDERS = range(1, 8)
NAME, CHILDREN, FIELD_ID = 4, 5, 9
KEY, VALUE = 1, 2
# Of RowGroup and ColumnChunk.
CHUNKS, META = 1, 3


@dataclass(frozen=True, slots=True)
class FooterColumn:
    """A column of a table: the elements of its schema, depth first, itself the first."""

    elements: list[Struct]

    @property
    def name(self) -> str:
        """As the file calls it."""
        return self.elements[0].text(NAME)

    @property
    def leaves(self) -> int:
        """How many chunks each row group has for it."""
        return sum(not element.number(CHILDREN) for element in self.elements)


def footer_of(data: memoryview) -> tuple[int, Struct]:
    """Where the footer of a whole file begins, and the footer. Raises ValueError for what is no Parquet file."""
    start = len(data) - TAIL - footer_length(bytes(data[-TAIL:]), len(data))
    return start, Struct.parsed(bytes(data[start:-TAIL]))


def ending(footer: Struct) -> bytes:
    """What a file with this footer ends with, behind its data."""
    written = footer.to_bytes()
    return written + len(written).to_bytes(4, "little") + MAGIC


def together(parts: Sequence[bytes | memoryview]) -> pa.Buffer:
    """One after another, in memory that Arrow keeps: new one of the system's takes longer than to copy."""
    import pyarrow as pa

    found = pa.allocate_buffer(sum(map(len, parts)))
    into, start = memoryview(found).cast("B"), 0
    for part in parts:
        into[start : start + len(part)] = part if isinstance(part, bytes) else part.cast("B")
        start += len(part)
    return found


def columns_of(footer: Struct) -> list[FooterColumn]:
    """The columns in the order of their chunks. Raises ValueError for a footer without a schema."""
    elements = footer.structs(SCHEMA)
    if not elements:
        raise ValueError("a footer without a schema")
    following = iter(elements[1:])
    return [FooterColumn(list(_below(following))) for _ in range(elements[0].number(CHILDREN))]


def _below(following: Iterator[Struct]) -> Iterator[Struct]:
    """The next element and its children: each says how many of those that follow these are."""
    element = next(following)
    yield element
    for _ in range(element.number(CHILDREN)):
        yield from _below(following)
