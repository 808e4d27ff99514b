"""CREATE, REPLACE, DROP and TRUNCATE of tables; schemas. Source: features of Delta, CREATE / REPLACE / CTAS."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.catalog import TableAlreadyExistsError
from deltasql.errors.optimize import ClusterAndPartitionError
from deltasql.errors.table import (
    AmbiguousLocationError,
    CannotReplaceMissingTableError,
    ColumnListWithQueryError,
    CreatedColumnsDifferError,
    CreatedPartitioningDiffersError,
    CreatedPropertiesDifferError,
    EmptyQuerySchemaError,
    ExternalTableWithoutLogError,
    ExternalTableWithoutSchemaError,
    ExternalWithoutLocationError,
    LocationMismatchError,
    NonEmptyLocationError,
    NotADeltaProviderError,
    SchemaNotProvidedError,
    UnsupportedClauseError,
)
from deltasql.log.actions import Metadata
from deltasql.log.iceberg_compat import check_replacement, with_column_mapping
from deltasql.log.properties import has_change_feed, parse_properties, protocol_for
from deltasql.plan.base import TableName, quote
from deltasql.plan.operators import SCAN_COLUMNS, Check, Operator, Project, Write
from deltasql.plan.table import (
    CreateSchema,
    CreateTable,
    DropSchema,
    DropTable,
    RenameTable,
    TruncateTable,
    UseSchema,
)
from deltasql.planner.alignment import same_type
from deltasql.planner.changes import (
    Answer,
    Outcome,
    Plan,
    Reads,
    RowChange,
    TableChange,
)
from deltasql.planner.clustering_columns import (
    Clustering,
    automatic,
    check_same_clustering,
    needed_features,
    new_clustering,
)
from deltasql.planner.constraints import constraints_of, declared_constraints
from deltasql.planner.context import Context
from deltasql.planner.declared import comment_metadata, declared_schema
from deltasql.planner.delete import refuse_append_only
from deltasql.planner.effects import Registration, Renaming, SchemaChoice, SchemaCreation, SchemaRemoval, Unregistration
from deltasql.planner.metadata import keeping_log_properties, mapped_metadata, maps_columns
from deltasql.planner.row_tracking import tracked_metadata
from deltasql.planner.rule import plan
from deltasql.planner.settings import ARBITRARY_PROPERTIES, PROPERTY_DEFAULTS
from deltasql.schema.checks import check_table_schema
from deltasql.schema.column_mapping import MAX_ID
from deltasql.schema.evolution import as_nullable
from deltasql.schema.paths import folded
from deltasql.schema.text import tree_text
from deltasql.schema.types import StructField, StructType

if TYPE_CHECKING:
    from deltasql.log.actions import Action
    from deltasql.log.protocol import Protocol
    from deltasql.log.snapshot import Snapshot
    from deltasql.log.table import DeltaLog


@dataclass(frozen=True, slots=True)
class Target:
    """The table that CREATE makes or replaces. `snapshot` is what is at the place now, `known` its catalog entry."""

    name: TableName
    log: DeltaLog
    snapshot: Snapshot | None
    known: bool
    managed: bool


@plan.register
def _(statement: CreateTable, context: Context) -> Plan:
    """A new table, a new version of an existing one, or only a name for a log that is already there."""
    _refuse_clauses(statement, context)
    context.refuse_version(statement.table)
    try:
        return _created(statement, context)
    except DeltaSqlError as error:
        raise error.at(context.caret(statement.table.start, statement.table.end)) from None


def _created(statement: CreateTable, context: Context, rows: Operator | None = None) -> Plan:
    """`rows` are those of the query, where no SQL says them."""
    target = _target(statement, context)
    exists = target.known or (target.name.path is not None and target.snapshot is not None)
    if exists and statement.mode == "create":
        if statement.if_not_exists:
            return Answer()
        raise TableAlreadyExistsError(table=str(statement.table))
    if not exists and statement.mode == "replace":
        raise CannotReplaceMissingTableError(table=str(statement.table))
    if not exists and target.snapshot is not None and statement.mode == "create":
        return _adopt(statement, context, target)
    if statement.query is not None:
        return _from_query(statement, context, target, rows or context.query(statement.query))
    if statement.columns is None and statement.mode != "create":
        raise SchemaNotProvidedError(table=str(statement.table))
    metadata, protocol = _definition(statement, context, target, declared_schema(statement, context))
    clustering = new_clustering(statement.cluster_by, metadata, target.snapshot, context)
    actions = _creation_actions(metadata, protocol, target.snapshot, clustering)
    operation = _operation(statement, "")
    removed, reads = _replaced(target.snapshot)
    return TableChange(
        target.log,
        target.snapshot,
        operation,
        creation_parameters(metadata, target.managed, clustering),
        actions,
        register=_registration(target),
        removed=removed,
        reads=reads,
    )


def created_from_rows(statement: CreateTable, context: Context, rows: Operator) -> Plan:
    """CREATE TABLE … AS of rows that are no query's."""
    _refuse_clauses(statement, context)
    return _created(statement, context, rows)


