"""EXPLAIN ANALYZE: a statement is run and measured, and its changes are discarded."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from deltasql.engines.door import Runtime
from deltasql.execution.commit import Committed, StagedChange
from deltasql.planner.changes import Analysis, Plan, QueryRows
from deltasql.schema.types import STRING, StructField, StructType

_PLAN = StructType((StructField("plan", STRING, False),))


class Analyzed:
    """Rows that are computed, and files that are written and removed again. Implements StagedChange."""

    def __init__(self, plan: Analysis, runtime: Runtime, stage: Callable[[Plan], StagedChange | None]) -> None:
        """Writes the files of a change by `stage`. Raises what is wrong with its rows."""
        self._plan, self._runtime = plan, runtime
        self._seconds, self._staged = _timed(lambda: stage(plan.planned))

    def commit(self) -> Committed:
        """Commits nothing: tells what there was to commit, or how many rows the query has."""
        planned = self._plan.planned
        if isinstance(planned, QueryRows):
            self._seconds, rows = _timed(lambda: self._runtime.run_through(planned.operator))
            counts = [f"rows: {rows:,}"]
        else:
            counts = ["nothing was committed", *self._counts()]
            self.discard()
        lines = ["== Analysis ==", *counts, f"read: {self._plan.read}", f"time: {self._seconds * 1000:.0f} ms"]
        return Committed(_PLAN, (("\n".join([self._plan.text, *lines]),),))

    def contribution(self) -> None:
        """It never composes."""

    def discard(self) -> None:
        if self._staged is not None:
            self._staged.discard()
            self._staged = None

    def _counts(self) -> list[str]:
        """The metrics that the commit would have had, without times."""
        contribution = None if self._staged is None else self._staged.contribution()
        metrics = {} if contribution is None else contribution.answer.metrics or {}
        return [f"{name}: {value}" for name, value in sorted(metrics.items()) if not name.endswith("TimeMs")]


_T = TypeVar("_T")


def _timed(work: Callable[[], _T]) -> tuple[float, _T]:
    began = time.perf_counter()
    done = work()
    return time.perf_counter() - began, done
