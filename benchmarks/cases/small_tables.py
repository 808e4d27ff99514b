"""The life of a two-row table on a warm session, statement by statement, as a unit test runs it."""

from __future__ import annotations

from benchmarks.bench import DELTA_SPARK, OURS, Bench, note, turn_by_turn, typical
from benchmarks.figures import Figure
from benchmarks.workers import Timing, Worker

LIFE = ("create", "insert", "add_column", "merge", "update", "delete", "select")
MERGE_AT_MOST = 0.15


def figures(bench: Bench) -> list[Figure]:
    """Medians over tables, each a new one."""
    sizes = bench.sizes
    note(f"{sizes.warm_ups} + {sizes.rounds} lives of a small table")
    with bench.warm_workers(OURS, DELTA_SPARK) as workers:
        kept = turn_by_turn(workers, _live, sizes.warm_ups, sizes.rounds)
    return [_figure(work, typical(kept, OURS, work), typical(kept, DELTA_SPARK, work)) for work in LIFE]


def _figure(work: str, ours: float | None, theirs: float | None) -> Figure:
    assert ours is not None
    name = work.replace("_", " ").upper()
    limit = MERGE_AT_MOST if work == "merge" else 0.6
    return Figure(f"2 rows: {name}", "s", ours, theirs, DELTA_SPARK, ratio_at_most=limit)


def _live(worker: Worker, number: int) -> dict[str, Timing]:
    table = f"small_{number}"
    timings = {work: worker.run(work, table=table, column="extra") for work in LIFE}
    worker.run("drop", table=table)
    return timings