def _from_query(statement: CreateTable, context: Context, target: Target, query: Operator) -> RowChange:
    """CREATE TABLE … AS SELECT: the query's columns, all nullable."""
    if statement.columns is not None or any(column.type is not None for column in statement.partitioned_by):
        raise ColumnListWithQueryError(table=str(statement.table))
    given = context.analyst.schema(query)
    if not len(given):
        raise EmptyQuerySchemaError(table=str(statement.table))
    fields = tuple(
        StructField(field.name, as_nullable(field.type), metadata=comment_metadata(field.comment)) for field in given
    )
    metadata, protocol = _definition(statement, context, target, StructType(fields))
    clustering = new_clustering(statement.cluster_by, metadata, target.snapshot, context)
    child: Operator = Project(query, tuple((field.name, quote(field.name)) for field in metadata.schema))
    constraints = constraints_of(metadata.schema, metadata.configuration)
    if constraints:
        child = Check(child, constraints)
    removed, _ = _replaced(target.snapshot)
    return RowChange(
        target.log,
        target.snapshot,
        _operation(statement, " AS SELECT"),
        creation_parameters(metadata, target.managed, clustering),
        Write(child, metadata.schema, metadata.partition_columns),
        metadata,
        Outcome.INSERT,
        actions=_creation_actions(metadata, protocol, target.snapshot, clustering),
        register=_registration(target),
        removed=removed,
        reads=Reads("TRUE", whole_table=True) if target.snapshot is not None else None,
    )


def _adopt(statement: CreateTable, context: Context, target: Target) -> Plan:
    """A name for an existing log. What the statement declares must be what the log says; nothing is committed."""
    assert target.snapshot is not None
    snapshot = target.snapshot
    snapshot.protocol.check_readable(snapshot.table, snapshot.schema, snapshot.configuration)
    if statement.query is not None:
        raise NonEmptyLocationError(location=target.log.location)
    if statement.columns:
        declared = declared_schema(statement, context)
        if not same_type(as_nullable(declared), as_nullable(snapshot.schema)):
            raise CreatedColumnsDifferError(
                location=target.log.location, declared=tree_text(declared), existing=tree_text(snapshot.schema)
            )
    names = tuple(column.name for column in statement.partitioned_by)
    if names and folded(names) != folded(snapshot.partition_columns):
        raise CreatedPartitioningDiffersError(
            location=target.log.location, declared=names, existing=snapshot.partition_columns
        )
    check_same_clustering(statement.cluster_by, snapshot)
    arbitrary = context.is_on(ARBITRARY_PROPERTIES)
    declared_properties = parse_properties(statement.properties, allow_arbitrary=arbitrary, on_create=True)
    for key, value in declared_properties.configuration.items():
        if snapshot.configuration.get(key) != value:
            raise CreatedPropertiesDifferError(
                location=target.log.location,
                key=key,
                declared=value,
                existing=snapshot.configuration.get(key, "(not set)"),
            )
    registration = _registration(target)
    if registration is None:
        return Answer()
    return registration


