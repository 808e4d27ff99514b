"""The choice between this process and the engine for the rows of a statement, with its reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from deltasql.engine.evaluation.selections import SelectedRows, rows_here
from deltasql.engine.reading.frames import Frames
from deltasql.engine.reading.plain_scans import PlainScan
from deltasql.engine.rewrites.rewritten_here import rewritten_by, rewritten_here
from deltasql.engine.rewrites.written_here import written_by, written_here
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.writing.stage import Stage
from deltasql.plan.operators import HeldRows, Literals, Operator, Rearrange, Rewrite, Write
from deltasql.plan.way import EVALUATED, IN_MEMORY, ComputedBy, Way, record_way
from deltasql.runtime import Rewritten, Staged
from deltasql.sql.cursor import LeftToEngineError

_T = TypeVar("_T")
_SORTED = Way(ComputedBy.ENGINE, "rows are sorted by several columns")
_COPIED = Way(ComputedBy.PROCESS, "rows are copied from file to file")


def planned_way(frames: Frames, operator: Operator) -> Way:
    """The way of an operator, as far as it is decided before rows are read. Starts no engine."""
    match operator:
        case Rewrite():
            return rewritten_by(frames, operator)
        case Write():
            return written_by(frames, operator)
        case Rearrange():
            return _COPIED if operator.curve is None else _SORTED
    try:
        rows_here(frames.spark, operator)
    except LeftToEngineError as left:
        return Way(ComputedBy.ENGINE, left.reason)
    return Way(ComputedBy.PROCESS, EVALUATED)


def queried_in_process(spark: SparkHandle, operator: Operator) -> PlainScan | SelectedRows | None:
    """The rows of a query that this process reads; None where the engine computes them."""
    return _tried(lambda: rows_here(spark, operator))


def written_in_process(frames: Frames, operator: Write, stage: Stage) -> Staged | None:
    """See `written_here`; None where the engine computes the rows."""
    because = IN_MEMORY if isinstance(operator.child, (Literals, HeldRows)) else EVALUATED
    return _tried(lambda: written_here(frames, operator, stage), because)


def rewritten_in_process(frames: Frames, operator: Rewrite, stage: Stage) -> Rewritten | None:
    """See `rewritten_here`; None where the engine computes the rows."""
    return _tried(lambda: rewritten_here(frames, operator, stage))


def _tried(compute: Callable[[], _T], because: str = EVALUATED) -> _T | None:
    """The result of a computation in this process, recorded with its reason; None where it is left to the engine."""
    try:
        found = compute()
    except LeftToEngineError as left:
        record_way(ComputedBy.ENGINE, left.reason)
        return None
    record_way(ComputedBy.PROCESS, because)
    return found
