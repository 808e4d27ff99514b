"""ALTER TABLE … ADD and DROP of primary and foreign keys: changes of metadata alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deltasql.base.errors.statements.constraints import KeyNotFoundError
from deltasql.log.actions import actions
from deltasql.log.configuration.keys import Key, keys_of, primary_key, with_keys
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan.base import TableName, quote
from deltasql.planner.changes import Answer, CommitSpec, Plan, Stepwise, TableChange
from deltasql.planner.context import Context, plan
from deltasql.schema.paths import folded
from deltasql.schema.text import path_text
from deltasql.statements.keys import full_name, referring, refuse_referenced, with_declared_keys
from deltasql.statements.nodes.constraints import AddKey, DropForeignKey, DropPrimaryKey


@plan.register
def _(statement: AddKey, context: Context) -> Plan:
    """No row is read: keys inform."""
    log, snapshot = context.writable(statement.table)
    metadata = with_declared_keys(snapshot.metadata, [statement.key], statement.table, context)
    before = {key.name for key in keys_of(snapshot.metadata)}
    (added,) = (key for key in keys_of(metadata) if key.name not in before)
    parameters = {"name": added.name, "expr": added.definition(full_name(statement.table, context))}
    return TableChange(CommitSpec(log, snapshot, actions.ADD_CONSTRAINT, parameters, (metadata,)))


@plan.register
def _(statement: DropPrimaryKey, context: Context) -> Plan:
    _, snapshot = context.writable(statement.table)
    key = primary_key(snapshot.metadata)
    if key is not None:
        return dropped_key(statement.table, key, statement.cascade, context)
    if statement.if_exists:
        return Answer()
    caret = context.caret(statement.table.start, statement.table.end)
    raise KeyNotFoundError(str(statement.table), "primary key", "PRIMARY KEY").at(caret)


@plan.register
def _(statement: DropForeignKey, context: Context) -> Plan:
    """The one of these columns in this order."""
    _, snapshot = context.writable(statement.table)
    columns = [folded(column.parts) for column in statement.columns]
    for key in keys_of(snapshot.metadata):
        if key.references is not None and [folded((name,)) for name in key.columns] == columns:
            return dropped_key(statement.table, key, False, context)
    if statement.if_exists:
        return Answer()
    parameter = ", ".join(path_text(column.parts) for column in statement.columns)
    first, last = statement.columns[0], statement.columns[-1]
    error = KeyNotFoundError(str(statement.table), f"foreign key ({parameter})", "FOREIGN KEY")
    raise error.at(context.caret(first.start, last.end))


def dropped_key(table: TableName, key: Key, cascade: bool, context: Context) -> Plan:
    """The change that drops a key; with `cascade`, the foreign keys that refer to a primary key go first.

    Raises PrimaryKeyReferencedError where there are such and they are to stay.
    """
    log, snapshot = context.writable(table)
    if key.references is not None:
        return _without(log, snapshot, [key])
    if not cascade:
        advice = f"Drop them first, or with it: ALTER TABLE {table} DROP PRIMARY KEY CASCADE."
        refuse_referenced(table, f"drop the primary key {quote(key.name)} of {table}", advice, context)
        return _without(log, snapshot, [key])
    references = list(referring(table, context))
    own_keys = [item for name, item in references if name == table]
    others = [(name, item) for name, item in references if name != table]
    if not others:
        return _without(log, snapshot, [*own_keys, key])
    return Stepwise(
        "foreign keys that refer to it, then the primary key", _steps(others, table, [*own_keys, key], context)
    )


def _steps(
    others: Sequence[tuple[TableName, Key]], table: TableName, last: Sequence[Key], context: Context
) -> Iterator[Plan]:
    """One commit for each table; the primary key goes with the last, so that the statement can be run again."""
    for name in dict.fromkeys(name for name, _ in others):
        log, snapshot = context.writable(name)
        yield _without(log, snapshot, [key for other, key in others if other == name])
    yield _without(*context.writable(table), last)


def _without(log: DeltaLog, snapshot: Snapshot, keys: Sequence[Key]) -> TableChange:
    names = {key.name for key in keys}
    metadata = with_keys(snapshot.metadata, [key for key in keys_of(snapshot.metadata) if key.name not in names])
    last = keys[-1]
    parameters = {"name": last.name, "existed": "true", "expr": last.definition((snapshot.table,))}
    return TableChange(CommitSpec(log, snapshot, actions.DROP_CONSTRAINT, parameters, (metadata,)))
