"""MERGE: clauses → row actions. Source: features of Delta, MERGE, and its truth tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from typing_extensions import assert_never

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.statements.merge import (
    MergeIntoEmptySchemaError,
    UnconditionalBySourceError,
    UnconditionalMatchedError,
    UnconditionalNotMatchedError,
)
from deltasql.base.errors.write import AppendOnlyError
from deltasql.base.settings.session_settings import AUTO_MERGE, STORE_ASSIGNMENT, STRUCTS_BY_NAME
from deltasql.log.actions import actions as operations
from deltasql.log.actions.actions import Metadata
from deltasql.log.properties.property_registry import APPEND_ONLY
from deltasql.plan.base import ORDINAL, SOURCE_ROWS, SqlText, quote
from deltasql.plan.operators import (
    Constraint,
    EqualKey,
    Number,
    Operator,
    Rewrite,
    RowAction,
    RowEffect,
    RowKind,
    Scan,
    SourceJoin,
    SqlQuery,
)
from deltasql.planner import binding
from deltasql.planner.binding import position_in
from deltasql.planner.changes import CommitSpec, Plan
from deltasql.planner.context import Context, plan
from deltasql.planner.rows.restricted_rows import behind_view, masking, restricted, visible_rows
from deltasql.planner.rows.row_change import row_change
from deltasql.planner.rows.scope import Scope, side, type_at, with_ctes, with_distinct_aliases
from deltasql.planner.values.alignment import (
    Alignment,
    StructRule,
    assigned_values,
    refuse_conflicts,
    store_casts,
    stored,
    updated_struct,
)
from deltasql.planner.values.defaults import default_sql
from deltasql.planner.values.generated import (
    automatic_widening,
    generated_checks,
    generation_of,
    recomputed,
    refuse_dependent_types,
)
from deltasql.schema.checks import identities, identity_of
from deltasql.schema.evolution import MergeMode, merge_schemas, restrict
from deltasql.schema.type_lattice import Widening
from deltasql.schema.types import VOID, DataType, DecimalType, PrimitiveType, StructField, StructType
from deltasql.sql.references import column_references, equal_sides, names_collation, split_conjuncts
from deltasql.statements.identity import identity_sql, refuse_explicit, refuse_update
from deltasql.statements.merge_columns import ClauseColumns, MergeAssignment
from deltasql.statements.metadata import evolved_metadata, metadata_actions
from deltasql.statements.nodes.merge import (
    ClauseKind,
    DeleteAction,
    InsertAction,
    InsertStarAction,
    Merge,
    MergeClause,
    UpdateAction,
    UpdateStarAction,
)
from deltasql.statements.rules.definitions.constraints import constraints_of

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
    behind = behind_view(statement.table, statement.alias, "MERGE", context)
    statement = replace(statement, table=behind.name, alias=behind.alias)
    log, snapshot = context.writable(statement.table)
    evolution = statement.schema_evolution or context.setting(AUTO_MERGE)
    if not len(snapshot.schema) and not evolution:
        raise MergeIntoEmptySchemaError(table=snapshot.table)
    if snapshot.properties[APPEND_ONLY] and not _only_inserts(statement):
        raise AppendOnlyError(table=snapshot.table)
    source = _source(statement, context)
    sides = with_distinct_aliases(
        side(context, statement.table, statement.alias, snapshot.schema, "target"),
        side(context, statement.source_table, statement.source_alias, context.analyst.schema(source), SOURCE_ROWS),
    )
    scope = Scope(with_ctes(context, statement.ctes), *sides)
    merge = _Merge(statement, context, scope, evolution)
    new = merge.new_schema(automatic_widening(snapshot.configuration, context))
    refuse_dependent_types(new, snapshot)
    on = scope.condition(statement.condition, "SEARCH condition")
    target_only, keys = merge.split_condition(on)
    merge.visible = visible_rows(scope, snapshot.location, statement.table, merge.texts(), context)
    on = restricted(on, merge.visible) or on
    metadata = evolved_metadata(snapshot.metadata, new, table=snapshot.table)
    new = metadata.schema
    pruned_by = None if merge.by_source else target_only
    scan = binding.target_rows(context, snapshot, pruned_by, scope.target.alias, may_be_empty=evolution)
    scan = replace(scan, schema=new)
    numbered = merge.numbered(new)
    operator = Rewrite(
        target=scan,
        target_alias=scope.target.alias,
        join=SourceJoin(
            Number(source) if numbered else source,
            sides[1].alias,
            on,
            keys,
            unique_match=not _deletes_all_matches(statement.clauses),
        ),
        actions=merge.actions(new, scan, source),
        unchanged=tuple(f"{quote(scope.target.alias)}.{quote(name)}" for name in new.names),
        output=new,
        checks=masking(merge.checks(metadata, snapshot.table), snapshot.location, context),
        relations=scope.relations,
    )
    actions = metadata_actions(snapshot, metadata)
    spec = CommitSpec(log, snapshot, operations.MERGE, _parameters(statement, context), actions)
    change = row_change(spec, operator, metadata, pruned_by, context)
    return replace(change, identities=numbered, skip_if_empty=metadata is snapshot.metadata)


class _Merge:
    """One MERGE while it is planned: its clauses with resolved assignments."""

    def __init__(self, statement: Merge, context: Context, scope: Scope, evolution: bool) -> None:
        self.statement, self.context, self.scope, self.evolution = statement, context, scope, evolution
        self.by_source = any(clause.kind is ClauseKind.NOT_MATCHED_BY_SOURCE for clause in statement.clauses)
        columns = ClauseColumns(scope, evolution)
        self.assigned = [self._checked(clause, self._assignments(clause, columns)) for clause in statement.clauses]
        self.visible: str | None = None
        """The condition of the rows of the target that the statement may touch; None for all."""

    def checks(self, metadata: Metadata, table: str) -> tuple[Constraint, ...]:
        """The conditions that each written row must satisfy."""
        constraints = constraints_of(metadata.schema, metadata.configuration, table)
        return (*constraints, *generated_checks(metadata.schema, self.assigned_columns))

    def texts(self) -> Iterator[SqlText | None]:
        """All expressions of the statement."""
        yield self.statement.condition
        yield from (clause.condition for clause in self.statement.clauses)
        yield from (item.expression for items in self.assigned for item in items)

    def _checked(self, clause: MergeClause, items: list[MergeAssignment]) -> list[MergeAssignment]:
        """`items` without those that the table itself computes: DEFAULT of an identity or of a generated column.

        Raises IdentityUpdateError, ExplicitIdentityError.
        """
        checked = []
        for item in items:
            path = item.resolved.path
            field = self.scope.target.schema.find(item.resolved.names[0])
            inserts = effect_of(clause) is RowEffect.INSERT
            if field is None or len(item.resolved.names) > 1:
                checked.append(item)
                continue
            says_default = item.expression is None and not item.star
            try:
                if not inserts:
                    refuse_update(field)
                elif not says_default:
                    refuse_explicit(field)
            except DeltaSqlError as error:
                raise error.at(self.context.caret(path.start, path.end) if path.end else None) from None
            if not (says_default and (identity_of(field) is not None or generation_of(field) is not None)):
                checked.append(item)
        return checked

    @property
    def assigned_columns(self) -> set[str]:
        """The columns to which some clause gives values."""
        return {item.resolved.names[0] for items in self.assigned for item in items}

    def numbered(self, schema: StructType) -> tuple[str, ...]:
        """The identity columns whose values some INSERT clause leaves to the table."""
        names = set()
        for clause, items in zip(self.statement.clauses, self.assigned, strict=True):
            if effect_of(clause) is RowEffect.INSERT:
                names |= set(identities(schema)) - {item.resolved.names[0] for item in items}
        return tuple(sorted(names))

    def _assignments(self, clause: MergeClause, columns: ClauseColumns) -> list[MergeAssignment]:
        match clause.action:
            case DeleteAction():
                return []
            case UpdateAction(assignments):
                resolved = [columns.assignment(item, clause.kind) for item in assignments]
                refuse_conflicts([item.resolved for item in resolved], self.context.caret)
                return resolved
            case UpdateStarAction(excluded):
                return columns.star(excluded, "UPDATE")
            case InsertAction(names, values):
                return columns.insert_list(names, values)
            case InsertStarAction(excluded):
                return columns.star(excluded, "INSERT")
            case _:
                assert_never(clause.action)

    def new_schema(self, widening: Widening) -> StructType:
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
        assigned = restrict(source.schema, paths)
        return merge_schemas(target, assigned, mode=MergeMode.IMPLICIT_CAST, widening=widening)

    def split_condition(self, on: str) -> tuple[str | None, tuple[EqualKey, ...]]:
        """The conjuncts of ON on the target alone, and its equalities of a target and a source expression."""
        only, keys = [], []
        for conjunct in split_conjuncts(on):
            if self._sides(conjunct.text) == {"target"}:
                only.append(f"({conjunct.text})")
            pair = equal_sides(conjunct.text)
            if pair is not None:
                left, right = self._sides(pair[0]), self._sides(pair[1])
                if (left, right) == ({"source"}, {"target"}):
                    pair, left, right = pair[::-1], right, left
                if (left, right) == ({"target"}, {"source"}):
                    kind = None if names_collation(conjunct.text) else self.scope.type_of(pair[0])
                    keys.append(EqualKey(*pair, kind))
        return " AND ".join(only) or None, tuple(keys)

    def _sides(self, expression: str) -> set[str]:
        target, source = self.scope.target.alias.lower(), self.scope.source
        assert source is not None
        sides = set()
        for reference in column_references(expression):
            first = reference.parts[0].lower()
            sides.add("target" if first == target else "source" if first == source.alias.lower() else "unknown")
        return sides

    def actions(self, new: StructType, scan: Scan, source: Operator) -> tuple[RowAction, ...]:
        """One action per clause, its values aligned to the columns of `new`."""
        bound = [
            [self._bound(item, clause) for item in items]
            for clause, items in zip(self.statement.clauses, self.assigned, strict=True)
        ]
        types = self._types([item for items in bound for item in items], new, scan, source)
        values = _Values(self, new, types, scan.partition_columns)
        return tuple(
            RowAction(KINDS[clause.kind], effect_of(clause), self._clause_condition(clause), values.row(clause, items))
            for clause, items in zip(self.statement.clauses, bound, strict=True)
        )

    def _clause_condition(self, clause: MergeClause) -> str | None:
        visible = self.visible if clause.kind is ClauseKind.NOT_MATCHED_BY_SOURCE else None
        if clause.condition is None:
            return visible
        verb = {RowEffect.UPDATE: "UPDATE", RowEffect.DELETE: "DELETE", RowEffect.INSERT: "INSERT"}[effect_of(clause)]
        target, source = visible_sides(clause.kind)
        condition = self.scope.condition(clause.condition, f"{verb} condition", target=target, source=source)
        return restricted(condition, visible)

    def _bound(self, item: MergeAssignment, clause: MergeClause) -> MergeAssignment:
        """`item` with the SQL of the user's expression, its tables bound and its names qualified."""
        if item.expression is None:
            return item
        target, source = visible_sides(clause.kind)
        verb = "INSERT" if effect_of(clause) is RowEffect.INSERT else "UPDATE"
        sql = self.scope.expression(item.expression, f"{verb} clause", target=target, source=source)
        return replace(item, resolved=replace(item.resolved, value=sql))

    def _types(
        self, items: Sequence[MergeAssignment], new: StructType, scan: Scan, source: Operator
    ) -> dict[str, DataType]:
        """Types, by their SQL, of values that go into a column of complex type, or that a policy must know."""
        strict = self.context.setting(STORE_ASSIGNMENT) == "STRICT"
        types: dict[str, DataType] = {}
        unknown = []
        for item in items:
            sql, target = item.resolved.value, type_at(new, item.resolved.names)
            kind = item.type or self.scope.type_of(sql)
            if kind is not None:
                types[sql] = kind
            elif strict or target == VOID or not isinstance(target, (PrimitiveType, DecimalType)):
                unknown.append(sql)
        if unknown:
            assert self.scope.source is not None
            sides = [(scan, self.scope.target.alias), (source, self.scope.source.alias)]
            derived = self.context.analyst.types(sides, unknown, self.scope.relations)
            types.update(zip(unknown, derived, strict=True))
        return types


