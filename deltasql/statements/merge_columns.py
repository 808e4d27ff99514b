"""Which columns the clauses of a MERGE assign: lists, stars and EXCEPT, with schema evolution on and off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.statements.columns import FieldNotFoundError
from deltasql.base.errors.statements.insert import DuplicateInsertColumnError
from deltasql.base.errors.statements.merge import MergeUnresolvedError, NestedInsertColumnError
from deltasql.base.errors.write import FieldOfNonStructError
from deltasql.plan.base import ColumnPath, SqlText, quote
from deltasql.planner.rows.scope import Scope, Side, unqualified
from deltasql.planner.values.alignment import ResolvedAssignment, dotted
from deltasql.planner.values.defaults import default_sql
from deltasql.schema.paths import fields_at, suggestion
from deltasql.schema.text import type_text
from deltasql.schema.types import DataType, StructField, StructType
from deltasql.statements.nodes.merge import ClauseKind
from deltasql.statements.nodes.update import Assignment


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
                raise NestedInsertColumnError(column=dotted(names)).at(self._caret(path))
            if names[0].lower() in items:
                raise DuplicateInsertColumnError(column=str(path)).at(self._caret(path))
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
        sql = default_sql(field) if value is None else value.text
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
                error = FieldOfNonStructError(column=dotted(parts), parent=dotted(names), type=type_text(current))
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
        raise FieldNotFoundError(parts[depth], struct, suggestion(parts[depth], names), names).at(self._caret(path))

    def _missing(self, column: str, clause: str) -> DeltaSqlError:
        """A column of a star that the source lacks."""
        advice = (
            f" UPDATE SET * and INSERT * need every target column in the source: name the columns, leave it out "
            f"with EXCEPT ({column}), or use MERGE WITH SCHEMA EVOLUTION."
        )
        return MergeUnresolvedError(expression=column, clause=clause, columns=_columns(self._source), advice=advice)

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
        error = MergeUnresolvedError(expression=str(path), clause=clause, columns=columns, advice=advice)
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
