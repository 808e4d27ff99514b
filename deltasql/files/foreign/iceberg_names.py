"""Column names in the data files of an Iceberg table, which become the physical names of the Delta table.

Iceberg identifies columns by field ids alone. Delta readers use physical names too, so a column must have one name in
all files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from uuid import uuid4

from deltasql.base.errors.iceberg import IcebergSourceError
from deltasql.base.errors.sources import SourceFileError
from deltasql.files.footers.metadata import Element, ParquetMetadata, parse_schema
from deltasql.files.foreign.parquet_types import atomic_type
from deltasql.schema.column_mapping import ID, PHYSICAL_NAME, physical_name
from deltasql.schema.text import path_text, type_text
from deltasql.schema.types import BINARY, ArrayType, DataType, MapType, StructField, StructType


def named_as_in_files(
    schema: StructType, paths: Sequence[str], footers: Sequence[ParquetMetadata], location: str
) -> StructType:
    """`schema` with the names of its fields in the files as physical names; `paths` are the files' locations.

    Raises IcebergSourceError if a field has different names, a name belongs to two fields, or a file lacks field ids or
    has other types than the table. Raises SourceFileError for a damaged schema.
    """
    roots: dict[bytes, tuple[Element, str]] = {}
    for path, footer in zip(paths, footers, strict=True):
        if footer.schema not in roots:
            try:
                roots[footer.schema] = (parse_schema(footer.schema), path)
            except ValueError as error:
                raise SourceFileError(path, str(error)) from error
    names: dict[int, str] = {}
    for root, _ in roots.values():
        for element in _fields(root.children):
            if element.field_id is not None:
                names.setdefault(element.field_id, element.name)
    named = _named(schema, names)
    for root, path in roots.values():
        for problem in _problems(root.children, named, ()):
            raise IcebergSourceError(
                location, f"{problem} in {path}, as Delta's readers could not tell; rewrite the file"
            )
    return named


def check_stored(
    ids: Collection[int], schema: StructType, paths: Sequence[str], footers: Sequence[ParquetMetadata], location: str
) -> None:
    """Raises IcebergSourceError if a file lacks one of the columns with these field ids."""
    if not ids:
        return
    for path, footer in zip(paths, footers, strict=True):
        present = {element.field_id for element in parse_schema(footer.schema).children}
        missing = [field.name for field in schema if field.metadata[ID] in ids and field.metadata[ID] not in present]
        if missing:
            raise IcebergSourceError(location, f"{path} lacks the partition column {', '.join(missing)}")


def _fields(children: Sequence[Element]) -> Iterator[Element]:
    for child in children:
        yield child
        yield from _fields(child.children)


def _named(schema: StructType, names: Mapping[int, str]) -> StructType:
    """`schema` with physical names by field id; a field that is in no file gets a name that no sibling has there."""
    stored = [names.get(field.metadata[ID]) for field in schema]
    taken = {name.lower() for name in stored if name is not None}
    return StructType(tuple(_renamed(field, name, taken, names) for field, name in zip(schema, stored, strict=True)))


def _renamed(field: StructField, name: str | None, taken: set[str], names: Mapping[int, str]) -> StructField:
    physical = name or (field.name if field.name.lower() not in taken else f"col-{uuid4()}")
    metadata = MappingProxyType({**field.metadata, PHYSICAL_NAME: physical})
    return replace(field, type=_inside(field.type, names), metadata=metadata)


def _inside(kind: DataType, names: Mapping[int, str]) -> DataType:
    match kind:
        case StructType():
            return _named(kind, names)
        case ArrayType(element):
            return replace(kind, element=_inside(element, names))
        case MapType(key, value):
            return replace(kind, key=_inside(key, names), value=_inside(value, names))
        case _:
            return kind


def _problems(children: Sequence[Element], schema: StructType, above: tuple[str, ...]) -> Iterator[str]:
    """Messages about mismatches of names, ids and types between a struct's fields in a file and in `schema`."""
    by_id = {field.metadata[ID]: field for field in schema}
    by_name = {physical_name(field).lower(): field for field in schema}
    for child in children:
        path = (*above, child.name)
        if child.field_id is None:
            yield f"column {path_text(path)} has no field id"
            continue
        field, same_name = by_id.get(child.field_id), by_name.get(child.name.lower())
        if field is not same_name:
            yield f"{path_text(path)} is not the column that other files or the table call so"
        elif field is not None:
            yield from _type_problems(child, field.type, path)


def _type_problems(element: Element, kind: DataType, path: tuple[str, ...]) -> Iterator[str]:
    match kind:
        case StructType():
            yield from _problems(element.children, kind, path)
        case ArrayType(inner) if element.children and element.children[0].children:
            yield from _type_problems(element.children[0].children[0], inner, (*path, "element"))
        case MapType(key, value) if element.children and len(element.children[0].children) == 2:
            first, second = element.children[0].children
            yield from _type_problems(first, key, (*path, "key"))
            yield from _type_problems(second, value, (*path, "value"))
        case _:
            physical_type = None if element.physical is None else atomic_type(element, element.physical)
            if physical_type is not None and physical_type != kind:
                yield f"column {path_text(path)} is of type {type_text(physical_type)}, not {type_text(kind)},"
            elif physical_type is None and kind != BINARY:
                yield f"column {path_text(path)} is of a type that Spark does not read"
