"""Field ids of elements, keys and values, written into the footers of Parquet files.

Spark's writer gives ids to the fields of structs only, and Iceberg finds everything by its id. The footer is the end
of the file and nothing points into it, so that it can be exchanged for a longer one. It is a Thrift struct in the
compact protocol, of which only the list of schema elements is taken apart. Source: Apache Parquet, File Format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from deltasql.schema.column_mapping import NESTED_IDS, physical_name
from deltasql.schema.types import ArrayType, DataType, MapType, StructField, StructType

_MAGIC = b"PAR1"
_SCHEMA, _NAME, _CHILDREN, _FIELD_ID = 2, 4, 5, 9
_I32, _STRUCT = 5, 12


def has_nested_ids(schema: StructType) -> bool:
    """Whether files of this schema need ids that Spark does not write."""
    return any(True for item in schema for _ in _nested(item, ()))


def with_nested_ids(data: bytes, schema: StructType) -> bytes:
    """A Parquet file, whole, whose elements, keys and values have the ids that `schema` has for them.

    Raises ValueError for what is no Parquet file.
    """
    if data[-4:] != _MAGIC:
        raise ValueError("these bytes do not end like a Parquet file")
    ids = {place: number for item in schema for place, number in _nested(item, ())}
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    footer = with_ids(data[start:-8], ids)
    return data[:start] + footer + len(footer).to_bytes(4, "little") + _MAGIC


def with_ids(footer: bytes, ids: Mapping[tuple[str, ...], int]) -> bytes:
    """A footer whose schema elements have `ids`, by the names on the way to them."""
    reader = _Reader(footer)
    for number, kind in reader.fields():
        if number != _SCHEMA:
            reader.skip(kind)
            continue
        start = reader.position
        elements = [reader.element() for _ in range(reader.list_size())]
        _give(iter(elements[1:]), elements[0].children, (), ids)
        changed = _list_header(len(elements)) + b"".join(element.to_bytes() for element in elements)
        return footer[:start] + changed + footer[reader.position :]
    raise ValueError("a footer without a schema")


def _nested(item: StructField, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    """The ids below a field, by the names of the nodes that Parquet has for them."""
    name = physical_name(item)
    ids = item.metadata.get(NESTED_IDS, {})

    def below(kind: DataType, key: str, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
        parts: tuple[tuple[str, DataType, tuple[str, ...]], ...]
        match kind:
            case StructType():
                for child in kind:
                    yield from _nested(child, place)
                return
            case ArrayType():
                parts = (("element", kind.element, (*place, "list", "element")),)
            case MapType():
                nodes = {part: (*place, "key_value", part) for part in ("key", "value")}
                parts = (("key", kind.key, nodes["key"]), ("value", kind.value, nodes["value"]))
            case _:
                return
        for part, inner, node in parts:
            if f"{key}.{part}" in ids:
                yield node, ids[f"{key}.{part}"]
            yield from below(inner, f"{key}.{part}", node)

    return below(item.type, name, (*above, name))


def _give(elements: Iterator[_Element], count: int, above: tuple[str, ...], ids: Mapping[tuple[str, ...], int]) -> None:
    """Elements stand depth first; each says how many follow that are its children."""
    for _ in range(count):
        element = next(elements)
        place = (*above, element.name)
        if place in ids:
            element.values[_FIELD_ID] = (_I32, _varint(_zigzag(ids[place])))
        _give(elements, element.children, place, ids)


@dataclass(slots=True)
class _Element:
    """One SchemaElement: type and encoded value of each of its fields."""

    values: dict[int, tuple[int, bytes]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        reader = _Reader(self.values[_NAME][1])
        size = reader.varint()
        return reader.data[reader.position : reader.position + size].decode()

    @property
    def children(self) -> int:
        return _unzigzag(_Reader(self.values[_CHILDREN][1]).varint()) if _CHILDREN in self.values else 0

    def to_bytes(self) -> bytes:
        parts, last = [], 0
        for number, (kind, value) in sorted(self.values.items()):
            # All numbers of this struct are less than 15 apart.
            parts.append(bytes([(number - last) << 4 | kind]) + value)
            last = number
        return b"".join(parts) + b"\0"


class _Reader:
    """A position in Thrift's compact protocol."""

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

    def fields(self) -> Iterator[tuple[int, int]]:
        """Number and type of each field of a struct; its value is to be read before the next is asked for."""
        last = 0
        while (header := self._byte()) != 0:
            last = last + (header >> 4) if header >> 4 else _unzigzag(self.varint())
            yield last, header & 0x0F

    def list_size(self) -> int:
        """Enters a list of structs."""
        header = self._byte()
        return self.varint() if header >> 4 == 15 else header >> 4

    def element(self) -> _Element:
        found = _Element()
        for number, kind in self.fields():
            start = self.position
            self.skip(kind)
            found.values[number] = (kind, self.data[start : self.position])
        return found

    def skip(self, kind: int) -> None:
        """Passes over a value. Truth values have none: they are in the type."""
        match kind:
            case 3:
                self.position += 1
            case 4 | 5 | 6:
                self.varint()
            case 7:
                self.position += 8
            case 8:
                size = self.varint()
                self.position += size
            case 12:
                for _, inner in self.fields():
                    self.skip(inner)
            case 9 | 10:
                self._skip_list()
            case 11:
                self._skip_map()

    def _skip_list(self) -> None:
        header = self._byte()
        size = self.varint() if header >> 4 == 15 else header >> 4
        self._skip_items(size, (header & 0x0F,))

    def _skip_map(self) -> None:
        size = self.varint()
        if size:
            kinds = self._byte()
            self._skip_items(size, (kinds >> 4, kinds & 0x0F))

    def _skip_items(self, size: int, kinds: Iterable[int]) -> None:
        """In a list truth values take a byte each."""
        items = [3 if kind in (1, 2) else kind for kind in kinds]
        for _ in range(size):
            for kind in items:
                self.skip(kind)

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
    return value << 1


def _unzigzag(value: int) -> int:
    return value >> 1 ^ -(value & 1)
