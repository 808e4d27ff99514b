"""Where strings, comments, parentheses and statements end, by characters and without a grammar.

An element without an end is an error, except for `comment_end`.

Bodies of functions between tags, `$py$ … $py$`: as all readers of SQL take them, between `$$`.
"""

from __future__ import annotations

import re
from typing import NoReturn

from deltasql.base.errors.base import Caret
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.base.patterns import BLANK, COMMENT_CLOSING, COMMENT_OPENING, DOLLAR_TEXT, QUOTED_NAME, STRING

_BLANKS = re.compile(rf"{BLANK}+")
_COMMENT_EDGE = re.compile(rf"{COMMENT_OPENING}|{COMMENT_CLOSING}")
# A word is taken whole, so that the r of `bar'…'` does not look like the start of a raw string.
_PLAIN = r"""(?:(?![rR]['"])\w+|[^\w\s'"`()\[\];/\-$]|\$(?!\$))+"""
PIECE = re.compile(
    rf"(?P<blank>{BLANK})|(?P<quoted>{STRING}|{QUOTED_NAME}|{DOLLAR_TEXT})|(?P<plain>{_PLAIN})|(?P<special>.)",
    re.DOTALL,
)
"""One step of a coarse walk: text that holds nothing special, a quoted piece, a comment, or one special character."""
_CLOSING = {"(": ")", "[": "]"}
_NAMES = {
    "'": "string",
    '"': "string",
    "`": "quoted name",
    "(": "parenthesis",
    "[": "bracket",
    "/*": "comment",
    "$$": "body",
}
# A string that ends where a word goes on: 'it's'
_HALVED = re.compile(r"(?P<left>(?P<quote>['\"])(?:(?!(?P=quote))[^\\\n]|\\.)*)(?P=quote)\w")
# Characters before a quote that are searched for such a string: the search takes the square of them.
_LOOKED_AT = 1000
OPENINGS = frozenset(_NAMES)


def not_closed(text: str, start: int, opening: str) -> NoReturn:
    """Raises ParseSyntaxError: the piece that `opening` starts at `start` never ends."""
    reason = f"The {_NAMES[opening]} that starts here with {opening} is never closed.{_where_from(text, start)}"
    raise ParseSyntaxError(reason, opening).at(Caret(text, start, start + len(opening)))


def _where_from(text: str, start: int) -> str:
    """The reason why a quote may be one too many, and how far above the unterminated statement begins."""
    doubled = _HALVED.search(text, max(0, start - _LOOKED_AT), start + 2) if text[start] in "'\"" else None
    hint = f" In a string, {text[start]} is written twice: {doubled['left']}{doubled['quote'] * 2}…" if doubled else ""
    begin = len(text) - len(text.lstrip())
    above = text.count("\n", begin, start)
    if not above:
        return hint
    first = text[begin:].splitlines()[0].strip()
    shown = first if len(first) <= 60 else f"{first[:60]}…"
    return f"{hint} The statement begins {above} line{'s' if above > 1 else ''} above: {shown}"


def skip_comment(text: str, start: int) -> int:
    """The offset after the block comment at `start`; comments nest. Raises ParseSyntaxError if it never ends."""
    end = _comment_end(text, start)
    if end is None:
        not_closed(text, start, "/*")
    return end


def comment_end(text: str, start: int) -> int:
    """The offset after the block comment at `start`, or the length of `text` if it never ends."""
    end = _comment_end(text, start)
    return len(text) if end is None else end


def _comment_end(text: str, start: int) -> int | None:
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge[0] == "/*" else -1
        if depth == 0:
            return edge.end()
    return None


def skip_blanks(text: str, start: int) -> int:
    """The offset of the next character that is neither white space nor comment, or the length of `text`."""
    while True:
        blanks = _BLANKS.match(text, start)
        start = blanks.end() if blanks else start
        if not text.startswith("/*", start):
            return start
        start = skip_comment(text, start)


def balanced_end(text: str, start: int, one_group: bool = False) -> int:
    """The end of the balanced text at `start`: of the whole statement, or of the group that opens right there.

    A statement ends with its last token before `;` or the end of `text`; blanks and comments do not count.
    Raises ParseSyntaxError for what is not closed, or not opened.
    """
    opened: list[int] = []
    position = end = start
    size = len(text)
    match = PIECE.match
    while position < size:
        piece = match(text, position)
        assert piece is not None
        position = piece.end()
        if piece.lastgroup == "blank":
            continue
        if piece.lastgroup != "special":
            end = position
            continue
        char = piece[0]
        if char == ";" and not opened:
            break
        position = _special(text, piece.start(), char, opened)
        if char == "/" and position > piece.end():
            continue
        end = position
        if one_group and not opened:
            break
    if opened:
        not_closed(text, opened[-1], text[opened[-1]])
    return end


def _special(text: str, start: int, char: str, opened: list[int]) -> int:
    """The offset after the special character or comment at `start`; keeps account of the groups in `opened`."""
    if char == "/" and text.startswith("/*", start):
        return skip_comment(text, start)
    if char in "([":
        opened.append(start)
    elif char in ")]":
        if not opened or _CLOSING[text[opened[-1]]] != char:
            raise ParseSyntaxError(f"Nothing opens this {char}.", char).at(Caret(text, start, start + 1))
        opened.pop()
    elif char == ";":
        not_closed(text, opened[-1], text[opened[-1]])
    elif char in "'\"`":
        not_closed(text, start, char)
    elif text.startswith("$$", start):
        not_closed(text, start, "$$")
    return start + 1
