"""Rows in the forms of Databricks' protocols: Arrow batches and streams, columns of Thrift, and arrays of JSON texts.

Sources: the Thrift interface of databricks-sql-connector, and Databricks' statement execution API.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import lz4.frame
import pyarrow as pa
from databricks.sql.thrift_api.TCLIService import ttypes

from deltasql.base import machine_zone_name
from deltasql.clients.warehouse.intervals import arrow_interval, interval_column, is_of_months, with_months
from deltasql.clients.warehouse.operations import Rows
from deltasql.files import value_text
from deltasql.schema import (
    VARIANT,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    arrow_type,
    type_text,
    type_to_json,
)

BATCH_ROWS = 1 << 16
"""Most rows of a record batch."""
_T = ttypes.TTypeId
_THRIFT_TYPES = {
    "boolean": _T.BOOLEAN_TYPE,
    "byte": _T.TINYINT_TYPE,
    "short": _T.SMALLINT_TYPE,
    "integer": _T.INT_TYPE,
    "long": _T.BIGINT_TYPE,
    "float": _T.FLOAT_TYPE,
    "double": _T.DOUBLE_TYPE,
    "string": _T.STRING_TYPE,
    "binary": _T.BINARY_TYPE,
    "date": _T.DATE_TYPE,
    "timestamp": _T.TIMESTAMP_TYPE,
    "timestamp_ntz": _T.TIMESTAMP_TYPE,
    # Drivers are given NULL as a text.
    "void": _T.STRING_TYPE,
}


@dataclass(frozen=True, slots=True)
class Wire:
    """The form that a client reads: Arrow or columns, compressed or not, and which types as values rather than text.

    `links` allows results as files that the client downloads.
    """

    arrow: bool = True
    lz4: bool = False
    links: bool = False
    timestamps: bool = True
    decimals: bool = True
    nested: bool = True
    intervals: bool = False

    @property
    def row_set_type(self) -> int:
        kinds = ttypes.TSparkRowSetType
        if not self.arrow:
            return int(kinds.COLUMN_BASED_SET)
        return int(kinds.URL_BASED_SET if self.links else kinds.ARROW_BASED_SET)

    def schema(self, rows: Rows) -> pa.Schema:
        """The columns in Arrow, with the SQL types as metadata of their fields."""
        return pa.schema([self._field(item, rows.time_zone) for item in rows.columns])

    def schema_message(self, rows: Rows) -> bytes:
        """The columns as a message of Arrow."""
        return with_months(self.schema(rows).serialize().to_pybytes(), self._months(rows))

    def _months(self, rows: Rows) -> list[int]:
        """The indexes of columns that are intervals of months in Arrow."""
        if not self.intervals:
            return []
        return [index for index, item in enumerate(rows.columns) if is_of_months(item.type)]

    def table(self, rows: Rows, start: int = 0, end: int | None = None) -> pa.Table:
        """The rows from `start` to `end` as this client reads them."""
        schema = self.schema(rows)
        part = rows.table.slice(start, None if end is None else end - start)
        columns = [
            self._column(column, source, target, rows.time_zone)
            for column, source, target in zip(part.columns, rows.columns, schema, strict=True)
        ]
        return pa.table(columns, schema=schema)

    def batches(self, rows: Rows, start: int, end: int) -> Iterator[tuple[bytes, int]]:
        """Record batches as messages of Arrow's stream format, each with its number of rows."""
        for batch in self.table(rows, start, end).combine_chunks().to_batches(max_chunksize=BATCH_ROWS):
            yield self.packed(batch.serialize().to_pybytes()), batch.num_rows

    def stream(self, rows: Rows, start: int, end: int) -> bytes:
        """A whole stream of Arrow with its schema."""
        table = self.table(rows, start, end)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=BATCH_ROWS)
        return self.packed(with_months(sink.getvalue().to_pybytes(), self._months(rows)))

    def packed(self, data: bytes) -> bytes:
        """The bytes as sent. Blocks of LZ4 are independent of each other: clients of Java read no others."""
        return bytes(lz4.frame.compress(data, block_linked=False)) if self.lz4 else data

    def _field(self, item: StructField, time_zone: str) -> pa.Field:
        metadata = {
            "Spark:DataType:SqlName": sql_name(item.type),
            "Spark:DataType:JsonType": json.dumps(type_to_json(item.type)),
        }
        return pa.field(item.name, self._arrow_type(item.type, time_zone), True, metadata)

    def _arrow_type(self, kind: DataType, time_zone: str) -> pa.DataType:
        interval = arrow_interval(kind) if self.intervals else None
        if interval is not None:
            return interval
        if self._is_text(kind):
            return pa.string()
        return _in_zone(arrow_type(kind), time_zone or machine_zone_name() or "UTC")

    def _is_text(self, kind: DataType) -> bool:
        match kind:
            case DecimalType():
                return not self.decimals
            case ArrayType() | MapType() | StructType():
                return not self.nested
            case PrimitiveType(name="timestamp" | "timestamp_ntz"):
                return not self.timestamps
            case PrimitiveType(name="void"):
                return True
            case _:
                return kind.name not in _THRIFT_TYPES

    def _column(self, column: pa.ChunkedArray, source: StructField, target: pa.Field, time_zone: str) -> Any:
        if column.type == target.type:
            return column
        if arrow_interval(source.type) is not None:
            return interval_column(column.to_pylist(), target.type)
        if not (pa.types.is_string(target.type) and not pa.types.is_string(column.type)):
            return column.cast(target.type)
        if pa.types.is_null(column.type) or pa.types.is_decimal(column.type):
            return column.cast(target.type)
        text = text_of(source.type, time_zone)
        return pa.array([None if value is None else text(value) for value in column.to_pylist()], pa.string())


