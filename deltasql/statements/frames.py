"""Writes of DataFrames as statements: their nodes, their options, and their plans as INSERT or CREATE TABLE AS.

Source: features of Delta, batch writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from deltasql.base import errors, session_settings
from deltasql.files import Options, frame_options
from deltasql.log import DeltaLog, Metadata, Snapshot, operations, table_properties
from deltasql.plan import (
    SCAN_COLUMNS,
    Check,
    ColumnPath,
    FileShape,
    LogicalPlan,
    MemoryRows,
    Operator,
    Project,
    Rewrite,
    SqlText,
    Supplied,
    TableName,
    Write,
    hidden,
)
from deltasql.planner import (
    WHOLE_TABLE,
    Answer,
    CommitSpec,
    Context,
    DynamicOverwrite,
    Plan,
    RowChange,
    StructRule,
    new_columns,
    plan,
    refuse_enforced,
)
from deltasql.schema import (
    ID,
    PHYSICAL_NAME,
    VOID,
    StructField,
    StructType,
    as_nullable,
    check_duplicates,
    check_table_schema,
    folded,
    path_text,
)
from deltasql.schema import quote_name as quote
from deltasql.statements.constraints import constraints_of
from deltasql.statements.create_table import created_from_rows
from deltasql.statements.delete import refuse_append_only
from deltasql.statements.grants import refuse_lost_columns
from deltasql.statements.idempotency import (
    Application,
    application,
    noted,
    present,
    refuse_refreshed,
    session_application,
    skipped,
)
from deltasql.statements.insert import (
    DATAFRAME,
    Insert,
    QueryColumn,
    ReplaceOn,
    Replaces,
    ReplaceUsing,
    ReplaceWhere,
    matched_columns,
    struct_rule,
)
from deltasql.statements.insert_rows import InsertedRows, Insertion, inserted, is_dynamic, refuse_overwrite
from deltasql.statements.table import ClusterBy, ColumnDefinition, CreateTable, PartitionColumn
from deltasql.statements.table_metadata import (
    check_same_clustering,
    comment_metadata,
    mapped_metadata,
    metadata_actions,
    new_clustering,
)
from deltasql.statements.target import creation_parameters

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class WriteMode(Enum):
    """The effect of a write on an existing table, and without one."""

    APPEND = "append"
    OVERWRITE = "overwrite"
    ERROR = "error"
    """Creates a table; an existing one is an error."""
    IGNORE = "ignore"
    """Creates a table; does nothing where one exists."""
    REPLACE = "replace"
    """Replaces the definition of a table that must exist."""
    CREATE_OR_REPLACE = "create or replace"


@dataclass(frozen=True, slots=True)
class StreamBatch:
    """One micro-batch of a streaming query: the query's id, the batch's number from 0, and the output mode's name."""

    query_id: str
    batch_id: int
    output_mode: str


@dataclass(frozen=True, slots=True)
class CreateForFrame(LogicalPlan):
    """df.writeStream.toTable(t): creates the table for the rows of `write`, empty, unless it exists."""

    write: WriteFrame

    def created(self) -> TableName | None:
        return self.write.table


@dataclass(frozen=True, slots=True)
class WriteFrame(LogicalPlan):
    """df.write.mode(…).option(…).partitionBy(…).saveAsTable(t)

    Columns go by name, or by position. The table is created if it is missing, unless it `must_exist`. `partitioned_by`
    and `clustered_by` are None where the writer does not give them. Keys of `options` are in lower case.
    """

    table_words: ClassVar[str] = "The write of a DataFrame"

    table: TableName
    frame: DataFrame | MemoryRows
    mode: WriteMode
    options: Mapping[str, str] = field(default_factory=dict)
    partitioned_by: tuple[str, ...] | None = None
    clustered_by: tuple[str, ...] | None = None
    by_name: bool = True
    must_exist: bool = False
    batch: StreamBatch | None = None

    def created(self) -> TableName | None:
        return None if self.must_exist or self.mode is WriteMode.REPLACE else self.table


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """The parsed options of one write; None for an option that is not given."""

    merge_schema: bool | None
    overwrite_schema: bool
    replaces: Replaces | None
    target_alias: str | None
    ignores_null: bool
    dynamic: bool | None
    data_change: bool
    application: Application | None
    user_metadata: str | None
    properties: tuple[tuple[str, str], ...]

    @property
    def replace_where(self) -> str | None:
        """The predicate of replaceWhere."""
        return self.replaces.predicate.text if isinstance(self.replaces, ReplaceWhere) else None


