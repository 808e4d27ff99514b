"""Parameters of a statement, `:name` and `?`, replaced by SQL literals of their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from deltasql.errors.base import Caret
from deltasql.errors.settings import ParametersError, ParameterValueError, UnboundParameterError
from deltasql.plan.parameters import BoundStatement, BoundValue
from deltasql.schema.literals import sql_literal
from deltasql.schema.text import quote_text

# Strings, quoted names and comments are passed over whole. A colon after a name, a bracket or another colon is not a
# marker: `c:path` reads a field of a variant, `x::int` casts.
_MARKER = re.compile(
    r"""
    (?P<skip> '(?:\\.|''|[^'\\])*' | "(?:\\.|""|[^"\\])*" | `(?:``|[^`])*` | --[^\n]* | /\*.*?\*/ | ::)
  | (?P<named> (?<![\w:`\])"']):(?P<name>[A-Za-z_]\w*) )
  | (?P<ordinal> \? )
    """,
    re.VERBOSE | re.DOTALL,
)


def bind_parameters(sql: str, args: Mapping[str, Any] | Sequence[Any] | None) -> BoundStatement:
    """The statement with its parameters bound. Without `args`, `?` and `:name` are left for the parser to judge.

    Raises UnboundParameterError for a marker without a value, ParameterValueError for a value without a literal, and
    ParametersError for `args` that are neither a mapping nor a sequence of values.
    """
    if args is None:
        return BoundStatement(sql)
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
        values.append(BoundValue(length - len(text), length, sql[start:end], value))
        shifts.append((length, len(text) - (end - start)))
        at = end
    return BoundStatement("".join([*pieces, sql[at:]]), tuple(shifts), tuple(values))


def _bound(sql: str, args: Mapping[str, Any] | Sequence[Any]) -> Iterator[tuple[int, int, str, Any]]:
    """Each marker with its value: (start, end, how it is called, value)."""
    ordinal = 0
    for match in _MARKER.finditer(sql):
        if match["skip"] is not None:
            continue
        caret = Caret(sql, match.start(), match.end())
        if match["named"] is not None:
            name = match["name"]
            if not isinstance(args, Mapping) or name not in args:
                raise UnboundParameterError(name=f":{name}", example=f'{{"{name}": …}}').at(caret)
            yield match.start(), match.end(), f":{name}", args[name]
            continue
        ordinal += 1
        if isinstance(args, Mapping) or ordinal > len(args):
            raise UnboundParameterError(name=f"? number {ordinal}", example="[…, …]").at(caret)
        yield match.start(), match.end(), f"? number {ordinal}", args[ordinal - 1]


def _literal(name: str, value: Any) -> str:
    if isinstance(value, str):
        # Our own parser may read it, where a literal is wanted.
        return quote_text(value)
    try:
        return sql_literal(value)
    except TypeError as error:
        raise ParameterValueError(name=name, kind=str(error)) from None
