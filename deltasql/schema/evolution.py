"""Schema evolution by one algorithm for all statements, and Arrow types of tables and of data files.

The module also decides whether data of one schema can be read with another. Arrow types are those of PySpark's
conversion; columns in data files have physical names and field ids.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import Enum

from deltasql.base import LeftToEngineError, errors, pa
from deltasql.schema.checks import record_type_changes
from deltasql.schema.text import path_text, type_text
from deltasql.schema.type_lattice import Widening, can_implicitly_cast, can_widen, common_in_parquet
from deltasql.schema.types import (
    EMPTY_METADATA,
    ID,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    physical_name,
)


class MergeMode(Enum):
    """Rule for two different atomic types that type widening does not cover."""

    STRICT = "strict"
    """The types must have a common type in Parquet: INSERT and DataFrame writes."""
    IMPLICIT_CAST = "implicit cast"
    """The table's type stays if Spark casts the data to it implicitly: MERGE and the streaming sink."""
    KEEP_TABLE_TYPE = "keep"
    OVERRIDE = "override"
    """The data's type wins: overwriteSchema."""


def merge_schemas(
    table: StructType,
    data: StructType,
    *,
    mode: MergeMode = MergeMode.STRICT,
    widening: Widening = Widening.NEVER,
) -> StructType:
    """The table's schema after evolution.

    Columns of the table keep position, spelling, nullability and metadata; columns that only the data has follow at the
    end of their struct in the data's order, nullable and without metadata. Names are matched without case.
    Raises MergeFieldsError with the column's path.
    """
    merged = [_merge_field(field, data.find(field.name, case_sensitive=False), mode, widening) for field in table]
    added = [_new_field(field) for field in data if table.find(field.name, case_sensitive=False) is None]
    return StructType((*merged, *added))


def merge_types(
    table: DataType,
    data: DataType,
    *,
    mode: MergeMode = MergeMode.STRICT,
    widening: Widening = Widening.NEVER,
) -> DataType:
    """The type that a column of type `table` needs to take values of type `data`; see `merge_schemas`.

    Raises MergeTypesError or MergeDecimalsError; MergeFieldsError for a field inside.
    """
    match table, data:
        case StructType(), StructType():
            return merge_schemas(table, data, mode=mode, widening=widening)
        case ArrayType(old), ArrayType(new):
            return replace(table, element=_merge_part("element", old, new, mode, widening))
        case MapType(old_key, old_value), MapType(new_key, new_value):
            key = _merge_part("key", old_key, new_key, mode, widening)
            return replace(table, key=key, value=_merge_part("value", old_value, new_value, mode, widening))
        case _:
            return _merge_atomic(table, data, mode, widening)


def restrict(schema: StructType, paths: Iterable[tuple[str, ...]]) -> StructType:
    """The part of `schema` that `paths` select: whole columns, or single fields of structs.

    Names are matched without case; order is the schema's; a path that the schema lacks adds nothing.
    """
    folded = [tuple(name.lower() for name in path) for path in paths]
    restricted = []
    for field in schema:
        below = [path[1:] for path in folded if path and path[0] == field.name.lower()]
        if () in below:
            restricted.append(field)
        elif below and isinstance(field.type, StructType):
            part = restrict(field.type, below)
            restricted.extend([replace(field, type=part)] if part.fields else [])
    return StructType(tuple(restricted))


def as_nullable(data_type: DataType) -> DataType:
    """A type whose fields, elements and values at every depth can be null, without any field metadata."""
    match data_type:
        case StructType(fields):
            return StructType(tuple(_new_field(field) for field in fields))
        case ArrayType(element):
            return ArrayType(as_nullable(element), True)
        case MapType(key, value):
            return MapType(as_nullable(key), as_nullable(value), True)
        case _:
            return data_type


def _new_field(field: StructField) -> StructField:
    return StructField(field.name, as_nullable(field.type), True, EMPTY_METADATA)