def _in_zone(kind: pa.DataType, name: str) -> pa.DataType:
    """An Arrow type whose instants are told in a time zone, at any depth, and texts in place of nothing but NULL."""
    if pa.types.is_null(kind):
        return pa.string()
    if pa.types.is_timestamp(kind):
        return kind if kind.tz is None else pa.timestamp("us", name)
    if pa.types.is_map(kind):
        return pa.map_(_in_zone(kind.key_type, name), _in_zone(kind.item_type, name))
    if pa.types.is_list(kind):
        return pa.list_(_in_zone(kind.value_type, name))
    if pa.types.is_struct(kind):
        return pa.struct([item.with_type(_in_zone(item.type, name)) for item in kind])
    return kind


def sql_name(kind: DataType) -> str:
    """The name of a type in SQL as Databricks sends it: INT, DECIMAL(10,2), ARRAY<STRING>."""
    return type_text(kind).upper() if not isinstance(kind, StructType) else type_text(kind)


def text_of(kind: DataType, time_zone: str) -> Callable[[Any], str]:
    """How values of a type become texts: nested ones as JSON, others as SQL shows them."""
    if isinstance(kind, (ArrayType, MapType, StructType)):
        return lambda value: _json_of(value, kind, time_zone)
    if kind == PrimitiveType("binary"):
        return lambda value: bytes(value).hex()
    if kind == VARIANT:
        return lambda value: _variant_text(value, time_zone)
    return lambda value: value_text(value, kind, time_zone)


def _variant_text(value: Any, time_zone: str) -> str:
    """A variant as JSON. In Arrow it is a struct of two binaries, its value and the names in it."""
    if not isinstance(value, dict):
        return str(value)
    from pyspark.sql.types import VariantVal

    return str(VariantVal(value["value"], value["metadata"]).toJson(time_zone or "UTC"))


def _json_of(value: Any, kind: DataType, time_zone: str) -> str:
    """A value of `to_pylist` as JSON: structs and maps are objects, dates and times texts, decimals have all digits."""
    if value is None:
        return "null"
    match kind:
        case StructType():
            pairs = [(item.name, _json_of(value[item.name], item.type, time_zone)) for item in kind]
        case MapType(key=key, value=inner):
            name = text_of(key, time_zone)
            pairs = [(name(left), _json_of(right, inner, time_zone)) for left, right in value]
        case ArrayType(element=element):
            return "[" + ",".join(_json_of(item, element, time_zone) for item in value) + "]"
        case DecimalType():
            return format(value, "f")
        case _ if isinstance(value, (bool, int, float)):
            return json.dumps(value)
        case _:
            return json.dumps(text_of(kind, time_zone)(value), ensure_ascii=False)
    return "{" + ",".join(f"{json.dumps(name, ensure_ascii=False)}:{text}" for name, text in pairs) + "}"


def thrift_schema(columns: StructType) -> ttypes.TTableSchema:
    """The columns as Thrift describes them; nested types by their kind only."""
    return ttypes.TTableSchema(
        columns=[
            ttypes.TColumnDesc(
                columnName=item.name, typeDesc=_type_desc(item.type), position=number, comment=item.comment
            )
            for number, item in enumerate(columns, start=1)
        ]
    )


def _type_desc(kind: DataType) -> ttypes.TTypeDesc:
    qualifiers = None
    if isinstance(kind, DecimalType):
        numbers = {"precision": kind.precision, "scale": kind.scale}
        qualifiers = ttypes.TTypeQualifiers(
            {name: ttypes.TTypeQualifierValue(i32Value=number) for name, number in numbers.items()}
        )
    entry = ttypes.TPrimitiveTypeEntry(type=thrift_type(kind), typeQualifiers=qualifiers)
    return ttypes.TTypeDesc(types=[ttypes.TTypeEntry(primitiveEntry=entry)])


