"""Reading and editing of Parquet footers, where Arrow has no function for it.

The footer is at the end of the file and nothing points into it, so it can be replaced by a longer one.
Source: Apache Parquet, File Format, and the comments of its Thrift definitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deltasql.base.lazy import pa
from deltasql.log.storage.row_groups import TAIL, footer_length
from deltasql.log.storage.thrift import Struct

MAGIC = b"PAR1"

# Fields of FileMetaData, SchemaElement and KeyValue, by their numbers.
VERSION, SCHEMA, ROWS, ROW_GROUPS, KEYS, CREATED_BY, ORDERS = range(1, 8)
NAME, CHILDREN, FIELD_ID = 4, 5, 9
KEY, VALUE = 1, 2
# Of RowGroup and ColumnChunk.
CHUNKS, META = 1, 3


@dataclass(frozen=True, slots=True)
class FooterColumn:
    """A top-level column: its schema elements, depth first, beginning with the column itself."""

    elements: list[Struct]

    @property
    def name(self) -> str:
        """The column's name in the file."""
        return self.elements[0].text(NAME)

    @property
    def leaves(self) -> int:
        """The number of leaf columns, and so of column chunks per row group."""
        return sum(not element.number(CHILDREN) for element in self.elements)


def footer_of(data: memoryview) -> tuple[int, Struct]:
    """Offset of the footer in a file's bytes, and the footer. Raises ValueError if it is no Parquet file."""
    start = len(data) - TAIL - footer_length(bytes(data[-TAIL:]), len(data))
    return start, Struct.parsed(bytes(data[start:-TAIL]))


def ending(footer: Struct) -> bytes:
    """The bytes of a file after its data pages: the footer, its length, and the magic number."""
    written = footer.to_bytes()
    return written + len(written).to_bytes(4, "little") + MAGIC


def together(parts: Sequence[bytes | memoryview]) -> pa.Buffer:
    """The concatenation of `parts`, in memory of Arrow's pool: new memory of the system takes longer than the copy."""
    joined = pa.allocate_buffer(sum(map(len, parts)))
    into, start = memoryview(joined).cast("B"), 0
    for part in parts:
        into[start : start + len(part)] = part if isinstance(part, bytes) else part.cast("B")
        start += len(part)
    return joined


def columns_of(footer: Struct) -> list[FooterColumn]:
    """The top-level columns in the order of their chunks. Raises ValueError for a footer without a schema."""
    elements = footer.structs(SCHEMA)
    if not elements:
        raise ValueError("a footer without a schema")
    following = iter(elements[1:])
    return [FooterColumn(list(_below(following))) for _ in range(elements[0].number(CHILDREN))]


def _below(following: Iterator[Struct]) -> Iterator[Struct]:
    """The next element of a flattened schema and its descendants; each element has its number of children."""
    element = next(following)
    yield element
    for _ in range(element.number(CHILDREN)):
        yield from _below(following)
