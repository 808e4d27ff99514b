"""How many rows passed on their way to files: known when the job that wrote them is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Counted:
    """Counts the rows of one DataFrame, which is run once."""

    def __init__(self) -> None:
        from pyspark.sql import Observation

        self._observation = Observation()

    def over(self, rows: DataFrame) -> DataFrame:
        """`rows`, which are counted as they pass."""
        from pyspark.sql import functions as F

        return rows.observe(self._observation, F.count(F.lit(1)).alias("rows"))

    @property
    def rows(self) -> int:
        """Their number; asked for when the job is over."""
        return int(self._observation.get["rows"])