def write_options(statement: WriteFrame) -> WriteOptions:
    """The options of a write.

    Raises IllegalOptionError, InvalidIdempotentWriteError, UnsupportedWriteError, and for two that exclude each other
    OverwriteSchemaDynamicError or ReplaceWhereDynamicError.
    """
    texts, read = statement.options, Options(statement.options)
    overwrites = statement.mode is WriteMode.OVERWRITE
    _refuse_beside_replacement(statement, read)
    options = WriteOptions(
        merge_schema=read[frame_options.MERGE_SCHEMA],
        overwrite_schema=read[frame_options.OVERWRITE_SCHEMA],
        replaces=_replaces(read) if overwrites else None,
        target_alias=read[frame_options.TARGET_ALIAS]
        if overwrites and read[frame_options.REPLACE_ON] is not None
        else None,
        ignores_null=read[frame_options.IGNORE_NULL_PARTITIONS],
        dynamic=_dynamic(read) if overwrites else None,
        data_change=read[frame_options.DATA_CHANGE],
        application=application(
            read[frame_options.TXN_APP_ID],
            read[frame_options.TXN_VERSION],
            frame_options.TXN_APP_ID.name,
            frame_options.TXN_VERSION.name,
        ),
        user_metadata=read[frame_options.USER_METADATA],
        properties=tuple((key, value) for key, value in texts.items() if key.startswith("delta.")),
    )
    _refuse_together(options, by_name=statement.by_name)
    return options


def file_shape(statement: WriteFrame) -> FileShape:
    """The shape of the files that a write makes. Raises IllegalOptionError."""
    read = Options(statement.options)
    return FileShape(read[frame_options.COMPRESSION], read[frame_options.MOST_ROWS], read[frame_options.OPTIMIZES])


def _refuse_together(options: WriteOptions, *, by_name: bool) -> None:
    """Raises UnsupportedWriteError, ReplaceWhereDynamicError or OverwriteSchemaDynamicError for options in conflict."""
    if options.merge_schema and not by_name:
        advice = (
            "It goes by position: add columns with saveAsTable() or writeTo(), which go by name, or with "
            "INSERT WITH SCHEMA EVOLUTION."
        )
        raise errors.UnsupportedWriteError("insertInto() with mergeSchema", advice)
    if options.dynamic and options.replace_where is not None:
        raise errors.ReplaceWhereDynamicError
    if options.dynamic and options.overwrite_schema:
        raise errors.OverwriteSchemaDynamicError


def _replaces(read: Options) -> Replaces | None:
    """The parsed replaceUsing, replaceOn or replaceWhere; None without any. Raises IllegalOptionError."""
    predicate, using, on = (
        read[frame_options.REPLACE_WHERE],
        read[frame_options.REPLACE_USING],
        read[frame_options.REPLACE_ON],
    )
    if using is not None:
        names = {name.lower(): ColumnPath((name,)) for name in using}
        return ReplaceUsing(tuple(names.values()))
    if on is not None:
        return ReplaceOn(SqlText(on, 0))
    return None if predicate is None else ReplaceWhere(SqlText(predicate, 0))


