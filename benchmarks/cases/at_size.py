"""Tens of millions of rows of 16 columns: CREATE TABLE AS, DELETE, UPDATE, MERGE and an aggregate, with peak memory."""

from __future__ import annotations

from benchmarks.bench import (
    DELTA_RS,
    DELTA_SPARK,
    OURS,
    SAIL,
    Bench,
    Kept,
    Round,
    note,
    turn_by_turn,
    typical,
    typical_peak,
)
from benchmarks.figures import GIB, Figure
from benchmarks.lineitem import SUMS, inputs
from benchmarks.workers import Timing, Worker

WORK = {
    "write_lineitem": "CREATE TABLE AS",
    "delete_lineitem": "DELETE 1 %",
    "update_lineitem": "UPDATE 0.05 %",
    "merge_lineitem": "MERGE of 2 %, half of it new",
    "group_lineitem": "SELECT … GROUP BY",
}
SCALE = 5.0
"""Of a full run without `--scale`: 30,000,000 rows."""
AT_MOST = {"write_lineitem": 1.3, "delete_lineitem": 1.0, "update_lineitem": 1.0, "merge_lineitem": 1.0}
"""Ratios of the time to that of delta-rs."""
MEMORY_AT_MOST = 0.7
LIMITS_OF_SPARK = dict.fromkeys(("delete_lineitem", "update_lineitem", "merge_lineitem"), 0.4)


def figures(bench: Bench) -> list[Figure]:
    """Medians; whatever the SQL engines leave is compared with sums computed from the files by NumPy."""
    sizes = bench.sizes
    scale = sizes.scale_or(SCALE)
    note(f"lineitem at scale {scale:g}")
    made = inputs(bench.cache, scale)
    if made is None:
        return []
    rows, changes, expected = made
    engines = (OURS, SAIL, DELTA_SPARK, DELTA_RS)
    found: Kept = {}
    for engine in engines:
        # One at a time: side by side each would have a part of the memory, of which its figure is to tell.
        with bench.workers(engine) as workers:
            found |= turn_by_turn(workers, _life(rows, changes, expected), 0, sizes.some(3))
    label = f"{6_000_000 * scale:,.0f} rows"
    return [
        figure
        for ours, suffix in ((OURS, "on Spark"), (SAIL, "on Sail"))
        for peer in (DELTA_RS, DELTA_SPARK)
        for work in WORK
        for figure in _figures(found, f"{label} {suffix}: {WORK[work]}", (ours, peer), work)
    ]


def _life(rows: str, changes: str, expected: str) -> Round:
    def play(worker: Worker, number: int) -> dict[str, Timing]:
        table, source = f"lineitem_{number}", f"lineitem_changes_{number}"
        worker.run("write_changes", table=source, changes=changes)
        works = [work for work in WORK if work != "group_lineitem" or worker.engine != DELTA_RS]
        timings = {
            work: worker.run(work, table=table, rows=rows, source=source, vectors="false", changes=changes)
            for work in works
        }
        if worker.engine != DELTA_RS:
            worker.run("expect", query=SUMS.format(table=table), rows=expected)
        for name in (table, source):
            worker.run("drop", table=name)
        return timings

    return play


def _figures(found: Kept, case: str, engines: tuple[str, str], work: str) -> list[Figure]:
    ours, peer = engines
    seconds, theirs = typical(found, ours, work), typical(found, peer, work)
    if seconds is None:
        return []
    limit = AT_MOST.get(work) if peer == DELTA_RS else LIMITS_OF_SPARK.get(work)
    memory, their_memory = (_gib(typical_peak(found, engine, work)) for engine in engines)
    assert memory is not None
    most = MEMORY_AT_MOST if peer == DELTA_RS else None
    return [
        Figure(case, "s", seconds, theirs, peer, ratio_at_most=limit),
        Figure(f"{case}, memory", GIB, memory, their_memory, peer, ratio_at_most=most),
    ]


def _gib(size: float | None) -> float | None:
    return None if size is None else size / (1 << 30)
