"""Statistics and partition values of files as typed Arrow structs, from and to the JSON texts of add actions.

A checkpoint may have statistics as structs beside the text, or as structs only, and every add action that is written
anew needs the text. A value that cannot be parsed is null: it is only used to skip files. Source: Delta protocol,
Per-file Statistics.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date, datetime, timezone
from decimal import Decimal, InvalidOperation
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deltasql.log.actions.action_fields import parsed_object, read_objects
from deltasql.log.actions.actions import Metadata
from deltasql.log.configuration.properties import index_rule, indexed_leaves
from deltasql.schema import (
    PRIMITIVES,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
)

_UNBOUNDED = ("boolean", "binary", "void", "variant")
"""Types without bounds; their columns may be partition columns or have null counts."""


def stats_type(metadata: Metadata) -> pa.StructType | None:
    """The struct that holds a file's statistics; None if no column has any. Names are physical."""
    partitions = {name.lower() for name in metadata.partition_columns}
    columns = [column for column in metadata.schema if column.name.lower() not in partitions]
    chosen = _Chosen(metadata)
    bounds: list[pa.Field] = []
    nulls: list[pa.Field] = []
    for column in columns:
        bound, null = chosen.visit(column, (column.name,))
        bounds.extend(bound)
        nulls.extend(null)
    if not nulls:
        return None
    fields = [pa.field("numRecords", pa.int64())]
    if bounds:
        fields += [pa.field("minValues", pa.struct(bounds)), pa.field("maxValues", pa.struct(bounds))]
    return pa.struct([*fields, pa.field("nullCount", pa.struct(nulls)), pa.field("tightBounds", pa.bool_())])


def parse_stats(stats: pa.Array, kind: pa.StructType) -> pa.StructArray:
    """Each JSON text as a struct of `kind`."""
    if stats.null_count == len(stats):
        return pa.nulls(len(stats), kind)
    try:
        return _parse_columnar(stats, kind)
    except pa.ArrowException:
        # NaN, a date that is none, a number that grew too big: the slow way leaves just these out.
        values = [None if text is None else _typed(parsed_object(text), kind) for text in stats.to_pylist()]
        return pa.array(values, kind)


def partition_type(metadata: Metadata) -> pa.StructType:
    """The struct that holds a file's partition values, by physical name."""
    fields = []
    for name in metadata.partition_columns:
        column = metadata.schema.find(name)
        if column is not None:
            fields.append(pa.field(_physical(column, metadata), _arrow_type(column.type) or pa.string()))
    return pa.struct(fields)


def parse_partitions(values: pa.StructArray, kind: pa.StructType) -> pa.StructArray:
    """Partition values, which are strings in the order of `kind`'s fields, as their own types."""
    columns = [_cast_strings(values.field(index), field.type) for index, field in enumerate(kind)]
    return pa.StructArray.from_arrays(columns, fields=list(kind))


class _Chosen:
    """The leaves that have statistics, as fields of Arrow structs."""

    def __init__(self, metadata: Metadata) -> None:
        self._metadata = metadata
        rule = index_rule(metadata.configuration)
        self._leaves = {leaf.names for leaf in indexed_leaves(metadata.schema, metadata.partition_columns, rule)}

    def visit(self, column: StructField, path: tuple[str, ...]) -> tuple[list[pa.Field], list[pa.Field]]:
        """The column's fields among the bounds and among the null counts; none or one in each."""
        name = _physical(column, self._metadata)
        if isinstance(column.type, StructType):
            bounds, nulls = [], []
            for child in column.type:
                bound, null = self.visit(child, (*path, child.name))
                bounds.extend(bound)
                nulls.extend(null)
            return (
                [pa.field(name, pa.struct(bounds))] if bounds else [],
                [pa.field(name, pa.struct(nulls))] if nulls else [],
            )
        if path not in self._leaves:
            return [], []
        kind = _bound_type(column.type)
        return ([] if kind is None else [pa.field(name, kind)]), [pa.field(name, pa.int64())]


def _physical(column: StructField, metadata: Metadata) -> str:
    if not metadata.properties.maps_columns:
        return column.name
    return str(column.metadata.get("delta.columnMapping.physicalName", column.name))


def _bound_type(kind: DataType) -> pa.DataType | None:
    """The Arrow type of a column's bounds, None for a type without them."""
    match kind:
        case PrimitiveType(name):
            return None if name in _UNBOUNDED else PRIMITIVES.get(name)
        case DecimalType(precision, scale):
            return pa.decimal128(precision, scale)
        case ArrayType() | MapType() | StructType():
            return None


def _arrow_type(kind: DataType) -> pa.DataType | None:
    return PRIMITIVES.get(kind.name) if isinstance(kind, PrimitiveType) else _bound_type(kind)


def _parse_columnar(stats: pa.Array, kind: pa.StructType) -> pa.StructArray:
    table = read_objects(stats, _readable(kind))
    columns = [_casted(table[field.name].combine_chunks(), field.type) for field in kind]
    return pa.StructArray.from_arrays(columns, fields=list(kind), mask=stats.is_null())


