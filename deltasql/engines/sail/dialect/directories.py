"""INSERT OVERWRITE DIRECTORY, parsed for an engine whose files are written by this process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deltasql.sql.constants import unquote
from deltasql.sql.cursor import LeftToEngineError, TokenCursor, comma_separated, require_value
from deltasql.sql.tokens import Token, tokenize


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