def thrift_type(kind: DataType) -> int:
    match kind:
        case DecimalType():
            return int(_T.DECIMAL_TYPE)
        case ArrayType():
            return int(_T.ARRAY_TYPE)
        case MapType():
            return int(_T.MAP_TYPE)
        case StructType():
            return int(_T.STRUCT_TYPE)
        case PrimitiveType(name=name) if name.startswith("interval"):
            months = "year" in name or "month" in name
            return int(_T.INTERVAL_YEAR_MONTH_TYPE if months else _T.INTERVAL_DAY_TIME_TYPE)
        case PrimitiveType(name=name):
            return int(_THRIFT_TYPES.get(name, _T.STRING_TYPE))


_COLUMN_FORMS: dict[str, tuple[str, type, Any]] = {
    "boolean": ("boolVal", ttypes.TBoolColumn, False),
    "byte": ("byteVal", ttypes.TByteColumn, 0),
    "short": ("i16Val", ttypes.TI16Column, 0),
    "integer": ("i32Val", ttypes.TI32Column, 0),
    "long": ("i64Val", ttypes.TI64Column, 0),
    "float": ("doubleVal", ttypes.TDoubleColumn, 0.0),
    "double": ("doubleVal", ttypes.TDoubleColumn, 0.0),
    "binary": ("binaryVal", ttypes.TBinaryColumn, b""),
}
"""Field, class and value for NULL of a column of Thrift, by type; texts for any other."""


def thrift_columns(rows: Rows, start: int, end: int) -> list[ttypes.TColumn]:
    """Rows as columns of Thrift, for clients that read no Arrow."""
    part = rows.table.slice(start, end - start)
    return [
        _thrift_column(column, item.type, rows.time_zone)
        for column, item in zip(part.columns, rows.columns, strict=True)
    ]


def _thrift_column(column: pa.ChunkedArray, kind: DataType, time_zone: str) -> ttypes.TColumn:
    name = kind.name if isinstance(kind, PrimitiveType) else ""
    field, form, nothing = _COLUMN_FORMS.get(name, ("stringVal", ttypes.TStringColumn, ""))
    values: Sequence[Any] = column.to_pylist()
    nulls = bytearray((len(values) + 7) // 8)
    for index, value in enumerate(values):
        if value is None:
            nulls[index // 8] |= 1 << index % 8
    if field == "stringVal":
        text = str if name == "string" else text_of(kind, time_zone)
        values = [nothing if value is None else text(value) for value in values]
    else:
        values = [nothing if value is None else value for value in values]
    return ttypes.TColumn(**{field: form(values=values, nulls=bytes(nulls))})


def json_rows(rows: Rows, start: int, end: int) -> list[list[str | None]]:
    """Rows as the statement execution API sends them: each value as a text, NULL as null."""
    part = rows.table.slice(start, end - start)
    columns = [
        [None if value is None else text(value) for value in column.to_pylist()]
        for column, text in zip(part.columns, map(_json_text(rows.time_zone), rows.columns), strict=True)
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def _json_text(time_zone: str) -> Callable[[StructField], Callable[[Any], str]]:
    def text(item: StructField) -> Callable[[Any], str]:
        if item.type == PrimitiveType("timestamp"):
            return _instant
        if item.type == PrimitiveType("timestamp_ntz"):
            return lambda value: value.isoformat(timespec="milliseconds")
        if item.type == PrimitiveType("string"):
            return str
        return text_of(item.type, time_zone)

    return text


def _instant(value: dt.datetime) -> str:
    return value.astimezone(dt.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def csv_rows(rows: Rows, start: int, end: int) -> bytes:
    """Rows as CSV with a line of names."""
    from pyarrow import csv

    table = pa.table(
        {str(index): column for index, column in enumerate(zip(*json_rows(rows, start, end), strict=True))}
        if end > start
        else {str(index): pa.array([], pa.string()) for index in range(len(list(rows.columns)))}
    ).rename_columns([item.name for item in rows.columns])
    sink = pa.BufferOutputStream()
    csv.write_csv(table, sink)
    return bytes(sink.getvalue().to_pybytes())


def byte_size(rows: Rows) -> int:
    return int(rows.table.nbytes)


def rows_per_chunk(rows: Rows, most_bytes: int) -> int:
    """How many rows a part of about `most_bytes` has."""
    count = int(rows.table.num_rows)
    per_row = max(1, byte_size(rows) // max(1, count))
    return max(1, most_bytes // per_row)
