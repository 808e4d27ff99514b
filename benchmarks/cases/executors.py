"""Statements whose rows and files are all Spark's, in one JVM and on a standalone cluster, beside delta-spark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from benchmarks.bench import DELTA_SPARK, EXECUTORS, Bench, note, turn_by_turn, typical
from benchmarks.cases.at_size import WORK
from benchmarks.figures import Figure
from benchmarks.lineitem import SUMS, inputs
from benchmarks.workers import Timing, Worker

SCALE = 1.0
"""Of a full run: 6,000,000 rows of 16 columns."""
AT_MOST = {"local[2]": 0.4, "a cluster": 0.6}
"""Ratios of the time to delta-spark's."""


def figures(bench: Bench) -> list[Figure]:
    """Medians over tables, copy-on-write and with deletion vectors; a sample has no cluster."""
    found = _figures(bench, "local[2]")
    if bench.sizes.sample:
        return found
    with _on_cluster(bench):
        return found + _figures(bench, "a cluster")


def _figures(bench: Bench, place: str) -> list[Figure]:
    sizes = bench.sizes
    scale = sizes.scale_or(SCALE)
    note(f"lineitem at scale {scale:g} on {place}")
    made = inputs(bench.cache, scale)
    if made is None:
        return []
    rows, changes, expected = made

    def play(worker: Worker, number: int) -> dict[str, Timing]:
        timings: dict[str, Timing] = {}
        for vectors in ("false", "true"):
            table, source = f"lineitem_{number}_{vectors}", f"changes_{number}_{vectors}"
            values = {"table": table, "rows": rows, "source": source, "vectors": vectors, "changes": changes}
            worker.run("write_changes", table=source, changes=changes)
            timings |= {f"{work} {vectors}": worker.run(work, **values) for work in WORK}
            worker.run("expect", query=SUMS.format(table=table), rows=expected)
            for name in (table, source):
                worker.run("drop", table=name)
        return timings

    peers = () if sizes.sample else (DELTA_SPARK,)
    with bench.new_workers(EXECUTORS, *peers) as workers:
        kept = turn_by_turn(workers, play, sizes.some(1, 0), sizes.some(3))
    label = f"{6_000_000 * scale:,.0f} rows on {place}"
    shown = {"false": "", "true": ", vectors"}
    return [
        Figure(
            f"{label}: {name}{shown[vectors]}",
            "s",
            seconds,
            typical(kept, DELTA_SPARK, f"{work} {vectors}"),
            DELTA_SPARK,
            ratio_at_most=None if work == "group_lineitem" else AT_MOST[place],
        )
        for vectors in ("false", "true")
        for work, name in WORK.items()
        if (seconds := typical(kept, EXECUTORS, f"{work} {vectors}")) is not None
    ]


@contextmanager
def _on_cluster(bench: Bench) -> Iterator[None]:
    """Context: new workers use a standalone cluster, each with one executor of two cores and 4 GiB.

    Spark's worker has twice as much, since the applications of both engines stay there while they take turns.
    """
    # Only here, since it imports PySpark.
    from tests.clusters.servers import cluster

    sizes = ("spark.executor.memory=4g", "spark.driver.memory=4g", "spark.cores.max=2")
    submitted = " ".join([*(f"--conf {size}" for size in sizes), "pyspark-shell"])
    with (
        cluster(bench.folder("cluster") / "servers", memory="10g", cores=4) as address,
        mock.patch.dict(os.environ, DELTASQL_MASTER=address, PYSPARK_SUBMIT_ARGS=submitted),
    ):
        yield
