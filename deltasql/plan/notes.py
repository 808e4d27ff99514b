"""Notes of a statement for its user, beside its rows: what was ignored, and what is recorded only."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from deltasql.plan.way import ways_recorded


class StatementWarning(UserWarning):
    """Something that a statement asked for was not done."""


class Note(NamedTuple):
    """A sentence about a statement. `is_warning`: something that the statement asked for was not done."""

    text: str
    is_warning: bool


_NOTES: ContextVar[list[Note] | None] = ContextVar("notes", default=None)


@contextmanager
def notes_recorded() -> Iterator[list[Note]]:
    """Context: the list of the notes that are made within it, each once. At its end Python warns of the warnings."""
    notes: list[Note] = []
    token = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NOTES.reset(token)
    for note in notes:
        if note.is_warning:
            # Between this line and the caller of the statement stand the contexts and the session.
            warnings.warn(note.text, StatementWarning, stacklevel=6)


@contextmanager
def records_of_statement() -> Iterator[None]:
    """Context: records the notes of a statement, and the ways by which its rows are computed."""
    with ways_recorded(), notes_recorded():
        yield


def make_note(text: str, *, is_warning: bool) -> None:
    """Adds a note to those of the running statement, if it records them."""
    notes, note = _NOTES.get(), Note(text, is_warning)
    if notes is not None and note not in notes:
        notes.append(note)


def recorded_notes() -> list[Note]:
    """The notes of the running statement so far; the list grows with it."""
    notes = _NOTES.get()
    return [] if notes is None else notes
