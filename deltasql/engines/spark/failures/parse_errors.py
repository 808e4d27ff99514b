"""Spark's syntax errors, mapped to positions in the user's SQL: Spark parses texts that are composed of parts of it."""

from __future__ import annotations

import re

from deltasql.errors.base import Caret
from deltasql.schema.checks import HIDDEN_PREFIX
from deltasql.sql.syntax import corresponding, unreadable_part

_POSITION = re.compile(r"\(line (\d+), pos (\d+)\)")
_NEAR = re.compile(r"at or near '(.*?)'[.:]")


def misread_part(message: str, sql: str) -> Caret | None:
    """The position in `sql` at which Spark's parser stopped, from its message, which quotes the text; else None."""
    position, query_text = _POSITION.search(message), message.partition("== SQL ==\n")[2]
    if position is None or not query_text:
        return None
    number, column = int(position[1]), int(position[2])
    lines = query_text.splitlines(keepends=True)
    query, offset = "".join(lines[:number] + lines[number + 1 :]), len("".join(lines[: number - 1])) + column
    if query.startswith(HIDDEN_PREFIX, offset):
        # Within a generated CASE, Spark reports only that some part of it is wrong.
        return unreadable_part(sql)
    return corresponding(query, offset, sql)


def in_users_words(sentence: str, caret: Caret | None) -> str:
    """Spark's `sentence` if the text that it quotes is the user's text at `caret`; else one that quotes the latter."""
    match = _NEAR.search(sentence)
    if match is None:
        return sentence
    if caret is None:
        return "Syntax error in an expression." if match[1].startswith(HIDDEN_PREFIX) else sentence
    written = caret.sql[caret.start : caret.end]
    if written.lower() == match[1].lower():
        return sentence
    return f"Syntax error at or near '{written}'." if written else "Syntax error at or near end of input."
