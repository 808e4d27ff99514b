"""deltasql whose rows and files are all the engine's: nothing is evaluated, read or written in this process."""

from __future__ import annotations

from pathlib import Path

from benchmarks.engines.ours import Ours


class OnExecutors(Ours):
    """One session for the life of the process, with `deltasql.compute` and `deltasql.io.mode` set."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._session.sql("SET deltasql.compute = ENGINE")
        self._session.sql("SET deltasql.io.mode = EXECUTORS")
