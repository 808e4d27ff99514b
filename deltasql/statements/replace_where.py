"""INSERT … REPLACE WHERE: the rows that satisfy the predicate make way for the query's, in one commit."""

from __future__ import annotations

from dataclasses import replace

from deltasql.base.settings.session_settings import REPLACE_WHERE_CHECK
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan import base
from deltasql.plan.base import ROWS, SqlText, TableName, quote
from deltasql.plan.operators import (
    Check,
    Constraint,
    Operator,
    Reads,
    Rewrite,
    RowAction,
    RowEffect,
    RowKind,
    SourceJoin,
    Write,
)
from deltasql.planner import binding
from deltasql.planner.context import Context
from deltasql.planner.rows.row_change import reads_of, recorded
from deltasql.planner.rows.scope import Scope, Side, side
from deltasql.schema.types import StructType
from deltasql.sql.references import name_chains
from deltasql.sql.text_edits import splice
from deltasql.sql.tokens import tokenize


def checked_rows(
    rows: Operator, table: TableName, schema: StructType, predicate: SqlText, context: Context
) -> Operator:
    """The query's rows; one outside the predicate (or for which it is NULL) fails the statement."""
    if not context.setting(REPLACE_WHERE_CHECK):
        return rows
    return Check(rows, (Constraint(base.REPLACE_WHERE, _unqualified(predicate.text, table, schema)),))


def _unqualified(predicate: str, table: TableName, schema: StructType) -> str:
    """The predicate without the table's name before its columns: the rows of the query have none."""
    names = [tuple(part.lower() for part in table.parts[start:]) for start in range(len(table.parts))]
    cuts = []
    for chain in name_chains(tokenize(predicate)):
        folded = tuple(token.name.lower() for token in chain)
        lengths = [len(name) for name in names if len(name) < len(folded) and folded[: len(name)] == name]
        # A struct column may have the table's name.
        lengths = [length for length in lengths if schema.find(folded[length]) is not None]
        if lengths:
            cuts.append((chain[0].start, chain[max(lengths)].start, ""))
    return splice(predicate, cuts).sql


def replacing(
    write: Write, snapshot: Snapshot, table: TableName, text: SqlText, context: Context
) -> tuple[Rewrite, Reads]:
    """The rewrite that deletes the old rows of the range and inserts the new ones."""
    schema: StructType = write.output
    scope = Scope(context, side(context, table, None, schema, "target"), Side(ROWS, schema))
    predicate = scope.condition(text, base.REPLACE_WHERE, source=False)
    alias = scope.target.alias
    scan = replace(binding.target_rows(context, snapshot, predicate, alias), schema=schema)
    values = tuple(f"{ROWS}.{quote(name)}" for name in schema.names)
    operator = Rewrite(
        target=scan,
        target_alias=alias,
        join=SourceJoin(write.child, ROWS, "FALSE"),
        actions=(
            RowAction(RowKind.NOT_MATCHED_BY_SOURCE, RowEffect.DELETE, predicate, ()),
            RowAction(RowKind.NOT_MATCHED, RowEffect.INSERT, None, values),
        ),
        unchanged=tuple(f"{quote(alias)}.{quote(name)}" for name in schema.names),
        output=schema,
        checks=(),
    )
    return recorded(operator, snapshot.properties), reads_of(operator, predicate, snapshot, context)