def _refuse_beside_replacement(statement: WriteFrame, read: Options) -> None:
    """Raises the error of another option or mode that replaceUsing and replaceOn exclude."""
    replacing = [
        option.name
        for option in (frame_options.REPLACE_USING, frame_options.REPLACE_ON)
        if option.name.lower() in read.texts
    ]
    if not replacing:
        return
    if statement.mode in {WriteMode.REPLACE, WriteMode.CREATE_OR_REPLACE}:
        raise errors.ReplaceByDefinitionError(replacing[0])
    if statement.mode is not WriteMode.OVERWRITE:
        return
    if len(replacing) > 1:
        raise errors.IncompatibleOptionsError(*replacing)
    if read[frame_options.REPLACE_WHERE] is not None:
        raise errors.ReplaceByFilterError(replacing[0])
    if read[frame_options.OVERWRITE_MODE] == "dynamic":
        raise errors.ReplaceDynamicError(replacing[0])
    if read[frame_options.OVERWRITE_SCHEMA]:
        raise errors.IncompatibleOptionsError(frame_options.OVERWRITE_SCHEMA.name, replacing[0])
    if not read[frame_options.DATA_CHANGE]:
        raise errors.IncompatibleOptionsError(frame_options.DATA_CHANGE.name, replacing[0])


def _dynamic(options: Options) -> bool | None:
    mode = options[frame_options.OVERWRITE_MODE]
    return None if mode is None else mode == "dynamic"


_MODES = {
    WriteMode.APPEND: "Append",
    WriteMode.OVERWRITE: "Overwrite",
    WriteMode.ERROR: "ErrorIfExists",
    WriteMode.IGNORE: "Ignore",
}


@dataclass(frozen=True, slots=True)
class _Write:
    """A write into an existing table."""

    statement: WriteFrame
    options: WriteOptions
    log: DeltaLog
    snapshot: Snapshot
    columns: StructType
    """The DataFrame's."""
    managed: bool

    @property
    def overwrites(self) -> bool:
        return self.statement.mode is WriteMode.OVERWRITE

    @property
    def rows(self) -> tuple[Supplied, list[QueryColumn]]:
        """The rows under names of our own, which no column of the table can have."""
        names = tuple(hidden(index) for index in range(len(self.columns)))
        columns_of_query = [
            QueryColumn(field.name, name, field.type) for field, name in zip(self.columns, names, strict=True)
        ]
        return Supplied(self.statement.frame, names), columns_of_query


@plan.register
def plan_write_frame(statement: WriteFrame, context: Context) -> Plan:
    """A new table, or rows for an existing one; a repeated idempotent write is ignored."""
    refuse_refreshed(statement, context)
    options = write_options(statement)
    batch = statement.batch
    app = Application(batch.query_id, batch.batch_id) if batch else options.application or session_application(context)
    context.refuse_version(statement.table)
    snapshot = _present(statement, context)
    if app is not None and app.done_in(snapshot):
        return skipped(app, operations.WRITE, context)
    change = _planned(statement, options, context, snapshot)
    change = change if app is None else noted(change, app, context)
    if not isinstance(change, RowChange):
        return change
    change = replace(change, shape=file_shape(statement)).committing(user_metadata=options.user_metadata)
    if batch is None:
        return change
    parameters = {"outputMode": batch.output_mode, "queryId": batch.query_id, "epochId": str(batch.batch_id)}
    return change.committing(operation=operations.STREAMING_UPDATE, parameters=parameters)


@plan.register
def plan_create_for_frame(statement: CreateForFrame, context: Context) -> Plan:
    """The table that a stream fills, made before its first batch comes."""
    write = statement.write
    options = write_options(write)
    if _present(write, context) is not None:
        return Answer()
    schema = context.analyst.schema(Supplied(write.frame))
    _refuse_voids(schema)
    columns = tuple(
        ColumnDefinition(item.name, as_nullable(item.type), "", 0, 0, comment=item.comment) for item in schema
    )
    return plan(replace(_create_table(write, options, "create"), columns=columns, query=None), context)


def _present(statement: WriteFrame, context: Context) -> Snapshot | None:
    """The table as it is now; None where there is none and the write may make it."""
    snapshot = present(statement.table, context)
    if snapshot is None and (statement.must_exist or context.is_view(statement.table)):
        return context.writable(statement.table)[1]
    return snapshot


