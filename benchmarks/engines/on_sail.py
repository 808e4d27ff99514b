"""deltasql on Sail, and Sail alone over the same tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import deltasql
from benchmarks.statements import STATEMENTS


class OnSail:
    """One session for the life of the process. Raises where Sail is not installed."""

    def __init__(self, folder: Path) -> None:
        self._warehouse = folder / "warehouse"
        self._session = deltasql.connect(str(self._warehouse), engine="sail")
        self._sail = self._session.sql("SELECT 1").df.sparkSession

    def run(self, work: str, values: Mapping[str, str]) -> None:
        """See Engine. Besides the statements: `select alone`, Sail's own reader of Delta tables."""
        if work == "select alone":
            self._sail.read.format("delta").load(str(self._warehouse / values["table"])).collect()
            return
        self._session.sql(STATEMENTS[work].format(**values)).collect()
