"""Catalog commands with Flight SQL's columns: catalogs, schemas, tables, keys. Needs no Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from deltasql.base import DeltaSqlError, errors
from deltasql.clients.dbapi.types import like
from deltasql.clients.server.parameter_types import SQL_INFO, TYPE_INFO, sql_info, type_info
from deltasql.clients.server.statements import without_zones
from deltasql.log import Key
from deltasql.schema import DecimalType, StructField, arrow_type, identity_of, type_text
from deltasql.session import Description, Relation, Session, described, relations, schemas

TABLE, VIEW = "TABLE", "VIEW"
_GET_TABLES = "CommandGetTables"
_NO_ACTION = 3
"""Update and delete rule of foreign keys: keys are not enforced."""


def _text(name: str, nullable: bool = True) -> pa.Field:
    return pa.field(name, pa.string(), nullable)


_CATALOGS = pa.schema([_text("catalog_name", False)])
_SCHEMAS = pa.schema([_text("catalog_name"), _text("db_schema_name", False)])
_TABLES = pa.schema(
    [_text("catalog_name"), _text("db_schema_name"), _text("table_name", False), _text("table_type", False)]
)
_TABLES_WITH_SCHEMA = _TABLES.append(pa.field("table_schema", pa.binary(), False))
_TABLE_TYPES = pa.schema([_text("table_type", False)])
_PRIMARY_KEYS = pa.schema(
    [
        *(_text("catalog_name"), _text("db_schema_name"), _text("table_name", False), _text("column_name", False)),
        *(_text("key_name"), pa.field("key_sequence", pa.int32(), False)),
    ]
)
_FOREIGN_KEYS = pa.schema(
    [
        *(_text("pk_catalog_name"), _text("pk_db_schema_name"), _text("pk_table_name", False)),
        *(_text("pk_column_name", False), _text("fk_catalog_name"), _text("fk_db_schema_name")),
        *(_text("fk_table_name", False), _text("fk_column_name", False)),
        *(pa.field("key_sequence", pa.int32(), False), _text("fk_key_name"), _text("pk_key_name")),
        *(pa.field("update_rule", pa.uint8(), False), pa.field("delete_rule", pa.uint8(), False)),
    ]
)

Rows = Iterable[tuple[Any, ...]]


class FlightAnswer(NamedTuple):
    """Answer of a catalog command: the schema, which depends on the command only, and the rows or the whole table."""

    schema: Callable[[Any], pa.Schema]
    rows: Callable[[Session, Any], Rows | pa.Table]


def answer(session: Session, kind: str, command: Any, *, keeps_zones: bool = True) -> pa.Table:
    """The table that answers a catalog command; schemas of tables are without zones unless `keeps_zones`."""
    rows = ANSWERS[kind].rows(session, command)
    if isinstance(rows, pa.Table):
        return rows
    if kind == _GET_TABLES and command.include_schema and not keeps_zones:
        rows = ((*row[:-1], _without_zones(row[-1])) for row in rows)
    return _table(ANSWERS[kind].schema(command), rows)


def _without_zones(schema: bytes) -> bytes:
    return bytes(without_zones(pa.ipc.read_schema(pa.py_buffer(schema))).serialize())


def _table(schema: pa.Schema, rows: Rows) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table([pa.array(column, item.type) for column, item in zip(columns, schema, strict=True)], schema=schema)


def _filter(command: Any, name: str) -> str | None:
    return str(getattr(command, name)) if command.HasField(name) else None


def _catalogs(session: Session, command: Any) -> Rows:
    return [(name,) for name in session.catalog.catalogs()]


def schema_pairs(session: Session, catalog: str | None, schema: str | None) -> Iterator[tuple[str, str]]:
    """Pairs of catalog and schema; none for the catalog "", since every schema is in a catalog."""
    matches = like(schema)
    for name in session.catalog.catalogs():
        if catalog in {None, name} or (catalog or "").lower() == name:
            yield from ((name, schema_name) for schema_name in schemas(session, name) if matches(schema_name))


def _schemas(session: Session, command: Any) -> Rows:
    return list(schema_pairs(session, _filter(command, "catalog"), _filter(command, "db_schema_filter_pattern")))


def _relations(session: Session, command: Any) -> Iterator[Relation]:
    matches, types = like(_filter(command, "table_name_filter_pattern")), set(command.table_types)
    for key in schema_pairs(session, _filter(command, "catalog"), _filter(command, "db_schema_filter_pattern")):
        for relation in relations(session, *key):
            if matches(relation.parts[2]) and (not types or _type(relation) in types):
                yield relation


def _type(relation: Relation) -> str:
    return VIEW if relation.is_view else TABLE


def _tables(session: Session, command: Any) -> Rows:
    for relation in _relations(session, command):
        row = (*relation.parts, _type(relation))
        yield (*row, _columns(session, relation)) if command.include_schema else row


def _columns(session: Session, relation: Relation) -> bytes:
    """The columns of a table as an IPC message; none for an unreadable table, which must not fail the command."""
    try:
        fields = described(session, relation.parts).columns
    except DeltaSqlError:
        return bytes(pa.schema([]).serialize())
    return bytes(pa.schema([_field(relation, item) for item in fields]).serialize())


def _field(relation: Relation, item: StructField) -> pa.Field:
    """A column as an Arrow field, with the metadata of Flight SQL."""
    catalog, schema, name = relation.parts
    values = {
        "CATALOG_NAME": catalog,
        "DB_SCHEMA_NAME": schema,
        "TABLE_NAME": name,
        "TYPE_NAME": type_text(item.type),
    }
    values["IS_AUTO_INCREMENT"] = str(int(identity_of(item) is not None))
    if isinstance(item.type, DecimalType):
        values |= {"PRECISION": str(item.type.precision), "SCALE": str(item.type.scale)}
    if item.comment is not None:
        values["REMARKS"] = item.comment
    metadata = {f"ARROW:FLIGHT:SQL:{key}": value for key, value in values.items()}
    return pa.field(item.name, arrow_type(item.type), item.nullable, metadata)


def _table_types(session: Session, command: Any) -> Rows:
    return [(TABLE,), (VIEW,)]


def _named(session: Session, catalog: str | None, schema: str | None, table: str) -> Description | None:
    """The table of a name; missing parts are the current catalog and schema.

    None for a missing table, which then has no keys: the JDBC driver would turn an error into one of another kind.
    """
    names = session.catalog
    try:
        return described(session, (catalog or names.current_catalog, schema or names.current_schema, table))
    except (errors.TableNotFoundError, errors.SchemaNotFoundError, errors.CatalogNotFoundError):
        return None


TableParts = tuple[str | None, str | None, str | None]


def _parts(command: Any, prefix: str = "") -> TableParts:
    return (
        _filter(command, f"{prefix}catalog"),
        _filter(command, f"{prefix}db_schema"),
        getattr(command, f"{prefix}table"),
    )


def primary_key_rows(session: Session, name: TableParts) -> Iterator[tuple[Any, ...]]:
    """A row for each column of a table's primary key: catalog, schema, table, column, key, number from 1."""
    table = _named(session, *name[:2], name[2] or "")
    if table is None:
        return
    for key in table.keys:
        if key.kind == "PRIMARY KEY":
            for number, column in enumerate(key.columns, start=1):
                yield (*table.relation.parts, column, key.name, number)


