"""MERGE INTO: clauses become row actions. Source: features of Delta, MERGE, and its truth tables.

Lists, stars and EXCEPT say which columns a clause assigns, with schema evolution on and off.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar, TypeAlias, Union

from typing_extensions import assert_never

from deltasql.base import Caret, DeltaSqlError, counted, errors, session_settings
from deltasql.log import Metadata, operations, table_properties
from deltasql.plan import (
    ColumnPath,
    Constraint,
    EqualKey,
    LogicalPlan,
    Number,
    Operator,
    Rewrite,
    RowAction,
    RowEffect,
    RowKind,
    Scan,
    SourceJoin,
    SqlQuery,
    SqlText,
    TableName,
    hidden_names,
)
from deltasql.planner import (
    Alignment,
    CommitSpec,
    Context,
    Plan,
    ResolvedAssignment,
    Scope,
    Side,
    StructRule,
    assigned_values,
    automatic_widening,
    behind_view,
    binding,
    default_sql,
    dotted,
    generated_checks,
    generation_of,
    masking,
    plan,
    position_in,
    recomputed,
    refuse_conflicts,
    refuse_dependent_types,
    restricted,
    row_change,
    side,
    store_casts,
    stored,
    type_at,
    unqualified,
    updated_struct,
    visible_rows,
    with_ctes,
    with_distinct_aliases,
)
from deltasql.schema import (
    VOID,
    DataType,
    DecimalType,
    MergeMode,
    PrimitiveType,
    StructField,
    StructType,
    Widening,
    fields_at,
    identities,
    identity_of,
    merge_schemas,
    restrict,
    suggestion,
    type_text,
)
from deltasql.schema import quote_name as quote
from deltasql.sql import Tree, builds, caret, column_references, equal_sides, names_collation, split_conjuncts, sql_text
from deltasql.statements.constraints import constraints_of
from deltasql.statements.table_metadata import (
    evolved_metadata,
    identity_sql,
    metadata_actions,
    refuse_explicit,
    refuse_update,
)
from deltasql.statements.update import Assignment


class ClauseKind(Enum):
    """Which rows a WHEN clause sees."""

    MATCHED = "WHEN MATCHED"
    NOT_MATCHED = "WHEN NOT MATCHED"
    NOT_MATCHED_BY_SOURCE = "WHEN NOT MATCHED BY SOURCE"


@dataclass(frozen=True, slots=True)
class DeleteAction:
    """THEN DELETE"""


@dataclass(frozen=True, slots=True)
class UpdateAction:
    """THEN UPDATE SET path = expr, …"""

    assignments: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class UpdateStarAction:
    """THEN UPDATE SET * [EXCEPT (path, …)]"""

    excluded: tuple[ColumnPath, ...]


@dataclass(frozen=True, slots=True)
class InsertAction:
    """THEN INSERT (column, …) VALUES ({expr | DEFAULT}, …); a None value is DEFAULT"""

    columns: tuple[ColumnPath, ...]
    values: tuple[SqlText | None, ...]


@dataclass(frozen=True, slots=True)
class InsertStarAction:
    """THEN INSERT * [EXCEPT (path, …)]"""

    excluded: tuple[ColumnPath, ...]


MergeAction: TypeAlias = Union[DeleteAction, UpdateAction, UpdateStarAction, InsertAction, InsertStarAction]


@dataclass(frozen=True, slots=True)
class MergeClause:
    """WHEN … [AND condition] THEN action; `start`/`end` span the clause in the statement."""

    kind: ClauseKind
    condition: SqlText | None
    action: MergeAction
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Merge(LogicalPlan):
    """[WITH ctes] MERGE [WITH SCHEMA EVOLUTION] INTO t [[AS] alias] USING {table | (query)} [[AS] alias] ON condition
    WHEN …

    `source` is the text of the table name (with its temporal clause) or of the query with its parentheses;
    `source_table` is set when it is a name.
    """

    table_words: ClassVar[str] = "MERGE"
    write_name: ClassVar[str] = "MERGE"

    ctes: SqlText | None
    schema_evolution: bool
    table: TableName
    alias: str | None
    source: SqlText
    source_table: TableName | None
    source_alias: str | None
    condition: SqlText
    clauses: tuple[MergeClause, ...]


@builds("merge")
def _merge(children: list[Any], tree: Tree, text: str) -> Merge:
    ctes, evolution, table, alias, (source, source_table), source_alias, condition, clauses = children
    if not clauses:
        raise errors.MergeMissingWhenError(str(table)).at(caret(tree, text))
    return Merge(ctes, evolution, table, alias, source, source_table, source_alias, condition, clauses)


@builds("source_table")
def _source_table(children: list[Any], tree: Tree, text: str) -> tuple[SqlText, TableName]:
    name, *temporal = children
    if temporal and name.temporal:
        reason = "The version of a table is given twice: after @ and with AS OF."
        raise errors.ParseSyntaxError(reason, text[tree.start : tree.end]).at(caret(tree, text))
    table = TableName(name.parts, name.start, name.end, temporal[0]) if temporal else name
    return sql_text(tree, text), table


@builds("source_query")
def _source_query(children: list[Any], tree: Tree, text: str) -> tuple[SqlText, None]:
    return children[0], None


@builds("source_function")
def _source_function(children: list[Any], tree: Tree, text: str) -> tuple[SqlText, None]:
    """A table function, such as read_files('path'), as the query of its rows."""
    before = "(SELECT * FROM "
    return SqlText(f"{before}{text[tree.start : tree.end]})", tree.start - len(before)), None


@builds(*(kind.name.lower() for kind in ClauseKind))
def _clause(children: list[Any], tree: Tree, text: str) -> MergeClause:
    condition, action = children
    return MergeClause(ClauseKind[tree.name.upper()], condition, action, tree.start, tree.end)


@builds("insert_action")
def _insert(children: list[Any], tree: Tree, text: str) -> InsertAction:
    columns, values = children
    if len(columns) != len(values):
        reason = f"INSERT lists {counted(len(columns), 'columns')} but {counted(len(values), 'values')}."
        raise errors.ParseSyntaxError(reason, "VALUES").at(caret(tree, text))
    return InsertAction(columns, values)


@dataclass(frozen=True, slots=True, eq=False)
class MergeAssignment:
    """An assignment of one clause. `type` is known for the columns of a star, `expression` is the user's otherwise."""

    resolved: ResolvedAssignment
    expression: SqlText | None = None
    type: DataType | None = None
    star: bool = False


