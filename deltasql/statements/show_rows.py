"""DESCRIBE and SHOW: answers from the log and the catalog. None of them needs rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from deltasql.base import Caret, errors, session_settings, shown_pairs
from deltasql.catalog import Entry, Refreshed, TableEntry, ViewEntry, matching
from deltasql.log import (
    AUTO_PROPERTY,
    Snapshot,
    canonical_key,
    clustering_columns,
    table_uri,
    without_deltasql_properties,
)
from deltasql.plan import TableName
from deltasql.planner import GLOBAL, Answer, Context, Plan, moment, plan, table_snapshot
from deltasql.schema import (
    BOOLEAN,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    path_text,
)
from deltasql.statements.constraints import full_name
from deltasql.statements.create_table import dropped_below
from deltasql.statements.create_text import create_statement, create_view_statement, refreshed_statement
from deltasql.statements.describe import (
    INFO,
    all_properties,
    create_source_statement,
    name_in_catalog,
    property_rows,
    source_properties,
    view_properties,
    view_schema,
)
from deltasql.statements.inspect import (
    DescribeDetail,
    DescribeHistory,
    DescribeSchema,
    ShowCatalogs,
    ShowColumns,
    ShowCreateTable,
    ShowCurrentSchema,
    ShowDroppedTables,
    ShowSchemas,
    ShowTableProperties,
    ShowTables,
    ShowViews,
)


def _columns(*pairs: tuple[str, DataType]) -> StructType:
    return StructType(tuple(StructField(name, kind) for name, kind in pairs))


STRINGS = ArrayType(STRING)
TEXTS = MapType(STRING, STRING)
DETAIL = _columns(
    ("format", STRING),
    ("id", STRING),
    ("name", STRING),
    ("description", STRING),
    ("location", STRING),
    ("createdAt", TIMESTAMP),
    ("lastModified", TIMESTAMP),
    ("partitionColumns", STRINGS),
    ("clusteringColumns", STRINGS),
    ("numFiles", LONG),
    ("sizeInBytes", LONG),
    ("properties", TEXTS),
    ("minReaderVersion", INTEGER),
    ("minWriterVersion", INTEGER),
    ("tableFeatures", STRINGS),
    ("clusterByAuto", BOOLEAN),
)
JOB = _columns(*((name, STRING) for name in ("jobId", "jobName", "jobRunId", "runId", "jobOwnerId", "triggerType")))
HISTORY = _columns(
    ("version", LONG),
    ("timestamp", TIMESTAMP),
    ("userId", STRING),
    ("userName", STRING),
    ("operation", STRING),
    ("operationParameters", TEXTS),
    ("job", JOB),
    ("notebook", _columns(("notebookId", STRING))),
    ("clusterId", STRING),
    ("readVersion", LONG),
    ("isolationLevel", STRING),
    ("isBlindAppend", BOOLEAN),
    ("operationMetrics", TEXTS),
    ("userMetadata", STRING),
    ("engineInfo", STRING),
)


@plan.register
def plan_describe_detail(statement: DescribeDetail, context: Context) -> Plan:
    """One row about the latest version."""
    if context.is_view(statement.table):
        raise errors.DescribeViewDetailError(view=str(statement.table)).at(_caret(statement.table, context))
    snapshot = context.snapshot(statement.table)
    metadata, protocol = snapshot.metadata, snapshot.protocol
    row = (
        "delta",
        metadata.id,
        name_in_catalog(statement.table, context) or metadata.name,
        metadata.description,
        table_uri(snapshot.location),
        moment(metadata.created_time),
        moment(snapshot.timestamp_ms),
        list(metadata.partition_columns),
        [path_text(path) for path in clustering_columns(snapshot)],
        snapshot.num_files,
        snapshot.size_in_bytes,
        shown_pairs(without_deltasql_properties(metadata.configuration)),
        protocol.min_reader_version,
        protocol.min_writer_version,
        sorted(protocol.features),
        metadata.configuration.get(AUTO_PROPERTY) == "true",
    )
    return Answer(DETAIL, (row,))


@plan.register
def plan_describe_history(statement: DescribeHistory, context: Context) -> Plan:
    """One row per commit that the log still has, newest first."""
    context.refuse_version(statement.table)
    if context.is_view(statement.table):
        raise errors.DescribeViewHistoryError(view=str(statement.table)).at(_caret(statement.table, context))
    log = context.log(statement.table)
    context.snapshot(statement.table)
    return Answer(HISTORY, tuple(_history_row(*_entry(item)) for item in log.history(statement.limit)))


def _entry(item: Any) -> tuple[int, int, Mapping[str, Any]]:
    return item.version, item.timestamp_ms, item.info


def _history_row(version: int, timestamp_ms: int, info: Mapping[str, Any]) -> tuple[Any, ...]:
    job, notebook = info.get("job"), info.get("notebook")
    read_version, is_blind = info.get("readVersion"), info.get("isBlindAppend")
    return (
        version,
        moment(timestamp_ms),
        _text(info.get("userId")),
        _text(info.get("userName")),
        _text(info.get("operation")),
        _texts(info.get("operationParameters")),
        tuple(_text(job.get(name)) for name in JOB.names) if isinstance(job, Mapping) else None,
        (_text(notebook.get("notebookId")),) if isinstance(notebook, Mapping) else None,
        _text(info.get("clusterId")),
        read_version if type(read_version) is int and abs(read_version) < 1 << 63 else None,
        _text(info.get("isolationLevel")),
        is_blind if isinstance(is_blind, bool) else None,
        _texts(info.get("operationMetrics")),
        _text(info.get("userMetadata")),
        _text(info.get("engineInfo")),
    )


def _text(value: object) -> str | None:
    """A string, whatever JSON another writer put in its place."""
    return value if isinstance(value, str) or value is None else json.dumps(value)


def _texts(values: object) -> dict[str, str | None] | None:
    """A map of strings, whatever JSON another writer put into it."""
    return {key: _text(value) for key, value in values.items()} if isinstance(values, Mapping) else None


@plan.register
def plan_describe_schema(statement: DescribeSchema, context: Context) -> Plan:
    entry = context.catalog.schema(statement.schema.parts)
    rows = [
        ("Catalog Name", entry.catalog),
        ("Namespace Name", entry.name),
        ("Comment", entry.comment or ""),
        ("Location", entry.location),
    ]
    if statement.extended:
        rows += property_rows(entry.properties)
    if entry.governance.owner is not None:
        rows.append(("Owner", entry.governance.owner))
    return Answer(INFO, tuple(rows))


@plan.register
def plan_show_tables(statement: ShowTables, context: Context) -> Plan:
    """Tables and views of a schema, and the temporary views and tables of the session, which belong to none."""
    schema = statement.schema.parts if statement.schema else None
    rows = [(entry.schema, entry.name, False) for entry in context.catalog.entries(schema, statement.pattern)]
    temporary = _local_views(context).union(context.catalog.temporary.entries)
    rows += [("", name, True) for name in matching(temporary, statement.pattern)]
    return Answer(_columns(("namespace", STRING), ("tableName", STRING), ("isTemporary", BOOLEAN)), tuple(rows))


@plan.register
def plan_show_dropped_tables(statement: ShowDroppedTables, context: Context) -> Plan:
    """The tables of a schema that UNDROP TABLE can bring back, the latest first."""
    catalog = context.catalog
    parts = (catalog.current_schema,) if statement.schema is None else statement.schema.parts
    schema = catalog.schema(parts)
    found = dropped_below(schema.catalog, context.setting(session_settings.DROPPED_DAYS), context)
    names = ("catalogName", "schemaName", "tableName", "tableId", "tableType")
    columns = [
        *((name, STRING) for name in names),
        ("deletedAt", TIMESTAMP),
        ("createdAt", TIMESTAMP),
        ("owner", STRING),
    ]
    rows = [
        (
            *(*table.entry.parts, table.id, "MANAGED", moment(table.dropped_at), moment(table.entry.created_at)),
            table.entry.governance.owner,
        )
        for table in found
        if table.entry.schema == schema.name
    ]
    return Answer(_columns(*columns), tuple(rows[: statement.limit]))


@plan.register
def plan_show_views(statement: ShowViews, context: Context) -> Plan:
    """The views of a schema, and the temporary views of the session, which belong to none."""
    schema = None if statement.schema is None else statement.schema.parts
    if schema is not None and [part.lower() for part in schema] == [GLOBAL]:
        prefix = f"{GLOBAL}."
        shared = (key.removeprefix(prefix) for key in context.views if key.startswith(prefix))
        rows = [(GLOBAL, name, True, False) for name in matching(shared, statement.pattern)]
    else:
        entries = context.catalog.entries(schema, statement.pattern)
        views = [entry for entry in entries if _is_view(entry)]
        rows = [(entry.schema, entry.name, False, not isinstance(entry, ViewEntry)) for entry in views]
    rows += [("", name, True, False) for name in matching(_local_views(context), statement.pattern)]
    return Answer(_VIEWS, tuple(rows))


_VIEWS = _columns(("namespace", STRING), ("viewName", STRING), ("isTemporary", BOOLEAN), ("isMaterialized", BOOLEAN))


def _is_view(entry: Entry) -> bool:
    """Whether SHOW VIEWS lists an entry: a view, or a materialized one."""
    if isinstance(entry, ViewEntry):
        return True
    return entry.refreshed is not None and entry.refreshed.kind is Refreshed.MATERIALIZED_VIEW


def _local_views(context: Context) -> set[str]:
    """The names of the session's temporary views, those of DataFrames too."""
    local = {key for key in context.views if not key.startswith(f"{GLOBAL}.")}
    return local.union(context.analyst.temporary_views())


