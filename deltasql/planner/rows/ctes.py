"""Common table expressions before UPDATE and DELETE, whose sub-queries may name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from deltasql.plan.base import SqlText
from deltasql.planner.catalog_changes import View
from deltasql.planner.context import Context
from deltasql.sql.tokens import closing, tokenize

_QUERY_WORDS = frozenset({"SELECT", "WITH", "VALUES", "FROM", "TABLE", "("})


def with_ctes(context: Context, ctes: SqlText | None) -> Context:
    """The context in which the statement's common table expressions are views; snapshots stay shared."""
    return context if ctes is None else replace(context, views=cte_views(ctes.text, context.views))


def cte_views(text: str, outer: Mapping[str, View]) -> dict[str, View]:
    """The views of WITH name [(columns)] AS (query), … besides those of `outer`: each sees the ones before it."""
    tokens = tokenize(text)
    views = dict(outer)
    at = 1
    while at < len(tokens):
        name, at = tokens[at].name, at + 1
        columns: tuple[str, ...] = ()
        if tokens[at].key == "(" and tokens[at + 1].key not in _QUERY_WORDS:
            end = closing(tokens, at)
            columns = tuple(token.name for token in tokens[at + 1 : end] if token.is_name)
            at = end + 1
        if tokens[at].key == "AS":
            at += 1
        end = closing(tokens, at)
        views[name.lower()] = View(text[tokens[at].end : tokens[end].start], columns, dict(views))
        # The token behind the closing bracket is the comma before the next name.
        at = end + 2
    return views