def _target(statement: CreateTable, context: Context) -> Target:
    """Where the table is or will be. Raises AmbiguousLocationError, NonEmptyLocationError, SchemaNotFoundError."""
    name = statement.table
    if name.path is not None:
        if statement.location is not None and _same_place(statement.location) != _same_place(name.path):
            raise AmbiguousLocationError(table=str(name), location=statement.location)
        log = context.logs(name.path, str(name))
        snapshot = log.snapshot() if log.exists() else None
        if snapshot is None:
            _refuse_useless_place(statement, name.path)
        return Target(name, log, snapshot, known=False, managed=False)
    entry = context.catalog.resolve(name.parts)
    if entry is not None:
        if statement.location is not None and _same_place(statement.location) != _same_place(entry.location):
            raise LocationMismatchError(table=str(name), location=statement.location, existing=entry.location)
        log = context.logs(entry.location, str(name))
        return Target(name, log, log.snapshot() if log.exists() else None, known=True, managed=entry.managed)
    location = statement.location or context.catalog.managed_location(name.parts)
    log = context.logs(location, str(name))
    snapshot = log.snapshot() if log.exists() else None
    if statement.location is None and (snapshot is not None or _has_files(location)):
        raise NonEmptyLocationError(location=location)
    if snapshot is None and statement.location is not None:
        _refuse_useless_place(statement, location)
    return Target(name, log, snapshot, known=False, managed=statement.location is None)


def _refuse_clauses(statement: CreateTable, context: Context) -> None:
    caret = context.caret(statement.table.start, statement.table.end)
    if statement.provider is not None and statement.provider.lower() != "delta":
        raise NotADeltaProviderError(provider=statement.provider, table=str(statement.table)).at(caret)
    if statement.external and statement.location is None and statement.table.path is None:
        raise ExternalWithoutLocationError(table=str(statement.table)).at(caret)
    if statement.cluster_by is not None and statement.cluster_by.columns and statement.partitioned_by:
        raise ClusterAndPartitionError(table=str(statement.table)).at(caret)


def _definition(
    statement: CreateTable, context: Context, target: Target, schema: StructType
) -> tuple[Metadata, Protocol]:
    """Metadata and protocol of the table to be. A replaced table gets a new id; its protocol never goes down."""
    arbitrary = context.is_on(ARBITRARY_PROPERTIES)
    defaults = context.settings.with_prefix(PROPERTY_DEFAULTS)
    parsed = parse_properties(statement.properties, allow_arbitrary=arbitrary, on_create=True, defaults=defaults)
    parsed = replace(parsed, configuration=with_column_mapping(parsed.configuration))
    partitions = check_table_schema(
        schema,
        partitioned_by=[column.name for column in statement.partitioned_by],
        column_mapping=maps_columns(parsed.configuration),
        change_data_feed=has_change_feed(parsed.configuration),
        where=str(statement.table),
    )
    if target.snapshot is not None:
        check_replacement(target.snapshot.partition_columns, partitions, parsed.configuration, str(statement.table))
    constraints = declared_constraints(statement.constraints, schema, str(statement.table), context)
    metadata = Metadata(
        id=str(uuid4()),
        schema=schema,
        partition_columns=partitions,
        configuration=MappingProxyType({**parsed.configuration, **constraints}),
        description=statement.comment or parsed.comment,
        created_time=int(time.time() * 1000),
    )
    if target.snapshot is not None and maps_columns(metadata.configuration):
        # The ids of the columns that go are never used again.
        metadata = metadata.with_configuration({MAX_ID: target.snapshot.configuration.get(MAX_ID, "0")})
    if target.snapshot is not None:
        metadata = keeping_log_properties(metadata, target.snapshot.configuration)
    metadata = automatic(mapped_metadata(metadata, keep_names=False), statement.cluster_by)
    protocol = protocol_for(
        metadata.schema,
        metadata.configuration,
        parsed=parsed,
        explicit_features=needed_features(statement.cluster_by),
        current=target.snapshot.protocol if target.snapshot else None,
        creating=True,
        table=str(statement.table),
    )
    return tracked_metadata(metadata, protocol, target.snapshot), protocol


def _creation_actions(
    metadata: Metadata, protocol: Protocol, snapshot: Snapshot | None, clustering: Clustering
) -> tuple[Action, ...]:
    same = snapshot is not None and snapshot.protocol == protocol
    return (*(() if same else (protocol,)), metadata, *clustering.actions)


