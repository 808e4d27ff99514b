"""SQL texts that SHOW CREATE TABLE returns for tables and views, and positions of errors in a CREATE TABLE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from deltasql.base import Caret, DeltaSqlError, errors, shown_value
from deltasql.catalog import UNGOVERNED, Governance, RefreshDefinition, StoredExpectation, ViewEntry
from deltasql.log import (
    AUTO_PROPERTY,
    CLUSTERING_FEATURE,
    Snapshot,
    clustering_columns,
    keys_of,
    parse_properties,
    table_properties,
    without_deltasql_properties,
)
from deltasql.planner import CURRENT_DEFAULT, Context, generation_of
from deltasql.schema import StructField, check_foreign, declared_type, identity_of, path_text, quote_text, sql_text
from deltasql.schema import quote_name as quote
from deltasql.sql import find, outline
from deltasql.statements.grants import filter_clause, mask_clause
from deltasql.statements.refreshing import FLOW
from deltasql.statements.streamed import STREAMED
from deltasql.statements.table import CreateTable


def create_statement(
    name: Sequence[str], snapshot: Snapshot, location: str | None, governance: Governance = UNGOVERNED
) -> str:
    """SQL that creates an empty table with the snapshot's columns, keys, partitioning, comment and properties, and
    with its row filter and masks.

    `name` are the parts of the table's.

    Raises what `check_foreign` raises.
    """
    check_foreign(snapshot.schema, snapshot.table)
    constraints = snapshot.properties.constraints.items()
    elements = [column_text(field) + mask_clause(governance, field.name) for field in snapshot.schema]
    elements += [f"CONSTRAINT {quote(key)} CHECK ({condition})" for key, condition in constraints]
    elements += [key.clause(name) for key in keys_of(snapshot.metadata)]
    columns = ",\n".join(f"  {element}" for element in elements)
    table = ".".join(map(quote, name))
    lines = [
        f"CREATE TABLE {table} (\n{columns})" if columns else f"CREATE TABLE {table}",
        f"USING {table_properties.provider(snapshot.configuration)}",
    ]
    if snapshot.partition_columns:
        lines.append(f"PARTITIONED BY ({', '.join(quote(column) for column in snapshot.partition_columns)})")
    lines += _clustered_by(snapshot)
    if location is not None:
        lines.append(f"LOCATION {quote_text(location)}")
    if snapshot.metadata.description is not None:
        lines.append(f"COMMENT {quote_text(snapshot.metadata.description)}")
    lines += _properties(snapshot)
    lines += filter_clause(governance)
    return "\n".join(lines) + "\n"


def refreshed_statement(
    name: Sequence[str], snapshot: Snapshot, definition: RefreshDefinition, governance: Governance = UNGOVERNED
) -> str:
    """SQL that creates a materialized view or streaming table like this one."""
    expected = {item.name.lower() for item in definition.expectations}
    elements = list(_refreshed_columns(snapshot, definition, governance))
    elements += [
        f"CONSTRAINT {quote(key)} CHECK ({condition})"
        for key, condition in snapshot.properties.constraints.items()
        if key.lower() not in expected
    ]
    elements += [key.clause(name) for key in keys_of(snapshot.metadata)]
    elements += map(_expectation, definition.expectations)
    columns = ",\n".join(f"  {element}" for element in elements)
    listed = f" (\n{columns})" if elements else ""
    lines = [f"CREATE {definition.kind.value} {'.'.join(map(quote, name))}{listed}"]
    if snapshot.partition_columns:
        lines.append(f"PARTITIONED BY ({', '.join(quote(column) for column in snapshot.partition_columns)})")
    lines += _clustered_by(snapshot)
    if snapshot.metadata.description is not None:
        lines.append(f"COMMENT {quote_text(snapshot.metadata.description)}")
    lines += _properties(snapshot)
    lines += [] if definition.schedule is None else [definition.schedule]
    lines += filter_clause(governance)
    return "\n".join([*lines, *_rows_of(definition)]) + "\n"


def _rows_of(definition: RefreshDefinition) -> list[str]:
    """The clause that says where the rows come from, if the statement has one."""
    if flow := definition.view.properties.get(FLOW):
        return ["FLOW" if flow.startswith("REPLACE USING") else "FLOW AUTO CDC", flow]
    query = definition.view.properties.get(STREAMED, definition.view.query)
    return ["AS", query] if query else []


def _refreshed_columns(snapshot: Snapshot, definition: RefreshDefinition, governance: Governance) -> Iterator[str]:
    """Names and comments; and types, where the query alone does not give the columns as they are.

    They are in the order of the query. None for a table with columns that its query had not when it was written.
    """
    of_query = {field.name.lower(): declared_type(field) for field in definition.view.schema}
    of_table = {field.name.lower(): field for field in snapshot.schema}
    if of_query.keys() != of_table.keys() or FLOW in definition.view.properties:
        return
    fields = [of_table[key] for key in of_query]
    if governance.masks or any(
        not field.nullable or declared_type(field) != of_query[field.name.lower()] for field in fields
    ):
        yield from (column_text(field) + mask_clause(governance, field.name) for field in fields)
    else:
        yield from (_view_column(field.name, field.comment) for field in fields)


def _expectation(item: StoredExpectation) -> str:
    violation = f" ON VIOLATION {item.action}" if item.action is not None else ""
    return f"CONSTRAINT {quote(item.name)} EXPECT ({item.condition}){violation}"


def _clustered_by(snapshot: Snapshot) -> Iterator[str]:
    if snapshot.configuration.get(AUTO_PROPERTY) == "true":
        yield "CLUSTER BY AUTO"
    elif columns := clustering_columns(snapshot):
        yield f"CLUSTER BY ({', '.join(path_text(path) for path in columns)})"


def _properties(snapshot: Snapshot) -> Iterator[str]:
    shown = {key: value for key, value in snapshot.configuration.items() if _is_taken(key, value)}
    properties = {**shown, **{f"delta.feature.{name}": "supported" for name in _features(snapshot)}}
    if properties:
        pairs = (f"  {quote_text(key)} = {quote_text(shown_value(key, properties[key]))}" for key in sorted(properties))
        yield "TBLPROPERTIES (\n" + ",\n".join(pairs) + ")"


def column_text(field: StructField) -> str:
    """A column as it stands in the list of CREATE TABLE, with all its clauses."""
    rules = "".join(f" {rule}" for rule in column_rules(field))
    text = f"{quote(field.name)} {sql_text(declared_type(field), constraints=True)}{rules}"
    return text if field.comment is None else f"{text} COMMENT {quote_text(field.comment)}"


def column_rules(field: StructField) -> Iterator[str]:
    """The clauses of a column between its type and its comment: NOT NULL, DEFAULT …, GENERATED …."""
    if not field.nullable:
        yield "NOT NULL"
    if CURRENT_DEFAULT in field.metadata:
        yield f"DEFAULT {field.metadata[CURRENT_DEFAULT]}"
    expression, identity = generation_of(field), identity_of(field)
    if expression is not None:
        yield f"GENERATED ALWAYS AS ({expression})"
    if identity is not None:
        kind = "BY DEFAULT" if identity.allow_explicit else "ALWAYS"
        yield f"GENERATED {kind} AS IDENTITY (START WITH {identity.start} INCREMENT BY {identity.step})"


def _is_taken(key: str, value: str) -> bool:
    """Whether CREATE TABLE takes a property: not what a table keeps by itself, nor what has a clause of its own."""
    if key in {AUTO_PROPERTY, table_properties.UNITY_TABLE_ID} or key in table_properties.DELTASQL_PROPERTIES:
        return False
    try:
        parse_properties(((key, value),), on_create=True)
    except DeltaSqlError:
        return False
    return True


def _features(snapshot: Snapshot) -> list[str]:
    return sorted(snapshot.protocol.explicit_features - {CLUSTERING_FEATURE})


def create_view_statement(entry: ViewEntry) -> str:
    """SQL that makes the view, as Spark tells it; the current schema must be the one that was."""
    definition = entry.definition
    columns = ",\n".join(f"  {_view_column(field.name, field.comment)}" for field in definition.schema)
    lines = [f"CREATE VIEW {'.'.join(quote(part) for part in entry.parts)} (\n{columns})"]
    if definition.comment is not None:
        lines.append(f"COMMENT {quote_text(definition.comment)}")
    properties = without_deltasql_properties(definition.properties)
    if properties:
        shown = ((key, shown_value(key, value)) for key, value in sorted(properties.items()))
        pairs = (f"  {quote_text(key)} = {quote_text(value)}" for key, value in shown)
        lines.append("TBLPROPERTIES (\n" + ",\n".join(pairs) + ")")
    if definition.metrics is None:
        lines += [f"WITH SCHEMA {definition.mode.value}", f"AS {definition.query}"]
    else:
        lines += ["WITH METRICS", "LANGUAGE YAML", f"AS $${definition.metrics}$$"]
    return "\n".join(lines) + "\n"


def _view_column(name: str, comment: str | None) -> str:
    return quote(name) if comment is None else f"{quote(name)} COMMENT {quote_text(comment)}"


_CLAUSES: dict[type[DeltaSqlError], str] = {
    errors.NotADeltaProviderError: "CREATE|REPLACE … USING < part >",
    errors.UnsupportedLocationError: "CREATE|REPLACE … LOCATION < string >",
}


def position_in_create(error: DeltaSqlError, statement: CreateTable, context: Context) -> Caret:
    """The clause or column that `error` is about, else the name of the table."""
    extent = _column(error, statement) or _clause(error, context.sql) or (statement.table.start, statement.table.end)
    return context.caret(*extent)


def _column(error: DeltaSqlError, statement: CreateTable) -> tuple[int, int] | None:
    if isinstance(error, errors.PartitionColumnNotFoundError):
        named = [column for column in statement.partitioned_by if column.name.lower() == error.column.lower()]
        return (named[0].start, named[0].end) if named else None
    return _second(error.columns, statement) if isinstance(error, errors.DuplicateColumnsError) else None


def _second(columns: Iterable[str], statement: CreateTable) -> tuple[int, int] | None:
    """The second place where one of some columns is declared."""
    names = {name.lower() for name in columns}
    declared = [(item.name, item.start, item.end) for item in statement.columns or ()]
    declared += [(item.name, item.start, item.end) for item in statement.partitioned_by]
    extents = [(start, end) for name, start, end in declared if name.lower() in names]
    return extents[1] if len(extents) > 1 else None


def _clause(error: DeltaSqlError, sql: str) -> tuple[int, int] | None:
    pattern = _CLAUSES.get(type(error))
    return find(pattern, outline(sql)) if pattern and sql else None
