"""Common table expressions before UPDATE and DELETE, whose sub-queries may name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from deltasql.plan.base import SqlText
from deltasql.planner.catalog_changes import View
from deltasql.planner.context import Context
from deltasql.sql.cursor import Cursor
from deltasql.sql.tokens import tokenize

_QUERY_WORDS = frozenset({"SELECT", "WITH", "VALUES", "FROM", "TABLE", "("})


def with_ctes(context: Context, ctes: SqlText | None) -> Context:
    """The context in which the statement's common table expressions are views; snapshots stay shared."""
    return context if ctes is None else replace(context, views=cte_views(ctes.text, context.views))


def cte_views(text: str, outer: Mapping[str, View]) -> dict[str, View]:
    """The views of WITH name [(columns)] AS (query), … besides those of `outer`: each sees the ones before it."""
    views, at = dict(outer), Cursor(tokenize(text))
    at.need("WITH")
    while at.left:
        name, columns = at.name(), tuple[str, ...]()
        if at.key == "(" and at.peek(1) not in _QUERY_WORDS:
            columns = tuple(token.name for token in at.group() if token.is_name)
        at.take("AS")
        query = at.group()
        views[name.lower()] = View(text[query[0].end : query[-1].start], columns, dict(views))
        at.take(",")
    return views
