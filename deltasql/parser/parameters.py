"""Parameters of a statement, `:name` and `?`, replaced by SQL literals of their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from deltasql.errors.base import Caret
from deltasql.errors.statements.settings import ParametersError, ParameterValueError, UnboundParameterError
from deltasql.errors.syntax import ParseSyntaxError
from deltasql.plan.parameters import BoundStatement, BoundValue
from deltasql.schema.literals import sql_literal
from deltasql.schema.text import quote_text
from deltasql.sql.functions.dollar_tags import without_tags
from deltasql.sql.tokens import Token, tokenize

_NAME = re.compile(r"[A-Za-z_]\w*")
# A colon after a name, a bracket or another colon is not a marker: `c:path` reads a field of a variant, `x::int` casts.
_BEFORE_PATH = re.compile(r"[\w:`\])\"']")


@dataclass(frozen=True, slots=True)
class SqlValue:
    """A value with equivalent SQL, for types without literals."""

    sql: str
    value: Any


def bind_parameters(sql: str, args: Mapping[str, Any] | Sequence[Any] | None) -> BoundStatement:
    """The statement with its parameters bound. Without `args`, `?` and `:name` are left for the parser to judge.

    Raises UnboundParameterError for a marker without a value, ParameterValueError for a value without a literal, and
    ParametersError for `args` that are neither a mapping nor a sequence of values, ParseSyntaxError for no Unicode.
    """
    sql = without_tags(sql)
    if args is None:
        return _encodable(_with_try_casts(BoundStatement(sql)))
    if isinstance(args, (str, bytes)) or not isinstance(args, (Mapping, Sequence)):
        raise ParametersError(type(args).__name__)
    pieces: list[str] = []
    shifts: list[tuple[int, int]] = []
    values: list[BoundValue] = []
    at = length = 0
    for start, end, name, value in _bound(sql, args):
        text = _literal(name, value)
        pieces += [sql[at:start], text]
        length += start - at + len(text)
        plain = value.value if isinstance(value, SqlValue) else value
        values.append(BoundValue(length - len(text), length, sql[start:end], plain))
        shifts.append((length, len(text) - (end - start)))
        at = end
    return _encodable(_with_try_casts(BoundStatement("".join([*pieces, sql[at:]]), tuple(shifts), tuple(values))))


def _encodable(bound: BoundStatement) -> BoundStatement:
    """Raises ParseSyntaxError for half of a surrogate pair, which no file, no engine and no catalog can store."""
    try:
        bound.sql.encode()
    except UnicodeEncodeError as error:
        code = f"\\u{ord(bound.sql[error.start]):04x}"
        raise ParseSyntaxError(f"{code} is half of a surrogate pair, and no character.", code) from None
    return bound


def parameter_names(sql: str) -> list[str]:
    """The parameters of a statement: each name once, as its first marker stands; for every `?` an empty text."""
    names = [sql[start + 1 : end] for start, end in markers(sql)]
    return [name for number, name in enumerate(names) if not name or name not in names[:number]]


def _bound(sql: str, args: Mapping[str, Any] | Sequence[Any]) -> Iterator[tuple[int, int, str, Any]]:
    """Each marker with its value: (start, end, how it is called, value)."""
    ordinal = 0
    for start, end in markers(sql):
        caret, name = Caret(sql, start, end), sql[start + 1 : end]
        if name:
            if not isinstance(args, Mapping) or name not in args:
                raise UnboundParameterError(name=f":{name}", example=f'{{"{name}": …}}').at(caret)
            yield start, end, f":{name}", args[name]
            continue
        ordinal += 1
        if isinstance(args, Mapping) or ordinal > len(args):
            raise UnboundParameterError(name=f"? number {ordinal}", example="[…, …]").at(caret)
        yield start, end, f"? number {ordinal}", args[ordinal - 1]


def markers(sql: str) -> Iterator[tuple[int, int]]:
    """Where `?` and `:name` stand outside of strings, quoted names and comments."""
    tokens = tokenize(sql)
    for index, (token, after) in enumerate(zip_longest(tokens, tokens[1:])):
        if token.key == "?":
            if not _is_try_cast(tokens, index):
                yield token.start, token.end
        elif token.key == ":" and after is not None and after.start == token.end:
            name = _NAME.fullmatch(after.text)
            if name is not None and not _BEFORE_PATH.match(sql, max(0, token.start - 1), token.start):
                yield token.start, after.end


def _literal(name: str, value: Any) -> str:
    if isinstance(value, SqlValue):
        return f"({value.sql})"
    if isinstance(value, str):
        # Our own parser may read it, where a literal is wanted.
        return quote_text(value)
    try:
        return sql_literal(value)
    except TypeError as error:
        raise ParameterValueError(name=name, kind=str(error)) from None


# expression?::type, for which Spark has only try_cast(expression AS type)


def _is_try_cast(tokens: Sequence[Token], index: int) -> bool:
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
_INTERVAL_WORDS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO"})


def _with_try_casts(bound: BoundStatement) -> BoundStatement:
    """The statement with try_cast(a AS type) in place of a?::type."""
    if not _TRY_CAST.search(bound.sql):
        return bound
    tokens = tokenize(bound.sql)
    edits: dict[tuple[int, int], str] = {}
    for index in range(len(tokens)):
        if tokens[index].key == "?" and _is_try_cast(tokens, index):
            if index + 2 == len(tokens) or not tokens[index + 2].is_name:
                caret = Caret(bound.sql, tokens[index].start, tokens[index + 1].end)
                raise ParseSyntaxError("No type stands behind ?::, as in a?::INT.", "?::").at(caret)
            start, end = tokens[_operand_start(tokens, index - 1)].start, _type_end(tokens, index + 2)
            edits[start, start] = "try_cast(" + edits.get((start, start), "")
            edits[tokens[index].start, end] = f" AS {bound.sql[tokens[index + 1].end : end].strip()})"
    return bound.with_names([(start, end, text) for (start, end), text in sorted(edits.items())])


_TRY_CAST = re.compile(r"\?::")


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


def _type_end(tokens: Sequence[Token], first: int) -> int:
    """The offset behind the type that begins with token `first`: a word, with (…) or <…>; INTERVAL DAY TO SECOND."""
    if first >= len(tokens):
        return tokens[-1].end
    at = first + 1
    while tokens[first].key == "INTERVAL" and at < len(tokens) and tokens[at].key in _INTERVAL_WORDS:
        at += 1
    if at < len(tokens) and tokens[at].key in {"(", "<", "<>"}:
        depth = 0
        while at < len(tokens):
            depth += {"(": 1, "<": 1, ")": -1, ">": -1}.get(tokens[at].key, 0)
            at += 1
            if depth == 0:
                break
    return tokens[at - 1].end
