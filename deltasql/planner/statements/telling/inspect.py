"""DESCRIBE and SHOW: answers from the log and the catalog. None of them needs rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from deltasql.catalog.entries import matching
from deltasql.errors.base import Caret, DeltaSqlError
from deltasql.errors.catalog import TableNotFoundError
from deltasql.errors.secrets import shown_pairs, shown_value
from deltasql.errors.statements.inspect import (
    DescribeViewDetailError,
    DescribeViewHistoryError,
    JsonNotExtendedError,
    JsonOfColumnError,
    ShowCreateViewError,
)
from deltasql.errors.suggestion import OPEN_SET, meant, similar_names
from deltasql.log.configuration.iceberg_compat import converts_to_iceberg
from deltasql.log.configuration.properties import canonical_key
from deltasql.log.configuration.tags import read_tags
from deltasql.log.iceberg.current_metadata import current_metadata, root_uri
from deltasql.log.properties.own_properties import TAGS, without_own
from deltasql.log.reading.clustering import clustering_columns, is_clustered
from deltasql.log.storage.locations import table_uri
from deltasql.plan.base import ColumnPath, TableName, quote
from deltasql.plan.statements.inspect import (
    DescribeDetail,
    DescribeHistory,
    DescribeSchema,
    DescribeTable,
    ShowCatalogs,
    ShowColumns,
    ShowCreateTable,
    ShowCurrentSchema,
    ShowSchemas,
    ShowTableProperties,
    ShowTables,
    ShowViews,
)
from deltasql.planner import binding
from deltasql.planner.changes import Answer, Plan
from deltasql.planner.context import GLOBAL, Context
from deltasql.planner.rule import plan
from deltasql.planner.tables.create_text import create_statement
from deltasql.planner.tables.describe_json import table_json, view_json
from deltasql.planner.tables.keys import full_name
from deltasql.planner.tables.own_rows import constraint_rows, tag_rows
from deltasql.planner.tables.partition_spec import partition_files, partition_values, told_partition
from deltasql.schema.lengths import declared_type
from deltasql.schema.paths import resolve
from deltasql.schema.text import path_text, type_text
from deltasql.schema.types import (
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
)

if TYPE_CHECKING:
    from deltasql.log.replay.snapshot import Snapshot
    from deltasql.log.storage.log_store import LogStore


def _columns(*pairs: tuple[str, DataType]) -> StructType:
    return StructType(tuple(StructField(name, kind) for name, kind in pairs))


STRINGS = ArrayType(STRING)
TEXTS = MapType(STRING, STRING)
DESCRIBE = _columns(("col_name", STRING), ("data_type", STRING), ("comment", STRING))
INFO = _columns(("info_name", STRING), ("info_value", STRING))
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
def _(statement: DescribeTable, context: Context) -> Plan:
    """Columns; partitioning; with EXTENDED what the catalog and the log say of the table."""
    view = _view_schema(statement.table, context)
    try:
        schema = context.snapshot(statement.table).schema if view is None else view
    except TableNotFoundError as error:
        raise _of_misspelt_word(error, statement) from None
    if statement.as_json:
        return _as_json(statement, view, context)
    if statement.column is not None:
        return _column(statement, statement.column, schema, context)
    rows: list[tuple[str, str, str | None]] = [_described(field) for field in schema]
    if view is not None:
        return Answer(DESCRIBE, tuple(rows))
    snapshot = context.snapshot(statement.table)
    rows += _partition_rows(snapshot)
    rows += _clustering_rows(snapshot)
    if statement.partition:
        rows += _one_partition_rows(statement, snapshot, context)
    elif statement.extended:
        rows += _detailed_rows(statement.table, context, snapshot)
    return Answer(DESCRIBE, tuple(rows))


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
        raise JsonNotExtendedError(str(table)).at(_caret(table, context))
    if view is not None:
        key = context.view_key(table.parts)
        text = view_json(table.parts[-1], view, None if key is None else context.views[key].query)
    else:
        snapshot = context.snapshot(table)
        values: dict[str, str] = {}
        if statement.partition:
            partition_files(statement.partition, table, snapshot, context, needed=True)
            values = partition_values(statement.partition, snapshot)
        entry = None if table.path is not None else context.catalog.resolve(table.parts)
        managed = entry is not None and entry.managed
        text = table_json(full_name(table, context), snapshot, managed=managed, partition=values)
    return Answer(_columns(("json_metadata", STRING)), ((text,),))


def _one_partition_rows(
    statement: DescribeTable, snapshot: Snapshot, context: Context
) -> Iterator[tuple[str, str, str | None]]:
    """What the log says of the files of a partition, which needs no folder of its own."""
    files = partition_files(statement.partition, statement.table, snapshot, context, needed=True)
    if not statement.extended:
        return
    yield "", "", ""
    yield "# Detailed Partition Information", "", ""
    yield "Name", _full_name(statement.table, context) or f"delta.`{snapshot.location}`", ""
    yield "Partition Values", told_partition(statement.partition, snapshot), ""
    yield "Location", snapshot.location, ""
    yield "Number of Files", str(files.num_rows), ""
    yield "Size in Bytes", str(sum(files.column("size").to_pylist())), ""


def _of_misspelt_word(error: TableNotFoundError, statement: DescribeTable) -> DeltaSqlError:
    """DESCRIBE HISTROY t names a table HISTROY and its column t; the error says what was probably meant."""
    words = ("HISTORY", "DETAIL", "EXTENDED", "FORMATTED", "SCHEMA", "TABLE")
    close = similar_names(str(statement.table), words, cutoff=OPEN_SET)
    if statement.column is None or not close or error.similar:
        return error
    return TableNotFoundError(error.table, meant([f"DESCRIBE {close[0]} {statement.column}"])).at(error.caret)


def _view_schema(name: TableName, context: Context) -> StructType | None:
    """The columns of a temporary view or of what only Spark knows; None for a table of ours."""
    known_view = context.is_view(name)
    if not known_view and (name.path is not None or context.catalog.resolve(name.parts) is not None):
        return None
    if not known_view and not context.analyst.started:
        return None
    return binding.columns_of(context, name)


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
    properties = ",".join(f"{key}={value}" for key, value in _all_properties(snapshot))
    yield from constraint_rows(snapshot, full_name(name, context))
    yield from tag_rows(snapshot)
    yield "", "", ""
    yield "# Detailed Table Information", "", ""
    yield "Name", _full_name(name, context) or f"delta.`{snapshot.location}`", ""
    yield "Type", "MANAGED" if entry is not None and entry.managed else "EXTERNAL", ""
    if snapshot.metadata.description is not None:
        yield "Comment", snapshot.metadata.description, ""
    yield "Location", snapshot.location, ""
    yield "Provider", "delta", ""
    yield "Table Properties", f"[{properties}]", ""
    if converts_to_iceberg(snapshot.configuration):
        yield from _iceberg_rows(context.log(name).store)


def _iceberg_rows(store: LogStore) -> Iterator[tuple[str, str, str | None]]:
    """Where the Iceberg metadata is, and which version of the table it shows."""
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


@plan.register
def _(statement: DescribeDetail, context: Context) -> Plan:
    """One row about the latest version."""
    if context.is_view(statement.table):
        raise DescribeViewDetailError(view=str(statement.table)).at(_caret(statement.table, context))
    snapshot = context.snapshot(statement.table)
    metadata, protocol = snapshot.metadata, snapshot.protocol
    row = (
        "delta",
        metadata.id,
        _full_name(statement.table, context) or metadata.name,
        metadata.description,
        table_uri(snapshot.location),
        _moment(metadata.created_time),
        _moment(snapshot.timestamp_ms),
        list(metadata.partition_columns),
        [path_text(path) for path in clustering_columns(snapshot)],
        snapshot.num_files,
        snapshot.size_in_bytes,
        shown_pairs(without_own(metadata.configuration)),
        protocol.min_reader_version,
        protocol.min_writer_version,
        sorted(protocol.features),
    )
    return Answer(DETAIL, (row,))


@plan.register
def _(statement: DescribeHistory, context: Context) -> Plan:
    """One row per commit that the log still has, newest first."""
    context.refuse_version(statement.table)
    if context.is_view(statement.table):
        raise DescribeViewHistoryError(view=str(statement.table)).at(_caret(statement.table, context))
    log = context.log(statement.table)
    context.snapshot(statement.table)
    return Answer(HISTORY, tuple(_history_row(*_entry(item)) for item in log.history(statement.limit)))


def _entry(item: Any) -> tuple[int, int, Mapping[str, Any]]:
    return item.version, item.timestamp_ms, item.info


def _history_row(version: int, timestamp_ms: int, info: Mapping[str, Any]) -> tuple[Any, ...]:
    job, notebook = info.get("job"), info.get("notebook")
    return (
        version,
        _moment(timestamp_ms),
        info.get("userId"),
        info.get("userName"),
        info.get("operation"),
        _texts(info.get("operationParameters")),
        None if job is None else tuple(job.get(name) for name in JOB.names),
        None if notebook is None else (notebook.get("notebookId"),),
        info.get("clusterId"),
        info.get("readVersion"),
        info.get("isolationLevel"),
        info.get("isBlindAppend"),
        _texts(info.get("operationMetrics")),
        info.get("userMetadata"),
        info.get("engineInfo"),
    )


def _texts(values: object) -> dict[str, str | None] | None:
    """A map of strings, whatever JSON another writer put into it."""
    if not isinstance(values, Mapping):
        return None
    return {
        key: value if isinstance(value, str) or value is None else json.dumps(value) for key, value in values.items()
    }


@plan.register
def _(statement: DescribeSchema, context: Context) -> Plan:
    entry = context.catalog.schema(statement.schema.parts)
    rows = [
        ("Catalog Name", entry.catalog),
        ("Namespace Name", entry.name),
        ("Comment", entry.comment or ""),
        ("Location", entry.location),
    ]
    if statement.extended:
        shown = sorted(without_own(entry.properties).items())
        pairs = ", ".join(f"({key},{shown_value(key, value)})" for key, value in shown)
        rows.append(("Properties", f"({pairs})" if pairs else ""))
        tags = sorted(read_tags(entry.properties.get(TAGS)).items())
        if tags:
            rows.append(("Tags", f"({', '.join(f'({key},{shown_value(key, value)})' for key, value in tags)})"))
    return Answer(INFO, tuple(rows))


@plan.register
def _(statement: ShowTables, context: Context) -> Plan:
    """Tables of a schema, and the temporary views of the session, which belong to none."""
    schema = statement.schema.parts if statement.schema else None
    rows = [(entry.schema, entry.name, False) for entry in context.catalog.tables(schema, statement.pattern)]
    rows += [("", name, True) for name in matching(_local_views(context), statement.pattern)]
    return Answer(_columns(("namespace", STRING), ("tableName", STRING), ("isTemporary", BOOLEAN)), tuple(rows))


@plan.register
def _(statement: ShowViews, context: Context) -> Plan:
    """The temporary views of the session, which belong to no schema."""
    rows: list[tuple[str, str, bool]] = []
    if statement.schema is not None and [part.lower() for part in statement.schema.parts] == [GLOBAL]:
        prefix = f"{GLOBAL}."
        shared = (key.removeprefix(prefix) for key in context.views if key.startswith(prefix))
        rows = [(GLOBAL, name, True) for name in matching(shared, statement.pattern)]
    elif statement.schema is not None:
        context.catalog.schema(statement.schema.parts)
    rows += [("", name, True) for name in matching(_local_views(context), statement.pattern)]
    return Answer(_columns(("namespace", STRING), ("viewName", STRING), ("isTemporary", BOOLEAN)), tuple(rows))


def _local_views(context: Context) -> set[str]:
    """The names of the session's temporary views, those of DataFrames too."""
    own = {key for key in context.views if not key.startswith(f"{GLOBAL}.")}
    return own.union(context.analyst.temporary_views())


