"""Field ids of elements, keys and values, written into the footers of Parquet files.

Spark's writer gives ids to the fields of structs only, and Iceberg finds everything by its id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from deltasql.files.footers.edits import CHILDREN, FIELD_ID, NAME, SCHEMA, ending, footer_of
from deltasql.log.storage.thrift import I32, Struct
from deltasql.schema.column_mapping import NESTED_IDS, physical_name
from deltasql.schema.types import ArrayType, DataType, MapType, StructField, StructType


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