def _planned(statement: WriteFrame, options: WriteOptions, context: Context, snapshot: Snapshot | None) -> Plan:
    match statement.mode:
        case WriteMode.REPLACE if snapshot is None:
            raise errors.CannotReplaceMissingTableError(table=str(statement.table))
        case WriteMode.OVERWRITE if snapshot is None and isinstance(options.replaces, (ReplaceUsing, ReplaceOn)):
            raise errors.ReplaceInNothingError(table=str(statement.table))
        case _ if snapshot is None:
            return _created(statement, options, context)
        case WriteMode.REPLACE | WriteMode.CREATE_OR_REPLACE:
            return _created(statement, options, context)
        case WriteMode.IGNORE:
            return Answer()
        case WriteMode.ERROR:
            path = statement.table.path
            raise (
                errors.TableAlreadyExistsError(table=str(statement.table))
                if path is None
                else errors.PathExistsError(path)
            )
    return _written(statement, options, context)


def _written(statement: WriteFrame, options: WriteOptions, context: Context) -> RowChange:
    """Rows for an existing table."""
    log, snapshot = context.writable(statement.table)
    in_memory = _memory_rows(statement)
    columns = context.analyst.schema(Supplied(statement.frame)) if in_memory is None else in_memory.schema
    if statement.by_name:
        check_duplicates(columns, "READ_SCHEMA", "the DataFrame")
    entry = None if statement.table.path else context.catalog.resolve(statement.table.parts)
    if statement.batch is not None:
        _refuse_voids(columns)
    write = _Write(statement, options, log, snapshot, columns, managed=entry is not None and entry.managed)
    if options.overwrite_schema and write.overwrites and options.replaces is None:
        if options.dynamic is None and is_dynamic(context, snapshot, {}):
            raise errors.OverwriteSchemaDynamicError
        return _named(write, _redefined(write, context))
    _refuse_other_layout(write)
    return _named(write, _inserted(write, context))


def _created(statement: WriteFrame, options: WriteOptions, context: Context) -> Plan:
    """The table is made from the rows; the history calls it a write where the table is a path."""
    mode = {WriteMode.REPLACE: "replace", WriteMode.CREATE_OR_REPLACE: "create_or_replace"}.get(statement.mode)
    create = _create_table(statement, options, mode or "create")
    change = created_from_rows(create, context, Supplied(statement.frame))
    if mode is not None or not isinstance(change, RowChange):
        return change
    overwrites = statement.mode is WriteMode.OVERWRITE
    # Whoever overwrites what is not there yet must not overwrite what somebody else puts there meanwhile.
    change = change.committing(reads=WHOLE_TABLE) if overwrites else change
    if statement.table.path is not None:
        parameters = {"mode": _MODES[statement.mode], "partitionBy": _json(statement.partitioned_by)}
        return change.committing(operation=operations.WRITE, parameters=parameters)
    return _as_replacement(change, change.commit.parameters) if overwrites else change


def _create_table(statement: WriteFrame, options: WriteOptions, mode: str) -> CreateTable:
    """The statement that makes the table which a write needs."""
    return CreateTable(
        mode=mode,
        external=False,
        if_not_exists=False,
        table=statement.table,
        columns=None,
        provider=None,
        partitioned_by=tuple(PartitionColumn(name) for name in statement.partitioned_by or ()),
        cluster_by=_cluster_by(statement),
        location=statement.options.get("path"),
        comment=None,
        properties=options.properties,
        query=DATAFRAME,
    )


def _as_replacement(change: RowChange, parameters: Mapping[str, Any]) -> RowChange:
    """The change under the name that the history has for an overwriting saveAsTable."""
    marked = {**parameters, "isV1SaveAsTableOverwrite": True}
    return change.committing(operation=operations.CREATE_OR_REPLACE_TABLE_AS_SELECT, parameters=marked)


