"""Common table expressions before UPDATE and DELETE, whose sub-queries may name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from deltasql.errors.syntax import ParseSyntaxError
from deltasql.plan.base import SqlText, quote
from deltasql.planner.catalog_changes import View
from deltasql.planner.context import Context
from deltasql.sql.cursor import LeftToEngineError, TokenCursor
from deltasql.sql.tokens import tokenize

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
