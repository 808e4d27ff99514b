"""Comparisons of CHAR columns in text where Spark sees values and no columns: literals padded as Spark pads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deltasql.planner.values.char_types import padded
from deltasql.schema.lengths import declared_length
from deltasql.schema.types import StructType
from deltasql.sql.text_edits import Replacement, splice
from deltasql.sql.tokens import Token, closing, tokenize

_COMPARES = frozenset({"=", "==", "<=>", "<", "<=", ">", ">=", "<>", "!="})
_BINDS_CLOSER = frozenset({"||", "+", "-", "*", "/", "%", "[", "::", "COLLATE", "."})


def with_padded_literals(expression: str, schema: StructType) -> str:
    """`expression` whose literals are as long as the CHAR column that they are compared with, by an operator or IN."""
    lengths = {
        field.name.lower(): length.length
        for field in schema
        if (length := declared_length(field)) is not None and length.kind == "char"
    }
    return splice(expression, _replacements(tokenize(expression), lengths)).sql if lengths else expression


def _replacements(tokens: Sequence[Token], lengths: dict[str, int]) -> Iterator[Replacement]:
    for index, token in enumerate(tokens):
        length = lengths.get(token.name.lower()) if token.is_name else None
        if length is None or _key(tokens, index - 1) == "." or _key(tokens, index + 1) in {".", "("}:
            continue
        for literal in _compared(tokens, index):
            yield literal.start, literal.end, padded(literal.text, length)


def _compared(tokens: Sequence[Token], column: int) -> Iterator[Token]:
    """The literals that the column at an index is compared with."""
    if _key(tokens, column + 1) in _COMPARES and _is_whole(tokens, column + 2):
        yield tokens[column + 2]
    if _key(tokens, column - 1) in _COMPARES and _is_whole(tokens, column - 2):
        yield tokens[column - 2]
    opening = column + (3 if _key(tokens, column + 1) == "NOT" else 2)
    if _key(tokens, opening - 1) == "IN" and _key(tokens, opening) == "(":
        inside = tokens[opening + 1 : closing(list(tokens), opening)]
        yield from (item for at, item in enumerate(inside) if _is_whole(inside, at))


def _is_whole(tokens: Sequence[Token], index: int) -> bool:
    """Whether a literal stands there that is no part of a longer operand."""
    is_literal = 0 <= index < len(tokens) and tokens[index].kind == "string"
    return is_literal and not {_key(tokens, index - 1), _key(tokens, index + 1)} & _BINDS_CLOSER


def _key(tokens: Sequence[Token], index: int) -> str:
    return tokens[index].key if 0 <= index < len(tokens) else ""