def _cluster_by(statement: WriteFrame) -> ClusterBy | None:
    columns = statement.clustered_by
    return None if columns is None else ClusterBy(tuple(ColumnPath(tuple(name.split("."))) for name in columns))


def _refuse_voids(columns: StructType) -> None:
    """Raises VoidInStreamError: a stream cannot be asked again for a better type."""
    for column in columns:
        if column.type == VOID:
            raise errors.VoidInStreamError(quote(column.name))


def _refuse_other_layout(write: _Write) -> None:
    """Raises FramePartitioningMismatchError, CreatedClusteringDiffersError."""
    requested, existing = write.statement.partitioned_by, write.snapshot.partition_columns
    if requested is not None and folded(requested) != folded(existing):
        raise errors.FramePartitioningMismatchError(write.snapshot.table, existing, requested)
    clustered_by = _cluster_by(write.statement)
    if clustered_by is not None:
        check_same_clustering(clustered_by, write.snapshot)


def _inserted(write: _Write, context: Context) -> RowChange:
    """The rows go where INSERT would put them; columns that the DataFrame lacks get what an INSERT gives them."""
    statement, options, snapshot = write.statement, write.options, write.snapshot
    evolution = (
        options.merge_schema if options.merge_schema is not None else context.setting(session_settings.AUTO_MERGE)
    )
    if not evolution and statement.by_name:
        _refuse_new_columns(write)
    insert = _as_insert(write, evolution)
    refuse_overwrite(insert, snapshot, context)
    rows, columns_of_query = write.rows
    dynamic = is_dynamic(context, snapshot, {}) if options.dynamic is None else options.dynamic
    insertion = Insertion(
        insert,
        write.log,
        snapshot,
        InsertedRows(rows, _reads(write, rows, context), in_memory=_memory_rows(statement)),
        matched_columns(insert, context, snapshot.schema, columns_of_query, set(), evolution),
        {},
        evolution,
        dynamic=dynamic and bool(snapshot.partition_columns),
        rule=StructRule.BY_NAME_LENIENT if statement.by_name else struct_rule(insert, evolution),
    )
    change = inserted(insertion, context)
    if change.dynamic_overwrite and options.ignores_null:
        change = replace(change, dynamic_overwrite=DynamicOverwrite.WITHOUT_NULL)
    if options.data_change:
        return change
    if change.metadata is not snapshot.metadata:
        raise errors.DataChangeFalseError(snapshot.table)
    if isinstance(change.operator, Rewrite):
        raise errors.ReplaceWhereDataChangeError(str(options.replace_where))
    return replace(change, rearranges=True)


def _as_insert(write: _Write, evolution: bool) -> Insert:
    """The statement that puts the same rows into the table."""
    statement, options = write.statement, write.options
    return Insert(
        ctes=None,
        schema_evolution=evolution,
        overwrite=write.overwrites and options.replaces is None,
        table=statement.table,
        alias=None if options.target_alias is None else ColumnPath((options.target_alias,)),
        partition=(),
        columns=None,
        by_name=statement.by_name,
        replaces=options.replaces,
        query=DATAFRAME,
    )


def _reads(write: _Write, rows: Supplied, context: Context) -> Any:
    """The whole table, if the DataFrame comes from it. A stream's batch tells what it reads by its checkpoint."""
    if write.statement.batch is not None or _memory_rows(write.statement) is not None:
        return None
    if not context.analyst.reads_below(rows, write.log.location):
        return None
    return WHOLE_TABLE


def _memory_rows(statement: WriteFrame) -> MemoryRows | None:
    """The rows where the caller has them in memory."""
    return statement.frame if isinstance(statement.frame, MemoryRows) else None


