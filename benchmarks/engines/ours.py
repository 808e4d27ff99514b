"""deltasql."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import deltasql
from benchmarks.statements import STATEMENTS
from deltasql.log.table import DeltaLog
from deltasql.plan.operators import READ_COLUMNS


class Ours:
    """One session for the life of the process."""

    def __init__(self, folder: Path) -> None:
        self._session = deltasql.connect(str(folder / "warehouse"))

    def run(self, work: str, values: Mapping[str, str]) -> None:
        """See Engine. Besides the statements: `open`, what a scan needs to know of a table, and `checkpoint`."""
        match work:
            case "open":
                DeltaLog(values["path"]).snapshot().files(READ_COLUMNS)
            case "checkpoint":
                _checkpoint(DeltaLog(values["path"]))
            case _:
                self._session.sql(STATEMENTS[work].format(**values)).collect()


def _checkpoint(log: DeltaLog) -> None:
    # Imported here, since opening a table, whose peak memory counts, does not need it.
    from deltasql.log.checkpoint_writer import write_checkpoint

    assert write_checkpoint(log.store, log.snapshot())
