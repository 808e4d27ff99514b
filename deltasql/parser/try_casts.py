"""The operator `expression?::type` of Databricks, for which Spark has only try_cast(expression AS type)."""

from __future__ import annotations

from collections.abc import Sequence

from deltasql.errors.base import Caret
from deltasql.errors.syntax import ParseSyntaxError
from deltasql.plan.parameters import BoundStatement
from deltasql.sql.function_text import type_end
from deltasql.sql.tokens import Token, tokenize


def is_try_cast(tokens: Sequence[Token], index: int) -> bool:
    """Whether a `?` is the beginning of the operator `?::`, and not a marker that is cast: it follows an operand."""
    if index == 0 or index + 1 == len(tokens):
        return False
    mark, after, before = tokens[index], tokens[index + 1], tokens[index - 1]
    if after.key != "::" or after.start != mark.end:
        return False
    is_operand = before.kind in {"quoted", "string", "dollars", "number"} or before.key in {")", "]", "?"}
    return is_operand or (before.kind == "word" and before.key not in _NO_OPERANDS)


_NO_OPERANDS = frozenset(
    {
        *("SELECT", "WHERE", "AND", "OR", "NOT", "WHEN", "THEN", "ELSE", "CASE", "IN", "ON", "BY", "VALUES", "SET"),
        *("BETWEEN", "IS", "HAVING", "RETURN", "DISTINCT", "ALL", "USING", "DEFAULT", "LIMIT", "OFFSET", "INTERVAL"),
        *("LIKE", "ILIKE", "RLIKE", "REGEXP", "DIV", "QUALIFY", "FROM", "FILTER", "ESCAPE", "UNION", "EXCEPT", "AS"),
    }
)
"""Words that end no operand, and call no function."""
_TYPED = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "X"})


def with_try_casts(bound: BoundStatement) -> BoundStatement:
    """The statement with try_cast(a AS type) in place of a?::type."""
    if "?::" not in bound.sql:
        return bound
    tokens = tokenize(bound.sql)
    edits: dict[tuple[int, int], str] = {}
    for index in range(len(tokens)):
        if tokens[index].key == "?" and is_try_cast(tokens, index):
            if index + 2 == len(tokens) or not tokens[index + 2].is_name:
                caret = Caret(bound.sql, tokens[index].start, tokens[index + 1].end)
                raise ParseSyntaxError("No type stands behind ?::, as in a?::INT.", "?::").at(caret)
            start = tokens[_operand_start(tokens, index - 1)].start
            end = tokens[type_end(tokens, index + 2) - 1].end
            edits[start, start] = "try_cast(" + edits.get((start, start), "")
            edits[tokens[index].start, end] = f" AS {bound.sql[tokens[index + 1].end : end].strip()})"
    return bound.with_names([(start, end, text) for (start, end), text in sorted(edits.items())])


def _operand_start(tokens: Sequence[Token], last: int) -> int:
    """The index of the first token of the operand that ends with token `last`: a.b[0], f(x), CASE … END, a:b::INT."""
    at = last if tokens[last].key not in _OPENED else _opening(tokens, last)
    if tokens[at].key == "[":
        return _operand_start(tokens, at - 1)
    if tokens[at].key == "(" and at > 0 and tokens[at - 1].is_name and tokens[at - 1].key not in _NO_OPERANDS:
        at -= 1
    if at > 1 and tokens[at - 1].key in {".", ":", "::"}:
        return _operand_start(tokens, at - (3 if tokens[at - 2].key == "?" else 2))
    return at - 1 if at > 0 and _belongs_to(tokens, at) else at


def _belongs_to(tokens: Sequence[Token], at: int) -> bool:
    """Whether the token before a literal is a part of it: the sign of -5, the type of DATE '2024-01-31'."""
    before = tokens[at - 1].key
    if tokens[at].kind == "string":
        return before in _TYPED
    return before == "-" and tokens[at].kind == "number" and (at == 1 or not _ends_operand(tokens[at - 2]))


def _ends_operand(token: Token) -> bool:
    return (token.kind != "symbol" and token.key not in _NO_OPERANDS) or token.key in {")", "]"}


_OPENED = {")": "(", "]": "[", "END": "CASE"}


def _opening(tokens: Sequence[Token], last: int) -> int:
    """The index of the bracket, or the CASE, that belongs to the closing one at `last`."""
    closing = tokens[last].key
    opening = _OPENED[closing]
    depth = 0
    for at in range(last, -1, -1):
        depth += (tokens[at].key == closing) - (tokens[at].key == opening)
        if depth == 0:
            return at
    return 0
