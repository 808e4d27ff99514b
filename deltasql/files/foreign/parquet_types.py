"""Conversion of a Parquet file's schema to Spark's types. Source: Spark, ParquetToSparkSchemaConverter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from deltasql.base.errors.schema import InvalidSchemaJsonError
from deltasql.base.errors.sources import UnknownParquetTypeError
from deltasql.files.footers.metadata import (
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
    ParquetMetadata,
    parse_schema,
)
from deltasql.schema import types
from deltasql.schema.json import schema_from_json
from deltasql.schema.lengths import TYPE_KEY
from deltasql.schema.text import path_text
from deltasql.schema.types import ArrayType, DataType, DecimalType, MapType, PrimitiveType, StructField, StructType

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
        except (InvalidSchemaJsonError, KeyError, TypeError):
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
            raise UnknownParquetTypeError(path, path_text(name), _type_text(element))
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
            raise UnknownParquetTypeError(path, path_text(name), _type_text(element))
    return _struct(element.children, name, path)


def _list(repeated: Element, name: tuple[str, ...], path: str) -> ArrayType:
    """The array type of any standard or legacy LIST layout. Source: Parquet, LogicalTypes, backward compatibility."""
    inner = (*name, "element")
    old = repeated.name in {"array", f"{name[-1]}_tuple"}
    if repeated.physical is not None or len(repeated.children) > 1 or old:
        return ArrayType(_type(repeated, inner, path))
    if not repeated.children:
        raise UnknownParquetTypeError(path, path_text(name), "LIST without elements")
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
