"""Queries that are plain projections of one table: each row of it gives one row, or none.

Gives up at what sqlglot cannot read, at joins, samples, sub-queries, aggregates, windows and functions that make rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltasql.sql.references import has_aggregate, parse_expression
from deltasql.sql.tokens import Token, tokenize

if TYPE_CHECKING:
    from sqlglot import exp

_PLAIN_CLAUSES = frozenset({"expressions", "where", "kind", "hint"})


def end_of_plain_projection(sql: str) -> int | None:
    """The offset of FROM in a SELECT of one table whose rows each give a row, if at all; None for any other query."""
    from sqlglot import exp

    tree = parse_expression(f"({sql})")
    select = tree.this if isinstance(tree, (exp.Subquery, exp.Paren)) else tree
    if not isinstance(select, exp.Select) or has_aggregate(sql) or not _has_plain_clauses(select):
        return None
    tables = list(select.find_all(exp.Table))
    makes_rows = next(select.find_all(exp.Window, exp.Explode, exp.Inline), None) is not None
    return None if len(tables) != 1 or makes_rows else _place_of_from(tokenize(sql))


def _has_plain_clauses(select: exp.Select) -> bool:
    """Whether a SELECT has no more than a list, a plain table and WHERE."""
    parts = {key: value for key, value in select.args.items() if value}
    clause = parts.pop("from", None) or parts.pop("from_", None)
    return clause is not None and parts.keys() <= _PLAIN_CLAUSES and _is_plain_table(clause.this)


def _place_of_from(tokens: list[Token]) -> int | None:
    """The offset of a query's own FROM; None for FROM t SELECT …, and for a query in parentheses."""
    depth = 0
    for index, token in enumerate(tokens):
        if index == 0 and token.key != "SELECT":
            return None
        depth += (token.key in {"(", "[", "CASE"}) - (token.key in {")", "]", "END"})
        if depth == 0 and token.key == "FROM":
            return token.start
    return None


def _is_plain_table(source: object) -> bool:
    """Whether a FROM clause has a table with at most an alias: no sample of it, and no query in its place."""
    from sqlglot import exp

    allowed = {"this", "db", "catalog", "alias"}
    return isinstance(source, exp.Table) and {key for key, value in source.args.items() if value} <= allowed
