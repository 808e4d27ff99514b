"""DESCRIBE TABLE: columns, and with EXTENDED details from the catalog and the log. None of it reads rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.catalog import TableNotFoundError
from deltasql.base.errors.statements.inspect import JsonNotExtendedError, JsonOfColumnError
from deltasql.base.errors.suggestion import OPEN_SET, meant, similar_names
from deltasql.catalog.entries import table_kind
from deltasql.catalog.governance import UNGOVERNED
from deltasql.log.configuration.iceberg_compat import converts_to_iceberg
from deltasql.log.iceberg.current_metadata import current_metadata, root_uri
from deltasql.log.reading.change_feed import clustering_columns
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.log_store import LogStore
from deltasql.plan.base import ColumnPath, TableName
from deltasql.planner.changes import Answer, Plan
from deltasql.planner.context import Context, plan
from deltasql.planner.foreign.snapshots import table_snapshot
from deltasql.schema.paths import resolve
from deltasql.schema.text import declared_type, path_text, type_text
from deltasql.schema.types import STRING, StructField, StructType
from deltasql.statements.keys import full_name
from deltasql.statements.metadata import RefreshState
from deltasql.statements.nodes.inspect import DescribeTable
from deltasql.statements.partition_spec import partition_files, partition_text, partition_values
from deltasql.statements.policies import owner_rows, policy_rows
from deltasql.statements.refreshed import refreshed_rows
from deltasql.statements.show.describe_json import table_json, view_json
from deltasql.statements.show.detail_rows import constraint_rows, tag_rows
from deltasql.statements.show.show_columns import all_properties, name_in_catalog, view_schema
from deltasql.statements.show.source_information import source_rows
from deltasql.statements.show.view_information import detailed_view_rows

DESCRIBE = StructType(tuple(StructField(name, STRING) for name in ("col_name", "data_type", "comment")))
INFO = StructType(tuple(StructField(name, STRING) for name in ("info_name", "info_value")))
JSON = StructType((StructField("json_metadata", STRING),))


@plan.register
def _(statement: DescribeTable, context: Context) -> Plan:
    """Columns and partitioning; with EXTENDED details of the table from the catalog and the log."""
    try:
        view = view_schema(statement.table, context)
        schema = table_snapshot(context, statement.table, with_files=False).schema if view is None else view
    except TableNotFoundError as error:
        raise _of_misspelt_word(error, statement) from None
    if statement.as_json:
        return _as_json(statement, view, context)
    if statement.column is not None:
        return _column(statement, statement.column, schema, context)
    rows: list[tuple[str, str, str | None]] = [_described(field) for field in schema]
    if view is not None:
        return Answer(DESCRIBE, (*rows, *_view_rows(statement, context)))
    foreign = context.foreign(statement.table)
    snapshot = table_snapshot(context, statement.table, with_files=bool(statement.partition))
    rows += _partition_rows(snapshot)
    rows += _clustering_rows(snapshot)
    if statement.partition:
        rows += _one_partition_rows(statement, snapshot, context)
    elif foreign is not None:
        rows += source_rows(foreign) if statement.extended else ()
    elif statement.extended:
        rows += _detailed_rows(statement.table, context, snapshot)
    return Answer(DESCRIBE, tuple(rows))


def _view_rows(statement: DescribeTable, context: Context) -> Iterator[tuple[str, str, str | None]]:
    """The rows of EXTENDED for a view of the catalog; none for other views."""
    entry = context.catalog_view(statement.table.parts)
    if statement.extended and entry is not None:
        yield from detailed_view_rows(entry)


def _column(statement: DescribeTable, column: ColumnPath, schema: StructType, context: Context) -> Answer:
    try:
        field = resolve(schema, column.parts, where=str(statement.table)).field
    except DeltaSqlError as error:
        raise error.at(context.caret(column.start, column.end)) from None
    info = (("col_name", field.name), ("data_type", type_text(field.type)), ("comment", field.comment or "NULL"))
    return Answer(INFO, info)


def _as_json(statement: DescribeTable, view: StructType | None, context: Context) -> Answer:
    table, column = statement.table, statement.column
    if column is not None:
        raise JsonOfColumnError(str(table), str(column)).at(context.caret(column.start, column.end))
    if not statement.extended:
        raise JsonNotExtendedError(str(table)).at(context.caret(table.start, table.end))
    if view is not None:
        text = view_json(table.parts[-1], view, _text_of_view(table, context))
    else:
        foreign = context.foreign(table)
        if foreign is not None:
            raise context.delta_only(table, foreign, "DESCRIBE … AS JSON").at(context.caret(table.start, table.end))
        snapshot = context.snapshot(table)
        values: dict[str, str] = {}
        if statement.partition:
            partition_files(statement.partition, table, snapshot, context, needed=True)
            values = partition_values(statement.partition, snapshot)
        entry = None if table.path is not None else context.catalog.resolve(table.parts)
        managed = entry is not None and entry.managed
        text = table_json(full_name(table, context), snapshot, managed=managed, partition=values)
    return Answer(JSON, ((text,),))


def _text_of_view(name: TableName, context: Context) -> str | None:
    """The query of a view; None for one that only Spark knows."""
    key, entry = context.view_key(name.parts), context.catalog_view(name.parts)
    if key is not None:
        return context.views[key].query
    return None if entry is None else entry.definition.query


def _one_partition_rows(
    statement: DescribeTable, snapshot: Snapshot, context: Context
) -> Iterator[tuple[str, str, str | None]]:
    """The details of one partition for EXTENDED, from the log; a partition need not have a directory."""
    files = partition_files(statement.partition, statement.table, snapshot, context, needed=True)
    if not statement.extended:
        return
    yield "", "", ""
    yield "# Detailed Partition Information", "", ""
    yield "Name", name_in_catalog(statement.table, context) or f"delta.`{snapshot.location}`", ""
    yield "Partition Values", partition_text(statement.partition, snapshot), ""
    yield "Location", snapshot.location, ""
    yield "Number of Files", str(files.num_rows), ""
    yield "Size in Bytes", str(sum(files.column("size").to_pylist())), ""


def _of_misspelt_word(error: TableNotFoundError, statement: DescribeTable) -> DeltaSqlError:
    """The error of DESCRIBE HISTROY t, which reads as column t of a table HISTROY, with the likely keyword."""
    words = ("HISTORY", "DETAIL", "EXTENDED", "FORMATTED", "SCHEMA", "TABLE")
    close = similar_names(str(statement.table), words, cutoff=OPEN_SET)
    if statement.column is None or not close or error.similar:
        return error
    return TableNotFoundError(error.table, meant([f"DESCRIBE {close[0]} {statement.column}"])).at(error.caret)


def _described(field: StructField) -> tuple[str, str, str | None]:
    return field.name, type_text(declared_type(field)), field.comment


def _partition_rows(snapshot: Snapshot) -> Iterator[tuple[str, str, str | None]]:
    if not snapshot.partition_columns:
        return
    yield "# Partition Information", "", ""
    yield "# col_name", "data_type", "comment"
    for name in snapshot.partition_columns:
        field = snapshot.schema.find(name)
        if field is not None:
            yield _described(field)


def _clustering_rows(snapshot: Snapshot) -> Iterator[tuple[str, str, str | None]]:
    columns = clustering_columns(snapshot)
    if not columns:
        return
    yield "# Clustering Information", "", ""
    yield "# col_name", "data_type", "comment"
    for path in columns:
        _, kind, comment = _described(resolve(snapshot.schema, path).field)
        yield path_text(path), kind, comment


def _detailed_rows(name: TableName, context: Context, snapshot: Snapshot) -> Iterator[tuple[str, str, str | None]]:
    entry = None if name.path is not None else context.catalog.resolve(name.parts)
    properties = ",".join(f"{key}={value}" for key, value in all_properties(snapshot))
    yield from constraint_rows(snapshot, full_name(name, context))
    yield from tag_rows(snapshot)
    governance = UNGOVERNED if entry is None else entry.governance
    yield from policy_rows(governance)
    yield "", "", ""
    yield "# Detailed Table Information", "", ""
    yield "Name", name_in_catalog(name, context) or f"delta.`{snapshot.location}`", ""
    yield "Type", table_kind(entry), ""
    if snapshot.metadata.description is not None:
        yield "Comment", snapshot.metadata.description, ""
    yield "Location", snapshot.location, ""
    yield "Provider", "delta", ""
    yield from owner_rows(governance)
    yield "Table Properties", f"[{properties}]", ""
    if entry is not None and entry.refreshed is not None:
        last = RefreshState.of(snapshot)
        rows = refreshed_rows(entry, last.mode if last else None, last.time if last else None)
        yield from ((key, value, "") for key, value in rows)
    if converts_to_iceberg(snapshot.configuration):
        yield from _iceberg_rows(context.log(name).store)


def _iceberg_rows(store: LogStore) -> Iterator[tuple[str, str, str | None]]:
    """The location of the Iceberg metadata, and the version of the table that it shows."""
    current = current_metadata(store)
    if current is None:
        return
    version, moment = current.converted
    yield "", "", ""
    yield "# Delta Uniform Iceberg", "", ""
    yield "Metadata location", f"{root_uri(store.root)}/{current.path}", ""
    yield "Converted delta version", str(version), ""
    yield (
        "Converted delta timestamp",
        datetime.fromtimestamp(moment / 1000, timezone.utc).isoformat(" ", "milliseconds"),
        "",
    )
