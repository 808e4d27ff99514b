"""UPDATE, DELETE and MERGE of a table whose row filter the session applies: other rows are not touched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from deltasql.base.errors.statements.governance import PolicyTableError
from deltasql.catalog.governance import Policies
from deltasql.plan.base import SqlText, TableName, quote
from deltasql.plan.operators import Constraint
from deltasql.planner import binding
from deltasql.planner.context import Context
from deltasql.planner.governance.enforcing import enforced, filter_condition, require_columns
from deltasql.planner.rows.scope import Scope
from deltasql.schema.paths import folded
from deltasql.sql.references import name_chains, stars_spelled
from deltasql.sql.tokens import Token, tokenize


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
