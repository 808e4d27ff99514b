"""Parts of a script as statements of their own, with the way back to their places and the script's parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from deltasql.plan.base import SqlText
from deltasql.plan.parameters import BoundStatement
from deltasql.sql.text_edits import Replacement


def joined(
    script: BoundStatement,
    pieces: Iterable[str | SqlText],
    replacements: Callable[[SqlText], Iterable[Replacement]] = lambda piece: (),
) -> BoundStatement:
    """The statement that the pieces make: parts of `script`, and text of ours between them.

    `replacements` are spans in the text of a piece, each with what stands there instead. Offsets of the statement lead
    back to those in the script.
    """
    part = _Joined(script)
    for piece in pieces:
        if isinstance(piece, str):
            part.add(piece)
        else:
            part.add_piece(piece, replacements(piece))
    return BoundStatement(part.text, tuple(part.shifts), tuple(part.values))


class _Joined:
    def __init__(self, script: BoundStatement) -> None:
        self.script = script
        self.text = ""
        self.shifts: list[tuple[int, int]] = []
        self.values = list(script.values[:0])
        self._shift = 0

    def add(self, text: str) -> None:
        self.text += text

    def add_piece(self, piece: SqlText, replacements: Iterable[Replacement]) -> None:
        at = 0
        for start, end, text in sorted(replacements):
            self._verbatim(piece, at, start)
            self.add(text)
            at = end
        self._verbatim(piece, at, len(piece.text))

    def _verbatim(self, piece: SqlText, start: int, end: int) -> None:
        """Adds text of the script as it stands, with the values of parameters in it."""
        shift = len(self.text) - (piece.start + start)
        self.shifts.append((len(self.text), shift - self._shift))
        self._shift = shift
        for value in self.script.values:
            if piece.start + start <= value.start and value.end <= piece.start + end:
                self.values.append(replace(value, start=value.start + shift, end=value.end + shift))
        self.add(piece.text[start:end])