def imported_keys(session: Session, name: TableParts) -> Rows:
    """The foreign keys of a table, sorted by the table that they refer to, in the columns of Flight SQL."""
    table = _named(session, *name[:2], name[2] or "")
    return [] if table is None else sorted(_foreign_keys(session, table), key=_by_parent)


def exported_keys(session: Session, name: TableParts) -> Rows:
    """The foreign keys that refer to a table, sorted by the table that has them."""
    parent = _named(session, *name[:2], name[2] or "")
    if parent is None:
        return []
    rows = (row for table in _all_tables(session) for row in _foreign_keys(session, table))
    return sorted((row for row in rows if row[:3] == parent.relation.parts), key=_by_child)


def cross_reference(session: Session, parent_name: TableParts, child_name: TableParts) -> Rows:
    """The foreign keys of one table that refer to another."""
    parent, child = (_named(session, *name[:2], name[2] or "") for name in (parent_name, child_name))
    if parent is None or child is None:
        return []
    rows = _foreign_keys(session, child)
    return sorted((row for row in rows if row[:3] == parent.relation.parts), key=_by_parent)


def _by_parent(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*row[:3], row[10] or "", row[9], row[8])


def _by_child(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*row[4:7], row[9], row[8])


def _all_tables(session: Session) -> Iterator[Description]:
    for key in schema_pairs(session, None, None):
        for relation in relations(session, *key):
            if not relation.is_view:
                try:
                    yield described(session, relation.parts)
                except DeltaSqlError:
                    continue