def _redefined(write: _Write, context: Context) -> RowChange:
    """overwriteSchema: columns and partitioning become the DataFrame's, id, properties and protocol stay."""
    snapshot = write.snapshot
    refuse_append_only(snapshot)
    refuse_enforced("A write that replaces all rows", write.statement.table, snapshot.location, context)
    if not write.options.data_change:
        raise errors.DataChangeFalseError(snapshot.table)
    metadata = _redefinition(write)
    refuse_lost_columns(metadata.schema, write.statement.table, snapshot.location, context)
    clustering = None
    if write.statement.clustered_by is not None:
        clustering = new_clustering(_cluster_by(write.statement), metadata, snapshot, context)
    rows, columns_of_query = write.rows
    values = zip(metadata.schema, columns_of_query, strict=True)
    child: Operator = Project(rows, tuple((field.name, quote(item.sql)) for field, item in values))
    constraints = constraints_of(metadata.schema, metadata.configuration, snapshot.table)
    if constraints:
        child = Check(child, constraints)
    return RowChange(
        CommitSpec(
            write.log,
            snapshot,
            operations.WRITE,
            {"mode": "Overwrite"},
            actions=(*metadata_actions(snapshot, metadata), *(clustering.actions if clustering else ())),
            reads=WHOLE_TABLE,
        ),
        Write(child, metadata.schema, metadata.partition_columns),
        metadata,
        removed=snapshot.files(SCAN_COLUMNS),
    )


def _redefinition(write: _Write) -> Metadata:
    """The table's metadata with the DataFrame's columns; a column of an existing name keeps its physical name."""
    old = write.snapshot.metadata
    fields = tuple(_redefined_field(field, old.schema.find(field.name)) for field in write.columns)
    schema = StructType(fields)
    partitions = check_table_schema(
        schema,
        partitioned_by=write.statement.partitioned_by or (),
        column_mapping=old.properties.maps_columns,
        change_data_feed=old.properties[table_properties.CHANGE_DATA_FEED],
        where=write.snapshot.table,
    )
    if (schema, partitions) == (old.schema, old.partition_columns):
        return old
    return mapped_metadata(replace(old, schema=schema, partition_columns=partitions), preserve_names=False)


def _redefined_field(field: StructField, old: StructField | None) -> StructField:
    ids = {} if old is None else {key: old.metadata[key] for key in (ID, PHYSICAL_NAME) if key in old.metadata}
    metadata = MappingProxyType({**comment_metadata(field.comment), **ids})
    return StructField(field.name, as_nullable(field.type), metadata=metadata)


def _named(write: _Write, change: RowChange) -> RowChange:
    """The change with what the history says of it."""
    statement, options = write.statement, write.options
    by_name_of_table = statement.table.path is None and not statement.must_exist
    named: dict[str, Any] = {}
    if change.dynamic_overwrite:
        named["isDynamicPartitionOverwrite"] = True
    if options.overwrite_schema:
        named["canOverwriteSchema"] = True
    if change.commit.parameters.get("canMergeSchema"):
        named["canMergeSchema"] = True
    if write.overwrites and by_name_of_table and options.replaces is None:
        creation = creation_parameters(change.metadata, managed=write.managed)
        return _as_replacement(change, {**creation, **named})
    columns = () if by_name_of_table else statement.partitioned_by
    parameters = {"mode": _MODES[statement.mode], "partitionBy": _json(columns), **named}
    shown_keys = ("predicate", "replaceUsingCols", "replaceOnCond")
    parameters |= {key: value for key, value in change.commit.parameters.items() if key in shown_keys}
    return change.committing(parameters=parameters)


def _json(columns: tuple[str, ...] | None) -> str:
    return json.dumps(list(columns or ()))


def _refuse_new_columns(write: _Write) -> None:
    """Raises FrameSchemaMismatchError."""
    new = tuple(path_text(path) for path in new_columns(write.columns, write.snapshot.schema))
    if not new:
        return
    advice = "Drop it from the DataFrame, or let the table have it: option('mergeSchema', True)."
    if write.overwrites:
        advice += " To replace the table's columns: option('overwriteSchema', True)."
    raise errors.FrameSchemaMismatchError(write.snapshot.table, new, advice)
