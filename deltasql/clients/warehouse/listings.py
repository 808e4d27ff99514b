"""The catalog functions of a warehouse, with the columns of JDBC: catalogs, schemas, tables, columns, keys, types.

Source: java.sql.DatabaseMetaData. Needs no Spark, except for the columns of views.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from deltasql.clients.dbapi import listings
from deltasql.clients.dbapi.types import like
from deltasql.clients.server.metadata import cross_reference as cross_references
from deltasql.clients.server.metadata import exported_keys, imported_keys, primary_key_rows, schema_pairs
from deltasql.clients.server.parameter_types import TYPE_INFO
from deltasql.clients.server.parameter_types import type_info as type_info_table
from deltasql.clients.warehouse.operations import Rows, WarehouseClient
from deltasql.files import Result
from deltasql.schema import INTEGER, STRING, StructField, StructType
from deltasql.session import Session


class TableNames(NamedTuple):
    """The name of a table; missing parts are those of the session."""

    catalog: str | None
    schema: str | None
    table: str | None


def plain(name: str | None) -> str | None:
    r"""The name of a catalog that a client sends as a pattern: `spark\_catalog` is spark_catalog."""
    return re.sub(r"\\([_%\\])", r"\1", name) if name else None


def catalogs(client: WarehouseClient) -> Rows:
    return Rows.of(listings.catalogs(client.session))


def schemas(client: WarehouseClient, catalog: str | None, schema: str | None) -> Rows:
    return Rows.of(listings.schemas(client.session, plain(catalog), schema))


def tables(
    client: WarehouseClient, catalog: str | None, schema: str | None, table: str | None, kinds: Sequence[str] | None
) -> Rows:
    return Rows.of(listings.tables(client.session, plain(catalog), schema, table, kinds))


def columns(
    client: WarehouseClient, catalog: str | None, schema: str | None, table: str | None, column: str | None
) -> Rows:
    return Rows.of(listings.columns(client.session, plain(catalog), schema, table, column))


def table_types(client: WarehouseClient) -> Rows:
    return Rows.of(Result.of(listings.texts("TABLE_TYPE"), [("TABLE",), ("VIEW",)]))


_FUNCTIONS = StructType(
    tuple(
        StructField(name, INTEGER if name == "FUNCTION_TYPE" else STRING)
        for name in ("FUNCTION_CAT", "FUNCTION_SCHEM", "FUNCTION_NAME", "REMARKS", "FUNCTION_TYPE", "SPECIFIC_NAME")
    )
)
_NO_TABLE = 1
"""JDBC's functionNoTable: the result is no table."""


def functions(client: WarehouseClient, catalog: str | None, schema: str | None, function: str | None) -> Rows:
    """The functions that users have created."""
    rows = function_rows(client.session, plain(catalog), schema, function)
    return Rows.of(Result.of(_FUNCTIONS, list(rows)))


def function_rows(
    session: Session, catalog: str | None, schema: str | None, function: str | None
) -> Iterator[tuple[Any, ...]]:
    """As `functions`: catalog, schema, name, comment, kind of JDBC, specific name."""
    matches = like(function)
    for inside, name in schema_pairs(session, catalog, schema):
        for item in session.catalog.within(inside, name).functions():
            if matches(item.name):
                yield inside, name, item.name, "", _NO_TABLE, item.name


_KEYS = StructType(
    tuple(
        StructField(name, INTEGER if name == "KEY_SEQ" else STRING)
        for name in ("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME", "KEY_SEQ", "PK_NAME")
    )
)
_REFERENCES = StructType(
    tuple(
        StructField(name, INTEGER if name in {"KEY_SEQ", "UPDATE_RULE", "DELETE_RULE", "DEFERRABILITY"} else STRING)
        for name in (
            *("PKTABLE_CAT", "PKTABLE_SCHEM", "PKTABLE_NAME", "PKCOLUMN_NAME", "FKTABLE_CAT", "FKTABLE_SCHEM"),
            *("FKTABLE_NAME", "FKCOLUMN_NAME", "KEY_SEQ", "UPDATE_RULE", "DELETE_RULE", "FK_NAME", "PK_NAME"),
            "DEFERRABILITY",
        )
    )
)
_NOT_DEFERRABLE = 7


def primary_keys(client: WarehouseClient, table: TableNames) -> Rows:
    rows = [(*parts, column, number, name) for *parts, column, name, number in primary_key_rows(client.session, table)]
    return Rows.of(Result.of(_KEYS, rows))


def cross_reference(client: WarehouseClient, parent: TableNames, child: TableNames) -> Rows:
    """The foreign keys of `child` that refer to `parent`; all of one table where the other has no name."""
    session = client.session
    if not child.table:
        found = exported_keys(session, parent)
    else:
        found = cross_references(session, parent, child) if parent.table else imported_keys(session, child)
    rows = []
    for *names, number, fk_name, pk_name, update, delete in found:
        rows.append((*names, number, update, delete, fk_name, pk_name, _NOT_DEFERRABLE))
    return Rows.of(Result.of(_REFERENCES, rows))


