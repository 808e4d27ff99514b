"""How the rows of a statement are computed, for EXPLAIN, results and the log of the process.

Notes of a statement for its user, beside its rows: what was ignored, and what is recorded only.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import NamedTuple


class ComputedBy(Enum):
    """By whom rows are computed; the values are the words that users see."""

    PROCESS = "process"
    ENGINE = "engine"


EVALUATED = "its expressions need no engine, within the limit of memory"
"""The reason why a statement needs no engine."""


IN_MEMORY = "the rows are literals, or in memory"
"""The reason why rows are only written, and not computed."""


class Way(NamedTuple):
    """By whom the rows of a statement are computed, and why, as part of a sentence."""

    by: ComputedBy
    because: str

    def __str__(self) -> str:
        match self.by:
            case ComputedBy.PROCESS:
                return f"in this process: {self.because}"
            case ComputedBy.ENGINE:
                return f"by the engine: {self.because}"


_LOGGER = logging.getLogger(__name__)
_WAYS: ContextVar[list[Way] | None] = ContextVar("ways", default=None)


@contextmanager
def ways_recorded(ways: list[Way] | None = None) -> Iterator[list[Way]]:
    """Context: the list of the ways that are taken within it, each once; `ways` are those before it."""
    ways = [] if ways is None else ways
    token = _WAYS.set(ways)
    try:
        yield ways
    finally:
        _WAYS.reset(token)


def record_way(by: ComputedBy, because: str) -> None:
    """Adds a way to those of the running statement, if it records them."""
    ways, way = _WAYS.get(), Way(by, because)
    _LOGGER.debug("rows are computed %s", way)
    if ways is not None and way not in ways:
        ways.append(way)


def recorded_ways() -> list[Way]:
    """The ways that the running statement has taken so far; the list grows with it."""
    ways = _WAYS.get()
    return [] if ways is None else ways


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