def _readable(kind: pa.DataType) -> pa.DataType:
    """`kind` with strings where Arrow's JSON reader knows no better."""
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, _readable(field.type)) for field in kind])
    return pa.string() if pa.types.is_date(kind) else kind


def _casted(array: pa.Array, kind: pa.DataType) -> pa.Array:
    if array.type == kind:
        return array
    if pa.types.is_struct(kind):
        children = [_casted(array.field(index), field.type) for index, field in enumerate(kind)]
        return pa.StructArray.from_arrays(children, fields=list(kind), mask=array.is_null())
    return array.cast(kind)


def _cast_strings(array: pa.Array, kind: pa.DataType) -> pa.Array:
    try:
        return array.cast(kind)
    except pa.ArrowException:
        return pa.array([_typed(text, kind) for text in array.to_pylist()], kind)


def _typed(value: Any, kind: pa.DataType) -> Any:
    """A JSON value as `kind`, None if it is none."""
    if value is None:
        return None
    if pa.types.is_struct(kind):
        return {field.name: _typed(value.get(field.name), field.type) for field in kind}
    for test, convert in _CONVERSIONS:
        if test(kind):
            try:
                return pa.scalar(convert(value), kind).as_py()
            except (ValueError, TypeError, InvalidOperation, OverflowError, pa.ArrowException):
                return None
    return None


def _timestamp(value: Any) -> datetime:
    moment = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=timezone.utc)


def _boolean(value: Any) -> bool:
    if str(value).lower() not in ("true", "false"):
        raise ValueError(value)
    return str(value).lower() == "true"


_CONVERSIONS: Sequence[tuple[Callable[[pa.DataType], bool], Callable[[Any], Any]]] = (
    (pa.types.is_boolean, _boolean),
    (pa.types.is_integer, int),
    (pa.types.is_floating, float),
    (pa.types.is_decimal, lambda value: Decimal(str(value))),
    (pa.types.is_date, lambda value: date.fromisoformat(str(value)[:10])),
    (lambda kind: pa.types.is_timestamp(kind) and kind.tz is not None, _timestamp),
    (pa.types.is_timestamp, lambda value: _timestamp(value).replace(tzinfo=None)),
    (pa.types.is_string, str),
    (pa.types.is_binary, lambda value: str(value).encode()),
)


# A string with one of these is no JSON as it stands.
_ESCAPED = r'["\\\x00-\x1f]'


def stats_to_json(stats: pa.StructArray) -> pa.Array:
    """Each struct as the JSON text of an add action; null where the struct is null or says nothing."""
    texts = _object(stats)
    return pc.if_else(pc.equal(texts, "{}"), pa.scalar(None, pa.string()), texts)


def _value(array: pa.Array) -> pa.Array:
    """JSON texts of one field, null where it has no value. A decimal keeps its digits, which no float does."""
    kind = array.type
    if pa.types.is_struct(kind):
        return _object(array)
    if pa.types.is_floating(kind):
        return _number(array)
    if pa.types.is_timestamp(kind):
        # Truncated to milliseconds, which readers allow for.
        whole = pc.floor_temporal(array, unit="millisecond").cast(pa.timestamp("ms", kind.tz))
        return _quoted(pc.replace_substring(whole.cast(pa.string()), " ", "T", max_replacements=1))
    text = array.cast(pa.string())
    return _quoted(_escaped(text)) if pa.types.is_date(kind) or pa.types.is_string(kind) else text


def _object(array: pa.StructArray) -> pa.Array:
    fields = zip(array.type, array.flatten(), strict=True)
    texts = [pc.binary_join_element_wise(f",{json.dumps(field.name)}:", _value(child), "") for field, child in fields]
    # Arrow can skip nulls when it joins, but then loses the rows that are null throughout.
    joined = pc.binary_join_element_wise(*texts, "", null_handling="replace", null_replacement="")
    whole = pc.binary_join_element_wise("{", pc.utf8_slice_codeunits(joined, 1), "}", "")
    return pc.if_else(array.is_valid(), whole, pa.scalar(None, pa.string()))


def _number(array: pa.Array) -> pa.Array:
    text = array.cast(pa.string())
    if pc.all(pc.is_finite(array)).as_py() is not False:
        return text
    names = pc.if_else(pc.is_nan(array), '"NaN"', pc.if_else(pc.greater(array, 0), '"Infinity"', '"-Infinity"'))
    return pc.if_else(pc.is_finite(array), text, names)


def _escaped(text: pa.Array) -> pa.Array:
    odd = pc.match_substring_regex(text, _ESCAPED)
    if not pc.any(odd).as_py():
        return text
    spelled = [json.dumps(value, ensure_ascii=False)[1:-1] for value in text.filter(odd).to_pylist()]
    return pc.replace_with_mask(text, odd.fill_null(False), pa.array(spelled, pa.string()))


def _quoted(text: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise('"', text, '"', "")
