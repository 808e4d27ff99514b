"""Conversion of a Parquet file's schema to Spark's types, and of an Iceberg table's column names to physical names.

Source: Spark, ParquetToSparkSchemaConverter.

Iceberg identifies columns by field ids alone. Delta readers use physical names too, so a column must have one name in
all files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from uuid import uuid4

from deltasql.base import errors
from deltasql.files.footers import (
    BOOLEAN,
    BYTE_ARRAY,
    DOUBLE,
    FIXED,
    FLOAT,
    INT32,
    INT64,
    INT96,
    REPEATED,
    Element,
    Logical,
    ParquetMetadata,
    parse_schema,
)
from deltasql.schema import (
    BINARY,
    ID,
    PHYSICAL_NAME,
    TYPE_KEY,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    is_shape,
    path_text,
    physical_name,
    schema_from_json,
    type_from_json,
    type_text,
    types,
)

SPARK_SCHEMA = "org.apache.spark.sql.parquet.row.metadata"
"""Footer key under which Spark stores its own schema of a file."""

_COPIED_METADATA = ("comment", TYPE_KEY)
"""Metadata keys of a column that remain valid in another table."""
_MOST_DIGITS = {INT32: 9, INT64: 18}
_PHYSICAL = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
_TEXTS = frozenset({"string", "enum", "json"})
_SIGNED = {8: types.BYTE, 16: types.SHORT, 32: types.INTEGER, 64: types.LONG}
_UNSIGNED: Mapping[int, DataType] = {8: types.SHORT, 16: types.INTEGER, 32: types.LONG, 64: DecimalType(20, 0)}
"""Spark types of unsigned integers by bit width: each needs the next wider type."""
_UNANNOTATED: Mapping[int, DataType] = {
    BOOLEAN: types.BOOLEAN,
    INT32: types.INTEGER,
    INT64: types.LONG,
    INT96: types.TIMESTAMP,
    FLOAT: types.FLOAT,
    DOUBLE: types.DOUBLE,
    BYTE_ARRAY: types.BINARY,
}


def file_schema(footer: ParquetMetadata, path: str) -> StructType:
    """The columns of a file, all nullable: from Spark's schema in the footer if there is one, else from Parquet's.

    Raises UnknownParquetTypeError, which names the file `path`, and ValueError for a damaged schema.
    """
    said = footer.pairs.get(SPARK_SCHEMA)
    if said is not None:
        try:
            return _nullable(schema_from_json(said))
        except (errors.InvalidSchemaJsonError, KeyError, TypeError):
            # A user-defined type: it is stored as Parquet's schema has it.
            pass
    return _struct(parse_schema(footer.schema).children, (), path)


def _struct(children: Sequence[Element], above: tuple[str, ...], path: str) -> StructType:
    return StructType(tuple(_field(child, (*above, child.name), path) for child in children))


def _field(element: Element, name: tuple[str, ...], path: str) -> StructField:
    kind = _type(element, name, path)
    return StructField(element.name, ArrayType(kind) if element.repetition == REPEATED else kind)


def _type(element: Element, name: tuple[str, ...], path: str) -> DataType:
    """The type of one value of a column, without regard to repetition."""
    if element.physical is not None:
        atomic = atomic_type(element, element.physical)
        if atomic is None:
            raise errors.UnknownParquetTypeError(path, path_text(name), _type_text(element))
        return atomic
    match element.logical, element.children:
        case ("list",), (repeated,) if repeated.repetition == REPEATED:
            return _list(repeated, name, path)
        case ("map",), (pairs,) if pairs.repetition == REPEATED and len(pairs.children) == 2:
            key, value = pairs.children
            return MapType(_type(key, (*name, "key"), path), _field(value, (*name, "value"), path).type)
        case ("variant",), _:
            return types.VARIANT
        case ((("list",) | ("map",)), _):
            raise errors.UnknownParquetTypeError(path, path_text(name), _type_text(element))
    return _struct(element.children, name, path)


def _list(repeated: Element, name: tuple[str, ...], path: str) -> ArrayType:
    """The array type of any standard or legacy LIST layout. Source: Parquet, LogicalTypes, backward compatibility."""
    inner = (*name, "element")
    old = repeated.name in {"array", f"{name[-1]}_tuple"}
    if repeated.physical is not None or len(repeated.children) > 1 or old:
        return ArrayType(_type(repeated, inner, path))
    if not repeated.children:
        raise errors.UnknownParquetTypeError(path, path_text(name), "LIST without elements")
    return ArrayType(_field(repeated.children[0], inner, path).type)


def atomic_type(element: Element, physical: int) -> DataType | None:
    """The Spark type of a leaf column; None for a type that Spark does not read."""
    logical = element.logical
    if logical is None or logical == ("bson",):
        return _UNANNOTATED.get(physical)
    match logical:
        case "decimal", precision, scale:
            return _decimal(element, physical, precision, scale)
        case "integer", width, signed:
            return _integer(physical, width, signed)
        case ("date",) if physical == INT32:
            return types.DATE
        case "timestamp", ("milliseconds" | "microseconds"), utc if physical == INT64:
            return types.TIMESTAMP if utc else types.TIMESTAMP_NTZ
        case (str(kind),) if kind in _TEXTS and physical == BYTE_ARRAY:
            return types.STRING
        case _:
            return _shape(logical) if physical == BYTE_ARRAY else None


def _shape(logical: Logical) -> DataType | None:
    """GEOMETRY or GEOGRAPHY, if it is of a coordinate system, and of edges, that tables can have."""
    match logical:
        case (("geometry" | "geography"), system, 0):
            kind = type_from_json(f"{logical[0]}({system})" if system else logical[0])
            return kind if is_shape(kind) else None
        case _:
            return None


def _integer(physical: int, width: int, signed: bool) -> DataType | None:
    fits = physical == (INT64 if width == 64 else INT32)
    return (_SIGNED if signed else _UNSIGNED).get(width) if fits else None


def _decimal(element: Element, physical: int, precision: int, scale: int) -> DecimalType | None:
    most = _MOST_DIGITS.get(physical, 38)
    if physical == FIXED:
        # The number of digits that always fit into the fixed length.
        most = min(38, len(str(2 ** (8 * element.length - 1) - 1)) - 1) if 0 < element.length <= 64 else 0
    is_supported = physical in {INT32, INT64, BYTE_ARRAY, FIXED}
    return DecimalType(precision, scale) if is_supported and 0 < precision <= most and 0 <= scale <= precision else None


def _type_text(element: Element) -> str:
    """Parquet's notation of an element's type, for messages."""
    physical = "group" if element.physical is None else _PHYSICAL[element.physical]
    if element.logical is None:
        return physical
    kind, *rest = element.logical
    inner = ", ".join(str(item) for item in rest)
    return f"{physical} ({kind.upper()}{f'({inner})' if inner else ''})"


def _nullable(schema: StructType) -> StructType:
    return StructType(tuple(_plain_field(field) for field in schema))


def _plain_field(field: StructField) -> StructField:
    """A nullable field without the metadata that applied only to the table for which the file was written."""
    metadata = {key: field.metadata[key] for key in _COPIED_METADATA if key in field.metadata}
    return StructField(field.name, _plain_type(field.type), True, MappingProxyType(metadata))


def _plain_type(kind: DataType) -> DataType:
    match kind:
        case StructType():
            return _nullable(kind)
        case ArrayType(element):
            return ArrayType(_plain_type(element))
        case MapType(key, value):
            return MapType(_plain_type(key), _plain_type(value))
        case PrimitiveType() | DecimalType():
            return kind


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
                raise errors.SourceFileError(path, str(error)) from error
    names: dict[int, str] = {}
    for root, _ in roots.values():
        for element in _fields(root.children):
            if element.field_id is not None:
                names.setdefault(element.field_id, element.name)
    named = _named(schema, names)
    for root, path in roots.values():
        for problem in _problems(root.children, named, ()):
            raise errors.IcebergSourceError(
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
            raise errors.IcebergSourceError(location, f"{path} lacks the partition column {', '.join(missing)}")


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
