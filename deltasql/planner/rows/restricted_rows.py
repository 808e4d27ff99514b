"""UPDATE, DELETE and MERGE of a table whose row filter the session applies: other rows are not touched.

UPDATE, DELETE and MERGE of a temporary view that only selects columns of a table: they change the table.

Source: features of Delta, views as targets. Any other view is refused: with a filter, other names, computed columns, a
version, or more than one table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from deltasql.base.errors.base import Caret
from deltasql.base.errors.statements.governance import PolicyTableError
from deltasql.base.errors.statements.view import (
    GeneratedBehindViewError,
    HiddenColumnError,
    PartialViewError,
    RenamingViewError,
    UnwritableViewError,
    VersionViewError,
    ViewColumnsChangedError,
    WriteIntoViewError,
)
from deltasql.catalog.governance import Policies
from deltasql.plan.base import SqlText, TableName, quote
from deltasql.plan.operators import Constraint
from deltasql.planner import binding
from deltasql.planner.catalog_changes import Creation, View
from deltasql.planner.context import Context
from deltasql.planner.governance.enforcing import enforced, filter_condition, require_columns
from deltasql.planner.rows.scope import Scope
from deltasql.planner.values.generated import generation_of
from deltasql.schema.paths import folded
from deltasql.sql.queries.relations import TableReference, table_references
from deltasql.sql.references import column_references, has_subquery, name_chains, stars_spelled
from deltasql.sql.tokens import Token, TokenCursor, comma_separated, tokenize


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
        name, start, end = _masked(text.text, policies, scope) or ("", 0, 0)
        if name:
            advice = "Drop the mask, or SET deltasql.governance.filters = false."
            error = PolicyTableError(f"An expression over the masked column {quote(name)}", table, advice)
            raise error.at(scope.context.caret(text.start + start, text.start + end))


def _masked(text: str, policies: Policies, scope: Scope) -> tuple[str, int, int] | None:
    """The first masked column that an expression names or means by a star, with its span; None without one."""
    for chain in name_chains(tokenize(text)):
        named = None if _is_of_source(chain, scope) else next(_of_masks(chain, policies), None)
        if named is not None:
            return named.name, named.start, named.end
    columns = [name for name in scope.target.schema.names if name.lower() in policies.masks]
    return (columns[0], 0, len(text)) if columns and _has_star(text, columns, scope) else None


def _of_masks(chain: Sequence[Token], policies: Policies) -> Iterator[Token]:
    return (token for token in chain if token.name.lower() in policies.masks)


def _has_star(text: str, columns: Sequence[str], scope: Scope) -> bool:
    """Whether a star stands for columns of the target. In a sub-query, one with its alias could mean the row around."""
    aliases = [names[-1] for names in scope.target.all_names]
    tokens, known = tokenize(text), folded(aliases)
    threes = zip(tokens, tokens[1:], tokens[2:], strict=False)
    qualified = any((dot.key, star.key) == (".", "*") and name.name.lower() in known for name, dot, star in threes)
    return qualified or stars_spelled(text, [(alias, lambda: columns) for alias in aliases]) != text


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
                    raise HiddenColumnError(column=reference.parts[-1], view=str(self.alias)).at(caret)


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
        raise ViewColumnsChangedError(view=str(name), columns=tuple(sorted(stored_names ^ seen))).at(caret)
    if operation == "UPDATE" and any(generation_of(field) is not None for field in schema):
        raise GeneratedBehindViewError(operation, str(name), str(table)).at(caret)
    return ViewTarget(table, alias or name.parts[-1], hidden)


def _table(shown: str, view: View, operation: str, context: Context, caret: Caret) -> tuple[TableName, tuple[str, ...]]:
    """The table behind a view, and the columns that it shows of it."""
    creation = view.creation
    references = table_references(view.query)
    if creation is None or len(references) != 1 or references[0].arguments is not None:
        raise UnwritableViewError(operation, shown).at(caret)
    (reference,) = references
    if reference.temporal is not None:
        raise VersionViewError(view=shown).at(caret)
    _refuse_more(shown, view, reference, operation, caret)
    if [name.lower() for name in view.columns] not in ([], [name.lower() for name in creation.names]):
        raise RenamingViewError(view=shown).at(caret)
    inner = _inside(creation, context)
    name = TableName(reference.parts)
    key = inner.view_key(reference.parts)
    if key is not None:
        return _table(shown, inner.views[key], operation, inner, caret)[0], creation.names
    if name.path is not None:
        return name, creation.names
    if inner.catalog_view(reference.parts) is not None:
        raise WriteIntoViewError(view=str(name)).at(caret)
    return TableName(inner.catalog.full_name(reference.parts)), creation.names


def _inside(creation: Creation, context: Context) -> Context:
    return replace(
        context, catalog=context.catalog.within(*creation.namespace), views=context.views.called(creation.views)
    )


def _refuse_more(shown: str, view: View, reference: TableReference, operation: str, caret: Caret) -> None:
    """Raises PartialViewError, RenamingViewError, UnwritableViewError for what is more than columns FROM a table."""
    at = TokenCursor(tokenize(view.query))
    if at.take("TABLE"):
        return
    select = list[Token]()
    if not at.take("SELECT") or at.key in {"DISTINCT", "ALL"}:
        raise UnwritableViewError(operation, shown).at(caret)
    while at.left and at.key != "FROM":
        select += at.group()
    behind = _behind(at.tokens, reference)
    if behind == "WHERE":
        raise PartialViewError(view=shown).at(caret)
    if behind is not None:
        raise UnwritableViewError(operation, shown).at(caret)
    if not all(map(_is_column, comma_separated(select))):
        raise RenamingViewError(view=shown).at(caret)


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
