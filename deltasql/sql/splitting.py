"""Scripts into statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from deltasql.errors.syntax import ParseSyntaxError
from deltasql.sql.blocks import block_end
from deltasql.sql.lexicon import (
    LINE_COMMENT,
    OPENINGS,
    QUOTED_NAME,
    STRING,
    WORDS,
    balanced_end,
    comment_end,
    skip_blanks,
)

_STEP = re.compile(rf"{WORDS}|[\s()\[\]]+|{LINE_COMMENT}|{STRING}|{QUOTED_NAME}|(?P<special>.)", re.DOTALL)


class Statement(NamedTuple):
    """One statement of a script: its text without the `;`, and its offset in the script."""

    text: str
    start: int


def split(script: str) -> Iterator[Statement]:
    """The statements of `script`, in order, without the empty ones; comments stay with the statement that follows.

    A `;` inside a string, a quoted name, a comment or BEGIN … END does not count. What is not closed runs to the end.
    """
    start = 0
    for end in _ends(script):
        statement = _trimmed(script, start, end)
        if statement is not None:
            yield statement
        start = end + 1


def is_complete(script: str) -> bool:
    """True when the last statement of `script` is ended by a `;` that counts, so that nothing is left to type."""
    ends = list(_ends(script))
    return len(ends) > 1 and _trimmed(script, ends[-2] + 1, ends[-1]) is None


def unclosed(script: str) -> str:
    """What opens the last piece of `script` that is never closed: a quote, `/*` or a bracket; "" where all are."""
    position = 0
    try:
        while position < len(script):
            position = skip_blanks(script, balanced_end(script, position)) + 1
    except ParseSyntaxError as error:
        return error.found if error.found in OPENINGS else ""
    return ""


def _trimmed(script: str, start: int, end: int) -> Statement | None:
    """The statement between two offsets, or None when there are only blanks and comments."""
    text = script[start:end]
    if _is_blank(text):
        return None
    stripped = text.strip()
    return Statement(stripped, start + text.index(stripped))


def _is_blank(text: str) -> bool:
    try:
        return skip_blanks(text, 0) == len(text)
    except ParseSyntaxError:
        # A comment that is not closed is worth an error when the statement is parsed.
        return False


def _ends(script: str) -> Iterator[int]:
    """Offsets of the semicolons that end statements, and the length of `script` at last."""
    position, size, begins = 0, len(script), True
    while position < size:
        if begins:
            begins, position = False, _after_block(script, position)
            continue
        step = _STEP.match(script, position)
        assert step is not None
        position = step.end()
        special = step["special"]
        if special == ";":
            yield step.start()
            begins = True
        elif special == "/" and script.startswith("/*", step.start()):
            position = comment_end(script, step.start())
        elif special and special in "'\"`":
            break
    yield size


def _after_block(script: str, start: int) -> int:
    """The end of the BEGIN … END that is the next statement; `start` where it is another one."""
    try:
        end = block_end(script, skip_blanks(script, start))
    except ParseSyntaxError:
        return start
    return start if end is None else end
