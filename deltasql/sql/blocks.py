"""Where a block of SQL script ends: BEGIN … END holds statements with semicolons of their own.

Counts what opens and what ends, and knows no other grammar; a block that does not end runs to the end of the script.
"""

from __future__ import annotations

import re

from deltasql.sql.patterns import GAP, QUOTED_NAME, WORD
from deltasql.sql.tokens import tokens_from

# BEGIN; and BEGIN TRANSACTION; stand alone.
_OPENING = re.compile(
    rf"(?:(?:{WORD}|{QUOTED_NAME}){GAP}*:{GAP}*)?BEGIN\b(?!{GAP}*(?:(?:TRANSACTION|WORK)\b|;|\Z))"
    rf"|CREATE{GAP}+(?:OR{GAP}+REPLACE{GAP}+)?PROCEDURE\b",
    re.IGNORECASE,
)
_QUOTES = frozenset("'\"`")
_LOOPS = frozenset({"IF", "WHILE", "LOOP", "REPEAT", "FOR"})
_BEFORE_STATEMENT = frozenset({"", ";", ":", "BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT"})


def block_end(script: str, start: int) -> int | None:
    """The offset of the `;` after the block that begins at `start`, or the length of `script`; None without a block."""
    if not _OPENING.match(script, start):
        return None
    blocks = _Blocks()
    for token in tokens_from(script, start):
        if token.key in _QUOTES:
            break
        blocks.take(token.text.upper())
        if token.key == ";" and not blocks.open:
            return token.start
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
        self._settle(token)
        if self.previous != "END" or token != "CASE":
            self._note(token, at_start)
        self.previous = token

    def _settle(self, token: str) -> None:
        """After an END whose block is not certain: END IF ends none of ours, what END closed is open still."""
        if self.open and self.open[-1] == "END":
            if self.previous == "END" and token in _LOOPS:
                self.open[-1] = "BEGIN"
            else:
                self.open.pop()

    def _note(self, token: str, at_start: bool) -> None:
        if token == "BEGIN" and (at_start or self._declares or (self.previous == "AS" and not self.open)):
            self.open.append("BEGIN")
        elif token == "DECLARE" and at_start:
            self._declares = True
        elif token == "CASE" and self.previous != ".":
            self.open.append("CASE")
        elif token == "END" and self.open:
            self._end(at_start)

    def _end(self, at_start: bool) -> None:
        if self.open[-1] == "CASE":
            self.open.pop()
        elif at_start:
            # Whether it ends the block, or an IF inside, the next word tells.
            self.open[-1] = "END"
