"""Tables for tests, made of rows that are in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from deltasql.schema.literals import sql_literal
from deltasql.schema.text import quote_text, schema_ddl
from deltasql.schema.types import (
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from deltasql.session import Session

Rows: TypeAlias = "Iterable[Mapping[str, Any]] | Iterable[Sequence[Any]] | Any"


def create_table(session: Session, name: str, rows: Rows = (), schema: str = "") -> str:
    """A new table with these rows; its name.

    `rows` are mappings by column name, sequences in the order of `schema`, or an object that gives Arrow's data: of
    pyarrow, pandas, polars. `schema` is the columns as CREATE TABLE has them; without it they are told from the rows:
    ints are BIGINT, floats DOUBLE, datetimes TIMESTAMP. Raises ValueError where they cannot be, and DeltaSqlErrors.
    """
    if hasattr(rows, "__arrow_c_stream__"):
        names, values, inferred = _of_arrow(rows)
    else:
        names, values, inferred = _of_python(list(rows), named=not schema)
    session.sql(f"CREATE TABLE {name} ({schema or inferred})")
    if values:
        columns = session.log(name).snapshot().schema
        kinds = [_type(columns, item) for item in names] if names else [item.type for item in columns]
        into = f" ({', '.join(f'`{item}`' for item in names)})" if names else ""
        lines = ", ".join(_row(row, kinds) for row in values)
        session.sql(f"INSERT INTO {name}{into} VALUES {lines}")
    return name


def _of_arrow(rows: Any) -> tuple[list[str], list[Sequence[Any]], str]:
    """Column names, rows in their order, and the columns as SQL."""
    import pyarrow as pa

    table = pa.table(rows)
    return list(table.column_names), _across(table), _ddl(table.schema)


def _of_python(rows: list[Any], *, named: bool) -> tuple[list[str], list[Sequence[Any]], str]:
    """As `_of_arrow`; no names for sequences, whose columns are those of the table. `named`: types must be found."""
    if not named and not any(isinstance(row, Mapping) for row in rows):
        return [], rows, ""
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise ValueError('Without a schema, rows must be mappings: {"id": 1}, … Or pass schema="id INT, …".')
    names = list(dict.fromkeys(name for row in rows for name in row))
    values: list[Sequence[Any]] = [[row.get(name) for name in names] for row in rows]
    return names, values, _inferred(names, values) if named else ""


def _inferred(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    import pyarrow as pa

    columns = {name: [_aware(row[place]) for row in rows] for place, name in enumerate(names)}
    return _ddl(pa.table(columns).schema)


def _aware(value: Any) -> Any:
    """A datetime is a TIMESTAMP, as PySpark takes it."""
    return value.astimezone() if isinstance(value, datetime) else value


def _across(table: pa.Table) -> list[Sequence[Any]]:
    columns = [column.to_pylist() for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _ddl(schema: pa.Schema) -> str:
    from deltasql.result_arrow import data_type

    fields = [StructField(item.name, data_type(item.type)) for item in schema]
    return schema_ddl(StructType(tuple(fields)))


def _type(columns: StructType, name: str) -> DataType:
    """That of a column; of one that is not there any, since INSERT tells it."""
    found = columns.find(name)
    return STRING if found is None else found.type


def _row(values: Sequence[Any], kinds: Sequence[DataType]) -> str:
    return f"({', '.join(_literal(value, kind) for value, kind in zip(values, kinds, strict=True))})"


def _literal(value: Any, kind: DataType) -> str:
    """SQL of a value of a column. Raises TypeError for one that has no literal."""
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
    """A datetime takes the kind of its column: without a zone it is a clock of the session's."""
    if isinstance(value, str):
        # This one is read without Spark, whatever it holds.
        return quote_text(value)
    if kind == TIMESTAMP and isinstance(value, datetime) and value.tzinfo is None:
        return sql_literal(value).replace("_NTZ", "", 1)
    if kind == TIMESTAMP_NTZ and isinstance(value, datetime):
        return sql_literal(value.replace(tzinfo=None))
    return sql_literal(value)


def _parts(value: Any, kind: StructType) -> Iterator[str]:
    for place, item in enumerate(kind):
        part = value.get(item.name) if isinstance(value, Mapping) else value[place]
        yield f"{sql_literal(item.name)}, {_literal(part, item.type)}"
