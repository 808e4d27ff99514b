"""Parquet footers: parsed and edited where Arrow has no function for it, and facts that only they contain.

The parser does not use pyarrow, like `row_groups`, since files may be of any writer. Schemas stay unparsed bytes, since
those of a thousand files are mostly equal. The footer is at the end of the file and nothing points into it, so it can
be replaced by a longer one. Field ids of elements, keys and values are written into footers, since Spark's writer gives
ids to the fields of structs only, and Iceberg finds everything by its id. Source: Apache Parquet, File Format, and the
comments of its Thrift definitions.

The module also has the thread pools for parallel I/O in this process, whose waits Ctrl-C interrupts.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar

from deltasql.base import AGAIN_AFTER, check, errors, pa, pq
from deltasql.log import OLD_DAYS, Stores, is_local, local_path, require_regular, row_groups
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
        fields, _ = row_groups.struct_fields(data, 0, _FILE)
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
        if kind in {17, 18}:
            return _PLAIN[kind], inner.get(1, ""), inner.get(2, 0)
        return (_PLAIN.get(kind, "unknown"),)
    if fields.get(6) == 5:
        return "decimal", fields.get(8, 0), fields.get(7, 0)
    return _CONVERTED.get(fields.get(6, -1))


def _without_bounds(chunk: Chunk) -> Chunk:
    nulls = None if chunk.bounds is None else chunk.bounds.nulls
    return Chunk(chunk.physical, chunk.values, ChunkBounds(None, None, nulls))


# Readers of thrift's structs, by the numbers of their fields


def _chunk(data: bytes, at: int) -> tuple[Chunk, int]:
    column, at = row_groups.struct_fields(data, at, _COLUMN)
    fields = column.get(3, {})
    physical, values, said = fields.get(1), fields.get(5, -1), fields.get(12)
    bounds = None if said is None else ChunkBounds(said.get(6), said.get(5), said.get(3))
    if physical is None or values < 0 or (bounds and bounds.nulls is not None and not 0 <= bounds.nulls <= values):
        raise ValueError("its footer describes an impossible column")
    return Chunk(physical, values, bounds), at


def _group(data: bytes, at: int) -> tuple[RowGroupMetadata, int]:
    fields, at = row_groups.struct_fields(data, at, _GROUP)
    rows = fields.get(3, -1)
    if rows < 0:
        raise ValueError("its footer describes a row group without a size")
    return RowGroupMetadata(rows, tuple(fields.get(1, ()))), at


def _pair(data: bytes, at: int) -> tuple[tuple[str | None, str | None], int]:
    """A key and its value; None for one that is not UTF-8."""
    fields, at = row_groups.struct_fields(data, at, _PAIR)
    return (_decoded(fields.get(1)), _decoded(fields.get(2))), at


def _decoded(value: bytes | None) -> str | None:
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return None


def _unread_list(data: bytes, at: int) -> tuple[bytes, int]:
    """The unparsed bytes of a list, which are parsed later."""
    end = row_groups.skipped(data, at, row_groups.LIST)
    return data[at:end], end


def _byte(data: bytes, at: int) -> tuple[int, int]:
    return data[at], at + 1


def _true(data: bytes, at: int) -> tuple[bool, int]:
    return True, at


def _union(
    kinds: Mapping[int, Mapping[int, tuple[int, row_groups.Reader]]], others: Sequence[int] = ()
) -> row_groups.Reader:
    """Reader of a union: a struct with one field set, parsed by `kinds`; fields of `others` have no content."""
    return row_groups.fields_of(
        {kind: (row_groups.STRUCT, row_groups.fields_of(kinds.get(kind, {}))) for kind in (*kinds, *others)}
    )


_UNIT = _union({}, tuple(UNITS))
_MOMENT = {1: (row_groups.TRUE, _true), 2: (row_groups.STRUCT, _UNIT)}
_LOGICAL = _union(
    {
        5: {1: (row_groups.I32, row_groups.integer), 2: (row_groups.I32, row_groups.integer)},
        7: _MOMENT,
        8: _MOMENT,
        10: {1: (row_groups.BYTE, _byte), 2: (row_groups.TRUE, _true)},
        17: {1: (row_groups.BINARY, row_groups.text)},
        18: {1: (row_groups.BINARY, row_groups.text), 2: (row_groups.I32, row_groups.integer)},
    },
    tuple(_PLAIN),
)
_ELEMENT = {
    **dict.fromkeys((1, 2, 3, 5, 6, 7, 8, 9), (row_groups.I32, row_groups.integer)),
    4: (row_groups.BINARY, row_groups.text),
    10: (row_groups.STRUCT, _LOGICAL),
}
_ELEMENTS = row_groups.list_of(row_groups.STRUCT, row_groups.fields_of(_ELEMENT))
_STATISTICS = {
    3: (row_groups.I64, row_groups.integer),
    5: (row_groups.BINARY, row_groups.raw),
    6: (row_groups.BINARY, row_groups.raw),
}
_META = {
    1: (row_groups.I32, row_groups.integer),
    5: (row_groups.I64, row_groups.integer),
    12: (row_groups.STRUCT, row_groups.fields_of(_STATISTICS)),
}
_COLUMN = {3: (row_groups.STRUCT, row_groups.fields_of(_META))}
_GROUP = {1: (row_groups.LIST, row_groups.list_of(row_groups.STRUCT, _chunk)), 3: (row_groups.I64, row_groups.integer)}
_PAIR = {1: (row_groups.BINARY, row_groups.raw), 2: (row_groups.BINARY, row_groups.raw)}
_FILE = {
    2: (row_groups.LIST, _unread_list),
    3: (row_groups.I64, row_groups.integer),
    4: (row_groups.LIST, row_groups.list_of(row_groups.STRUCT, _group)),
    5: (row_groups.LIST, row_groups.list_of(row_groups.STRUCT, _pair)),
    6: (row_groups.BINARY, row_groups.text),
    7: (row_groups.LIST, _unread_list),
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

    elements: list[row_groups.Struct]

    @property
    def name(self) -> str:
        """The column's name in the file."""
        return self.elements[0].text(NAME)

    @property
    def leaves(self) -> int:
        """The number of leaf columns, and so of column chunks per row group."""
        return sum(not element.number(CHILDREN) for element in self.elements)


