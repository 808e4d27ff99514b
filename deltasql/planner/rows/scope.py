"""Name resolution in row statements: the columns visible to an expression, and the canonical text of each name.

Common table expressions before UPDATE and DELETE, whose sub-queries may name them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from deltasql.base.errors.base import DeltaSqlError, LeftToEngineError
from deltasql.base.errors.statements.merge import MergeUnresolvedError
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.base.errors.write import (
    AggregateInConditionError,
    NonDeterministicConditionError,
    SubqueryInConditionError,
)
from deltasql.plan.base import SqlText, TableName, quote
from deltasql.plan.operators import Operator
from deltasql.planner import binding
from deltasql.planner.catalog_changes import View
from deltasql.planner.context import Context
from deltasql.planner.values.alignment import is_path
from deltasql.schema.paths import fields_at, folded
from deltasql.schema.types import DataType, StructType
from deltasql.sql.references import column_references, has_aggregate, has_subquery, is_deterministic
from deltasql.sql.text_edits import Spliced, splice
from deltasql.sql.tokens import TokenCursor, tokenize


@dataclass(frozen=True, slots=True)
class Side:
    """One of the tables of a row statement: its alias and columns, and the longer names that mean the alias."""

    alias: str
    schema: StructType
    names: tuple[tuple[str, ...], ...] = ()

    def has(self, name: str) -> bool:
        return self.schema.find(name) is not None

    @property
    def all_names(self) -> tuple[tuple[str, ...], ...]:
        return ((self.alias,), *self.names)


def side(context: Context, name: TableName | None, alias: str | None, schema: StructType, fallback: str) -> Side:
    """The side of a table that may carry an alias. Without one its own name qualifies its columns, in any length."""
    if alias is not None or name is None:
        return Side(alias or fallback, schema)
    parts = name.parts if name.path is not None else context.catalog.full_name(name.parts)
    longer = tuple(parts[start:] for start in range(len(parts) - 1))
    return Side(name.parts[-1], schema, longer)


def unqualified(parts: tuple[str, ...], names: Iterable[tuple[str, ...]], schema: StructType) -> tuple[str, ...]:
    """An assigned name without the longest of `names` before it, if `schema` has what follows or not the whole.

    An alias and a struct column may have the same name: as in Spark the alias comes first.
    """
    folded_names = {folded(name) for name in names}
    lengths = [length for length in range(len(parts) - 1, 0, -1) if folded(parts[:length]) in folded_names]
    for length in lengths:
        if schema.find(parts[length]) is not None:
            return parts[length:]
    return parts if schema.find(parts[0]) is not None or not lengths else parts[lengths[0] :]


def with_distinct_aliases(target: Side, source: Side) -> tuple[Side, Side]:
    """The sides of a MERGE with aliases that differ: a.t and b.t are called by those longer names alone."""
    if target.alias.lower() != source.alias.lower():
        return target, source
    return _by_long_name(target, source), _by_long_name(source, target)


def _by_long_name(side: Side, other: Side) -> Side:
    """`side` under the shortest name that `other` does not have, as one word."""
    taken = {folded(name) for name in other.names}
    names = tuple(name for name in side.names if folded(name) not in taken)
    return Side(".".join(names[-1]), side.schema, names) if names else side


@dataclass(slots=True)
class Scope:
    """The sides of a statement. `relations` collects the relations of sub-queries in its expressions."""

    context: Context
    target: Side
    source: Side | None = None
    relations: dict[str, Operator] = field(default_factory=dict)

    @property
    def qualifiers(self) -> Mapping[tuple[str, ...], str]:
        sides = [self.target, *([self.source] if self.source else [])]
        return {names: side.alias for side in sides for names in side.names}

    def expression(self, text: SqlText, clause: str, *, target: bool = True, source: bool = True) -> str:
        """SQL of an expression, tables bound and names qualified, that may look at the given sides.

        Raises MergeUnresolvedError for a name that belongs to the side that is out of reach, AggregateInConditionError.
        """
        if has_aggregate(text.text):
            error = AggregateInConditionError(clause=clause, expression=text.text)
            raise error.at(self.context.caret(text.start, text.end))
        spliced = Spliced(text.text)
        sql = text.text
        if self.source is not None and not has_subquery(sql):
            insertions = []
            for reference in column_references(sql):
                owner = self._owner(reference.parts, text, reference.start, reference.end, clause, (target, source))
                if owner is not None:
                    insertions.append((reference.start, reference.start, f"{quote(owner.alias)}."))
            spliced = splice(sql, insertions)
        sql, relations = binding.bind(
            self.context, spliced.sql, self.qualifiers, position=lambda offset: text.start + spliced.to_original(offset)
        )
        self.relations.update(relations)
        return sql

    def condition(
        self, text: SqlText, clause: str, *, target: bool = True, source: bool = True, subqueries: bool = False
    ) -> str:
        """SQL of a condition. Raises what says that it must be a plain function of its row, or of `subqueries`."""
        error: DeltaSqlError | None = None
        if has_subquery(text.text) and not subqueries:
            error = SubqueryInConditionError(clause=clause, expression=text.text)
        elif has_aggregate(text.text):
            error = AggregateInConditionError(clause=clause, expression=text.text)
        elif not is_deterministic(text.text):
            error = NonDeterministicConditionError(clause=clause, expression=text.text)
        if error is not None:
            raise error.at(self.context.caret(text.start, text.end))
        return self.expression(text, clause, target=target, source=source)

    def _owner(
        self, parts: tuple[str, ...], text: SqlText, start: int, end: int, clause: str, visible: tuple[bool, bool]
    ) -> Side | None:
        """The side whose alias must be put before a name; None when it says so itself or only Spark can tell."""
        assert self.source is not None
        sides = [(self.target, visible[0]), (self.source, visible[1])]
        named = self._named(parts, sides, visible)
        if named:
            if not named[0]:
                raise self._unresolved(parts, text, start, end, clause, visible)
            return None
        owners = [candidate for candidate, reachable in sides if reachable and candidate.has(parts[0])]
        if len(owners) == 1:
            return owners[0]
        if not owners and any(candidate.has(parts[0]) for candidate, _ in sides):
            raise self._unresolved(parts, text, start, end, clause, visible)
        return None

    def _named(
        self, parts: tuple[str, ...], sides: Sequence[tuple[Side, bool]], visible: tuple[bool, bool]
    ) -> list[bool]:
        """Of the sides whose alias a name begins with, whether they are visible."""
        if len(parts) == 1 or self._is_struct(parts, visible):
            return []
        first = parts[0].lower()
        return [reachable for candidate, reachable in sides if first == candidate.alias.lower()]

    def _is_struct(self, parts: tuple[str, ...], visible: tuple[bool, bool]) -> bool:
        """Whether a.b is field b of a struct a within reach, though a is an alias: the alias wins if it has b."""
        owner = self.target if parts[0].lower() == self.target.alias.lower() else self.source
        assert owner is not None
        return not owner.has(parts[1]) and any(
            side.has(parts[0]) for side, ok in ((self.target, visible[0]), (self.source, visible[1])) if ok and side
        )

    def _unresolved(
        self, parts: tuple[str, ...], text: SqlText, start: int, end: int, clause: str, visible: tuple[bool, bool]
    ) -> Exception:
        assert self.source is not None
        reachable = [side for side, ok in ((self.target, visible[0]), (self.source, visible[1])) if ok]
        columns = tuple(f"{quote(side.alias)}.{quote(name)}" for side in reachable for name in side.schema.names)
        error = MergeUnresolvedError(expression=".".join(quote(part) for part in parts), clause=clause, columns=columns)
        return error.at(self.context.caret(text.start + start, text.start + end))

    def type_of(self, sql: str) -> DataType | None:
        """The type of a plain column or field of a side, or None for any other expression."""
        if not is_path(sql):
            return None
        references = column_references(sql)
        if len(references) != 1:
            return None
        parts = references[0].parts
        for candidate in (self.target, self.source):
            if candidate is not None and len(parts) > 1 and parts[0].lower() == candidate.alias.lower():
                return type_at(candidate.schema, parts[1:])
        if self.source is None:
            return type_at(self.target.schema, parts)
        return None


def type_at(schema: StructType, parts: tuple[str, ...]) -> DataType | None:
    """The type of a column or of a field of structs; None where there is none."""
    fields = fields_at(schema, parts)
    return fields[-1].type if fields else None


_QUERY_WORDS = frozenset({"SELECT", "WITH", "VALUES", "FROM", "TABLE", "("})


def with_ctes(context: Context, ctes: SqlText | None) -> Context:
    """The context in which the statement's common table expressions are views; snapshots stay shared."""
    if ctes is None:
        return context
    try:
        views = cte_views(ctes.text, context.views)
    except LeftToEngineError:
        reason = "Behind WITH stands name AS (query), or name (columns) AS (query), and further ones behind commas."
        raise ParseSyntaxError(reason, "WITH").at(context.caret(ctes.start, ctes.start + len("WITH"))) from None
    return replace(context, views=context.views.showing(views))


