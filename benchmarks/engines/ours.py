"""deltasql."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import deltasql
from benchmarks.statements import STATEMENTS
from deltasql.engines.engine import SessionEngine
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.commit_writer import Provenance
from deltasql.log.commit.row_rebase import Budget, RowRebase, TouchedRows
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog, Snapshot
from deltasql.plan.operators import READ_COLUMNS, Reads

if TYPE_CHECKING:
    from benchmarks.engines.fetching import Fetching
    from benchmarks.engines.plain_inputs import PlainInputs
    from benchmarks.engines.tpch_queries import TpchQueries
    from benchmarks.profile import Profile


class Ours:
    """One session for the life of the process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._session = deltasql.connect(str(folder / "warehouse"))
        self._companions: dict[str, PlainInputs | TpchQueries | Fetching] = {}
        self._profile: Profile | None = None
        self._pinned: Snapshot | None = None

    def run(self, work: str, values: Mapping[str, str]) -> Mapping[str, float] | None:
        """See Engine. Besides the statements: `open`, what a scan needs to know of a table, and `checkpoint`.

        `pin` keeps a snapshot, on which `commit_behind` then builds; `expect` compares the rows of a query; `plain` is
        what PlainInputs does, in the same JVM, `tpch` what TpchQueries does, `fetch` what Fetching does, and
        `profiled` a statement in parts.
        """
        match work:
            case "open":
                DeltaLog(values["path"]).snapshot().files(READ_COLUMNS)
            case "checkpoint":
                _checkpoint(DeltaLog(values["path"]))
            case "pin":
                self._pinned = DeltaLog(values["path"]).snapshot()
            case "plain" | "tpch" | "tpch load" | "fetch" | "fetch make":
                self._companion(work.partition(" ")[0]).run(work, values)
            case "profiled":
                return self._profiled(STATEMENTS[values["statement"]].format(**values))
            case "commit_behind":
                _commit_behind(DeltaLog(values["path"]), self._pinned)
            case "expect":
                rows = [", ".join(map(str, row)) for row in self._session.sql(values["query"]).collect()]
                assert rows == [values["rows"]], rows
            case _:
                for _ in range(int(values.get("times", 1))):
                    self._session.sql(STATEMENTS[work].format(**values)).collect()
        return None

    def _companion(self, name: str) -> PlainInputs | TpchQueries | Fetching:
        """Work that compares within the JVM, begun once."""
        if name not in self._companions:
            # Imported here, since opening a table, whose peak memory counts, does not need them.
            from benchmarks.engines.fetching import Fetching
            from benchmarks.engines.plain_inputs import PlainInputs
            from benchmarks.engines.tpch_queries import TpchQueries

            match name:
                case "plain":
                    self._companions[name] = PlainInputs(self._folder / name)
                case "tpch":
                    self._companions[name] = TpchQueries(self._folder / name)
                case _:
                    self._companions[name] = Fetching(self._folder / name)
        return self._companions[name]

    def _profiled(self, statement: str) -> Mapping[str, float]:
        if self._profile is None:
            from benchmarks.profile import Profile

            self._profile = Profile(self._session.sql("SELECT 1").df.sparkSession)
        return self._profile.of(lambda: self._session.sql(statement).collect())


def _commit_behind(log: DeltaLog, read: Snapshot | None) -> None:
    """An UPDATE of one row, as far as the log goes, on top of what others have committed since `read`."""
    assert read is not None
    reads = Reads("id = 1", ("0.parquet",))
    reader = SessionEngine(SparkHandle(None)).statement("").row_reader(read, reads)
    transaction = Transaction(log, read)
    transaction.record_read(reads.predicate, reads.files)
    rebase = RowRebase(TouchedRows(log.store, log.location, reader), reader, Budget())
    assert transaction.commit_rebased(Provenance(operations.UPDATE, {}), [AddFile("new.parquet", {}, 1, 1)], rebase)


def _checkpoint(log: DeltaLog) -> None:
    # Imported here, since opening a table, whose peak memory counts, does not need it.
    from deltasql.log.upkeep.checkpoint_writer import write_checkpoint

    assert write_checkpoint(log.store, log.snapshot())