def footer_of(data: memoryview) -> tuple[int, row_groups.Struct]:
    """Offset of the footer in a file's bytes, and the footer. Raises ValueError if it is no Parquet file."""
    start = len(data) - row_groups.TAIL - row_groups.footer_length(bytes(data[-row_groups.TAIL :]), len(data))
    return start, row_groups.Struct.parsed(bytes(data[start : -row_groups.TAIL]))


def ending(footer: row_groups.Struct) -> bytes:
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


def columns_of(footer: row_groups.Struct) -> list[FooterColumn]:
    """The top-level columns in the order of their chunks. Raises ValueError for a footer without a schema."""
    elements = footer.structs(SCHEMA)
    if not elements:
        raise ValueError("a footer without a schema")
    following = iter(elements[1:])
    return [FooterColumn(list(_below(following))) for _ in range(elements[0].number(CHILDREN))]


def _below(following: Iterator[row_groups.Struct]) -> Iterator[row_groups.Struct]:
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


def give_nested_ids(footer: row_groups.Struct, schema: StructType) -> None:
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


def _give(
    elements: Iterator[row_groups.Struct], count: int, above: tuple[str, ...], ids: Mapping[tuple[str, ...], int]
) -> None:
    """Elements stand depth first; each says how many follow that are its children."""
    for _ in range(count):
        element = next(elements)
        path = (*above, element.text(NAME))
        if path in ids:
            element.put_number(FIELD_ID, ids[path], row_groups.I32)
        _give(elements, element.number(CHILDREN), path, ids)


NAN_SAFE_KEY = "deltasql.bounds.nan"
"""Footer key of files of which deltasql guarantees that no column chunk with NaN has bounds, which would ignore NaN."""
UNSURE_BOUNDS = ("parquet.filter.stats.enabled", "parquet.filter.columnindex.enabled")
"""Options of Spark's reader that enable data skipping by row group and page bounds."""
_SURE_WRITERS = re.compile(r"parquet-mr version (?:1\.\d\d|[2-9])")
"""`created_by` of writers whose bounds are NaN if a value is NaN: readers then ignore the bounds of the chunk."""
_SPARK_VERSION, _FIRST_NEW_DAYS = b"org.apache.spark.version", b"3.0.0"
_MOST_LOOKED_AT = 1024
"""With more files than this, their footers are not inspected."""

_THREADS = 8
# Row ids and commit versions stand in columns that belong to the table and to no schema.
_ROW_TRACKING = ("_row-id-col-", "_row-commit-version-col-")


