"""MERGE: clauses → row actions. Source: features of Delta, MERGE, and its truth tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from typing_extensions import assert_never

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.write import (
    AggregateInConditionError,
    AppendOnlyError,
    InsertClauseArityError,
    MergeIntoEmptySchemaError,
    MergeWithoutWhenError,
    NonDeterministicConditionError,
    SubqueryInConditionError,
    UnconditionalBySourceError,
    UnconditionalMatchedError,
    UnconditionalNotMatchedError,
)
from deltasql.log.properties import is_append_only
from deltasql.plan.base import SqlText, quote
from deltasql.plan.merge import (
    ClauseKind,
    DeleteAction,
    InsertAction,
    InsertStarAction,
    Merge,
    MergeClause,
    UpdateAction,
    UpdateStarAction,
)
from deltasql.plan.operators import EqualKey, Operator, Query, Rewrite, RowAction, RowEffect, RowKind, Scan
from deltasql.planner.alignment import Alignment, StructRule, updated_struct
from deltasql.planner.assignments import assigned_values, refuse_conflicts
from deltasql.planner.changes import Outcome, Plan, Reads, RowChange
from deltasql.planner.char_types import stored
from deltasql.planner.constraints import constraints_of
from deltasql.planner.context import Context
from deltasql.planner.merge_columns import ClauseColumns, MergeAssignment
from deltasql.planner.metadata import evolved_metadata, metadata_actions
from deltasql.planner.rule import plan
from deltasql.planner.scope import Scope, side
from deltasql.planner.settings import AUTO_MERGE, STORE_ASSIGNMENT, STRUCTS_BY_NAME
from deltasql.schema.evolution import MergeMode, merge_schemas, restrict
from deltasql.schema.text import sql_text
from deltasql.schema.types import DataType, DecimalType, PrimitiveType, StructType

SOURCE = "__deltasql_source_rows"
KINDS = {
    ClauseKind.MATCHED: RowKind.MATCHED,
    ClauseKind.NOT_MATCHED: RowKind.NOT_MATCHED,
    ClauseKind.NOT_MATCHED_BY_SOURCE: RowKind.NOT_MATCHED_BY_SOURCE,
}
UNCONDITIONAL = {
    ClauseKind.MATCHED: UnconditionalMatchedError,
    ClauseKind.NOT_MATCHED: UnconditionalNotMatchedError,
    ClauseKind.NOT_MATCHED_BY_SOURCE: UnconditionalBySourceError,
}


@plan.register
def _(statement: Merge, context: Context) -> Plan:
    """Resolve names, expand stars, evolve the schema, then bring every value to its column's type."""
    _refuse_bad_clauses(statement, context)
    log, snapshot = context.writable(statement.table)
    evolution = statement.schema_evolution or context.settings.is_on(AUTO_MERGE)
    if not len(snapshot.schema) and not evolution:
        raise MergeIntoEmptySchemaError(table=snapshot.table)
    if is_append_only(snapshot.configuration) and not _only_inserts(statement):
        raise AppendOnlyError(table=snapshot.table)
    source = _source(statement, context)
    scope = Scope(
        context,
        side(statement.table, statement.alias, snapshot.schema, "target"),
        side(statement.source_table, statement.source_alias, context.analyst.schema(source), SOURCE),
    )
    merge = _Merge(statement, context, scope, evolution)
    new = merge.new_schema()
    on = merge.condition(statement.condition, "SEARCH condition", target=True, source=True)
    target_only, keys = merge.split_condition(on)
    metadata = evolved_metadata(snapshot.metadata, new, table=snapshot.table)
    new = metadata.schema
    scan = context.scan(snapshot, None if merge.by_source else target_only, scope.target.alias)
    scan = replace(scan, schema=new, identity=True)
    operator = Rewrite(
        target=scan,
        target_alias=scope.target.alias,
        source=source,
        source_alias=scope.source.alias if scope.source else SOURCE,
        on=on,
        actions=merge.actions(new, scan, source),
        keep=tuple(f"{quote(scope.target.alias)}.{quote(name)}" for name in new.names),
        output=new,
        checks=constraints_of(new, metadata.configuration),
        equal_keys=keys,
        unique_match=not _deletes_all_matches(statement.clauses),
        relations=scope.relations,
    )
    return RowChange(
        log,
        snapshot,
        "MERGE",
        _parameters(statement),
        operator,
        metadata,
        Outcome.MERGE,
        actions=metadata_actions(snapshot, metadata),
        reads=Reads(target_only, tuple(scan.files.column("path").to_pylist())),
        skip_if_empty=metadata is snapshot.metadata,
    )