def _foreign_keys(session: Session, table: Description) -> Iterator[tuple[Any, ...]]:
    child = table.relation.parts
    for key in table.keys:
        if key.references is not None:
            parent = key.references.table or child
            columns = zip(key.references.columns, key.columns, strict=True)
            if len(parent) == len(child):
                name = _name_of_key(session, parent, key.references.columns)
                for number, (theirs, ours) in enumerate(columns, start=1):
                    yield (*parent, theirs, *child, ours, number, key.name, name, _NO_ACTION, _NO_ACTION)


def _name_of_key(session: Session, parts: tuple[str, ...], columns: tuple[str, ...]) -> str | None:
    """The name of the key of a table that a foreign key refers to by these columns."""
    try:
        keys: tuple[Key, ...] = described(session, parts).keys
    except DeltaSqlError:
        return None
    found = (key.name for key in keys if key.references is None and sorted(key.columns) == sorted(columns))
    return next(found, None)


def _always(schema: pa.Schema) -> Callable[[Any], pa.Schema]:
    return lambda command: schema


ANSWERS: Mapping[str, FlightAnswer] = {
    "CommandGetCatalogs": FlightAnswer(_always(_CATALOGS), _catalogs),
    "CommandGetDbSchemas": FlightAnswer(_always(_SCHEMAS), _schemas),
    _GET_TABLES: FlightAnswer(
        lambda command: _TABLES_WITH_SCHEMA if command.include_schema else _TABLES,
        _tables,
    ),
    "CommandGetTableTypes": FlightAnswer(_always(_TABLE_TYPES), _table_types),
    "CommandGetPrimaryKeys": FlightAnswer(
        _always(_PRIMARY_KEYS), lambda session, command: primary_key_rows(session, _parts(command))
    ),
    "CommandGetImportedKeys": FlightAnswer(
        _always(_FOREIGN_KEYS), lambda session, command: imported_keys(session, _parts(command))
    ),
    "CommandGetExportedKeys": FlightAnswer(
        _always(_FOREIGN_KEYS), lambda session, command: exported_keys(session, _parts(command))
    ),
    "CommandGetCrossReference": FlightAnswer(
        _always(_FOREIGN_KEYS),
        lambda session, command: cross_reference(session, _parts(command, "pk_"), _parts(command, "fk_")),
    ),
    "CommandGetSqlInfo": FlightAnswer(_always(SQL_INFO), lambda session, command: sql_info(command.info)),
    "CommandGetXdbcTypeInfo": FlightAnswer(
        _always(TYPE_INFO),
        lambda session, command: type_info(command.data_type if command.HasField("data_type") else None),
    ),
}
"""Answers of the catalog commands, by message name."""