@contextmanager
def readable(path: str) -> Iterator[None]:
    """Context for reading a data file: raises LostDataFileError if it is missing, else UnreadableDataFileError."""
    try:
        if is_local(path):
            require_regular(local_path(path))
        yield
    except FileNotFoundError as error:
        raise errors.LostDataFileError(path) from error
    except (pa.ArrowException, OSError, ValueError, OverflowError, RecursionError) as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise errors.UnreadableDataFileError(path, reason[0].rstrip(".")) from error


def footer(stores: Stores, path: str) -> pq.FileMetaData:
    """The footer of a data file at an absolute path. Raises LostDataFileError, UnreadableDataFileError.

    Do not read its column chunks for files of other writers: pyarrow aborts the process for some damaged footers.
    """
    with readable(path):
        return pq.read_metadata(stores.open_file(path))


def bounds_are_sure(stores: Stores, paths: Sequence[str]) -> bool:
    """Whether no file has bounds of floating-point columns that ignore NaN.

    Spark's reader skips row groups by such bounds, though NaN is greater than any number. Bounds of writers other than
    Spark's are not trusted, nor those of unreadable files, nor those of more than _MOST_LOOKED_AT files.
    """
    return len(paths) <= _MOST_LOOKED_AT and all(sure_bounds(stores, paths))


def sure_bounds(stores: Stores, paths: Sequence[str]) -> list[bool]:
    """For each file, whether it certainly has no bounds of floating-point columns that ignore NaN."""
    with ThreadPoolExecutor(min(_THREADS, max(1, len(paths)))) as threads:
        return list(threads.map(partial(_has_sure_bounds, stores), paths))


def _has_sure_bounds(stores: Stores, path: str) -> bool:
    try:
        metadata = footer(stores, path)
    except (errors.LostDataFileError, errors.UnreadableDataFileError, errors.StorageError):
        return False
    return bool(
        _SURE_WRITERS.match(metadata.created_by or "")
        or NAN_SAFE_KEY.encode() in (metadata.metadata or {})
        or not float_leaves(metadata)
    )


def says_old_calendar(properties: Mapping[bytes, bytes], since: bytes = _FIRST_NEW_DAYS) -> bool:
    """Whether the properties of a footer say that its days are of the Julian calendar before 1582.

    So are those of versions of Spark before `since`.
    """
    return not OLD_DAYS.isdisjoint(properties) or properties.get(_SPARK_VERSION, since) < since


def float_leaves(footer: pq.FileMetaData) -> list[int]:
    """Indexes of a file's leaf columns that are FLOAT or DOUBLE."""
    return [at for at in range(footer.num_columns) if footer.schema.column(at).physical_type in {"FLOAT", "DOUBLE"}]


def foreign_columns(stores: Stores, paths: Sequence[str], schema: StructType) -> list[bool]:
    """For each Parquet file, whether it has a column or nested field that `schema` lacks, by physical names."""

    def has_foreign(path: str) -> bool:
        with readable(path):
            return _is_foreign(pa.struct(list(footer(stores, path).schema.to_arrow_schema())), schema)

    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(has_foreign, paths))


def _is_foreign(file_type: pa.DataType, table_type: DataType) -> bool:
    """Whether a file's type has a field that the table's type lacks; other differences are ignored."""
    match table_type:
        case StructType() if pa.types.is_struct(file_type):
            fields = {physical_name(field): field.type for field in table_type}
            present = [field for field in file_type if not field.name.startswith(_ROW_TRACKING)]
            return any(field.name not in fields or _is_foreign(field.type, fields[field.name]) for field in present)
        case ArrayType(element=element) if hasattr(file_type, "value_field"):
            return _is_foreign(file_type.value_type, element)
        case MapType(key=key, value=value) if pa.types.is_map(file_type):
            return _is_foreign(file_type.key_type, key) or _is_foreign(file_type.item_type, value)
        case _:
            return False


Result = TypeVar("Result")


@contextmanager
def working(pieces: int, most: int = _THREADS, *, settles: bool = False) -> Iterator[ThreadPoolExecutor]:
    """Context: a thread pool for `pieces` tasks, with at most `most` threads. Its end cancels tasks not yet begun.

    With `settles` the end also waits for running tasks.
    """
    threads = ThreadPoolExecutor(min(most, max(1, pieces)))
    try:
        yield threads
    finally:
        threads.shutdown(wait=settles, cancel_futures=True)


def awaited(future: Future[Result]) -> Result:
    """The result of a future. Raises the task's exception, and KeyboardInterrupt.

    Ctrl-C does not interrupt the wait for a thread, so it is polled.
    """
    while not wait((future,), AGAIN_AFTER).done:
        check()
    return future.result()
