"""`m.k` of a map and `a.x` of an array of structs, which Sail does not support, replaced by equivalent expressions.

INSERT OVERWRITE DIRECTORY, parsed for an engine whose files are written by this process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from deltasql.base.errors.base import LeftToEngineError
from deltasql.engines.sail.dialect.scopes import scope_at
from deltasql.engines.sail.guards.exact_types import OperandRows
from deltasql.plan.base import quote
from deltasql.schema.text import sql_literal
from deltasql.schema.types import ArrayType, DataType, MapType, StructType
from deltasql.sql.constants import unquote
from deltasql.sql.cursor import TokenCursor, comma_separated, require_value
from deltasql.sql.tokens import Token, closing, tokenize

_DOTTED = re.compile(r"[\w`]\s*\.\s*[\w`]")
_BEFORE = frozenset({"SELECT", "DISTINCT", ","})
_BEHIND = frozenset({",", "FROM", ";", ""})


def with_parts(sql: str, rows: OperandRows) -> str:
    """`sql`, an expression or a query, with keys of maps in brackets, and fields of arrays taken from each element.

    What is selected keeps the name that Spark gives it, its last part.
    """
    if not _DOTTED.search(sql) or "->" in sql:
        return sql
    tokens, original = tokenize(sql), sql
    for first, end in reversed(list(_chains(tokens))):
        columns = rows.columns(scope_at(original, tokens, first))
        names = [token.name for token in tokens[first:end:2]]
        text = _meant(names, columns)
        if text:
            alias = f" AS {quote(names[-1])}" if _is_selected(tokens, first, end) else ""
            sql = sql[: tokens[first].start] + text + alias + sql[tokens[end - 1].end :]
    return sql


def _chains(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """From where to where names with dots between them go, that are no calls."""
    at = 0
    while at < len(tokens):
        end = at + 1
        while tokens[at].is_name and end + 1 < len(tokens) and tokens[end].key == "." and tokens[end + 1].is_name:
            end += 2
        if end > at + 1 and (end == len(tokens) or tokens[end].key not in {"(", "."}):
            yield at, end
        at = end


def _meant(names: Sequence[str], columns: StructType) -> str:
    """The text of a chain of names; "" where it is what Sail takes it for."""
    index = 0 if columns.find(names[0]) is not None else 1
    column = columns.find(names[index])
    if column is None:
        return ""
    kind: DataType = column.type
    text, is_plain = ".".join(map(quote, names[: index + 1])), True
    for name in names[index + 1 :]:
        part = _part(text, kind, name)
        if part is None:
            return ""
        is_plain = is_plain and isinstance(kind, StructType)
        text, kind = part
    return "" if is_plain else text


def _part(text: str, kind: DataType, name: str) -> tuple[str, DataType] | None:
    """A part of a value, and its type; None for a field that there is not."""
    match kind:
        case StructType():
            field = kind.find(name)
            return None if field is None else (f"{text}.{quote(name)}", field.type)
        case MapType():
            return f"{text}[{sql_literal(name)}]", kind.value
        case ArrayType(StructType() as element):
            field = element.find(name)
            return None if field is None else (f"transform({text}, e -> e.{quote(name)})", ArrayType(field.type))
        case _:
            # It has no parts, which Sail says then.
            return f"{text}[{sql_literal(name)}]", kind


def _is_selected(tokens: Sequence[Token], first: int, end: int) -> bool:
    """Whether names between two indexes are all of a column of a SELECT."""
    before = tokens[first - 1].key if first else ""
    behind = tokens[end].key if end < len(tokens) else ""
    if before not in _BEFORE or behind not in _BEHIND:
        return behind == ")" and before in {"SELECT", "DISTINCT"}
    opened = [index for index in range(first) if tokens[index].key == "(" and closing(tokens, index) >= end]
    begin = opened[-1] + 1 if opened else 0
    return tokens[begin].key in {"SELECT", "WITH"}


@dataclass(frozen=True, slots=True)
class DirectoryWrite:
    """INSERT OVERWRITE DIRECTORY 'path' USING format [OPTIONS (key = value, …)] query; `format`, keys in lower case."""

    path: str
    format: str
    options: Mapping[str, str]
    query: str


def directory_write(sql: str) -> DirectoryWrite | None:
    """The parts of such a statement; None for any other. Raises LeftToEngineError for what is not certain."""
    at = TokenCursor(tokenize(sql))
    if not (at.take("INSERT") and at.take("OVERWRITE") and at.key in {"DIRECTORY", "LOCAL"}):
        return None
    at.need("DIRECTORY")
    path = _text(at.next())
    at.need("USING")
    name = at.name().lower()
    options = dict(_option(item) for item in comma_separated(at.group()[1:-1])) if at.take("OPTIONS") else {}
    if not at.left:
        raise LeftToEngineError
    return DirectoryWrite(path, name, options, sql[at.tokens[at.at].start :].rstrip().rstrip(";"))


def _text(token: Token) -> str:
    if token.kind != "string":
        raise LeftToEngineError
    return require_value(unquote(token.text))


def _option(item: list[Token]) -> tuple[str, str]:
    """key value, key = value, 'key' = 'value'; a key may have dots in it."""
    at = TokenCursor(item)
    first = at.next()
    key = _text(first) if first.kind == "string" else first.name
    at.take("=")
    value = at.next()
    at.end()
    return key.lower(), _text(value) if value.kind == "string" else value.text
