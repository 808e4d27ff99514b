"""Creates tables for tests from rows in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from deltasql.base.lazy import pa
from deltasql.schema.text import quote_text, sql_literal
from deltasql.schema.types import (
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    MapType,
    StructType,
)
from deltasql.session.session import Session

Rows: TypeAlias = "Iterable[Mapping[str, Any]] | Iterable[Sequence[Any]] | Any"


def create_table(session: Session, name: str, rows: Rows = (), schema: str = "") -> str:
    """Creates a table with these rows; returns its name.

    `rows` are mappings by column name, sequences in the order of `schema`, or data of pyarrow, pandas or polars as for
    `session.write`. `schema` are the columns as in CREATE TABLE; without it they are inferred: ints are BIGINT, floats
    DOUBLE, datetimes TIMESTAMP. Raises ValueError where that is impossible, and DeltaSqlErrors.
    """
    if not hasattr(rows, "__arrow_c_stream__"):
        rows = list(rows)
        if schema:
            return _of_python(session, name, rows, schema)
        rows = _inferred(rows)
    if not schema:
        session.write(rows).saveAsTable(name)
        return name
    session.sql(f"CREATE TABLE {name} ({schema})")
    session.writeTo(rows, name).append()
    return name


def _of_python(session: Session, name: str, rows: list[Any], schema: str) -> str:
    """Creates a table by INSERT of literals, which are cast to the types of the columns."""
    session.sql(f"CREATE TABLE {name} ({schema})")
    if rows:
        columns = session.log(name).snapshot().schema
        named = any(isinstance(row, Mapping) for row in rows)
        kinds = [item.type for item in columns]
        into, lines = _by_name(rows, columns) if named else ("", [_row(row, kinds) for row in rows])
        session.sql(f"INSERT INTO {name}{into} VALUES {', '.join(lines)}")
    return name


def _by_name(rows: list[Any], columns: StructType) -> tuple[str, list[str]]:
    """The column list of an INSERT of mappings, and its rows in SQL."""
    names = list(dict.fromkeys(name for row in _mappings(rows) for name in row))
    kinds = [_type(columns, name) for name in names]
    into = f" ({', '.join(f'`{name}`' for name in names)})"
    return into, [_row([row.get(name) for name in names], kinds) for row in rows]


def _inferred(rows: list[Any]) -> pa.Table:
    names = dict.fromkeys(name for row in _mappings(rows) for name in row)
    return pa.table({name: [_aware(row.get(name)) for row in rows] for name in names})


def _mappings(rows: list[Any]) -> list[Mapping[str, Any]]:
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise ValueError('Without a schema, rows must be mappings: {"id": 1}, … Or pass schema="id INT, …".')
    return rows


def _aware(value: Any) -> Any:
    """A datetime with a zone, so that it is a TIMESTAMP as in PySpark; other values unchanged."""
    return value.astimezone() if isinstance(value, datetime) else value


def _type(columns: StructType, name: str) -> DataType:
    """The type of a column; STRING for a missing one, which INSERT refuses anyway."""
    field = columns.find(name)
    return STRING if field is None else field.type


def _row(values: Sequence[Any], kinds: Sequence[DataType]) -> str:
    return f"({', '.join(_literal(value, kind) for value, kind in zip(values, kinds, strict=True))})"


def _literal(value: Any, kind: DataType) -> str:
    """The SQL literal of a value of a column. Raises TypeError for a value without one."""
    if value is None:
        return "NULL"
    match kind:
        case StructType():
            return f"named_struct({', '.join(_parts(value, kind))})"
        case ArrayType(element=element):
            return f"array({', '.join(_literal(item, element) for item in value)})"
        case MapType(key=key, value=item):
            pairs = value.items() if isinstance(value, Mapping) else value
            return f"map({', '.join(f'{_literal(left, key)}, {_literal(right, item)}' for left, right in pairs)})"
        case _:
            return _scalar(value, kind)


def _scalar(value: Any, kind: DataType) -> str:
    """The SQL literal of a scalar. A datetime gets its column's type: without a zone it is in the session's zone."""
    if isinstance(value, str):
        # This literal is read without Spark, whatever its value.
        return quote_text(value)
    if kind == TIMESTAMP and isinstance(value, datetime) and value.tzinfo is None:
        return sql_literal(value).replace("_NTZ", "", 1)
    if kind == TIMESTAMP_NTZ and isinstance(value, datetime):
        return sql_literal(value.replace(tzinfo=None))
    return sql_literal(value)


def _parts(value: Any, kind: StructType) -> Iterator[str]:
    for index, item in enumerate(kind):
        part = value.get(item.name) if isinstance(value, Mapping) else value[index]
        yield f"{sql_literal(item.name)}, {_literal(part, item.type)}"