@plan.register
def plan_show_schemas(statement: ShowSchemas, context: Context) -> Plan:
    catalog = None if statement.catalog is None else context.require_catalog(statement.catalog)
    rows = tuple((entry.name,) for entry in context.catalog.schemas(statement.pattern, catalog))
    return Answer(_columns(("namespace", STRING)), rows)


@plan.register
def plan_show_current_schema(statement: ShowCurrentSchema, context: Context) -> Plan:
    return Answer(_columns(("catalog", STRING), ("namespace", STRING)), (context.current,))


@plan.register
def plan_show_catalogs(statement: ShowCatalogs, context: Context) -> Plan:
    rows = tuple((name,) for name in context.catalog.catalogs(statement.pattern))
    return Answer(_columns(("catalog", STRING)), rows)


@plan.register
def plan_show_columns(statement: ShowColumns, context: Context) -> Plan:
    """Of a view, too: its columns are asked of Spark."""
    view = view_schema(statement.table, context)
    schema = table_snapshot(context, statement.table, with_files=False).schema if view is None else view
    return Answer(_columns(("col_name", STRING)), tuple((name,) for name in schema.names))


@plan.register
def plan_show_table_properties(statement: ShowTableProperties, context: Context) -> Plan:
    """The properties with the protocol's versions and features; a key that is not set gets a sentence instead.

    A view of the session has none.
    """
    schema = _columns(("key", STRING), ("value", STRING))
    view = context.catalog_view(statement.table.parts) if statement.table.path is None else None
    if view is not None:
        return Answer(schema, view_properties(view, statement.key))
    if context.is_view(statement.table):
        return Answer(schema)
    foreign = context.foreign(statement.table)
    if foreign is not None:
        context.refuse_version(statement.table)
        return Answer(schema, source_properties(foreign, statement.key))
    snapshot = context.snapshot(statement.table)
    properties = dict(all_properties(snapshot))
    if statement.key is None:
        return Answer(schema, tuple(sorted(properties.items())))
    key = canonical_key(statement.key)
    missing = f"Table {snapshot.table} does not have property: {statement.key}"
    return Answer(schema, ((statement.key, properties.get(key, missing)),))