class _Merge:
    """One MERGE while it is planned: its clauses with resolved assignments."""

    def __init__(self, statement: Merge, context: Context, scope: Scope, evolution: bool) -> None:
        self.statement, self.context, self.scope, self.evolution = statement, context, scope, evolution
        self.by_source = any(clause.kind is ClauseKind.NOT_MATCHED_BY_SOURCE for clause in statement.clauses)
        columns = ClauseColumns(scope, evolution)
        self.assigned = [self._assignments(clause, columns) for clause in statement.clauses]

    def _assignments(self, clause: MergeClause, columns: ClauseColumns) -> list[MergeAssignment]:
        match clause.action:
            case DeleteAction():
                return []
            case UpdateAction(assignments):
                resolved = [columns.assignment(item, clause.kind) for item in assignments]
                refuse_conflicts([item.resolved for item in resolved])
                return resolved
            case UpdateStarAction(excluded):
                return columns.star(excluded, "UPDATE")
            case InsertAction(names, values):
                if len(names) != len(values):
                    error = InsertClauseArityError(columns=len(names), values=len(values))
                    raise error.at(self.context.caret(clause.start, clause.end))
                return columns.insert_list(names, values)
            case InsertStarAction(excluded):
                return columns.star(excluded, "INSERT")
            case _:
                assert_never(clause.action)

    def new_schema(self) -> StructType:
        """The target's schema after the statement: with evolution, widened by the source columns that are assigned."""
        target, source = self.scope.target.schema, self.scope.source
        assert source is not None
        if not self.evolution:
            return target
        paths = [
            item.resolved.names
            for clause, items in zip(self.statement.clauses, self.assigned, strict=True)
            if clause.kind is not ClauseKind.NOT_MATCHED_BY_SOURCE
            for item in items
        ]
        return merge_schemas(target, restrict(source.schema, paths), mode=MergeMode.IMPLICIT_CAST)

    def split_condition(self, on: str) -> tuple[str | None, tuple[EqualKey, ...]]:
        """The part of ON that speaks of the target alone, and its equalities of a target and a source expression."""
        from deltasql.planner.references import equal_sides, split_conjuncts

        only, keys = [], []
        for conjunct in split_conjuncts(on):
            if self._sides(conjunct.text) == {"target"}:
                only.append(f"({conjunct.text})")
            pair = equal_sides(conjunct.text)
            if pair is not None:
                left, right = self._sides(pair[0]), self._sides(pair[1])
                if (left, right) == ({"target"}, {"source"}):
                    keys.append(EqualKey(*pair, self.scope.type_of(pair[0])))
                elif (left, right) == ({"source"}, {"target"}):
                    keys.append(EqualKey(pair[1], pair[0], self.scope.type_of(pair[1])))
        return " AND ".join(only) or None, tuple(keys)

    def _sides(self, expression: str) -> set[str]:
        from deltasql.planner.references import column_references

        target, source = self.scope.target.alias.lower(), self.scope.source
        assert source is not None
        found = set()
        for reference in column_references(expression):
            first = reference.parts[0].lower()
            found.add("target" if first == target else "source" if first == source.alias.lower() else "unknown")
        return found

    def actions(self, new: StructType, scan: Scan, source: Operator) -> tuple[RowAction, ...]:
        """One action per clause, its values aligned to the columns of `new`."""
        texts = self._value_texts()
        types = self._types(texts, new, scan, source)
        values = _Values(self, new, texts, types)
        return tuple(
            RowAction(
                KINDS[clause.kind], values.effect(clause), self._clause_condition(clause), values.row(clause, items)
            )
            for clause, items in zip(self.statement.clauses, self.assigned, strict=True)
        )

    def _clause_condition(self, clause: MergeClause) -> str | None:
        if clause.condition is None:
            return None
        verb = {RowEffect.UPDATE: "UPDATE", RowEffect.DELETE: "DELETE", RowEffect.INSERT: "INSERT"}[effect_of(clause)]
        target, source = reach(clause.kind)
        return self.scope.condition(clause.condition, f"{verb} condition", target=target, source=source)

    def _value_texts(self) -> dict[int, str]:
        """SQL of each assigned expression, by the identity of its assignment; DEFAULT is NULL."""
        texts = {}
        for clause, items in zip(self.statement.clauses, self.assigned, strict=True):
            target, source = reach(clause.kind)
            verb = "INSERT" if effect_of(clause) is RowEffect.INSERT else "UPDATE"
            for item in items:
                if item.expression is not None:
                    texts[id(item)] = self.scope.expression(
                        item.expression, f"{verb} clause", target=target, source=source
                    )
                else:
                    texts[id(item)] = item.resolved.value
        return texts

    def _types(self, texts: dict[int, str], new: StructType, scan: Scan, source: Operator) -> dict[int, DataType]:
        """Types of the assigned expressions that go into a column of complex type, or that a policy must know."""
        strict = (self.context.settings.get(STORE_ASSIGNMENT) or "").upper() == "STRICT"
        types: dict[int, DataType] = {}
        unknown = []
        for item in (item for items in self.assigned for item in items):
            known = item.type or self.scope.type_of(texts[id(item)])
            field = new.find(item.resolved.names[0])
            if known is not None:
                types[id(item)] = known
            elif strict or field is None or not isinstance(field.type, (PrimitiveType, DecimalType)):
                unknown.append(item)
        if unknown:
            assert self.scope.source is not None
            sides = [(scan, self.scope.target.alias), (source, self.scope.source.alias)]
            found = self.context.analyst.types(sides, [texts[id(item)] for item in unknown])
            types.update({id(item): kind for item, kind in zip(unknown, found, strict=True)})
        return types


