"""Parser of Parquet footers for new tables over foreign files: schema, rows, bounds and key-value pairs.

It does not use pyarrow, like `row_groups`, since files may be of any writer. Schemas stay unparsed bytes, since those
of a thousand files are mostly equal. Source: Parquet's thrift definition.

Reading and editing of Parquet footers, where Arrow has no function for it.

The footer is at the end of the file and nothing points into it, so it can be replaced by a longer one.
Source: Apache Parquet, File Format, and the comments of its Thrift definitions.

Field ids of elements, keys and values, written into the footers of Parquet files.

Spark's writer gives ids to the fields of structs only, and Iceberg finds everything by its id.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from deltasql.base import pa
from deltasql.log import (
    BINARY,
    BYTE,
    I32,
    I64,
    LIST,
    STRUCT,
    TAIL,
    TRUE,
    Reader,
    Struct,
    fields_of,
    footer_length,
    integer,
    list_of,
    raw,
    skipped,
    struct_fields,
    text,
)
from deltasql.schema import NESTED_IDS, ArrayType, DataType, MapType, StructField, StructType, physical_name

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
"""Parquet's physical types."""
REQUIRED, OPTIONAL, REPEATED = range(3)

Logical: TypeAlias = "tuple[Any, ...]"
"""A logical type: its name in lower case, then its parameters, such as unit, width, or precision and scale."""

UNITS = {1: "milliseconds", 2: "microseconds", 3: "nanoseconds"}
_PLAIN = {1: "string", 2: "map", 3: "list", 4: "enum", 6: "date", 11: "unknown", 12: "json", 13: "bson", 14: "uuid"}
_PLAIN |= {15: "float16", 16: "variant", 17: "geometry", 18: "geography"}
_CONVERTED: Mapping[int, Logical] = {
    0: ("string",),
    1: ("map",),
    2: ("map",),
    3: ("list",),
    4: ("enum",),
    6: ("date",),
    7: ("time", "milliseconds"),
    8: ("time", "microseconds"),
    9: ("timestamp", "milliseconds", True),
    10: ("timestamp", "microseconds", True),
    **{11 + place: ("integer", 8 << place, False) for place in range(4)},
    **{15 + place: ("integer", 8 << place, True) for place in range(4)},
    19: ("json",),
    20: ("bson",),
    21: ("interval",),
}
"""Logical types of the older ConvertedType numbers; 5 is a decimal, whose digits are in other fields."""