def type_info(client: WarehouseClient) -> Rows:
    """The types of columns."""
    names = [_TYPE_COLUMNS.get(item.name, item.name.upper()) for item in TYPE_INFO]
    columns = StructType(tuple(StructField(name, INTEGER if name in _TYPE_NUMBERS else STRING) for name in names))
    rows = [tuple(map(_cell, row.values(), columns)) for row in type_info_table(None).to_pylist()]
    return Rows.of(Result.of(columns, rows))


_TYPE_COLUMNS = {"column_size": "PRECISION", "datetime_subcode": "SQL_DATETIME_SUB"}
_TYPE_NUMBERS = frozenset(
    {
        *("DATA_TYPE", "PRECISION", "NULLABLE", "SEARCHABLE", "MINIMUM_SCALE", "MAXIMUM_SCALE", "SQL_DATA_TYPE"),
        *("SQL_DATETIME_SUB", "NUM_PREC_RADIX"),
    }
)


def _cell(value: Any, column: StructField) -> Any:
    return value if value is None or column.type == INTEGER else str(value)


# Statements that drivers send in place of the calls above

_LIKE = r"(?:\s+{word}LIKE\s+'(?P<{name}>[^']*)')?"
_COMMAND = re.compile(
    r"\s*SHOW\s+(?P<kind>SCHEMAS|TABLES|COLUMNS|FUNCTIONS)\s+IN\s+(?:(?P<all>ALL\s+CATALOGS)|CATALOG\s+(?P<catalog>\S+))"
    + _LIKE.format(word=r"SCHEMA\s+", name="schema")
    + _LIKE.format(word=r"TABLE\s+", name="table")
    + _LIKE.format(word="", name="name")
    + r"\s*;?\s*",
    re.IGNORECASE,
)
_SHOWN_SCHEMAS = listings.texts("databaseName", "catalog")
_SHOWN_TABLES = listings.texts(
    "namespace", "tableName", "isTemporary", "information", "catalogName", "tableType", "remarks"
)
_SHOWN_FUNCTIONS = listings.texts("functionName", "namespace", "catalogName", "remarks", "functionType", "specificName")
_SHOWN_COLUMNS = StructType(
    tuple(
        StructField(name, INTEGER if name in {"columnSize", "decimalDigits", "radix", "ordinalPosition"} else STRING)
        for name in (
            *("catalogName", "namespace", "tableName", "col_name", "columnType", "columnSize", "decimalDigits"),
            *("radix", "isNullable", "remarks", "ordinalPosition", "isAutoIncrement", "isGenerated"),
        )
    )
)


def driver_command(client: WarehouseClient, sql: str) -> Rows | None:
    """The rows of SHOW … IN CATALOG c [SCHEMA LIKE …] [TABLE LIKE …] [LIKE …], or IN ALL CATALOGS.

    Drivers send these, and the SQL reference has none of them. None for any other statement.
    """
    match = _COMMAND.fullmatch(sql)
    if match is None:
        return None
    session, kind = client.session, match["kind"].upper()
    catalog = None if match["all"] else unquoted(match["catalog"])
    schema, table, name = (_pattern(match[part]) for part in ("schema", "table", "name"))
    match kind:
        case "SCHEMAS":
            return Rows.of(Result.of(_SHOWN_SCHEMAS, listings.schemas(session, catalog, name).collect()))
        case "TABLES":
            found = listings.tables(session, catalog, schema, name, None).collect()
            tables_shown = [(row[1], row[2], "false", "", row[0], row[3], row[4]) for row in found]
            return Rows.of(Result.of(_SHOWN_TABLES, tables_shown))
        case "FUNCTIONS":
            rows = function_rows(session, catalog, schema, name)
            shown = [(row[2], row[1], row[0], row[3], str(row[4]), row[5]) for row in rows]
            return Rows.of(Result.of(_SHOWN_FUNCTIONS, shown))
        case _:
            result = listings.columns(session, catalog, schema, table, name)
            return Rows.of(Result.of(_SHOWN_COLUMNS, [_shown_column(row.asDict()) for row in result.collect()]))


def _shown_column(row: dict[str, Any]) -> tuple[Any, ...]:
    return (
        *(row["TABLE_CAT"], row["TABLE_SCHEM"], row["TABLE_NAME"], row["COLUMN_NAME"], row["TYPE_NAME"]),
        *(row["COLUMN_SIZE"], row["DECIMAL_DIGITS"], row["NUM_PREC_RADIX"]),
        "true" if row["NULLABLE"] else "false",
        *(row["REMARKS"], row["ORDINAL_POSITION"], row["IS_AUTO_INCREMENT"], "NO"),
    )


def unquoted(name: str) -> str:
    """A name without its back-ticks."""
    is_quoted = len(name) > 1 and name[0] == name[-1] == "`"
    return name[1:-1].replace("``", "`") if is_quoted else name


def _pattern(text: str | None) -> str | None:
    """A pattern of SHOW as one of JDBC: `*` is any text there, and `.` any character."""
    if text is None:
        return None
    return text.replace("*", "%").replace(".", "_") if "%" not in text else text