def _merge_field(field: StructField, data: StructField | None, mode: MergeMode, widening: Widening) -> StructField:
    if data is None:
        return field
    merged = _merge_part(field.name, field.type, data.type, mode, widening)
    if merged == field.type:
        return field
    changed = replace(field, type=merged)
    return changed if widening is Widening.NEVER else record_type_changes(field, changed)


def _merge_part(name: str, table: DataType, data: DataType, mode: MergeMode, widening: Widening) -> DataType:
    """As `merge_types`, but errors name the column: each level prepends its name to the path."""
    try:
        return merge_types(table, data, mode=mode, widening=widening)
    except errors.MergeFieldsError as error:
        column = f"{path_text((name,))}.{error.column}"
        raise errors.MergeFieldsError(column, error.table_type, error.data_type, error.reason) from error.__cause__
    except (errors.MergeTypesError, errors.MergeDecimalsError) as error:
        column, reason = path_text((name,)), error.message
        raise errors.MergeFieldsError(column, error.table_type, error.data_type, reason) from error


def _merge_atomic(table: DataType, data: DataType, mode: MergeMode, widening: Widening) -> DataType:
    if can_widen(table, data, widening):
        return data
    match mode:
        case MergeMode.KEEP_TABLE_TYPE:
            return table
        case MergeMode.OVERRIDE:
            return data
        case MergeMode.IMPLICIT_CAST if can_implicitly_cast(data, table):
            return table
        case _:
            return _common_type(table, data)


def _common_type(table: DataType, data: DataType) -> DataType:
    common = as_nullable(data) if table == VOID else common_in_parquet(table, data)
    if common is not None:
        return common
    if isinstance(table, DecimalType) and isinstance(data, DecimalType):
        raise errors.MergeDecimalsError(type_text(table), type_text(data), _difference(table, data))
    raise errors.MergeTypesError(type_text(table), type_text(data))


def _difference(table: DecimalType, data: DecimalType) -> str:
    parts = []
    if table.precision != data.precision:
        parts.append(f"precision ({table.precision} and {data.precision})")
    if table.scale != data.scale:
        parts.append(f"scale ({table.scale} and {data.scale})")
    return " and ".join(parts)


def unreadable_part(read: StructType, data: StructType, parent: str = "") -> str | None:
    """Why data of schema `data` cannot be read as `read`, in words; None if it can.

    Columns are matched by their physical names. `read` may have more of them, and wider types.
    """
    fields_read = {physical_name(field).lower(): field for field in read}
    for field in data:
        path = parent + field.name
        field_read = fields_read.get(physical_name(field).lower())
        if field_read is None:
            return f"column {path} is gone"
        if field_read.name.lower() != field.name.lower():
            return f"column {path} is now called {field_read.name}"
        reason = _unreadable_type(field_read.type, field.type, path)
        if reason is not None:
            return reason
    return None


def _unreadable_type(read: DataType, data: DataType, path: str) -> str | None:
    match read, data:
        case StructType(), StructType():
            return unreadable_part(read, data, f"{path}.")
        case ArrayType(), ArrayType():
            return _unreadable_type(read.element, data.element, f"{path}.element")
        case MapType(), MapType():
            key = _unreadable_type(read.key, data.key, f"{path}.key")
            return key or _unreadable_type(read.value, data.value, f"{path}.value")
        case _ if read == data or can_widen(data, read):
            return None
        case _:
            return f"column {path} is {type_text(read)} now, and was {type_text(data)}"


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


def plain_arrow_type(kind: pa.DataType) -> pa.DataType:
    """The type with plain texts, bytes and lists for views on them and for lists of one size.

    Few of Arrow's functions take these. A writer that stores Arrow's schema in the footer, as delta-rs does, has them
    read, though the columns of the file are the same.
    """
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(plain_arrow_type(field.type)) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(plain_arrow_type(kind.key_type), plain_arrow_type(kind.item_type))
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.list_(kind.value_field.with_type(plain_arrow_type(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(plain_arrow_type(kind.value_type)))
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
