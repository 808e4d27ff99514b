"""The columns that a query names, by its tokens alone."""

from __future__ import annotations

from itertools import pairwise

from deltasql.sql.tokens import tokenize

_WHOLE = frozenset({"*", "TABLE", "NATURAL", "|>", "STRUCT"})
"""Tokens by which a query may use columns that it does not name."""
_BEFORE_FROM = frozenset({"(", ")", "UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT", "MINUS"})
"""Tokens behind which FROM begins a query, and stands for SELECT * FROM."""


def named_columns(sql: str) -> frozenset[str] | None:
    """All names in a query, in lower case; None where it may use columns that it does not name, as SELECT * does."""
    tokens = tokenize(sql)
    if not tokens or tokens[0].key not in {"SELECT", "WITH", "("} or any(token.key in _WHOLE for token in tokens):
        return None
    if any(after.key == "FROM" and before.key in _BEFORE_FROM for before, after in pairwise(tokens)):
        return None
    return frozenset(token.name.lower() for token in tokens if token.is_name)