@plan.register
def _(statement: ShowSchemas, context: Context) -> Plan:
    rows = tuple((entry.name,) for entry in context.catalog.schemas(statement.pattern))
    return Answer(_columns(("namespace", STRING)), rows)


@plan.register
def _(statement: ShowCurrentSchema, context: Context) -> Plan:
    return Answer(_columns(("catalog", STRING), ("namespace", STRING)), (context.current,))


@plan.register
def _(statement: ShowCatalogs, context: Context) -> Plan:
    rows = tuple((name,) for name in context.catalog.catalogs(statement.pattern))
    return Answer(_columns(("catalog", STRING)), rows)


@plan.register
def _(statement: ShowColumns, context: Context) -> Plan:
    """Of a view, too: its columns are asked of Spark."""
    view = _view_schema(statement.table, context)
    schema = context.snapshot(statement.table).schema if view is None else view
    return Answer(_columns(("col_name", STRING)), tuple((name,) for name in schema.names))


@plan.register
def _(statement: ShowTableProperties, context: Context) -> Plan:
    """The properties with the protocol's versions and features; a key that is not set gets a sentence instead.

    A view of the session has none.
    """
    schema = _columns(("key", STRING), ("value", STRING))
    if context.is_view(statement.table):
        return Answer(schema)
    snapshot = context.snapshot(statement.table)
    properties = dict(_all_properties(snapshot))
    if statement.key is None:
        return Answer(schema, tuple(sorted(properties.items())))
    key = canonical_key(statement.key)
    missing = f"Table {snapshot.table} does not have property: {statement.key}"
    return Answer(schema, ((statement.key, properties.get(key, missing)),))


