"""Name resolution in row statements: visible columns, common table expressions, row filters, and views as targets.

UPDATE, DELETE and MERGE of a table whose row filter the session applies do not touch rows that it hides. Sub-queries of
UPDATE and DELETE may name the common table expressions before the statement.

A statement on a temporary view that only selects columns of a table changes the table. Source: features of Delta, views
as targets. Any other view is refused: with a filter, other names, computed columns, a version, or more than one table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from deltasql.base import Caret, DeltaSqlError, LeftToEngineError, Token, TokenCursor, comma_separated, errors
from deltasql.catalog import Policies
from deltasql.plan import Constraint, Operator, SqlText, TableName
from deltasql.planner import binding
from deltasql.planner.alignment import is_path
from deltasql.planner.catalog_changes import Creation, View
from deltasql.planner.change_feed import enforced, filter_condition, require_columns
from deltasql.planner.computed_columns import generation_of
from deltasql.planner.context import Context
from deltasql.schema import DataType, StructType, fields_at, folded
from deltasql.schema import quote_name as quote
from deltasql.sql import (
    Spliced,
    TableReference,
    column_references,
    has_aggregate,
    has_subquery,
    is_deterministic,
    name_chains,
    splice,
    stars_spelled,
    table_references,
)


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
            error = errors.AggregateInConditionError(clause=clause, expression=text.text)
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
            error = errors.SubqueryInConditionError(clause=clause, expression=text.text)
        elif has_aggregate(text.text):
            error = errors.AggregateInConditionError(clause=clause, expression=text.text)
        elif not is_deterministic(text.text):
            error = errors.NonDeterministicConditionError(clause=clause, expression=text.text)
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
        error = errors.MergeUnresolvedError(
            expression=".".join(quote(part) for part in parts), clause=clause, columns=columns
        )
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
        raise errors.ParseSyntaxError(reason, "WITH").at(context.caret(ctes.start, ctes.start + len("WITH"))) from None
    return replace(context, views=context.views.showing(views))


def cte_views(text: str, outer: Mapping[str, View]) -> dict[str, View]:
    """The views of WITH name [(columns)] AS (query), … besides those of `outer`: each sees the ones before it.

    Behind WITH RECURSIVE each sees itself, too: its view is then a query that has a WITH RECURSIVE of its own.
    Raises LeftToEngineError for what is none of that.
    """
    views, at = dict(outer), TokenCursor(text)
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


def visible_rows(
    scope: Scope, location: str, name: TableName, texts: Iterable[SqlText | None], context: Context
) -> str | None:
    """The condition for the rows of the target that the statement may touch; None for all.

    Its functions are added to the relations of the scope. `texts` are the expressions of the statement. Raises
    PolicyTableError for one over a masked column.
    """
    policies = enforced(location, context)
    if policies is None:
        return None
    require_columns(scope.target.schema, policies, str(name))
    _refuse_masked(texts, policies, str(name), scope)
    condition = filter_condition(policies, f"{quote(scope.target.alias)}.", context)
    if condition is None:
        return None
    sql, relations = binding.bind_calls(context, condition)
    scope.relations.update(relations)
    return sql


def restricted(condition: str | None, visible: str | None) -> str | None:
    """Both conditions, of which each may be None."""
    if condition is None or visible is None:
        return condition or visible
    return f"({condition}) AND {visible}"


def masking(checks: Iterable[Constraint], location: str, context: Context) -> tuple[Constraint, ...]:
    """Checks of rows that a statement rewrites, whose errors show no value behind a mask that the session applies."""
    policies = enforced(location, context)
    masked = frozenset(policies.masks) if policies is not None else frozenset()
    return tuple(replace(check, masked=masked) for check in checks) if masked else tuple(checks)


def _refuse_masked(texts: Iterable[SqlText | None], policies: Policies, table: str, scope: Scope) -> None:
    """Raises PolicyTableError for an expression of UPDATE, DELETE or MERGE over a masked column: it would see the value
    behind the mask. Columns of the source of a MERGE have other values."""
    for text in texts:
        if text is None:
            continue
        name, start, end = _masked(text, policies, scope) or ("", 0, 0)
        if name:
            advice = "Drop the mask, or SET deltasql.governance.filters = false."
            error = errors.PolicyTableError(f"An expression over the masked column {quote(name)}", table, advice)
            raise error.at(scope.context.caret(text.start + start, text.start + end))


def _masked(text: SqlText, policies: Policies, scope: Scope) -> tuple[str, int, int] | None:
    """The first masked column that an expression names or means by a star, with its span; None without one."""
    for chain in name_chains(text.text):
        named = None if _is_of_source(chain, scope) else next(_of_masks(chain, policies), None)
        if named is not None:
            return named.name, named.start, named.end
    columns = [name for name in scope.target.schema.names if name.lower() in policies.masks]
    return (columns[0], 0, len(text.text)) if columns and _has_star(text, columns, scope) else None


def _of_masks(chain: Sequence[Token], policies: Policies) -> Iterator[Token]:
    return (token for token in chain if token.name.lower() in policies.masks)


def _has_star(text: SqlText, columns: Sequence[str], scope: Scope) -> bool:
    """Whether a star stands for columns of the target. In a sub-query, one with its alias could mean the row around."""
    aliases = [names[-1] for names in scope.target.all_names]
    tokens, known = text.tokens, folded(aliases)
    threes = zip(tokens, tokens[1:], tokens[2:], strict=False)
    qualified = any((dot.key, star.key) == (".", "*") and name.name.lower() in known for name, dot, star in threes)
    return qualified or stars_spelled(text.text, [(alias, lambda: columns) for alias in aliases]) != text.text


def _is_of_source(chain: Sequence[Token], scope: Scope) -> bool:
    """Whether a name begins with a name of the source of a MERGE."""
    names = folded(token.name for token in chain)
    sources = () if scope.source is None else map(folded, scope.source.all_names)
    return any(names[: len(source)] == source for source in sources if len(source) < len(names))


@dataclass(frozen=True, slots=True)
class ViewTarget:
    """The table of a statement whose target is a view. `alias` may qualify its columns.

    `hidden` are the columns of the table that the view does not show, in lower case.
    """

    name: TableName
    alias: str | None
    hidden: frozenset[str] = frozenset()

    def check(self, texts: Iterable[SqlText | None], context: Context) -> None:
        """Raises HiddenColumnError for an expression over a column that the view does not show."""
        for text in texts if self.hidden else ():
            if text is None or has_subquery(text.text):
                continue
            for reference in column_references(text.text):
                parts = [part.lower() for part in reference.parts]
                column_parts = parts[1:] if len(parts) > 1 and parts[0] == (self.alias or "").lower() else parts
                if column_parts[0] in self.hidden:
                    caret = context.caret(text.start + reference.start, text.start + reference.end)
                    raise errors.HiddenColumnError(column=reference.parts[-1], view=str(self.alias)).at(caret)


def behind_view(name: TableName, alias: str | None, operation: str, context: Context) -> ViewTarget:
    """The table that a statement changes, whether it names it or a temporary view of it.

    Raises what says why the rows of a view cannot be changed.
    """
    key = context.view_key(name.parts)
    if key is None or name.temporal is not None:
        return ViewTarget(name, alias)
    caret = context.caret(name.start, name.end)
    table, shown = _table(str(name), context.views[key], operation, context, caret)
    table = replace(table, start=name.start, end=name.end)
    schema = context.snapshot(table).schema
    stored_names, seen = frozenset(map(str.lower, schema.names)), frozenset(map(str.lower, shown))
    hidden = stored_names - seen
    if not seen <= stored_names or (operation == "MERGE" and hidden):
        raise errors.ViewColumnsChangedError(view=str(name), columns=tuple(sorted(stored_names ^ seen))).at(caret)
    if operation == "UPDATE" and any(generation_of(field) is not None for field in schema):
        raise errors.GeneratedBehindViewError(operation, str(name), str(table)).at(caret)
    return ViewTarget(table, alias or name.parts[-1], hidden)


def _table(shown: str, view: View, operation: str, context: Context, caret: Caret) -> tuple[TableName, tuple[str, ...]]:
    """The table behind a view, and the columns that it shows of it."""
    creation = view.creation
    references = table_references(view.query)
    if creation is None or len(references) != 1 or references[0].arguments is not None:
        raise errors.UnwritableViewError(operation, shown).at(caret)
    (reference,) = references
    if reference.temporal is not None:
        raise errors.VersionViewError(view=shown).at(caret)
    _refuse_more(shown, view, reference, operation, caret)
    if [name.lower() for name in view.columns] not in ([], [name.lower() for name in creation.names]):
        raise errors.RenamingViewError(view=shown).at(caret)
    inner = _inside(creation, context)
    name = TableName(reference.parts)
    key = inner.view_key(reference.parts)
    if key is not None:
        return _table(shown, inner.views[key], operation, inner, caret)[0], creation.names
    if name.path is not None:
        return name, creation.names
    if inner.catalog_view(reference.parts) is not None:
        raise errors.WriteIntoViewError(view=str(name)).at(caret)
    return TableName(inner.catalog.relation_name(reference.parts)), creation.names


def _inside(creation: Creation, context: Context) -> Context:
    return replace(
        context,
        catalog=context.catalog.within(*creation.namespace, creation.views),
        views=context.views.called(creation.views),
    )


def _refuse_more(shown: str, view: View, reference: TableReference, operation: str, caret: Caret) -> None:
    """Raises PartialViewError, RenamingViewError, UnwritableViewError for what is more than columns FROM a table."""
    at = TokenCursor(view.query)
    if at.take("TABLE"):
        return
    select = list[Token]()
    if not at.take("SELECT") or at.key in {"DISTINCT", "ALL"}:
        raise errors.UnwritableViewError(operation, shown).at(caret)
    while at.left and at.key != "FROM":
        select += at.group()
    behind = _behind(at.tokens, reference)
    if behind == "WHERE":
        raise errors.PartialViewError(view=shown).at(caret)
    if behind is not None:
        raise errors.UnwritableViewError(operation, shown).at(caret)
    if not all(map(_is_column, comma_separated(select))):
        raise errors.RenamingViewError(view=shown).at(caret)


def _behind(tokens: Sequence[Token], reference: TableReference) -> str | None:
    """The first word behind a table and its alias; None where nothing is."""
    rest = [token for token in tokens if token.start >= reference.end]
    if reference.alias is not None:
        rest = rest[2 if rest[0].key == "AS" else 1 :]
    return rest[0].key if rest else None


def _is_column(item: Sequence[Token]) -> bool:
    """Whether an item of a SELECT list is a column of the table, or all of them, under their own names."""
    if len(item) > 2 and item[-2].key == "AS":
        return item[-3].is_name and item[-3].name.lower() == item[-1].name.lower() and _is_column(item[:-2])
    names, dots = item[::2], item[1::2]
    ends = bool(names) and (names[-1].is_name or names[-1].key == "*")
    return ends and all(token.is_name for token in names[:-1]) and all(token.key == "." for token in dots)