class _Values:
    """The rows that a MERGE's clauses write, in columns of the new schema. `types` are by the SQL of values."""

    def __init__(
        self, merge: _Merge, new: StructType, types: Mapping[str, DataType], partitions: tuple[str, ...]
    ) -> None:
        self.merge, self.new, self.types, self.partitions = merge, new, types, partitions
        context = merge.context
        by_name = StructRule.BY_NAME_LENIENT if merge.evolution else StructRule.BY_NAME
        rule = by_name if context.setting(STRUCTS_BY_NAME) else StructRule.BY_POSITION
        self.align = Alignment(rule, str(merge.statement.table), store_casts(context), "MERGE")

    def row(self, clause: MergeClause, items: Sequence[MergeAssignment]) -> tuple[str, ...]:
        """One SQL text per column: assigned, unchanged (UPDATE) or the default (INSERT)."""
        if isinstance(clause.action, DeleteAction):
            return ()
        assigned = self._assigned(clause, items)
        values = {
            field.name: stored(field, assigned[field.name], self.partitions)
            for field in self.new
            if field.name in assigned
        }
        inserts = effect_of(clause) is RowEffect.INSERT
        if inserts:
            values = {field.name: self._unassigned(field) for field in self.new if not generation_of(field)} | values
        alias = quote(self.merge.scope.target.alias)
        unchanged = {} if inserts else {field.name: f"{alias}.{quote(field.name)}" for field in self.new}
        row = unchanged | values | recomputed(self.new, values, unchanged, all_of_them=inserts)
        return tuple(row[field.name] for field in self.new)

    def _unassigned(self, field: StructField) -> str:
        """A column that an INSERT does not give: the next number of an identity, or the default."""
        identity = identity_of(field)
        if identity is not None:
            source = self.merge.scope.source
            assert source is not None
            return identity_sql(field, identity, f"{quote(source.alias)}.{ORDINAL}")
        return stored(field, self.align.cast(default_sql(field), field.type, quote(field.name)), self.partitions)

    def _assigned(self, clause: MergeClause, items: Sequence[MergeAssignment]) -> dict[str, str]:
        alias = self.merge.scope.target.alias
        # What an UPDATE * does not give to a struct stays; any other value replaces the struct.
        keeps = self.merge.evolution and isinstance(clause.action, UpdateStarAction)
        # A field below a path that an INSERT does not assign has no old value: it reads an empty schema.
        old = StructType() if effect_of(clause) is RowEffect.INSERT else self.new

        def value_for(sql: str, kind: DataType, column: str) -> str:
            source_kind = self.types.get(sql)
            if source_kind is None:
                return self.align.cast(sql, kind, column)
            if keeps:
                current = f"{quote(alias)}.{column}"
                return updated_struct(sql, source_kind, current, kind, kind, self.align, column)
            return self.align.value(sql, source_kind, kind, column)

        return assigned_values([item.resolved for item in items], old, self.new, alias, value_for)


