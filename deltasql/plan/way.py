"""How the rows of a statement are computed, for EXPLAIN, results and the log of the process."""

from __future__ import annotations

import logging
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
