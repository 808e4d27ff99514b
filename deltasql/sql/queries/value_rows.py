"""VALUES whose rows contain sub-queries, which Spark supports only in a SELECT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deltasql.sql.references import has_subquery
from deltasql.sql.text_edits import Replacement, splice
from deltasql.sql.tokens import Token, closing, tokenize


def selected_rows(query: str) -> str:
    """VALUES (a, b), (c, d) as SELECT a, b UNION ALL SELECT c, d where a sub-query is among them; else as it is."""
    if query[:6].upper() != "VALUES" or not has_subquery(query[6:]):
        return query
    tokens = tokenize(query)
    edits = list(_edits(tokens))
    return splice(query, edits).sql if edits else query


def _edits(tokens: Sequence[Token]) -> Iterator[Replacement]:
    """The changes of the text; none for rows without parentheses, or with a name behind them."""
    edits: list[Replacement] = [(tokens[0].start, tokens[0].end, "")]
    at = 1
    while at < len(tokens) and tokens[at].key == "(":
        end = closing(tokens, at)
        if end == len(tokens):
            return
        edits += [(tokens[at].start, tokens[at].end, "SELECT "), (tokens[end].start, tokens[end].end, "")]
        at = end + 1
        if at == len(tokens):
            yield from edits
            return
        if tokens[at].key != ",":
            return
        edits.append((tokens[at].start, tokens[at].end, " UNION ALL "))
        at += 1