class ClauseColumns:
    """Resolves the assigned names of one MERGE. With `evolution` the source's columns are legal new names."""

    def __init__(self, scope: Scope, evolution: bool) -> None:
        assert scope.source is not None
        self._context, self._evolution = scope.context, evolution
        self._target, self._source = scope.target, scope.source

    def assignment(self, item: Assignment, kind: ClauseKind) -> MergeAssignment:
        """`SET path = value` of an UPDATE clause."""
        names = self._resolve(item.target, "UPDATE clause", may_evolve=kind is ClauseKind.MATCHED)
        return self._assignment(names, item.target, item.value)

    def insert_list(self, columns: Sequence[ColumnPath], values: Sequence[SqlText | None]) -> list[MergeAssignment]:
        """`INSERT (columns) VALUES (values)`. Raises DuplicateInsertColumnError for two spellings of one column too."""
        items: dict[str, MergeAssignment] = {}
        for path, value in zip(columns, values, strict=True):
            names = self._resolve(path, "INSERT clause", may_evolve=True)
            if len(names) > 1:
                raise errors.NestedInsertColumnError(column=dotted(names)).at(self._caret(path))
            if names[0].lower() in items:
                raise errors.DuplicateInsertColumnError(column=str(path)).at(self._caret(path))
            items[names[0].lower()] = self._assignment(names, path, value)
        return list(items.values())

    def star(self, excluded: Sequence[ColumnPath], verb: str) -> list[MergeAssignment]:
        """`*` [EXCEPT]: the target's columns from the source by name; with evolution, the source's columns."""
        clause = f"{verb} clause"
        out = [self._excluded(path, clause) for path in excluded]
        owner = self._source.schema if self._evolution else self._target.schema
        items: list[MergeAssignment] = []
        for field in owner:
            items += self._star_column(field, (), out, clause)
        return items

    def _star_column(
        self, field: StructField, parents: tuple[str, ...], out: list[tuple[str, ...]], clause: str
    ) -> list[MergeAssignment]:
        """A column of a star; one that EXCEPT names in part is assigned by its remaining fields."""
        names = (*parents, field.name)
        folded = tuple(name.lower() for name in names)
        if folded in out:
            return []
        nested = any(path[: len(folded)] == folded for path in out)
        if nested and isinstance(field.type, StructType):
            return [item for child in field.type for item in self._star_column(child, names, out, clause)]
        fields = fields_at(self._source.schema, names)
        if fields is None:
            raise self._missing(dotted(names), clause)
        target = _spelled(self._target.schema, names)
        path = ".".join(quote(part) for part in (self._source.alias, *(item.name for item in fields)))
        written = ColumnPath(names)
        return [MergeAssignment(ResolvedAssignment(target, path, written), None, fields[-1].type, star=True)]

    def _excluded(self, path: ColumnPath, clause: str) -> tuple[str, ...]:
        """EXCEPT names columns of the target; with evolution, of the source or of the target."""
        parts = self._unqualified(path.parts)
        exists = fields_at(self._target.schema, parts) is not None
        if self._evolution:
            exists = exists or fields_at(self._source.schema, parts) is not None
        if not exists:
            advice = " Without schema evolution EXCEPT names columns of the target." if not self._evolution else ""
            raise self._unresolved(path, f"EXCEPT of the {clause}", self._evolution, advice)
        return tuple(part.lower() for part in parts)

    def _unqualified(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """Without a leading alias. With evolution the source's alias is tolerated before a new column's name."""
        target, source = self._target.schema, self._source.schema
        plain = unqualified(parts, self._target.all_names, target)
        if not self._evolution or fields_at(target, plain) or (target.find(plain[0]) and fields_at(source, plain)):
            return plain
        named = unqualified(parts, ((self._source.alias,),), source)
        return named if source.find(named[0]) else plain

    def _assignment(self, names: tuple[str, ...], path: ColumnPath, value: SqlText | None) -> MergeAssignment:
        """`value` None stands for DEFAULT, which a field of a struct and a new column do not have."""
        field = self._target.schema.find(names[0]) if len(names) == 1 else None
        sql = default_sql(field, self._context) if value is None else value.text
        return MergeAssignment(ResolvedAssignment(names, sql, path), value)

    def _resolve(self, path: ColumnPath, clause: str, *, may_evolve: bool) -> tuple[str, ...]:
        """The assigned column or field as the schema spells it."""
        evolves = self._evolution and may_evolve
        parts = self._unqualified(path.parts)
        owner = self._target.schema
        if owner.find(parts[0]) is None:
            owner = self._source.schema
            if not evolves or owner.find(parts[0]) is None:
                raise self._unresolved(path, clause, evolves, self._advice(path, may_evolve))
        names: list[str] = []
        current: DataType = owner
        for depth, part in enumerate(parts):
            if not isinstance(current, StructType):
                error = errors.FieldOfNonStructError(
                    column=dotted(parts), parent=dotted(names), type=type_text(current)
                )
                raise error.at(self._caret(path))
            field = current.find(part)
            if field is None:
                return self._new_field(parts, depth, current, path, evolves)
            names.append(field.name)
            current = field.type
        return tuple(names)

    def _new_field(
        self, parts: tuple[str, ...], depth: int, parent: StructType, path: ColumnPath, evolves: bool
    ) -> tuple[str, ...]:
        """A nested field that the target lacks: with evolution it may come from the same path of the source."""
        fields = fields_at(self._source.schema, parts)
        if evolves and fields is not None:
            return _spelled(self._target.schema, [item.name for item in fields])
        struct, names = dotted(parts[:depth]), parent.names
        raise errors.FieldNotFoundError(parts[depth], struct, suggestion(parts[depth], names), names).at(
            self._caret(path)
        )

    def _missing(self, column: str, clause: str) -> DeltaSqlError:
        """A column of a star that the source lacks."""
        advice = (
            f" UPDATE SET * and INSERT * need every target column in the source: name the columns, leave it out "
            f"with EXCEPT ({column}), or use MERGE WITH SCHEMA EVOLUTION."
        )
        return errors.MergeUnresolvedError(
            expression=column, clause=clause, columns=_columns(self._source), advice=advice
        )

    def _advice(self, path: ColumnPath, may_evolve: bool) -> str:
        name = path.parts[-1]
        if self._target.has(name):
            return f" Only columns of the target can be set: write {quote(name)}."
        if may_evolve and not self._evolution and self._source.has(name):
            return " The source has it: MERGE WITH SCHEMA EVOLUTION would add it to the target."
        return ""

    def _unresolved(self, path: ColumnPath, clause: str, evolves: bool, advice: str) -> DeltaSqlError:
        """A name that is no column of the target, nor, where the clause `evolves`, of the source."""
        columns = _columns(self._target) + (_columns(self._source) if evolves else ())
        error = errors.MergeUnresolvedError(expression=str(path), clause=clause, columns=columns, advice=advice)
        return error.at(self._caret(path))

    def _caret(self, path: ColumnPath) -> Caret:
        return self._context.caret(path.start, path.end)


def _columns(side: Side) -> tuple[str, ...]:
    return tuple(f"{quote(side.alias)}.{quote(name)}" for name in side.schema.names)


def _spelled(schema: StructType, parts: Sequence[str]) -> tuple[str, ...]:
    """`parts` with the spelling of `schema` as far as it has them."""
    current: DataType = schema
    names = []
    for part in parts:
        field = current.find(part) if isinstance(current, StructType) else None
        names.append(part if field is None else field.name)
        current = StructType() if field is None else field.type
    return tuple(names)


KINDS = {
    ClauseKind.MATCHED: RowKind.MATCHED,
    ClauseKind.NOT_MATCHED: RowKind.NOT_MATCHED,
    ClauseKind.NOT_MATCHED_BY_SOURCE: RowKind.NOT_MATCHED_BY_SOURCE,
}
UNCONDITIONAL = {
    ClauseKind.MATCHED: errors.UnconditionalMatchedError,
    ClauseKind.NOT_MATCHED: errors.UnconditionalNotMatchedError,
    ClauseKind.NOT_MATCHED_BY_SOURCE: errors.UnconditionalBySourceError,
}


@plan.register
def plan_merge(statement: Merge, context: Context) -> Plan:
    """Resolve names, expand stars, evolve the schema, then bring every value to its column's type."""
    _refuse_bad_clauses(statement, context)
    behind = behind_view(statement.table, statement.alias, "MERGE", context)
    statement = replace(statement, table=behind.name, alias=behind.alias)
    log, snapshot = context.writable(statement.table)
    evolution = statement.schema_evolution or context.setting(session_settings.AUTO_MERGE)
    if not len(snapshot.schema) and not evolution:
        raise errors.MergeIntoEmptySchemaError(table=snapshot.table)
    if snapshot.properties[table_properties.APPEND_ONLY] and not _only_inserts(statement):
        raise errors.AppendOnlyError(table=snapshot.table)
    source = _source(statement, context)
    sides = with_distinct_aliases(
        side(context, statement.table, statement.alias, snapshot.schema, "target"),
        side(
            context,
            statement.source_table,
            statement.source_alias,
            context.analyst.schema(source),
            hidden_names.SOURCE_ROWS,
        ),
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
        strict = self.context.setting(session_settings.STORE_ASSIGNMENT) == "STRICT"
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
        rule = by_name if context.setting(session_settings.STRUCTS_BY_NAME) else StructRule.BY_POSITION
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
            return identity_sql(field, identity, f"{quote(source.alias)}.{hidden_names.ORDINAL}")
        return stored(
            field,
            self.align.cast(default_sql(field, self.merge.context), field.type, quote(field.name)),
            self.partitions,
        )

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