def cte_views(text: str, outer: Mapping[str, View]) -> dict[str, View]:
    """The views of WITH name [(columns)] AS (query), … besides those of `outer`: each sees the ones before it.

    Behind WITH RECURSIVE each sees itself, too: its view is then a query that has a WITH RECURSIVE of its own.
    Raises LeftToEngineError for what is none of that.
    """
    views, at = dict(outer), TokenCursor(tokenize(text))
    at.need("WITH")
    recursive = at.key == "RECURSIVE" and at.peek(1) not in {"AS", "("}
    if recursive:
        at.next()
    while at.left:
        start = at.tokens[at.at].start
        name, columns = at.name(), tuple[str, ...]()
        if at.key == "(" and at.peek(1) not in _QUERY_WORDS:
            columns = tuple(token.name for token in at.group() if token.is_name)
        if at.take("MAX"):
            # RECURSION LEVEL n
            at.at += 3
        at.take("AS")
        if at.key != "(":
            raise LeftToEngineError
        query = at.group()
        view = View(text[query[0].end : query[-1].start], columns)
        if recursive:
            view = View(f"WITH RECURSIVE {text[start : query[-1].end]}\nSELECT * FROM {quote(name)}")
        views[name.lower()] = replace(view, scope=dict(views))
        at.take(",")
    return views
