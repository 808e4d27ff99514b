"""Rows of literals or in memory, converted to the table's columns without Spark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timezone, tzinfo

from deltasql.base.errors.base import DeltaSqlError, LeftToEngineError
from deltasql.base.lazy import pa, pc
from deltasql.base.settings.session_settings import STORE_ASSIGNMENT, preserve_literal_values
from deltasql.base.timezone import zone
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.operators import Literals, LiteralValue, MemoryRows
from deltasql.planner.context import Context
from deltasql.planner.values.defaults import default_sql
from deltasql.planner.values.generated import generation_of
from deltasql.schema.checks import column_invariants, identity_of
from deltasql.schema.json import STORED_AS_NULL
from deltasql.schema.text import Length, declared_length
from deltasql.schema.type_lattice import DIGITS_OF_LONG, INTEGRAL, MOST_DIGITS
from deltasql.schema.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)
from deltasql.sql.constants import current_micros
from deltasql.sql.literal_rows import LiteralColumn, LiteralRows, as_type, literal_constant, literal_rows
from deltasql.statements.nodes.insert import Insert

_STORED = (*INTEGRAL, FLOAT, DOUBLE, BOOLEAN, STRING, BINARY, DATE, TIMESTAMP, TIMESTAMP_NTZ)
# Others have several spellings, of which Spark has its own.
_IN_DIRECTORIES = (*INTEGRAL, BOOLEAN, STRING, DATE, TIMESTAMP)
_MOST_PLAIN_SCALE = 6
_MOST_BYTES_OF_NAME = 60


def constant_source(statement: Insert, query: str, context: Context) -> LiteralRows | None:
    """The rows of the INSERT's query if they are plain literals; None where Spark must evaluate it."""
    plain = not (statement.overwrite or statement.replaces or statement.ctes or statement.schema_evolution)
    if not plain or not context.analyst.is_plain or not _has_usual_settings(context):
        return None
    return literal_rows(query, unambiguous_zone(context), current_micros())


def stored_rows(
    snapshot: Snapshot, schema: StructType, rows: LiteralRows, indexes: Mapping[str, int], static: Mapping[str, str]
) -> Literals | None:
    """Literal rows in the table's column order; `indexes[name]` is the index in `rows`, with names in lower case.

    Other columns get their PARTITION value (`static`, as SQL) or their default. None where a value or its cast may
    differ from Spark's: Spark then casts it, or raises the error.
    """
    partitions = {name.lower() for name in snapshot.partition_columns}
    conditions = snapshot.properties.constraints or column_invariants(schema)
    if conditions or all(field.name.lower() in partitions for field in schema):
        return None
    columns = []
    try:
        for field in schema:
            index = indexes.get(field.name.lower())
            column = _constant_column(field, static, rows) if index is None else rows.columns[index]
            values = _stored(field, column, rows.zone)
            if field.name.lower() in partitions:
                values = _in_directories(field, values)
            columns.append(values)
    except LeftToEngineError:
        return None
    return Literals(schema, tuple(columns))


def unambiguous_zone(context: Context) -> tzinfo | None:
    """The session's time zone; None for one that Java and Python may interpret differently."""
    name = context.time_zone or ""
    if name in {"UTC", "Etc/UTC", "Z", "GMT"}:
        return timezone.utc
    if "/" not in name and not re.fullmatch(r"[+-]\d\d:\d\d", name):
        return None
    try:
        return zone(name)
    except DeltaSqlError:
        return None


def _has_usual_settings(context: Context) -> bool:
    return preserve_literal_values(context.settings.names()) and context.setting(STORE_ASSIGNMENT) == "ANSI"


def _constant_column(field: StructField, static: Mapping[str, str], rows: LiteralRows) -> LiteralColumn:
    """The repeated value of a column that the query does not give: PARTITION's or the default."""
    constant = literal_constant(static.get(field.name) or default_sql(field), rows.zone, rows.now)
    return LiteralColumn(constant.type, (constant.value,) * len(rows.columns[0].values))


def _stored(field: StructField, column: LiteralColumn, where: tzinfo | None) -> tuple[LiteralValue, ...]:
    if not _is_stored(field.type) or identity_of(field) is not None or generation_of(field) is not None:
        raise LeftToEngineError
    values = tuple(as_type(value, column.type, field.type, where) for value in column.values)
    if not field.nullable and None in values:
        raise LeftToEngineError
    length = declared_length(field)
    return values if length is None else tuple(_fitted(value, length) for value in values)


def _is_stored(kind: DataType) -> bool:
    """Whether data files have the type and Arrow represents it as Spark does. A nested value is always NULL."""
    match kind:
        case StructType():
            return bool(kind.fields) and all(_is_stored(item.type) for item in kind)
        case ArrayType(element):
            return _is_stored(element)
        case MapType(key, value):
            return _is_stored(key) and _is_stored(value)
        case _:
            return kind in _STORED or isinstance(kind, DecimalType)


def _fitted(value: LiteralValue, declared: Length) -> LiteralValue:
    """A text as CHAR or VARCHAR has it; see `char_types.stored`."""
    if not isinstance(value, str):
        return value
    padded = value.rstrip(" ").ljust(declared.length)
    fitted = padded if declared.kind == "char" or len(value) > declared.length else value
    if len(fitted) > declared.length:
        raise LeftToEngineError
    return fitted