def _source(statement: Merge, context: Context) -> SqlQuery:
    """The source's rows as a query of its own."""
    ctes = (statement.ctes,) if statement.ctes else ()
    pieces = (*ctes, SqlText("\nSELECT * FROM ", 0), statement.source)
    sql, relations = binding.bind(context, "".join(piece.text for piece in pieces), position=position_in(pieces))
    return SqlQuery(sql, relations, "source")


def effect_of(clause: MergeClause) -> RowEffect:
    """The effect of a clause on its rows: DELETE, INSERT or UPDATE."""
    if isinstance(clause.action, DeleteAction):
        return RowEffect.DELETE
    return RowEffect.INSERT if clause.kind is ClauseKind.NOT_MATCHED else RowEffect.UPDATE


def visible_sides(kind: ClauseKind) -> tuple[bool, bool]:
    """Whether expressions of a clause see the target, and the source."""
    return kind is not ClauseKind.NOT_MATCHED, kind is not ClauseKind.NOT_MATCHED_BY_SOURCE


def _refuse_bad_clauses(statement: Merge, context: Context) -> None:
    for kind, error in UNCONDITIONAL.items():
        clauses = [clause for clause in statement.clauses if clause.kind is kind]
        for clause in clauses[:-1]:
            if clause.condition is None:
                raise error().at(context.caret(clause.start, clause.end))


