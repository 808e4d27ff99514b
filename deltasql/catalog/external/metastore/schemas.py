"""Schemas of tables in a metastore: in Spark's properties, and as columns with Hive's types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from deltasql.base.errors.schema import InvalidSchemaJsonError
from deltasql.catalog.external.metastore.model import MetastoreColumn, MetastoreTable
from deltasql.schema.json import schema_from_json, schema_to_json
from deltasql.schema.lengths import length_of, parsed_type, plain_field
from deltasql.schema.text import type_text
from deltasql.schema.types import (
    EMPTY_METADATA,
    STRING,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
)

SCHEMA = "spark.sql.sources.schema"
_PARTITIONS = f"{SCHEMA}.partCol."
_PARTITION_COUNT = f"{SCHEMA}.numPartCols"
_LONGEST = 4000
"""Characters of one property, and of the text of one type: what the columns of Hive's own database hold."""

_LONGEST_COMMENT = 255

NO_COLUMNS = (MetastoreColumn("col", "array<string>", "from deserializer"),)
"""The columns that Spark lists for a table whose schema is in its properties alone."""

_HIVE = frozenset({"boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "binary"})
_HIVE_TYPES = {**{name: name for name in (*_HIVE, "date", "timestamp")}, "timestamp_ntz": "timestamp"}
_SPARK_TYPES = {
    "tinyint": "byte",
    "smallint": "short",
    "int": "integer",
    "bigint": "long",
    "timestampntz": "timestamp_ntz",
    "timestamp with local time zone": "timestamp",
    "real": "float",
    "numeric": "decimal",
}
_PLAIN_NAME = re.compile(r"\w+", re.ASCII)
_DECIMAL = re.compile(r"decimal(?:\((\d+)(?:,(\d+))?\))?", re.ASCII)


def schema_properties(schema: StructType, partition_columns: Sequence[str] = ()) -> dict[str, str]:
    """The properties in which Spark keeps a schema; a long one is in several parts."""
    text = schema_to_json(schema)
    found = dict(_split(SCHEMA, text))
    if partition_columns:
        found[_PARTITION_COUNT] = str(len(partition_columns))
        found |= {f"{_PARTITIONS}{number}": name for number, name in enumerate(partition_columns)}
    return found


def _split(key: str, text: str) -> Iterator[tuple[str, str]]:
    if len(text) <= _LONGEST:
        yield key, text
        return
    parts = [text[start : start + _LONGEST] for start in range(0, len(text), _LONGEST)]
    yield f"{key}.numParts", str(len(parts))
    yield from ((f"{key}.part.{number}", part) for number, part in enumerate(parts))


def is_of_schema(key: str) -> bool:
    """Whether a property is one of those of `schema_properties`."""
    return key == SCHEMA or key.startswith(f"{SCHEMA}.")


def stored_schema(table: MetastoreTable) -> StructType | None:
    """The schema of a table, from its properties or else its columns; None if it has none. Raises ValueError."""
    text = table.parameters.get(SCHEMA) or _joined(table.parameters)
    if text:
        try:
            return schema_from_json(text)
        except InvalidSchemaJsonError as error:
            raise ValueError(str(error)) from error
    columns = (*table.columns, *table.partition_columns)
    if not columns or table.columns == NO_COLUMNS:
        return None
    return StructType(tuple(map(_field, columns)))


def _joined(parameters: Mapping[str, str]) -> str:
    try:
        count = int(parameters.get(f"{SCHEMA}.numParts", "0"))
        return "".join(parameters[f"{SCHEMA}.part.{number}"] for number in range(count))
    except KeyError as error:
        raise ValueError(f"the property {error} is missing") from error


def stored_partition_columns(table: MetastoreTable) -> tuple[str, ...]:
    """The names of the partition columns, from the properties or else the columns. Raises ValueError."""
    count = table.parameters.get(_PARTITION_COUNT)
    if count is None:
        return tuple(column.name for column in table.partition_columns)
    try:
        return tuple(table.parameters[f"{_PARTITIONS}{number}"] for number in range(int(count)))
    except KeyError as error:
        raise ValueError(f"the property {error} is missing") from error


def _field(column: MetastoreColumn) -> StructField:
    kind = spark_type(column.type)
    metadata = EMPTY_METADATA if not column.comment else {"comment": column.comment}
    return plain_field(StructField(column.name, kind, True, metadata))


def spark_type(text: str) -> DataType:
    """The type that Hive's text of a type names, with the lengths of CHAR and VARCHAR. Raises ValueError."""
    simple = _SPARK_TYPES.get(" ".join(text.lower().split()))
    parsed = PrimitiveType(simple) if simple else parsed_type(text)
    if parsed is None:
        raise ValueError(f"{text} is no type")
    return _spark(parsed)


def _spark(kind: DataType) -> DataType:
    match kind:
        case StructType(fields):
            return StructType(tuple(replace(field, type=_spark(field.type)) for field in fields))
        case ArrayType(element):
            return replace(kind, element=_spark(element))
        case MapType(key, value):
            return replace(kind, key=_spark(key), value=_spark(value))
        case PrimitiveType(name):
            found = _DECIMAL.fullmatch(_SPARK_TYPES.get(name, name))
            if found is not None:
                return DecimalType(int(found[1] or 10), int(found[2] or 0))
            return PrimitiveType(_SPARK_TYPES.get(name, name))
        case _:
            return kind


def hive_columns(schema: StructType) -> tuple[MetastoreColumn, ...]:
    """The columns of a schema with Hive's types; a type that Hive does not have is a string there.

    Comments are one line, as long as a metastore takes.
    """
    return tuple(MetastoreColumn(field.name, _hive_type(field.type), _line(field.comment)) for field in schema)


def _line(comment: str | None) -> str | None:
    return None if comment is None else " ".join(comment.split())[:_LONGEST_COMMENT]


def _hive_type(kind: DataType) -> str:
    if not _is_hives(kind):
        return "string"
    text = type_text(_in_hive(kind))
    return text if len(text) <= _LONGEST else "string"


def _is_hives(kind: DataType) -> bool:
    match kind:
        case StructType(fields):
            return all(_PLAIN_NAME.fullmatch(field.name) and _is_hives(field.type) for field in fields)
        case ArrayType(element):
            return _is_hives(element)
        case MapType(key, value):
            return _is_hives(key) and _is_hives(value)
        case DecimalType():
            return True
        case _:
            return type_text(kind) in _HIVE_TYPES or length_of(kind) is not None


def _in_hive(kind: DataType) -> DataType:
    match kind:
        case StructType(fields):
            return StructType(tuple(replace(field, type=_in_hive(field.type)) for field in fields))
        case ArrayType(element):
            return replace(kind, element=_in_hive(element))
        case MapType(key, value):
            return replace(kind, key=_in_hive(key), value=_in_hive(value))
        case DecimalType():
            return kind
        case _:
            return STRING if kind == STRING else PrimitiveType(_HIVE_TYPES.get(type_text(kind), type_text(kind)))
