"""Schemas and partition columns of Delta as those of Iceberg. Field ids are the ids of column mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyiceberg import types as iceberg
from pyiceberg.partitioning import PARTITION_FIELD_ID_START, PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform

from deltasql.base.errors.iceberg import IcebergIdError, IcebergTypeError
from deltasql.log.actions.actions import Metadata
from deltasql.log.properties.property_registry import UNIVERSAL_FORMATS
from deltasql.schema.column_mapping import ID, NESTED_IDS, physical_name
from deltasql.schema.text import type_text
from deltasql.schema.types import ArrayType, DataType, DecimalType, MapType, PrimitiveType, StructField, StructType

_PRIMITIVES: Mapping[str, iceberg.PrimitiveType] = {
    "boolean": iceberg.BooleanType(),
    "byte": iceberg.IntegerType(),
    "short": iceberg.IntegerType(),
    "integer": iceberg.IntegerType(),
    "long": iceberg.LongType(),
    "float": iceberg.FloatType(),
    "double": iceberg.DoubleType(),
    "string": iceberg.StringType(),
    "binary": iceberg.BinaryType(),
    "date": iceberg.DateType(),
    "timestamp": iceberg.TimestamptzType(),
    "timestamp_ntz": iceberg.TimestampType(),
}


def iceberg_schema(metadata: Metadata, table: str, schema_id: int = 0) -> Schema:
    """The schema of a table in Iceberg's types.

    Raises IcebergTypeError for a type that Iceberg lacks, IcebergIdError for a field without an id.
    """
    return Schema(*(_field(field, table) for field in metadata.schema), schema_id=schema_id)


def iceberg_spec(metadata: Metadata, table: str, spec_id: int = 0) -> PartitionSpec:
    """The partition columns by their values, in order. Field ids are those of a first spec."""
    fields = []
    for number, name in enumerate(metadata.partition_columns):
        column = metadata.schema.find(name)
        assert column is not None
        fields.append(
            PartitionField(
                source_id=_id(column, table),
                field_id=PARTITION_FIELD_ID_START + number,
                transform=IdentityTransform(),
                name=column.name,
            )
        )
    return PartitionSpec(*fields, spec_id=spec_id)


def leaf_ids(schema: StructType, above: tuple[str, ...] = ()) -> dict[tuple[str, ...], int]:
    """The ids of the columns that have statistics, by their physical path; none are inside arrays and maps."""
    ids: dict[tuple[str, ...], int] = {}
    for field in schema:
        path = (*above, physical_name(field))
        match field.type:
            case StructType():
                ids |= leaf_ids(field.type, path)
            case ArrayType() | MapType():
                pass
            case _:
                ids[path] = int(field.metadata[ID])
    return ids


def _field(field: StructField, table: str) -> iceberg.NestedField:
    return iceberg.NestedField(
        field_id=_id(field, table),
        name=field.name,
        field_type=_type(field.type, _FieldPath(field, physical_name(field), table)),
        required=not field.nullable,
        doc=field.comment,
    )


class _FieldPath:
    """A field, and the way from it to one of its elements, keys or values."""

    def __init__(self, field: StructField, path: str, table: str) -> None:
        self.field, self.path, self.table = field, path, table

    def inner(self, part: str) -> _FieldPath:
        return _FieldPath(self.field, f"{self.path}.{part}", self.table)

    @property
    def id(self) -> int:
        ids: Mapping[str, int] = self.field.metadata.get(NESTED_IDS, {})
        if self.path not in ids:
            raise IcebergIdError(self.table, self.field.name)
        return ids[self.path]


def _type(kind: DataType, path: _FieldPath) -> iceberg.IcebergType:
    match kind:
        case StructType():
            return iceberg.StructType(*(_field(field, path.table) for field in kind))
        case ArrayType(element, contains_null):
            inner = path.inner("element")
            return iceberg.ListType(inner.id, _type(element, inner), element_required=not contains_null)
        case MapType(key, value, contains_null):
            keys, values = path.inner("key"), path.inner("value")
            types = _type(key, keys), _type(value, values)
            return iceberg.MapType(keys.id, types[0], values.id, types[1], value_required=not contains_null)
        case DecimalType(precision, scale):
            return iceberg.DecimalType(precision, scale)
        case PrimitiveType(name) if name in _PRIMITIVES:
            return _PRIMITIVES[name]
        case _:
            name, why = path.field.name, "Iceberg has no such type"
            raise IcebergTypeError(path.table, "Iceberg", name, type_text(kind), why, UNIVERSAL_FORMATS.name)


def _id(field: StructField, table: str) -> int:
    if ID not in field.metadata:
        raise IcebergIdError(table, field.name)
    return int(field.metadata[ID])


def same_types(old: Schema, new: Schema) -> bool:
    """Whether every field that both schemas have is of one type."""
    before = {field_id: str(field.field_type) for field_id, field in _primitives(old).items()}
    return all(
        before.get(key, str(field.field_type)) == str(field.field_type) for key, field in _primitives(new).items()
    )


def _primitives(schema: Schema) -> dict[int, iceberg.NestedField]:
    from pyiceberg.schema import index_by_id

    return {key: field for key, field in index_by_id(schema).items() if field.field_type.is_primitive}


def find_schema(schemas: Sequence[Schema], sought: Schema) -> Schema | None:
    """The schema among `schemas` whose fields are those of `sought`; None if there is none."""
    return next((schema for schema in schemas if schema.fields == sought.fields), None)