@dataclass(frozen=True, slots=True)
class Element:
    """One schema node with its children; `physical` is None for a group. `length` is that of FIXED, in bytes."""

    name: str
    repetition: int
    physical: int | None
    length: int
    logical: Logical | None
    field_id: int | None
    children: tuple[Element, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkBounds:
    """Statistics of a column chunk: raw bytes of the least and the greatest value, and null count; None if missing."""

    low: bytes | None
    high: bytes | None
    nulls: int | None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A column chunk: physical type, number of values including nulls, and statistics, if it has any."""

    physical: int
    values: int
    bounds: ChunkBounds | None


@dataclass(frozen=True, slots=True)
class RowGroupMetadata:
    rows: int
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class ParquetMetadata:
    """A Parquet footer: number of rows, schema (bytes for `parse_schema`), row groups, key-value pairs, and writer."""

    rows: int
    schema: bytes
    groups: tuple[RowGroupMetadata, ...]
    pairs: Mapping[str, str]
    created_by: str


def parse_metadata(data: bytes) -> ParquetMetadata:
    """The footer parsed from its bytes. Raises ValueError if it is damaged."""
    try:
        fields, _ = struct_fields(data, 0, _FILE)
    except (IndexError, RecursionError, struct.error) as error:
        raise ValueError("its footer is cut off or damaged") from error
    rows, schema = fields.get(3, -1), fields.get(2)
    groups = tuple(fields.get(4, ()))
    if schema is None or rows < 0 or rows != sum(group.rows for group in groups):
        raise ValueError("its footer does not say which rows and columns it has")
    if 7 not in fields:
        # Without column orders the order of the bounds is undefined.
        groups = tuple(RowGroupMetadata(group.rows, tuple(map(_without_bounds, group.chunks))) for group in groups)
    pairs = {key: value for key, value in fields.get(5, ()) if key is not None and value is not None}
    return ParquetMetadata(rows, schema, groups, pairs, fields.get(6, ""))


def parse_schema(data: bytes) -> Element:
    """The root of the schema parsed from `ParquetMetadata.schema`. Raises ValueError if it is damaged."""
    try:
        elements, _ = _ELEMENTS(data, 0)
        root, used = _tree(elements, 0, 0)
    except (IndexError, RecursionError, struct.error) as error:
        raise ValueError("its schema is damaged") from error
    if used != len(elements) or root.physical is not None:
        raise ValueError("its schema is damaged")
    return root


def leaves(root: Element) -> list[tuple[tuple[Element, ...], Element]]:
    """Pairs of (ancestors without the root, leaf column), in the order of column chunks."""
    columns: list[tuple[tuple[Element, ...], Element]] = []

    def walk(element: Element, above: tuple[Element, ...]) -> None:
        for child in element.children:
            if child.physical is None:
                walk(child, (*above, child))
            else:
                columns.append((above, child))

    walk(root, ())
    return columns


def _tree(elements: Sequence[dict[int, Any]], at: int, depth: int) -> tuple[Element, int]:
    """The element at index `at` of the flattened schema with its descendants, and the index after these."""
    fields = elements[at]
    at += 1
    children = []
    if 1 not in fields:
        if depth > _DEEPEST:
            raise ValueError("its schema is nested too deeply")
        for _ in range(fields.get(5, 0)):
            child, at = _tree(elements, at, depth + 1)
            children.append(child)
    name, physical = fields.get(4), fields.get(1)
    if name is None or (physical is not None and not BOOLEAN <= physical <= FIXED):
        raise ValueError("its schema has a column without a name or a type")
    logical = _logical(fields)
    element = Element(
        name, fields.get(3, REQUIRED), physical, fields.get(2, 0), logical, fields.get(9), tuple(children)
    )
    return element, at


_DEEPEST = 100


def _logical(fields: Mapping[int, Any]) -> Logical | None:
    """The logical type of a schema element, else that of its older ConvertedType; None if it has neither."""
    for kind, inner in fields.get(10, {}).items():
        if kind == 5:
            return "decimal", inner.get(2, 0), inner.get(1, 0)
        if kind in {7, 8}:
            unit = UNITS.get(next(iter(inner.get(2, {})), 0), "")
            return ("time", unit) if kind == 7 else ("timestamp", unit, 1 in inner)
        if kind == 10:
            return "integer", inner.get(1, 0), 2 in inner
        return (_PLAIN.get(kind, "unknown"),)
    if fields.get(6) == 5:
        return "decimal", fields.get(8, 0), fields.get(7, 0)
    return _CONVERTED.get(fields.get(6, -1))


def _without_bounds(chunk: Chunk) -> Chunk:
    nulls = None if chunk.bounds is None else chunk.bounds.nulls
    return Chunk(chunk.physical, chunk.values, ChunkBounds(None, None, nulls))


# Readers of thrift's structs, by the numbers of their fields


def _chunk(data: bytes, at: int) -> tuple[Chunk, int]:
    column, at = struct_fields(data, at, _COLUMN)
    fields = column.get(3, {})
    physical, values, said = fields.get(1), fields.get(5, -1), fields.get(12)
    bounds = None if said is None else ChunkBounds(said.get(6), said.get(5), said.get(3))
    if physical is None or values < 0 or (bounds and bounds.nulls is not None and not 0 <= bounds.nulls <= values):
        raise ValueError("its footer describes an impossible column")
    return Chunk(physical, values, bounds), at


def _group(data: bytes, at: int) -> tuple[RowGroupMetadata, int]:
    fields, at = struct_fields(data, at, _GROUP)
    rows = fields.get(3, -1)
    if rows < 0:
        raise ValueError("its footer describes a row group without a size")
    return RowGroupMetadata(rows, tuple(fields.get(1, ()))), at


def _pair(data: bytes, at: int) -> tuple[tuple[str | None, str | None], int]:
    """A key and its value; None for one that is not UTF-8."""
    fields, at = struct_fields(data, at, _PAIR)
    return (_decoded(fields.get(1)), _decoded(fields.get(2))), at


def _decoded(value: bytes | None) -> str | None:
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return None


def _unread_list(data: bytes, at: int) -> tuple[bytes, int]:
    """The unparsed bytes of a list, which are parsed later."""
    end = skipped(data, at, LIST)
    return data[at:end], end


def _byte(data: bytes, at: int) -> tuple[int, int]:
    return data[at], at + 1


def _true(data: bytes, at: int) -> tuple[bool, int]:
    return True, at


def _union(kinds: Mapping[int, Mapping[int, tuple[int, Reader]]], others: Sequence[int] = ()) -> Reader:
    """Reader of a union: a struct with one field set, parsed by `kinds`; fields of `others` have no content."""
    return fields_of({kind: (STRUCT, fields_of(kinds.get(kind, {}))) for kind in (*kinds, *others)})


_UNIT = _union({}, tuple(UNITS))
_MOMENT = {1: (TRUE, _true), 2: (STRUCT, _UNIT)}
_LOGICAL = _union(
    {5: {1: (I32, integer), 2: (I32, integer)}, 7: _MOMENT, 8: _MOMENT, 10: {1: (BYTE, _byte), 2: (TRUE, _true)}},
    tuple(_PLAIN),
)
_ELEMENT = {
    **dict.fromkeys((1, 2, 3, 5, 6, 7, 8, 9), (I32, integer)),
    4: (BINARY, text),
    10: (STRUCT, _LOGICAL),
}
_ELEMENTS = list_of(STRUCT, fields_of(_ELEMENT))
_STATISTICS = {3: (I64, integer), 5: (BINARY, raw), 6: (BINARY, raw)}
_META = {1: (I32, integer), 5: (I64, integer), 12: (STRUCT, fields_of(_STATISTICS))}
_COLUMN = {3: (STRUCT, fields_of(_META))}
_GROUP = {1: (LIST, list_of(STRUCT, _chunk)), 3: (I64, integer)}
_PAIR = {1: (BINARY, raw), 2: (BINARY, raw)}
_FILE = {
    2: (LIST, _unread_list),
    3: (I64, integer),
    4: (LIST, list_of(STRUCT, _group)),
    5: (LIST, list_of(STRUCT, _pair)),
    6: (BINARY, text),
    7: (LIST, _unread_list),
}


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


def has_nested_ids(schema: StructType) -> bool:
    """Whether files of this schema need ids that Spark does not write."""
    return any(True for item in schema for _ in _nested(item, ()))


def with_nested_ids(data: bytes, schema: StructType) -> bytes:
    """A Parquet file, whole, whose elements, keys and values have the ids that `schema` has for them.

    Raises ValueError for what is no Parquet file.
    """
    start, footer = footer_of(memoryview(data))
    give_nested_ids(footer, schema)
    return data[:start] + ending(footer)


def give_nested_ids(footer: Struct, schema: StructType) -> None:
    """Writes the ids that `schema` has for elements, keys and values into a footer."""
    ids = {path: number for item in schema for path, number in _nested(item, ())}
    elements = footer.structs(SCHEMA)
    _give(iter(elements[1:]), elements[0].number(CHILDREN), (), ids)
    footer.put_structs(SCHEMA, elements)


def _nested(item: StructField, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    """The ids below a field, by the names of the nodes that Parquet has for them."""
    name = physical_name(item)
    ids = item.metadata.get(NESTED_IDS, {})

    def below(kind: DataType, key: str, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
        parts: tuple[tuple[str, DataType, tuple[str, ...]], ...]
        match kind:
            case StructType():
                for child in kind:
                    yield from _nested(child, path)
                return
            case ArrayType():
                parts = (("element", kind.element, (*path, "list", "element")),)
            case MapType():
                nodes = {part: (*path, "key_value", part) for part in ("key", "value")}
                parts = (("key", kind.key, nodes["key"]), ("value", kind.value, nodes["value"]))
            case _:
                return
        for part, inner, node in parts:
            if f"{key}.{part}" in ids:
                yield node, ids[f"{key}.{part}"]
            yield from below(inner, f"{key}.{part}", node)

    return below(item.type, name, (*above, name))


def _give(elements: Iterator[Struct], count: int, above: tuple[str, ...], ids: Mapping[tuple[str, ...], int]) -> None:
    """Elements stand depth first; each says how many follow that are its children."""
    for _ in range(count):
        element = next(elements)
        path = (*above, element.text(NAME))
        if path in ids:
            element.put_number(FIELD_ID, ids[path], I32)
        _give(elements, element.number(CHILDREN), path, ids)
