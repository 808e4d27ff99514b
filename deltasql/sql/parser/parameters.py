"""Parameters of a statement, `:name` and `?`, replaced by SQL literals of their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from deltasql.base.errors.base import Caret
from deltasql.base.errors.statements.settings import ParametersError, ParameterValueError, UnboundParameterError
from deltasql.base.errors.syntax import InvalidIdentifierError, ParseSyntaxError
from deltasql.schema.text import quote_text, sql_literal
from deltasql.sql.parameter_nodes import BoundStatement, BoundValue
from deltasql.sql.postfix import is_try_cast, with_try_casts
from deltasql.sql.splitting import without_tags
from deltasql.sql.tokens import tokenize

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
    ParametersError for `args` that are neither a mapping nor a sequence of values, ParseSyntaxError for no
    Unicode, InvalidIdentifierError.
    """
    sql = without_tags(sql)
    if args is None:
        return _checked(with_try_casts(BoundStatement(sql)))
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
    return _checked(with_try_casts(BoundStatement("".join([*pieces, sql[at:]]), tuple(shifts), tuple(values))))


def _checked(bound: BoundStatement) -> BoundStatement:
    """The statement. Raises ParseSyntaxError for half of a surrogate pair, which no file, no engine and no catalog can
    store, and InvalidIdentifierError for a name that Spark takes in back-ticks only.
    """
    if bound.sql.isascii():
        return bound
    try:
        bound.sql.encode()
    except UnicodeEncodeError as error:
        code = f"\\u{ord(bound.sql[error.start]):04x}"
        raise ParseSyntaxError(f"{code} is half of a surrogate pair, and no character.", code) from None
    for token in tokenize(bound.sql):
        if token.kind == "word" and not token.text.isascii():
            raise InvalidIdentifierError(token.text).at(Caret(bound.sql, token.start, token.end))
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
                raise UnboundParameterError.of(f":{name}").at(caret)
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
            if not is_try_cast(tokens, index):
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
