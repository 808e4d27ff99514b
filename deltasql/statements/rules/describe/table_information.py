"""SHOW TABLE EXTENDED: tables and temporary views, each with its metadata as text. Source: Spark's format.

dbt and other tools search its lines by patterns, so they are exactly those of Spark.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.secrets import shown_pairs
from deltasql.catalog.entries import TableEntry, ViewEntry, table_kind
from deltasql.log.properties.property_registry import without_deltasql_properties
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import TableName, quote
from deltasql.planner.changes import Answer, Plan
from deltasql.planner.context import Context, plan
from deltasql.planner.foreign.snapshots import table_snapshot
from deltasql.schema.text import tree_text, with_lengths
from deltasql.schema.types import BOOLEAN, STRING, StructField, StructType
from deltasql.statements.nodes.inspect import ShowTableExtended, ShowTables
from deltasql.statements.partition_spec import partition_files, partition_text
from deltasql.statements.show.source_information import source_lines
from deltasql.statements.show.view_information import view_lines

_COLUMNS = StructType(
    tuple(
        StructField(name, kind)
        for name, kind in (
            ("namespace", STRING),
            ("tableName", STRING),
            ("isTemporary", BOOLEAN),
            ("information", STRING),
        )
    )
)


@plan.register
def _(statement: ShowTableExtended, context: Context) -> Plan:
    """A row for each table and view that SHOW TABLES LIKE lists; with PARTITION what the log says of its files."""
    listed = plan(ShowTables(statement.schema, statement.pattern), context)
    assert isinstance(listed, Answer)
    qualifier = () if statement.schema is None else statement.schema.parts[:-1]
    if statement.partition:
        tables = [(row, TableName((*qualifier, *row[:2]))) for row in listed.rows if row[0]]
        return Answer(_COLUMNS, tuple((*row, _of_partition(statement, name, context)) for row, name in tables))
    rows = ((*row, _information((*qualifier, *row[:2]), context)) for row in listed.rows)
    return Answer(_COLUMNS, tuple(rows))


def _of_partition(statement: ShowTableExtended, table: TableName, context: Context) -> str:
    """Raises what `partition_files` raises: such a statement is about one table."""
    snapshot = table_snapshot(context, table)
    files = partition_files(statement.partition, table, snapshot, context, needed=True)
    size = sum(files.column("size").to_pylist())
    return (
        f"Partition Values: {partition_text(statement.partition, snapshot)}\n"
        f"Location: {snapshot.location}\nPartition Statistics: {size} bytes\n"
    )


def _information(parts: tuple[str, ...], context: Context) -> str:
    """The lines on a table or view; a temporary view is in the schema called ''."""
    entry = context.catalog.find(parts) if parts[-2] else None
    match entry:
        case None:
            lines = _view_lines(parts[-1], context)
        case ViewEntry():
            lines = view_lines(entry)
        case _:
            lines = _table_lines(entry, context)
    return "".join(f"{line}\n" for line in lines)


def _view_lines(name: str, context: Context) -> Iterator[str]:
    """Its columns are left out: for these Spark would have to start. Of a DataFrame's view there is no text."""
    view = context.views.get(name)
    yield f"Table: {name}"
    yield "Type: VIEW"
    if view is None:
        return
    yield f"View Text: {view.query}"
    if view.columns:
        yield f"View Query Output Columns: [{', '.join(map(quote, view.columns))}]"


def _table_lines(entry: TableEntry, context: Context) -> Iterator[str]:
    """Without the lines that need the log, where that cannot be read: one bad table does not hide the others."""
    yield f"Catalog: {entry.catalog}"
    yield f"Database: {entry.schema}"
    yield f"Table: {entry.name}"
    created = datetime.fromtimestamp(entry.created_at / 1000, timezone.utc)
    yield f"Created Time: {created:%a %b %d %H:%M:%S} UTC {created.year}"
    yield f"Type: {table_kind(entry)}"
    if entry.source is not None:
        yield from source_lines(entry)
        return
    yield "Provider: delta"
    try:
        # All of them are read before the first is told.
        lines = list(_log_lines(context.snapshot(TableName(entry.parts))))
    except (DeltaSqlError, OSError) as error:
        lines = [f"Location: {entry.location}", f"Error: {str(error).splitlines()[0]}"]
    yield from lines


def _log_lines(snapshot: Snapshot) -> Iterator[str]:
    if snapshot.metadata.description is not None:
        yield f"Comment: {snapshot.metadata.description}"
    properties = ", ".join(
        f"{key}={value}"
        for key, value in sorted(shown_pairs(without_deltasql_properties(snapshot.configuration)).items())
    )
    yield f"Table Properties: [{properties}]"
    yield f"Statistics: {snapshot.size_in_bytes} bytes"
    yield f"Location: {snapshot.location}"
    if snapshot.partition_columns:
        yield f"Partition Columns: [{', '.join(f'`{name}`' for name in snapshot.partition_columns)}]"
    yield f"Schema: {tree_text(with_lengths(snapshot.schema), log_names=True)}"
