"""Counters over rows while they are written: available when the writing job is over.

For an engine without DataFrame.observe, a separate query computes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from deltasql.lazy import F

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation


class Counts:
    """Aggregates over the rows of several DataFrames, each of which runs once, observed by the writing job."""

    def __init__(self, counters: Sequence[Column], *, observe: bool = True) -> None:
        """`counters` are named aggregates: sums or lists. With `observe` the writing job evaluates them."""
        self._counters, self._observe = counters, observe
        self._rows: list[DataFrame] = []
        self._observations: list[Observation] = []

    def over(self, rows: DataFrame) -> DataFrame:
        """`rows`, whose aggregates are added to the total when they are evaluated."""
        from pyspark.sql import Observation

        if not self._observe:
            self._rows.append(rows)
            return rows
        self._observations.append(Observation(f"deltasql-{uuid4().hex}"))
        return rows.observe(self._observations[-1], *self._counters)

    def total(self) -> dict[str, Any]:
        """The totals over all DataFrames by name: sums, and concatenated lists. To be called after the writing job."""
        sums: dict[str, Any] = {}
        counted = [observation.get for observation in self._observations]
        counted += [rows.agg(*self._counters).collect()[0].asDict() for rows in self._rows]
        for values in counted:
            for name, value in values.items():
                sums[name] = sums[name] + value if name in sums else value
        return sums


def row_counter() -> Column:
    """The aggregate `rows`, the number of rows."""
    return F.count(F.lit(1)).alias("rows")
