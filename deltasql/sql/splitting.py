"""Scripts into statements.

Reads pieces of text up to a `;` that counts, and BEGIN … END whole. What is not closed runs to the end of the script.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deltasql.errors.syntax import ParseSyntaxError
from deltasql.sql.blocks import block_end
from deltasql.sql.extents import OPENINGS, PIECE, balanced_end, comment_end, skip_blanks


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
    position = 0
    while position < len(script):
        end = _statement_end(script, _after_block(script, position))
        if end < len(script):
            yield end
        position = end + 1
    yield len(script)


def _statement_end(script: str, start: int) -> int:
    """The offset of the next `;` that ends a statement, or the length of `script`."""
    at: int | None = start
    while at is not None:
        begin, at = at, None
        for piece in PIECE.finditer(script, begin):
            if piece.lastgroup != "special":
                continue
            special = piece[0]
            if special == ";":
                return piece.start()
            if special == "/" and script.startswith("/*", piece.start()):
                at = comment_end(script, piece.start())
                break
            if special in "'\"`":
                break
    return len(script)


def _after_block(script: str, start: int) -> int:
    """The end of the BEGIN … END that is the next statement; `start` where it is another one."""
    try:
        end = block_end(script, skip_blanks(script, start))
    except ParseSyntaxError:
        return start
    return start if end is None else end