@plan.register
def plan_show_create_table(statement: ShowCreateTable, context: Context) -> Plan:
    """A statement that makes a table like this one, or a view."""
    if context.is_temporary_view(statement.table):
        raise errors.ShowCreateViewError(view=str(statement.table)).at(_caret(statement.table, context))
    view = context.catalog_view(statement.table.parts) if statement.table.path is None else None
    if view is not None and view.is_built_in:
        raise errors.ShowCreateBuiltInViewError(view=str(statement.table)).at(_caret(statement.table, context))
    if view is not None:
        return Answer(_columns(("createtab_stmt", STRING)), ((create_view_statement(view),),))
    foreign = context.foreign(statement.table)
    if foreign is not None:
        context.refuse_version(statement.table)
        return Answer(_columns(("createtab_stmt", STRING)), ((create_source_statement(foreign),),))
    snapshot = context.snapshot(statement.table)
    entry = None if statement.table.path is not None else context.catalog.resolve(statement.table.parts)
    name = full_name(statement.table, context)
    return Answer(_columns(("createtab_stmt", STRING)), ((_create_text(name, snapshot, entry),),))


def _create_text(name: Sequence[str], snapshot: Snapshot, entry: TableEntry | None) -> str:
    """The statement that creates a table, or a materialized view or streaming table."""
    if entry is None:
        return create_statement(name, snapshot, None)
    if entry.refreshed is not None:
        return refreshed_statement(name, snapshot, entry.refreshed, entry.governance)
    return create_statement(name, snapshot, None if entry.managed else snapshot.location, entry.governance)


def _caret(name: TableName, context: Context) -> Caret:
    return context.caret(name.start, name.end)
