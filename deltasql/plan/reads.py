"""Read sets: the files and rows that a statement depends on, and that concurrent commits must not have changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from deltasql.plan.operators import Rewrite, SqlQuery


@dataclass(frozen=True, slots=True)
class Reads:
    """The files of its target that a statement has read, by log path, and the predicate that chose them.

    `matches` tells of partition values, as in the log, whether the predicate can accept a row there; None: in every
    partition. `alias` qualifies columns in the predicate.
    """

    predicate: str | None
    files: tuple[str, ...] = ()
    whole_table: bool = False
    matches: Callable[[Mapping[str, str | None]], bool] | None = None
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class RowReads:
    """The rows that a statement depends on: those that `probe` acts on or, where it is a query, reads.

    The probe can be run over other files of the table than those of its scan, and gives the same result at any time.
    `advice` is set for a statement without a probe: why conflicts are not detected by row, and what the user could do.
    """

    probe: Rewrite | SqlQuery | None
    advice: str = ""


NO_ROWS = RowReads(None)
"""The row reads of a statement whose conflicts are detected by files alone."""
