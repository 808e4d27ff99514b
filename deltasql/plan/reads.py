"""What a statement depends on: files of its target, and rows, which winners of a race must have left alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from deltasql.plan.operators import Rewrite, SqlQuery


@dataclass(frozen=True, slots=True)
class Reads:
    """What a statement read of its target: the predicate that chose files, and the files, by log path.

    `matches` says of partition values, as in the log, whether the predicate can accept a row there; None: in every
    partition. `alias` is what qualifies columns in the predicate.
    """

    predicate: str | None
    files: tuple[str, ...] = ()
    whole_table: bool = False
    matches: Callable[[Mapping[str, str | None]], bool] | None = None
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class RowReads:
    """The rows that a statement depends on: those that `probe` acts on or, where it is a query, reads.

    The probe can be run over other files of the table than those of its scan and gives the same
    answer whenever that is. `advice` says of a statement without a probe why its rows are not told apart, and what the
    user could do about it.
    """

    probe: Rewrite | SqlQuery | None
    advice: str = ""


NO_ROWS = RowReads(None)
"""What is known of the rows of a statement whose files alone decide."""
