"""CREATE OR REFRESH of a streaming table that exists: other declarations are applied, or refused by name."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.base.errors.statements.refresh import RedeclaredTableError
from deltasql.log.configuration.keys import keys_of, with_keys
from deltasql.log.reading.change_feed import AUTO_PROPERTY, clustering_columns
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import ColumnPath, LogicalPlan
from deltasql.planner.context import Context
from deltasql.statements.column_definitions import declared_keys, declared_schema
from deltasql.statements.keys import with_declared_keys
from deltasql.statements.nodes.columns import AlterColumns, ColumnChange, Commented
from deltasql.statements.nodes.properties import CommentOnTable, SetTableProperties
from deltasql.statements.nodes.refresh import CreateRefreshed
from deltasql.statements.nodes.table import AlterClustering, CheckConstraint, CreateTable
from deltasql.statements.rules.definitions.constraints import inside


def refuse_redeclared(create: CreateTable, snapshot: Snapshot, context: Context) -> None:
    """Raises RedeclaredTableError for what the rows that are there would have to follow."""
    part = next(_other_parts(create, snapshot, context), None)
    if part is not None:
        error = RedeclaredTableError(part, str(create.table))
        raise error.at(context.caret(create.table.start, create.table.end))


def _other_parts(create: CreateTable, snapshot: Snapshot, context: Context) -> Iterator[str]:
    partitions = [column.name.lower() for column in create.partitioned_by]
    if partitions and partitions != [name.lower() for name in snapshot.partition_columns]:
        yield "PARTITIONED BY"
    if create.columns is not None and _is_retyped(create, snapshot, context):
        yield "the types and NOT NULL of the columns"
    if any(_is_new(item, snapshot) for item in create.constraints):
        yield "CHECK constraints"
    if _has_other_keys(create, snapshot, context):
        yield "keys"


def _is_retyped(create: CreateTable, snapshot: Snapshot, context: Context) -> bool:
    for wanted in declared_schema(create, context):
        field = snapshot.schema.find(wanted.name)
        if field is not None and (field.type, field.nullable) != (wanted.type, wanted.nullable):
            return True
    return False


def _is_new(item: object, snapshot: Snapshot) -> bool:
    if not isinstance(item, CheckConstraint):
        return False
    existing, condition = snapshot.properties.constraints, inside(item.condition).text
    return condition not in existing.values() if item.name is None else existing.get(item.name.lower()) != condition


def _has_other_keys(create: CreateTable, snapshot: Snapshot, context: Context) -> bool:
    keys = declared_keys(create)
    if not keys:
        return False
    wanted = with_declared_keys(with_keys(snapshot.metadata, ()), keys, create.table, context, creating=True)
    return keys_of(wanted) != keys_of(snapshot.metadata)


def redeclared(statement: CreateRefreshed, snapshot: Snapshot) -> Iterator[LogicalPlan]:
    """The statements that change what the rows do not follow: clustering, comments and properties that are named."""
    create = statement.create
    if create.cluster_by is not None and _is_clustered_otherwise(create, snapshot):
        yield AlterClustering(create.table, create.cluster_by)
    if create.comment is not None and create.comment != snapshot.metadata.description:
        yield CommentOnTable(create.table, create.comment)
    if any(snapshot.configuration.get(key) != value for key, value in create.properties):
        yield SetTableProperties(create.table, create.properties)
    comments = []
    for column in statement.columns:
        field = snapshot.schema.find(column.name)
        if column.comment is not None and field is not None and field.comment != column.comment:
            comments.append(ColumnChange(ColumnPath((column.name,), 0, 0), (Commented(column.comment),)))
    if comments:
        yield AlterColumns(create.table, tuple(comments))


def _is_clustered_otherwise(create: CreateTable, snapshot: Snapshot) -> bool:
    wanted = create.cluster_by
    assert wanted is not None
    is_auto = snapshot.configuration.get(AUTO_PROPERTY) == "true"
    if wanted.auto or is_auto:
        return wanted.auto != is_auto
    existing = [tuple(part.lower() for part in path) for path in clustering_columns(snapshot)]
    return existing != [tuple(part.lower() for part in column.parts) for column in wanted.columns]