def _operation(statement: CreateTable, suffix: str) -> str:
    return {
        "create": "CREATE TABLE",
        "create_or_replace": "CREATE OR REPLACE TABLE",
        "replace": "REPLACE TABLE",
    }[statement.mode] + suffix


def creation_parameters(metadata: Metadata, managed: bool, clustering: Clustering) -> dict[str, Any]:
    """What the history says of a table that is made or replaced."""
    return {
        "partitionBy": json.dumps(list(metadata.partition_columns)),
        "clusterBy": clustering.text,
        "description": metadata.description,
        "isManaged": str(managed).lower(),
        "properties": json.dumps(dict(metadata.configuration), separators=(",", ":")),
    }


def _replaced(snapshot: Snapshot | None) -> tuple[Any, Reads | None]:
    """All files of a table that is replaced. Raises AppendOnlyError for one from which no row may go."""
    if snapshot is None:
        return None, None
    if snapshot.num_files:
        refuse_append_only(snapshot)
    return snapshot.files(SCAN_COLUMNS), Reads("TRUE", whole_table=True)


def _registration(target: Target) -> Registration | None:
    if target.known or target.name.path is not None:
        return None
    return Registration(target.name.parts, target.log.location, target.managed)


def _refuse_useless_place(statement: CreateTable, location: str) -> None:
    """A place without a log must be empty, and it gives no columns.

    Raises NonEmptyLocationError, ExternalTableWithoutLogError, ExternalTableWithoutSchemaError.
    """
    declares = statement.columns is not None or any(column.type is not None for column in statement.partitioned_by)
    columns_known = declares or statement.query is not None or statement.mode != "create"
    if _has_files(location):
        raise (NonEmptyLocationError if columns_known else ExternalTableWithoutLogError)(location=location)
    if not columns_known:
        raise ExternalTableWithoutSchemaError(location=location)


def _has_files(location: str) -> bool:
    """Whether a local directory holds anything; hidden files of the operating system do not count."""
    from deltasql.log.paths import is_local

    place = Path(_same_place(location))
    return is_local(location) and place.is_dir() and any(not item.name.startswith(".") for item in place.iterdir())


def _same_place(location: str) -> str:
    from deltasql.log.paths import is_local, local_path

    return local_path(location) if is_local(location) else location.rstrip("/")


@plan.register
def _(statement: DropTable, context: Context) -> Plan:
    """A managed table goes with its files, an external one only by name. Works without a log."""
    name = statement.table
    context.refuse_version(name)
    if name.path is not None:
        raise UnsupportedClauseError(clause="DROP TABLE of a path", feature="a catalog entry").at(
            context.caret(name.start, name.end)
        )
    entry = context.catalog.resolve(name.parts)
    if entry is None:
        if statement.if_exists:
            return Answer()
        context.location(name)
    assert entry is not None
    return Unregistration(name.parts)


@plan.register
def _(statement: RenameTable, context: Context) -> Plan:
    for name in (statement.table, statement.name):
        if name.path is not None:
            error = UnsupportedClauseError(clause="RENAME TO of a path", feature="a catalog entry")
            raise error.at(context.caret(name.start, name.end))
    context.location(statement.table)
    return Renaming(statement.table.parts, statement.name.parts)


@plan.register
def _(statement: TruncateTable, context: Context) -> Plan:
    """All files go; an empty table stays as it is."""
    log, snapshot = context.writable(statement.table)
    refuse_append_only(snapshot)
    removed, reads = _replaced(snapshot)
    return TableChange(log, snapshot, "TRUNCATE", {}, removed=removed, reads=reads, skip_if_empty=True)


@plan.register
def _(statement: CreateSchema, context: Context) -> Plan:
    context.refuse_version(statement.schema)
    return SchemaCreation(statement.schema.parts, statement.comment, statement.location, statement.if_not_exists)


@plan.register
def _(statement: DropSchema, context: Context) -> Plan:
    context.refuse_version(statement.schema)
    return SchemaRemoval(statement.schema.parts, statement.cascade, statement.if_exists)


@plan.register
def _(statement: UseSchema, context: Context) -> Plan:
    context.refuse_version(statement.schema)
    return SchemaChoice(statement.schema.parts)
