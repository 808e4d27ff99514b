"""UPDATE: a rewrite of the files that contain a matching row, and the assignments that it shares with MERGE."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import ClassVar

from deltasql.base import DeltaSqlError, errors
from deltasql.log import operations
from deltasql.plan import ColumnPath, LogicalPlan, Rewrite, RowAction, RowEffect, RowKind, Scan, SqlText, TableName
from deltasql.planner import (
    Alignment,
    CommitSpec,
    Context,
    Plan,
    ResolvedAssignment,
    Scope,
    StructRule,
    assigned_values,
    behind_view,
    binding,
    default_sql,
    dotted,
    generated_checks,
    generation_of,
    masking,
    plan,
    recomputed,
    refuse_conflicts,
    restricted,
    row_change,
    side,
    store_casts,
    stored,
    type_at,
    unqualified,
    visible_rows,
    with_ctes,
)
from deltasql.schema import VOID, DataType, DecimalType, PrimitiveType, StructField, StructType, type_text
from deltasql.schema import quote_name as quote
from deltasql.statements.constraints import constraints_of
from deltasql.statements.delete import refuse_append_only
from deltasql.statements.table_metadata import refuse_update


@dataclass(frozen=True, slots=True)
class Assignment:
    """path = expression; `value` is None for the keyword DEFAULT."""

    target: ColumnPath
    value: SqlText | None


@dataclass(frozen=True, slots=True)
class Update(LogicalPlan):
    """[WITH ctes] UPDATE t [[AS] alias] SET path = {expr | DEFAULT}, … [WHERE condition]"""

    table_words: ClassVar[str] = "UPDATE"
    write_name: ClassVar[str] = "UPDATE"

    ctes: SqlText | None
    table: TableName
    alias: str | None
    assignments: tuple[Assignment, ...]
    condition: SqlText | None


@plan.register
def plan_update(statement: Update, context: Context) -> Plan:
    """All right-hand sides read the old row; a struct value must have the column's fields, in any order."""
    behind = behind_view(statement.table, statement.alias, "UPDATE", context)
    targets = (SqlText(str(item.target), item.target.start) for item in statement.assignments)
    behind.check([statement.condition, *(item.value for item in statement.assignments), *targets], context)
    statement = replace(statement, table=behind.name, alias=behind.alias)
    log, snapshot = context.writable(statement.table)
    refuse_append_only(snapshot)
    target = side(context, statement.table, statement.alias, snapshot.schema, "target")
    scope = Scope(with_ctes(context, statement.ctes), target)
    condition = None
    if statement.condition is not None:
        condition = scope.condition(statement.condition, "UPDATE condition", subqueries=True)
    texts = [statement.condition, *(item.value for item in statement.assignments)]
    condition = restricted(condition, visible_rows(scope, snapshot.location, statement.table, texts, context))
    scan = binding.target_rows(context, snapshot, condition, scope.target.alias)
    values = _values(statement, context, scope, scan)
    alias, schema = scope.target.alias, snapshot.schema
    partitions = snapshot.partition_columns
    values = {name: stored(field, sql, partitions) for name, sql in values.items() if (field := schema.find(name))}
    keep = {name: f"{quote(alias)}.{quote(name)}" for name in schema.names}
    checks = generated_checks(schema, values)
    values |= recomputed(schema, values, keep)
    action = RowAction(RowKind.MATCHED, RowEffect.UPDATE, condition, tuple((keep | values).values()))
    untouched = frozenset(name for name in schema.names if name not in values)
    operator = Rewrite(
        target=scan,
        target_alias=alias,
        join=None,
        actions=(action,),
        unchanged=tuple(keep.values()),
        output=schema,
        checks=masking(
            (*constraints_of(schema, snapshot.configuration, snapshot.table, skip=untouched), *checks),
            snapshot.location,
            context,
        ),
        relations=scope.relations,
    )
    predicate = [context.text_with_markers(statement.condition)] if statement.condition else []
    spec = CommitSpec(log, snapshot, operations.UPDATE, {"predicate": json.dumps(predicate)})
    return row_change(spec, operator, snapshot.metadata, condition, context)


def _values(statement: Update, context: Context, scope: Scope, scan: Scan) -> dict[str, str]:
    resolved = [_resolve(item, context, scope, statement) for item in statement.assignments]
    refuse_conflicts(resolved, context.caret)
    resolved = [
        item
        for item, written in zip(resolved, statement.assignments, strict=True)
        if written.value is not None or not _is_generated(item, scope)
    ]
    casts = store_casts(context)
    align = Alignment(StructRule.BY_NAME, str(statement.table), casts)
    types = _types(resolved, context, scope, scan, casts.policy)

    def value_for(sql: str, kind: DataType, column: str) -> str:
        source_kind = types.get(sql)
        return align.cast(sql, kind, column) if source_kind is None else align.value(sql, source_kind, kind, column)

    schema = scope.target.schema
    return assigned_values(resolved, schema, schema, scope.target.alias, value_for)


def _is_generated(item: ResolvedAssignment, scope: Scope) -> bool:
    """Whether a generated column is assigned: its DEFAULT is what it has, or gets with what it is computed from."""
    field = scope.target.schema.find(item.names[0])
    return field is not None and generation_of(field) is not None


def _resolve(item: Assignment, context: Context, scope: Scope, statement: Update) -> ResolvedAssignment:
    """The target as the schema spells it. Raises MissingSetColumnError, FieldOfNonStructError."""
    parts = unqualified(item.target.parts, scope.target.all_names, scope.target.schema)
    caret = context.caret(item.target.start, item.target.end)
    names: list[str] = []
    field: StructField | None = None
    current: DataType = scope.target.schema
    for part in parts:
        if not isinstance(current, StructType):
            error = errors.FieldOfNonStructError(column=dotted(parts), parent=dotted(names), type=type_text(current))
            raise error.at(caret)
        field = current.find(part)
        if field is None:
            names_shown = tuple(dotted((*names, name)) for name in current.names)
            raise errors.MissingSetColumnError(
                column=dotted(parts), table=str(statement.table), columns=names_shown
            ).at(caret)
        names.append(field.name)
        current = field.type
    try:
        refuse_update(field if len(names) == 1 else None)
    except DeltaSqlError as error:
        raise error.at(caret) from None
    value = default_sql(field, context) if item.value is None else scope.expression(item.value, "UPDATE clause")
    return ResolvedAssignment(tuple(names), value, item.target)


def _types(
    resolved: list[ResolvedAssignment], context: Context, scope: Scope, scan: Scan, policy: str
) -> dict[str, DataType]:
    """Types of the values whose columns need more than a cast."""
    needed = []
    for item in resolved:
        target = type_at(scope.target.schema, item.names)
        if policy == "STRICT" or target == VOID or not isinstance(target, (PrimitiveType, DecimalType)):
            needed.append(item.value)
    typed = {sql: kind for sql in needed if (kind := scope.type_of(sql)) is not None}
    unknown = [sql for sql in needed if sql not in typed]
    if unknown:
        types = context.analyst.types([(scan, scope.target.alias)], unknown, scope.relations)
        typed.update(zip(unknown, types, strict=True))
    return typed