class _Values:
    """The rows that a MERGE's clauses write, in columns of the new schema."""

    def __init__(self, merge: _Merge, new: StructType, texts: dict[int, str], types: dict[int, DataType]) -> None:
        self.merge, self.new, self.texts, self.types = merge, new, texts, types
        settings = merge.context.settings
        by_name = settings.is_on(STRUCTS_BY_NAME)
        rule = StructRule.BY_NAME_LENIENT if merge.evolution else StructRule.BY_NAME
        rule = rule if by_name else StructRule.BY_POSITION
        policy = (settings.get(STORE_ASSIGNMENT) or "ANSI").upper()
        self.align = Alignment(rule, str(merge.statement.table), policy, "MERGE")

    def effect(self, clause: MergeClause) -> RowEffect:
        return effect_of(clause)

    def row(self, clause: MergeClause, items: list[MergeAssignment]) -> tuple[str, ...]:
        """One SQL text per column: assigned, kept (UPDATE) or NULL (INSERT)."""
        if isinstance(clause.action, DeleteAction):
            return ()
        alias = self.merge.scope.target.alias
        inserts = effect_of(clause) is RowEffect.INSERT
        values = self._assigned(items, inserts)
        return tuple(
            stored(field, values[field.name])
            if field.name in values
            else (f"CAST(NULL AS {sql_text(field.type)})" if inserts else f"{quote(alias)}.{quote(field.name)}")
            for field in self.new
        )

    def _assigned(self, items: list[MergeAssignment], inserts: bool) -> dict[str, str]:
        by_text = {self.texts[id(item)]: item for item in items}
        resolved = [replace(item.resolved, value=self.texts[id(item)]) for item in items]
        # A field below a path that an INSERT does not assign has no old value: it reads an empty schema.
        old = StructType() if inserts else self.new

        def value_for(sql: str, kind: DataType, column: str) -> str:
            item = by_text.get(sql)
            if item is None:
                return sql
            return self._aligned(item, sql, kind, column, inserts)

        return assigned_values(resolved, old, self.new, self.merge.scope.target.alias, value_for)

    def _aligned(self, item: MergeAssignment, sql: str, kind: DataType, column: str, inserts: bool) -> str:
        known = self.types.get(id(item))
        if known is None:
            return (
                f"CAST({sql} AS {sql_text(kind)})"
                if self.align.policy != "LEGACY"
                else f"TRY_CAST({sql} AS {sql_text(kind)})"
            )
        if item.star and not inserts and self.merge.evolution:
            current = f"{quote(self.merge.scope.target.alias)}.{column}"
            return updated_struct(sql, known, current, kind, kind, self.align, column)
        return self.align.value(sql, known, kind, column)


