"""Queries that are plain projections of one table: each row of it gives one row, or none."""

from __future__ import annotations

from deltasql.sql.references import has_aggregate, parse_expression
from deltasql.sql.tokens import tokenize


def end_of_plain_projection(sql: str) -> int | None:
    """The offset of FROM in a SELECT of one table whose rows each give a row, if at all; None for any other query."""
    from sqlglot import exp

    tree = parse_expression(f"({sql})")
    select = tree.this if isinstance(tree, (exp.Subquery, exp.Paren)) else tree
    if not isinstance(select, exp.Select) or has_aggregate(sql) or select.find(exp.Window) is not None:
        return None
    parts = {key: value for key, value in select.args.items() if value}
    clause = parts.pop("from", None) or parts.pop("from_", None)
    if clause is None or parts.keys() - {"expressions", "where", "kind", "hint"} or not _is_plain_table(clause.this):
        return None
    if (
        len(list(select.find_all(exp.Table))) != 1
        or select.find(exp.Explode) is not None
        or select.find(exp.Inline) is not None
    ):
        return None
    depth = 0
    tokens = tokenize(sql)
    if not tokens or tokens[0].key != "SELECT":
        # FROM t SELECT …, or a query in parentheses.
        return None
    for token in tokens:
        depth += (token.key in {"(", "[", "CASE"}) - (token.key in {")", "]", "END"})
        if depth == 0 and token.key == "FROM":
            return token.start
    return None


def _is_plain_table(source: object) -> bool:
    """Whether a FROM clause has a table with at most an alias: no sample of it, and no query in its place."""
    from sqlglot import exp

    allowed = {"this", "db", "catalog", "alias"}
    return isinstance(source, exp.Table) and {key for key, value in source.args.items() if value} <= allowed
