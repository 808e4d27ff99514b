"""How a run with `-n N` hands out the tests: files stay whole, but for long ones whose cases share nothing.

What keeps a worker longest comes first, so that none is still at it when the others have ended. Which tests run at all
is in parts.py.
"""

from __future__ import annotations

from xdist.scheduler.loadscope import LoadScopeScheduling
from xdist.workermanage import WorkerController

TOGETHER = {
    "spark": (
        *("tests/test_dialect.py", "tests/test_readme.py"),
        *("tests/session/test_flight_server.py", "tests/session/test_rows.py"),
    ),
    "delta-spark": (
        "tests/interop/",
        "tests/oracle/test_scenarios.py",
        "tests/ways/differential/test_against_delta_spark.py",
    ),
    "metastores": ("tests/metastores/",),
    "connectors": (
        "tests/stores/test_with_connectors.py",
        "tests/stores/test_killed_executor.py",
        "tests/unity/test_executors.py",
    ),
}
"""Files that one worker runs. spark: what `python -m pytest` runs on Spark, for its one JVM.

delta-spark: for its one JVM, since to warm up another takes longer than most cases.

metastores: for their one Hive metastore, and one delta-spark beside it.

connectors: jars that are missing are fetched by one process at a time.
"""

SPLIT = (
    *("tests/test_goldens.py", "tests/test_examples.py", "tests/stores/test_rows.py"),
    *("tests/session/concurrency/", "tests/ways/", "tests/session/test_layouts.py", "tests/faults/"),
    *(
        "tests/session/test_stream_reads.py",
        "tests/session/test_widened_tables.py",
        "tests/session/test_foreign_tables.py",
    ),
    "tests/ways/differential/test_against_plain_spark.py",
)
"""Long files whose cases share nothing but Spark: each is handed out by itself."""

RANKS = ("delta-spark", "spark", "metastores", "connectors", "tests/clusters/", "tests/", "tests/unit/")
"""Whose turn it is. Servers are waited for, so that others are to run beside them; short ones fill the last gaps."""


def scope(test: str) -> str:
    """What a test is handed out with, by its node id."""
    for name, files in TOGETHER.items():
        if test.startswith(files):
            return name
    return test if test.startswith(SPLIT) else test.partition("::")[0]


def rank(scope: str) -> int:
    """When it is the turn of a scope: lower ones come first. The longest beginning counts."""
    return max((len(first), place) for place, first in enumerate(RANKS) if scope.startswith(first))[1]


class ByRank(LoadScopeScheduling):  # type: ignore[misc]
    """Hands out scopes by their ranks, and within a rank as they were collected."""

    def _split_scope(self, nodeid: str) -> str:
        return scope(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        self.workqueue.move_to_end(min(self.workqueue, key=rank), last=False)
        super()._assign_work_unit(node)

    def remove_node(self, node: WorkerController) -> str | None:
        """The test at which a worker ended. It has failed; the others of its file run in another worker.

        xdist runs it there once more, so that one that hangs would hang in each of eight workers that follow.
        """
        units: list[dict[str, bool]] = list(self.assigned_work[node].values())
        ended = next(((unit, test) for unit in units for test, is_done in unit.items() if not is_done), None)
        if ended is not None:
            unit, test = ended
            unit[test] = True
        super().remove_node(node)
        return ended and ended[1]
