"""OPTIMIZE by calls: `table.optimize().where("day = 3").executeCompaction()`."""

from __future__ import annotations

from typing import Any

from deltasql.frames.columns.texts import one_expression
from deltasql.tables.arguments import column_names, given
from deltasql.tables.runner import StatementRunner


class DeltaOptimizeBuilder:
    """An OPTIMIZE of all partitions, or of those that `where` chooses."""

    def __init__(self, runner: StatementRunner, table: str) -> None:
        self._runner, self._table = runner, table
        self._filters: list[str] = []

    def where(self, partitionFilter: str) -> DeltaOptimizeBuilder:
        """Only partitions for which the condition is TRUE; of several calls all must be."""
        with self._runner.working():
            self._filters.append(one_expression(given(partitionFilter, str, "'partitionFilter'")))
        return self

    def executeCompaction(self) -> Any:
        """Rewrites small files as larger ones; one row with the metrics."""
        return self._run("")

    def executeZOrderBy(self, *cols: Any) -> Any:
        """Rewrites files so that rows with near values of the columns lie together; one row with the metrics."""
        return self._run(f" ZORDER BY ({column_names(cols, 'A Z-order column')})")

    def _run(self, order: str) -> Any:
        filters = self._filters if len(self._filters) == 1 else [f"({text})" for text in self._filters]
        where = f" WHERE {' AND '.join(filters)}" if filters else ""
        return self._runner.rows(f"OPTIMIZE {self._table}{where}{order}")