def _all_properties(snapshot: Snapshot) -> Iterable[tuple[str, str]]:
    protocol = snapshot.protocol
    yield from sorted(shown_pairs(without_own(snapshot.configuration)).items())
    if is_clustered(snapshot):
        columns = [list(path) for path in clustering_columns(snapshot)]
        yield "clusteringColumns", json.dumps(columns, separators=(",", ":"))
    yield "delta.minReaderVersion", str(protocol.min_reader_version)
    yield "delta.minWriterVersion", str(protocol.min_writer_version)
    for name in sorted(protocol.explicit_features):
        yield f"delta.feature.{name}", "supported"


@plan.register
def _(statement: ShowCreateTable, context: Context) -> Plan:
    """A statement that makes a table like this one."""
    if context.is_view(statement.table):
        raise ShowCreateViewError(view=str(statement.table)).at(_caret(statement.table, context))
    snapshot = context.snapshot(statement.table)
    entry = None if statement.table.path is not None else context.catalog.resolve(statement.table.parts)
    name = full_name(statement.table, context)
    text = create_statement(name, snapshot, snapshot.location if entry is not None and not entry.managed else None)
    return Answer(_columns(("createtab_stmt", STRING)), ((text,),))


def _full_name(name: TableName, context: Context) -> str | None:
    """catalog.schema.table of a table in the catalog; None for a path."""
    if name.path is not None or context.catalog.resolve(name.parts) is None:
        return None
    return ".".join(quote(part) for part in context.catalog.full_name(name.parts))


def _caret(name: TableName, context: Context) -> Caret:
    return context.caret(name.start, name.end)


def _moment(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
