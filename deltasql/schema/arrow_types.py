"""Types of tables as Arrow types, as PySpark converts them.

Columns as data files have them: under physical names, with field ids.
"""

from __future__ import annotations

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.lazy import pa
from deltasql.schema.column_mapping import ID, physical_name
from deltasql.schema.evolution import as_nullable
from deltasql.schema.types import ArrayType, DataType, DecimalType, MapType, PrimitiveType, StructField, StructType


def arrow_schema(schema: StructType) -> pa.Schema:
    """The columns in Arrow, as nullable as they are declared.

    Raises LeftToEngineError for a type that this process does not read.
    """
    return pa.schema(_fields(schema))


def _fields(schema: StructType) -> list[pa.Field]:
    return [pa.field(item.name, _arrow_type(item.type), item.nullable) for item in schema]


def _arrow_type(kind: DataType) -> pa.DataType:
    match kind:
        case PrimitiveType(name=name):
            return _primitive(name)
        case DecimalType(precision=precision, scale=scale):
            return pa.decimal128(precision, scale)
        case ArrayType(element=element, contains_null=nullable):
            return pa.list_(pa.field("element", _arrow_type(element), nullable))
        case MapType(key=key, value=value, value_contains_null=nullable):
            keys = pa.field("key", _arrow_type(key), nullable=False)
            return pa.map_(keys, pa.field("value", _arrow_type(value), nullable))
        case StructType():
            return pa.struct(_fields(kind))


def _primitive(name: str) -> pa.DataType:
    from deltasql.schema.result_arrow import PRIMITIVES

    if name == "variant":
        # By its metadata readers tell the field of a variant from a struct of the same shape.
        metadata = pa.field("metadata", pa.binary(), nullable=False, metadata={"variant": "true"})
        return pa.struct([pa.field("value", pa.binary(), nullable=False), metadata])
    if name not in PRIMITIVES:
        raise LeftToEngineError(f"columns of the type {name.upper()} are not read in this process")
    return PRIMITIVES[name]


def bare_schema(kind: StructType) -> StructType:
    """The columns of `kind`, all nullable at any depth, and without their metadata: what readers give."""
    return StructType(tuple(StructField(field.name, as_nullable(field.type)) for field in kind))


def declared_rows(rows: pa.Table, schema: StructType) -> pa.Table:
    """`rows` with fields that are as nullable as those of `schema`, at any depth, where there is no NULL after all.

    Raises LeftToEngineError for a type that this process does not read.
    """
    due = zip(rows.columns, arrow_schema(bare_schema(schema)), arrow_schema(schema), strict=True)
    columns = [column if column.type != bare.type else _viewed(column, field.type) for column, bare, field in due]
    fields = [
        pa.field(item.name, column.type, item.nullable or column.null_count > 0)
        for item, column in zip(schema, columns, strict=True)
    ]
    return pa.table(columns, schema=pa.schema(fields))


def _viewed(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """The column under a type of the same layout."""
    return column if column.type == kind else pa.chunked_array([chunk.view(kind) for chunk in column.chunks], kind)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The type with plain texts, bytes and lists for views on them and for lists of one size.

    Few of Arrow's functions take these. A writer that stores Arrow's schema in the footer, as delta-rs does, has them
    read, though the columns of the file are the same.
    """
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(plain_type(field.type)) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(plain_type(kind.key_type), plain_type(kind.item_type))
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.list_(kind.value_field.with_type(plain_type(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(plain_type(kind.value_type)))
    return {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}.get(kind, kind)


def stored_field(item: StructField, kind: pa.DataType) -> pa.Field:
    """A column, or a field of a struct, whose values are of Arrow's type `kind`, as data files have it."""
    metadata = {"PARQUET:field_id": str(item.metadata[ID])} if ID in item.metadata else None
    return pa.field(physical_name(item), _with_ids(item.type, kind), metadata=metadata)


def _with_ids(kind: DataType, arrow: pa.DataType) -> pa.DataType:
    """An Arrow type under physical names, with the ids of the fields of structs in it."""
    match kind:
        case StructType():
            return pa.struct([stored_field(item, field.type) for item, field in zip(kind, arrow, strict=True)])
        case ArrayType(element):
            return pa.list_(pa.field("element", _with_ids(element, arrow.value_type)))
        case MapType(key, value):
            return pa.map_(_with_ids(key, arrow.key_type), _with_ids(value, arrow.item_type))
        case _:
            return arrow
