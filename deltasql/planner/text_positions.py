"""Offsets in a text that was joined from pieces of the statement."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deltasql.plan.base import SqlText


def position_in(pieces: Sequence[SqlText]) -> Callable[[int], int]:
    """Offsets in the joined text of `pieces` → offsets in the statement, where each piece has its `start`."""

    def position(offset: int) -> int:
        for piece in pieces[:-1]:
            if offset < len(piece.text):
                return piece.start + offset
            offset -= len(piece.text)
        return pieces[-1].start + offset

    return position
