"""IDENTIFIER(text): names given as texts, which replace the clause before the statement is parsed.

So a name may be computed in any position, and no rule of the grammar depends on it. Source: Spark's IDENTIFIER clause.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.statements.settings import UnboundParameterError
from deltasql.base.errors.syntax import (
    NameNotConstantError,
    NameOfWrongTypeError,
    NullNameError,
    ParseSyntaxError,
)
from deltasql.plan.base import TableName
from deltasql.schema.text import quote_name
from deltasql.sql.constants import unquote
from deltasql.sql.parameter_nodes import BoundStatement
from deltasql.sql.parser.parameters import markers
from deltasql.sql.references import has_subquery, is_deterministic
from deltasql.sql.tokens import Token, closing, tokenize

_SUFFIX = re.compile(r"@(?:[vV]\d+|\d{17})$")
_OPERATORS = frozenset({"AND", "OR", "NOT", "CASE", "WHEN", "THEN", "ELSE", "END", "NULL", "AS", "IS", "IN", "LIKE"})

Evaluate = Callable[[str], Any]
"""The value of a constant expression. Raises a DeltaSqlError for what is none."""


def bind_identifiers(bound: BoundStatement, evaluate: Evaluate) -> BoundStatement:
    """The statement with the names that its IDENTIFIER(…) stand for; `evaluate` is asked for what is no plain text.

    Raises NameNotConstantError, NameOfWrongTypeError, NullNameError, and ParseSyntaxError for a text that is no name.
    """
    if "identifier" not in bound.sql.lower():
        return bound
    edits, tokens, at = [], tokenize(bound.sql), 0
    while at + 1 < len(tokens):
        end = closing(tokens, at + 1) if _is_word(tokens[at]) and tokens[at + 1].key == "(" else len(tokens)
        inside = tokens[at + 2 : end]
        if end == len(tokens) or not _is_expression(inside):
            at += 1
            continue
        edits.append((tokens[at].start, tokens[end].end, _name(bound.sql, inside, evaluate)))
        at = end + 1
    return bound.with_names(edits) if edits else bound


def _is_word(token: Token) -> bool:
    return token.kind == "word" and token.key == "IDENTIFIER"


def _is_expression(tokens: Sequence[Token]) -> bool:
    """Whether what stands in the parentheses may be one expression: a table may be called identifier, too."""
    depth, previous = 0, None
    for token in tokens:
        if token.key == "," and depth == 0:
            return False
        depth += (token.key in {"(", "["}) - (token.key in {")", "]"})
        both = previous is not None and previous.is_name and token.is_name
        if both and previous is not None and not {previous.key, token.key} & _OPERATORS:
            return False
        previous = token
    return bool(tokens)


def _name(sql: str, tokens: Sequence[Token], evaluate: Evaluate) -> str:
    """The quoted name, of one or several parts, that an expression gives."""
    expression = sql[tokens[0].start : tokens[-1].end]
    caret = Caret(sql, tokens[0].start, tokens[-1].end)
    value: Any = _joined(tokens)
    if value is None:
        value = _computed(expression, caret, evaluate)
    if value is None:
        raise NullNameError(expression).at(caret)
    if not isinstance(value, str):
        raise NameOfWrongTypeError(expression, type(value).__name__).at(caret)
    return _quoted(value, caret)


def _joined(tokens: Sequence[Token]) -> str | None:
    """The text of literals that `||` joins; None for any other expression."""
    texts, joins = tokens[::2], tokens[1::2]
    plain = all(token.kind == "string" for token in texts) and all(token.key == "||" for token in joins)
    return "".join(unquote(token.text) for token in texts) if plain and len(tokens) % 2 else None


def _computed(expression: str, caret: Caret, evaluate: Evaluate) -> Any:
    if not is_deterministic(expression) or has_subquery(f"({expression})"):
        raise NameNotConstantError(expression).at(caret)
    for start, end in markers(expression):
        place = Caret(caret.sql, caret.start + start, caret.start + end)
        raise UnboundParameterError.of(expression[start:end]).at(place)
    try:
        return evaluate(expression)
    except DeltaSqlError as error:
        raise NameNotConstantError(expression).at(caret) from error


def _quoted(text: str, caret: Caret) -> str:
    """The name in `text`, each of its parts in quotes. Raises ParseSyntaxError."""
    suffix = _SUFFIX.search(text)
    tokens = tokenize(text[: suffix.start()] if suffix else text)
    names, dots = tokens[::2], tokens[1::2]
    written = "".join(token.text for token in tokens) + (suffix[0] if suffix else "")
    is_name = all(token.is_name for token in names) and all(token.key == "." for token in dots) and len(tokens) % 2
    if not is_name or written != text.strip():
        advice = "Parts stand between dots, and what is no plain word in back-ticks: IDENTIFIER('main.`my table`')."
        raise ParseSyntaxError(f"The text {text!r} is no name. {advice}", text).at(caret)
    return ".".join(quoted_part(token.name) for token in names) + (suffix[0] if suffix else "")


def quoted_part(name: str) -> str:
    """One part of a name in back-ticks, even if it is a keyword."""
    return quote_name(name) if quote_name(name).startswith("`") else f"`{name}`"


def table_name(text: str) -> TableName:
    """The name in `text`, with its quotes resolved."""
    return TableName(tuple(token.name for token in tokenize(text) if token.is_name))
