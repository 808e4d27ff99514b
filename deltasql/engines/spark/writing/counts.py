"""What is counted of rows on their way to files: known when the job that writes them is over.

An engine that cannot count rows as they pass is asked for them once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation


class Counts:
    """Aggregates over the rows of DataFrames, each of which is run once; they come with the job that writes."""

    def __init__(self, counters: Sequence[Column], *, observe: bool = True) -> None:
        """`counters` are aggregates with names: sums, or lists. `observe` says that they come with the job."""
        self._counters, self._observe = counters, observe
        self._rows: list[DataFrame] = []
        self._observations: list[Observation] = []

    def over(self, rows: DataFrame) -> DataFrame:
        """`rows`, counted as they pass."""
        from pyspark.sql import Observation

        if not self._observe:
            self._rows.append(rows)
            return rows
        self._observations.append(Observation(f"deltasql-{uuid4().hex}"))
        return rows.observe(self._observations[-1], *self._counters)

    def total(self) -> dict[str, Any]:
        """The sums (lists are joined) of all that was counted, by name; asked for when the job is over."""
        sums: dict[str, Any] = {}
        counted = [observation.get for observation in self._observations]
        counted += [rows.agg(*self._counters).collect()[0].asDict() for rows in self._rows]
        for values in counted:
            for name, value in values.items():
                sums[name] = sums[name] + value if name in sums else value
        return sums


def row_counter() -> Column:
    """The counter of rows, `rows`."""
    from pyspark.sql import functions as F

    return F.count(F.lit(1)).alias("rows")
