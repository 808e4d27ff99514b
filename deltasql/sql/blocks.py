"""Where a block of SQL script ends: BEGIN … END holds statements with semicolons of their own."""

from __future__ import annotations

import re

from deltasql.sql.lexicon import LINE_COMMENT, QUOTED_NAME, STRING, comment_end

_GAP = rf"(?:\s|{LINE_COMMENT}|/\*(?:[^*]|\*(?!/))*\*/)"
# BEGIN; and BEGIN TRANSACTION; stand alone.
_OPENING = re.compile(
    rf"(?:(?:\w+|{QUOTED_NAME}){_GAP}*:{_GAP}*)?BEGIN\b(?!{_GAP}*(?:(?:TRANSACTION|WORK)\b|;|\Z))"
    rf"|CREATE{_GAP}+(?:OR{_GAP}+REPLACE{_GAP}+)?PROCEDURE\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    rf"(?P<blank>\s+|{LINE_COMMENT})|(?P<quoted>{STRING}|{QUOTED_NAME})|(?P<word>\w+)|(?P<symbol>.)", re.DOTALL
)
_LOOPS = frozenset({"IF", "WHILE", "LOOP", "REPEAT", "FOR"})
_BEFORE_STATEMENT = frozenset({"", ";", ":", "BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT"})


def block_end(script: str, start: int) -> int | None:
    """The offset of the `;` after the block that begins at `start`, or the length of `script`; None without a block."""
    if not _OPENING.match(script, start):
        return None
    blocks = _Blocks()
    position = start
    while position < len(script):
        token = _TOKEN.match(script, position)
        assert token is not None
        if script.startswith("/*", position):
            position = comment_end(script, position)
            continue
        if token.lastgroup == "symbol" and token[0] in "'\"`":
            break
        if token.lastgroup != "blank":
            blocks.take(token[0].upper())
        if blocks.previous == ";" and not blocks.open:
            return position
        position = token.end()
    return len(script)


class _Blocks:
    """The blocks that are open after the tokens so far: BEGIN and CASE, each until its END.

    IF, WHILE, LOOP, REPEAT and FOR are not counted, as their own END says what it ends.
    """

    def __init__(self) -> None:
        self.open: list[str] = []
        self.previous = ""
        self._declares = False

    def take(self, token: str) -> None:
        at_start = self.previous in _BEFORE_STATEMENT
        if self.previous == ";":
            self._declares = False
        if self.previous == "END" and token in _LOOPS and self.open and self.open[-1] == "END":
            # END IF ends none of ours: what END closed is open still.
            self.open[-1] = "BEGIN"
        elif self.open and self.open[-1] == "END":
            self.open.pop()
        if self.previous == "END" and token == "CASE":
            pass
        elif token == "BEGIN" and (at_start or self._declares or (self.previous == "AS" and not self.open)):
            self.open.append("BEGIN")
        elif token == "DECLARE" and at_start:
            self._declares = True
        elif token == "CASE" and self.previous != ".":
            self.open.append("CASE")
        elif token == "END" and self.open:
            self._end(at_start)
        self.previous = token

    def _end(self, at_start: bool) -> None:
        if self.open[-1] == "CASE":
            self.open.pop()
        elif at_start:
            # Whether it ends the block, or an IF inside, the next word tells.
            self.open[-1] = "END"