def _only_inserts(statement: Merge) -> bool:
    return all(effect_of(clause) is RowEffect.INSERT for clause in statement.clauses)


def _deletes_all_matches(clauses: Sequence[MergeClause]) -> bool:
    """Whether several source rows may match one target row: the only matched clause deletes without a condition."""
    matched = [clause for clause in clauses if clause.kind is ClauseKind.MATCHED]
    return len(matched) == 1 and isinstance(matched[0].action, DeleteAction) and matched[0].condition is None


def _parameters(statement: Merge, context: Context) -> dict[str, str]:
    def predicates(kind: ClauseKind) -> str:
        return json.dumps([_predicate(clause, context) for clause in statement.clauses if clause.kind is kind])

    return {
        "predicate": json.dumps([context.text_with_markers(statement.condition)]),
        "matchedPredicates": predicates(ClauseKind.MATCHED),
        "notMatchedPredicates": predicates(ClauseKind.NOT_MATCHED),
        "notMatchedBySourcePredicates": predicates(ClauseKind.NOT_MATCHED_BY_SOURCE),
    }


def _predicate(clause: MergeClause, context: Context) -> dict[str, str]:
    condition = {} if clause.condition is None else {"predicate": context.text_with_markers(clause.condition)}
    return {**condition, "actionType": effect_of(clause).value}
