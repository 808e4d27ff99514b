"""The tail that UPDATE, DELETE and MERGE share: from the rewrite of a table to the change that is committed.

The statements that may be run again after a lost race with another writer.

Nothing of the first run was committed, so the second is equivalent; but a user may have seen the values of clock or
random functions of the first run.

How the rewrite of a table records its changes, by the table's properties.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from deltasql.base.settings.write_settings import DELETE_VECTORS, MERGE_VECTORS, UPDATE_VECTORS
from deltasql.log.actions import operations
from deltasql.log.actions.actions import Metadata
from deltasql.log.properties.property_registry import CHANGE_DATA_FEED, DELETION_VECTORS
from deltasql.log.properties.table_properties import TableProperties
from deltasql.plan.operators import (
    Operator,
    Recording,
    Rewrite,
    RowAction,
    RowEffect,
    RowKind,
    SqlFunction,
    evaluated_texts,
)
from deltasql.planner.changes import CommitSpec, LayoutChange, Plan, RowChange, TableChange
from deltasql.planner.context import Context
from deltasql.planner.rows.read_set import reads_of
from deltasql.planner.rows.row_level import must_materialize_source, rewritten_rows
from deltasql.sql.references import Scope, has_subquery, is_deterministic, is_stable, stars_spelled

_VECTORS = {
    operations.DELETE: DELETE_VECTORS,
    operations.UPDATE: UPDATE_VECTORS,
    operations.MERGE: MERGE_VECTORS,
}


def row_change(
    spec: CommitSpec, operator: Rewrite, metadata: Metadata, pruned_by: str | None, context: Context
) -> RowChange:
    """The change whose rows `operator` rewrites. `pruned_by` is the predicate that chose the files of its target.

    Decided here: how changes are recorded in files, what the commit depends on, and whether its rows can be told apart
    from those that others change. Nothing is committed where no row changes.
    """
    assert spec.snapshot is not None
    setting = _VECTORS.get(spec.operation)
    vectors = setting is None or context.setting(setting)
    operator = recorded(_with_columns(operator, context), metadata.properties, vectors=vectors)
    rows = rewritten_rows(operator, spec.snapshot, context)
    if rows.probe is not None and operator.join is not None and must_materialize_source(operator):
        operator = replace(operator, join=replace(operator.join, is_materialized=True))
        rows = replace(rows, probe=operator)
    reads = reads_of(operator, pruned_by, spec.snapshot, context)
    return RowChange(replace(spec, reads=reads), operator, metadata, skip_if_empty=True, rows=rows)


def _with_columns(operator: Rewrite, context: Context) -> Rewrite:
    """`operator` with the columns of the tables in place of each star, which the rows of a rewrite have more of."""
    target: Scope = (operator.target_alias, lambda: operator.target.schema.names)
    join = operator.join
    if join is None:
        return replace(operator, actions=tuple(_spelled(action, [target]) for action in operator.actions))
    source: Scope = (join.alias, partial(_columns, join.source, context))
    scopes = {
        RowKind.MATCHED: [target, source],
        RowKind.NOT_MATCHED: [source],
        RowKind.NOT_MATCHED_BY_SOURCE: [target],
    }
    actions = tuple(_spelled(action, scopes[action.kind]) for action in operator.actions)
    on = _text(join.on, [target, source])
    return replace(operator, actions=actions, join=join if on == join.on else replace(join, on=on))


def _columns(source: Operator, context: Context) -> Sequence[str]:
    return context.analyst.schema(source).names


def _spelled(action: RowAction, scopes: Sequence[Scope]) -> RowAction:
    condition = None if action.condition is None else _text(action.condition, scopes)
    return replace(action, condition=condition, values=tuple(_text(value, scopes) for value in action.values))


def _text(text: str, scopes: Sequence[Scope]) -> str:
    return stars_spelled(text, scopes) if "*" in text else text


def may_repeat(change: Plan, statements: str) -> bool:
    """Whether a change may be planned and run again; `statements` are DETERMINISTIC ones, ALL or NONE."""
    match change:
        case TableChange() | RowChange() | LayoutChange() if change.commit.operation.may_repeat:
            if not isinstance(change, RowChange) or statements != "DETERMINISTIC":
                return statements != "NONE"
            return all(map(is_deterministic, evaluated_texts(change.operator)))
    return False


def recorded(operator: Rewrite, properties: TableProperties, *, vectors: bool = True) -> Rewrite:
    """`operator` with the way in which a table with these properties records its changes.

    Without `vectors` none are written, even if the table has them.

    The change feed needs files of its own where it cannot be derived: what a deletion vector newly marks was deleted,
    and what a new file holds was inserted.
    """
    effects = {action.effect for action in operator.actions}
    vectors = vectors and properties[DELETION_VECTORS]
    derived = effects <= ({RowEffect.DELETE, RowEffect.INSERT} if vectors else {RowEffect.INSERT})
    recording = Recording(vectors, properties[CHANGE_DATA_FEED] and not derived)
    volatile = any(has_subquery(text) or not is_stable(text) for text in _conditions(operator))
    volatile = volatile or any(isinstance(item, SqlFunction) for item in operator.relations.values())
    return replace(operator, recording=recording, volatile=volatile)


def _conditions(operator: Rewrite) -> Iterator[str]:
    if operator.join is not None:
        yield operator.join.on
    yield from (action.condition for action in operator.actions if action.condition is not None)
