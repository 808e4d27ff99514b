"""deltasql."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import deltasql
from benchmarks.statements import STATEMENTS

SCAN_COLUMNS = ("path", "location", "partitionValues", "size", "stats")


class Ours:
    """One session for the life of the process."""

    def __init__(self, folder: Path) -> None:
        self._session = deltasql.connect(str(folder / "warehouse"))

    def run(self, work: str, values: Mapping[str, str]) -> None:
        """See Engine. Besides the statements: `open`, what a scan needs to know of a table."""
        if work == "open":
            from deltasql.log.table import DeltaLog

            DeltaLog(values["path"]).snapshot().files(SCAN_COLUMNS)
            return
        self._session.sql(STATEMENTS[work].format(**values)).collect()