def _source(statement: Merge, context: Context) -> Query:
    """The source's rows as a query of its own."""
    text = statement.source
    prefix = f"{statement.ctes.text}\n" if statement.ctes else ""
    sql, relations = context.bind(f"{prefix}SELECT * FROM {text.text}")
    return Query(sql, relations, "source")


def effect_of(clause: MergeClause) -> RowEffect:
    """What a clause does with its rows."""
    if isinstance(clause.action, DeleteAction):
        return RowEffect.DELETE
    return RowEffect.INSERT if clause.kind is ClauseKind.NOT_MATCHED else RowEffect.UPDATE


def reach(kind: ClauseKind) -> tuple[bool, bool]:
    """Whether expressions of a clause see the target, and the source."""
    return kind is not ClauseKind.NOT_MATCHED, kind is not ClauseKind.NOT_MATCHED_BY_SOURCE


def _refuse_bad_clauses(statement: Merge, context: Context) -> None:
    if not statement.clauses:
        raise MergeWithoutWhenError()
    for kind, error in UNCONDITIONAL.items():
        clauses = [clause for clause in statement.clauses if clause.kind is kind]
        for clause in clauses[:-1]:
            if clause.condition is None:
                raise error().at(context.caret(clause.start, clause.end))


def _only_inserts(statement: Merge) -> bool:
    return all(effect_of(clause) is RowEffect.INSERT for clause in statement.clauses)


def _deletes_all_matches(clauses: Sequence[MergeClause]) -> bool:
    """Several source rows for one target row do no harm when all of them delete it."""
    matched = [clause for clause in clauses if clause.kind is ClauseKind.MATCHED]
    return len(matched) == 1 and isinstance(matched[0].action, DeleteAction) and matched[0].condition is None


def _parameters(statement: Merge) -> dict[str, str]:
    def predicates(kind: ClauseKind) -> str:
        return json.dumps([_predicate(clause) for clause in statement.clauses if clause.kind is kind])

    return {
        "predicate": json.dumps([statement.condition.text]),
        "matchedPredicates": predicates(ClauseKind.MATCHED),
        "notMatchedPredicates": predicates(ClauseKind.NOT_MATCHED),
        "notMatchedBySourcePredicates": predicates(ClauseKind.NOT_MATCHED_BY_SOURCE),
    }


def _predicate(clause: MergeClause) -> dict[str, str]:
    condition = {} if clause.condition is None else {"predicate": clause.condition.text}
    return {**condition, "actionType": effect_of(clause).value}
