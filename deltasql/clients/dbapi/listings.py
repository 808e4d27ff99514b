"""Results of a cursor's `catalogs`, `schemas`, `tables` and `columns`, with the columns of JDBC. Needs no Spark.

Source: java.sql.DatabaseMetaData, getCatalogs, getSchemas, getTables, getColumns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from deltasql.base import DeltaSqlError
from deltasql.catalog import Entry, TableEntry, ViewEntry
from deltasql.clients.dbapi.types import like, type_code
from deltasql.files import Result
from deltasql.plan import TableName
from deltasql.schema import (
    INTEGER,
    STRING,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    type_text,
)
from deltasql.schema import quote_name as quote
from deltasql.session import Session


def texts(*names: str) -> StructType:
    """Columns of texts."""
    return StructType(tuple(StructField(name, STRING) for name in names))


_SCHEMAS = texts("TABLE_SCHEM", "TABLE_CATALOG")
_TABLES = texts(
    *("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE", "REMARKS", "TYPE_CAT", "TYPE_SCHEM", "TYPE_NAME"),
    *("SELF_REFERENCING_COL_NAME", "REF_GENERATION"),
)
_NUMBERS = frozenset(
    {
        *("DATA_TYPE", "COLUMN_SIZE", "DECIMAL_DIGITS", "NUM_PREC_RADIX", "NULLABLE"),
        *("SQL_DATA_TYPE", "SQL_DATETIME_SUB", "CHAR_OCTET_LENGTH", "ORDINAL_POSITION"),
    }
)
_SMALLER = {"BUFFER_LENGTH": PrimitiveType("byte"), "SOURCE_DATA_TYPE": PrimitiveType("short")}
"""Types of the columns that a warehouse declares smaller than INT."""
_COLUMN_NAMES = (
    *("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE"),
    *("BUFFER_LENGTH", "DECIMAL_DIGITS", "NUM_PREC_RADIX", "NULLABLE", "REMARKS", "COLUMN_DEF", "SQL_DATA_TYPE"),
    *("SQL_DATETIME_SUB", "CHAR_OCTET_LENGTH", "ORDINAL_POSITION", "IS_NULLABLE", "SCOPE_CATALOG", "SCOPE_SCHEMA"),
    *("SCOPE_TABLE", "SOURCE_DATA_TYPE", "IS_AUTO_INCREMENT"),
)
_COLUMNS = StructType(
    tuple(StructField(name, INTEGER if name in _NUMBERS else _SMALLER.get(name, STRING)) for name in _COLUMN_NAMES)
)

_JAVA_TYPES = {
    "boolean": 16,
    "tinyint": -6,
    "smallint": 5,
    "int": 4,
    "bigint": -5,
    "float": 6,
    "double": 8,
    "decimal": 3,
    "string": 12,
    "binary": -2,
    "date": 91,
    "timestamp": 93,
    "timestamp_ntz": 93,
    "void": 0,
    "array": 2003,
    "map": 2000,
    "struct": 2002,
}
"""Numbers of java.sql.Types; any other type is OTHER."""
_OTHER = 1111
_SIZES = {"boolean": 1, "byte": 1, "short": 2, "integer": 4, "long": 8, "float": 4, "double": 8, "date": 4}
_SIZES |= {"timestamp": 8, "timestamp_ntz": 8}
"""Size of a value in bytes, by type."""


def catalogs(session: Session) -> Result:
    return Result.of(texts("TABLE_CAT"), [(name,) for name in session.catalog.catalogs()])


def schemas(session: Session, catalog: str | None, schema: str | None) -> Result:
    """Schemas, sorted by catalog. Names may have the wildcards of LIKE, `%` and `_`; None is any."""
    return Result.of(_SCHEMAS, [(name, inside) for inside, name in _schemas(session, catalog, schema)])


def tables(
    session: Session, catalog: str | None, schema: str | None, table: str | None, kinds: Sequence[str] | None
) -> Result:
    """Tables and views; `kinds` are TABLE and VIEW."""
    kinds_shown = None if kinds is None else {kind.upper() for kind in kinds}
    rows = [
        (*entry.parts, kind, "", None, None, None, None, None)
        for entry in _entries(session, catalog, schema, table)
        for kind in ["VIEW" if isinstance(entry, ViewEntry) else "TABLE"]
        if not kinds_shown or kind in kinds_shown
    ]
    return Result.of(_TABLES, rows)


def columns(session: Session, catalog: str | None, schema: str | None, table: str | None, column: str | None) -> Result:
    """A row for each column; those of unreadable tables are left out. Columns of views come from Spark."""
    matches = like(column)
    rows = [
        (*entry.parts, *_column(field, index))
        for entry in _entries(session, catalog, schema, table)
        for index, field in enumerate(_fields(session, entry))
        if matches(field.name)
    ]
    return Result.of(_COLUMNS, rows)


def _schemas(session: Session, catalog: str | None, schema: str | None) -> Iterator[tuple[str, str]]:
    inside, named = like(catalog), like(schema)
    for name in session.catalog.catalogs():
        if inside(name):
            schemas = session.catalog.within(name, "default").schemas()
            yield from ((name, item.name) for item in schemas if named(item.name))


def _entries(session: Session, catalog: str | None, schema: str | None, table: str | None) -> Iterator[Entry]:
    named = like(table)
    for inside, name in _schemas(session, catalog, schema):
        entries = session.catalog.entries((inside, name))
        yield from (entry for entry in entries if named(entry.name))


def _fields(session: Session, entry: Entry) -> StructType:
    try:
        if isinstance(entry, TableEntry) and entry.source is not None and entry.source.schema is not None:
            return entry.source.schema
        if isinstance(entry, ViewEntry) or entry.source is not None:
            return session.sql(f"SELECT * FROM {'.'.join(map(quote, entry.parts))}").schema
        return session.log(TableName(entry.parts)).snapshot().schema
    except DeltaSqlError:
        return StructType()


def _column(field: StructField, index: int) -> tuple[Any, ...]:
    """The row of a column after the table's names. Ordinal positions count from 0, as in Databricks."""
    code, kind = type_code(field.type), field.type
    digits = kind.scale if isinstance(kind, DecimalType) else None
    return (
        field.name,
        _JAVA_TYPES.get(code, _OTHER),
        _type_name(kind),
        _size(kind),
        None,
        digits,
        10 if code in {"tinyint", "smallint", "int", "bigint", "float", "double", "decimal"} else None,
        int(field.nullable),
        field.comment or "",
        field.metadata.get("CURRENT_DEFAULT"),
        None,
        None,
        None,
        index,
        "YES" if field.nullable else "NO",
        None,
        None,
        None,
        None,
        "YES" if "delta.identity.start" in field.metadata else "NO",
    )


def _type_name(kind: DataType) -> str:
    """The name of a type as Databricks lists it: `STRUCT<name: STRING, age: INT>`, names of fields unchanged."""
    match kind:
        case StructType():
            return f"STRUCT<{', '.join(f'{item.name}: {_type_name(item.type)}' for item in kind)}>"
        case MapType(key=key, value=value):
            return f"MAP<{_type_name(key)}, {_type_name(value)}>"
        case ArrayType(element=element):
            return f"ARRAY<{_type_name(element)}>"
        case _:
            return type_text(kind).upper()


def _size(kind: DataType) -> int | None:
    if isinstance(kind, DecimalType):
        return kind.precision
    return _SIZES.get(kind.name) if isinstance(kind, PrimitiveType) else None
