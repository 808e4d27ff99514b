"""Parts of plans: statement nodes, names, SQL texts, marks of checks, and records of a statement's ways and notes.

Marks occur in Spark's errors, never in those of the user: they identify the check or cast that failed. A way says how
the rows of a statement are computed, for EXPLAIN, results and the log of the process. A note says beside the rows of a
statement that a part of it was ignored, or is recorded only.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, NamedTuple

from deltasql.base import Token, tokenize
from deltasql.schema import quote_name


class Alone(Enum):
    """Why a statement is never part of a transaction, as the end of a sentence."""

    MOVES = "it moves rows to other files, which must be those of a version."
    MAKES = "it makes a table, or puts another one in its place."
    CATALOG = "the catalog takes its change at once, and ROLLBACK could not undo it."
    STEPS = "it makes several separate commits."
    DELETES = "it deletes files for good."
    RESTORES = "it puts the table back as it was, whatever is there now."
    MENDS = "it takes files out that are gone, of what others have committed."
    STREAMS = "each batch of a stream is a commit that is done once."
    STATES = "it speaks of the files of a version."
    UNCHANGED = "it says that no row changes (dataChange = false), which is so for a whole commit or not at all."
    LOADS = "it records the loaded files in a separate commit, which may follow other loads."
    REFRESHES = "it records the versions of the tables that it has read, and others may have changed these by COMMIT."
    FILES = "tables of other formats than Delta have no commits."


class LogicalPlan:
    """One statement. Subclasses are frozen dataclasses whose fields are in grammar order.

    `table_words`: words of a statement that changes rows or columns of its `table`, which a materialized view or a
    streaming table refuses. `object_words`: words of one that these have in a form of their own, as DROP TABLE.
    `write_name`: name of the operation of an idempotent write, which the session's application commits once.
    `reads_only`: it changes nothing, so that the schema of its result is known before it runs. `alone`: words of a
    statement that is never part of a transaction, whatever its table is like, and why.
    """

    __slots__ = ()
    table_words: ClassVar[str] = ""
    object_words: ClassVar[str] = ""
    write_name: ClassVar[str] = ""
    reads_only: ClassVar[bool] = False
    alone: ClassVar[tuple[str, Alone] | None] = None

    def table_change(self) -> str:
        """`table_words`, if this statement makes such a change; else an empty string."""
        return self.table_words

    def idempotent_write(self) -> str:
        """`write_name`, if this statement writes rows; else an empty string."""
        return self.write_name

    def created(self) -> TableName | None:
        """The table, view or function that the statement creates, or to which it gives a new name."""
        return None


@dataclass(frozen=True, slots=True)
class SqlText:
    """A run of the user's SQL, verbatim: an expression or a query. `start` is its offset in the statement."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the text, with offsets in it."""
        return tokenize(self.text)


@dataclass(frozen=True, slots=True)
class Temporal:
    """VERSION AS OF n, TIMESTAMP AS OF expr, or the suffix @v1 or @yyyyMMddHHmmssSSS of a name; one is set."""

    version: int | None = None
    timestamp: SqlText | None = None


@dataclass(frozen=True, slots=True)
class TableName:
    """A table as the user named it: 1–3 parts without their quotes; a path table is ("delta", "/path")."""

    parts: tuple[str, ...]
    start: int = 0
    end: int = 0
    temporal: Temporal | None = None

    @property
    def path(self) -> str | None:
        """The location, when this is `` delta.`path` ``."""
        is_path = len(self.parts) == 2 and self.parts[0].lower() == "delta"
        return self.parts[1] if is_path and ("/" in self.parts[1] or "://" in self.parts[1]) else None

    def __str__(self) -> str:
        return ".".join(quote_name(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class ColumnPath:
    """A column or nested field as the user named it, without quotes: a.b.c, arr.element.x, m.value."""

    parts: tuple[str, ...]
    start: int = 0
    end: int = 0

    def __str__(self) -> str:
        return ".".join(quote_name(part) for part in self.parts)


# Relations and aliases of theirs


# Columns of scans


# Columns on the way to those


# Columns of a rewrite


# Columns of a rearrangement


# Columns of a list of partitions


VIOLATION = "DELTASQL_CONSTRAINT|"
"""Starts the text that a broken constraint raises.

Its name, condition and NOT NULL column, percent-encoded, and the row follow, so that whoever hears of it can tell all.
"""
CAST = "DELTASQL_CAST|"
"""Starts the text that a value raises which its column cannot hold: column, type, and Spark's words follow."""
IDENTITY_OVERFLOW = "DELTASQL_IDENTITY_OVERFLOW|"
"""Starts the text that an identity column raises when its numbers are used up; its name follows."""
RAISED = "DELTASQL_RAISED|"
"""Starts the text of an error of a geospatial function: condition, SQLSTATE and message follow, each with a bar."""
JSON_NAME = "DELTASQL_JSON_NAME|"
"""Starts the text that a path in a JSON text raises which several fields match; the name in the path follows."""

GENERATED = "Generated Column "
"""Begins the name of the constraint that a generated column has its value; the quoted column follows."""
LENGTH = "__CHAR_VARCHAR_STRING_LENGTH_CHECK__"
"""Begins the name of the constraint that a text fits its column; path and length follow. The name is Spark's."""
PARTITION_NAME = "PARTITION "
"""Begins the name of the constraint that a partition value can name a directory; the column follows."""
REPLACE_WHERE = "REPLACE WHERE"
"""The constraint that a row of INSERT … REPLACE WHERE satisfies the predicate."""

BOUND_VALUES = r"__[xc]\d+|__value"
"""Pattern of the names that values have while they are brought to their type."""


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
    """A sentence about a statement. `is_warning`: something that the statement asked for was not done.

    `once`: it is said once in a session.
    """

    text: str
    is_warning: bool
    once: bool = False


_NOTES: ContextVar[list[Note] | None] = ContextVar("notes", default=None)
_SAID: ContextVar[set[Note] | None] = ContextVar("said", default=None)


@contextmanager
def notes_recorded(said: set[Note] | None = None) -> Iterator[list[Note]]:
    """Context: the list of the notes that are made within it, each once. At its end Python warns of the warnings.

    `said` are the notes that the session does not repeat; those of a statement that succeeds are added.
    """
    notes: list[Note] = []
    token, said_before = _NOTES.set(notes), _SAID.set(said)
    try:
        yield notes
    finally:
        _NOTES.reset(token)
        _SAID.reset(said_before)
    if said is not None:
        said.update(note for note in notes if note.once)
    for note in notes:
        if note.is_warning:
            # Between this line and the caller of the statement stand the contexts and the session.
            warnings.warn(note.text, StatementWarning, stacklevel=6)


@contextmanager
def records_of_statement(said: set[Note] | None = None) -> Iterator[None]:
    """Context: records the notes of a statement, and the ways by which its rows are computed.

    `said` are the notes that its session does not repeat, see `notes_recorded`.
    """
    with ways_recorded(), notes_recorded(said):
        yield


def make_note(text: str, *, is_warning: bool, once: bool = False) -> None:
    """Adds a note to those of the running statement, if it records them; `once` in a session, if it says so."""
    notes, note = _NOTES.get(), Note(text, is_warning, once)
    if notes is not None and note not in notes and note not in (_SAID.get() or ()):
        notes.append(note)


def recorded_notes() -> list[Note]:
    """The notes of the running statement so far; the list grows with it."""
    notes = _NOTES.get()
    return [] if notes is None else notes