def _in_directories(field: StructField, values: tuple[LiteralValue, ...]) -> tuple[LiteralValue, ...]:
    """The values of a partition column as they are stored: an empty text is NULL, see `char_types.stored`.

    Raises LeftToEngineError for a NULL that may not be, and for values that Spark might spell differently in the name
    of a directory.
    """
    _refuse_spellings(field.type, values)
    stored = tuple(None if value in STORED_AS_NULL else value for value in values)
    if not field.nullable and None in stored:
        raise LeftToEngineError
    return stored


def _refuse_spellings(kind: DataType, values: Sequence[LiteralValue]) -> None:
    """Raises LeftToEngineError for values that Spark might spell differently in a directory name."""
    plain = kind in _IN_DIRECTORIES or (isinstance(kind, DecimalType) and kind.scale <= _MOST_PLAIN_SCALE)
    texts = [value for value in values if isinstance(value, str)]
    if not plain or any(len(text.encode()) > _MOST_BYTES_OF_NAME or "\0" in text for text in texts):
        raise LeftToEngineError


# Rows in memory


def stored_memory_rows(
    rows: MemoryRows, schema: StructType, partitions: Sequence[str], indexes: Mapping[str, int], context: Context
) -> MemoryRows | None:
    """Rows in memory in the column order of `schema`; `indexes[name]` is the index in `rows`.

    Other columns are NULL. None where a value or its cast may differ from Spark's: Spark then casts it, or raises the
    error.
    """
    in_directories = {name.lower() for name in partitions}
    if not context.analyst.is_plain or not _has_usual_settings(context):
        return None
    if all(field.name.lower() in in_directories for field in schema):
        return None
    columns = []
    try:
        for field in schema:
            column = _stored_column(field, rows, indexes.get(field.name.lower()), context)
            if field.name.lower() in in_directories:
                column = _column_in_directories(field, column)
            columns.append(column)
    except (LeftToEngineError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    return MemoryRows(schema, pa.table(columns, names=list(schema.names)))


def _stored_column(field: StructField, rows: MemoryRows, index: int | None, context: Context) -> pa.ChunkedArray:
    from deltasql.schema.result_arrow import arrow_type

    if identity_of(field) is not None or generation_of(field) is not None or declared_length(field) is not None:
        raise LeftToEngineError
    kind = arrow_type(field.type)
    if index is None:
        if default_sql(field) != "NULL":
            raise LeftToEngineError
        column = pa.chunked_array([pa.nulls(rows.table.num_rows, kind)])
    else:
        column = _cast_column(rows.table.column(index), rows.schema.fields[index].type, field.type, kind, context)
    if not field.nullable and column.null_count:
        raise LeftToEngineError
    return column


def _cast_column(
    column: pa.ChunkedArray, source: DataType, target: DataType, kind: pa.DataType, context: Context
) -> pa.ChunkedArray:
    """Values of type `source` cast to `target`, whose Arrow type is `kind`. Raises LeftToEngineError, ArrowInvalid."""
    if target not in _STORED and not isinstance(target, (DecimalType, ArrayType, MapType, StructType)):
        raise LeftToEngineError
    if source == target:
        return column
    if source in INTEGRAL and isinstance(target, DecimalType):
        # First to a type that holds any number of the source: Arrow wants that.
        return column.cast(pa.decimal128(min(MOST_DIGITS, DIGITS_OF_LONG + target.scale), target.scale)).cast(kind)
    if _is_checked(source, target):
        return column.cast(kind)
    if source == TIMESTAMP_NTZ and target == TIMESTAMP and unambiguous_zone(context) is not None:
        return pc.assume_timezone(column, context.time_zone).cast(kind)
    raise LeftToEngineError


_FLOATING = (FLOAT, DOUBLE)


def _is_checked(source: DataType, target: DataType) -> bool:
    """Whether Arrow's cast gives Spark's result, or fails."""
    if isinstance(source, DecimalType):
        return isinstance(target, DecimalType)
    numbers = (*INTEGRAL, *_FLOATING)
    return source == VOID or (source in INTEGRAL and target in numbers) or (source in _FLOATING and target in _FLOATING)


def _column_in_directories(field: StructField, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """As `_in_directories`, for a column."""
    _refuse_column_spellings(field.type, column)
    if field.type != STRING:
        return column
    stored = pc.if_else(pc.is_in(column, pa.array(STORED_AS_NULL)), pa.scalar(None, column.type), column)
    if not field.nullable and stored.null_count:
        raise LeftToEngineError
    return stored


def _refuse_column_spellings(kind: DataType, column: pa.ChunkedArray) -> None:
    """The rule of `_refuse_spellings`, for fewer types."""
    if kind not in {*INTEGRAL, BOOLEAN, STRING, DATE}:
        raise LeftToEngineError
    if kind == STRING:
        longest, odd = pc.max(pc.binary_length(column)).as_py(), pc.any(pc.match_substring(column, "\0")).as_py()
        if odd or (longest or 0) > _MOST_BYTES_OF_NAME:
            raise LeftToEngineError
