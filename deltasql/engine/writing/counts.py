"""What is counted of rows on their way to files: known when the job that writes them is over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation


class Counts:
    """Aggregates over the rows of DataFrames, each of which is run once; they come with the job that writes."""

    def __init__(self, counters: Sequence[Column]) -> None:
        """`counters` are aggregates with names: sums, or lists."""
        self._counters = counters
        self._observations: list[Observation] = []

    def over(self, rows: DataFrame) -> DataFrame:
        """`rows`, counted as they pass."""
        from pyspark.sql import Observation

        self._observations.append(Observation(f"deltasql-{uuid4().hex}"))
        return rows.observe(self._observations[-1], *self._counters)

    def total(self) -> dict[str, Any]:
        """The sums (lists are joined) of all that was counted, by name; asked for when the job is over."""
        sums: dict[str, Any] = {}
        for observation in self._observations:
            for name, value in observation.get.items():
                sums[name] = sums[name] + value if name in sums else value
        return sums


def row_count() -> Column:
    """The counter of rows, `rows`."""
    from pyspark.sql import functions as F

    return F.count(F.lit(1)).alias("rows")
