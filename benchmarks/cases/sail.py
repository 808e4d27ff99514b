"""The life of a two-row table on Sail, warm, beside delta-rs; and what Sail itself takes for the same SELECT."""

from __future__ import annotations

from benchmarks.bench import DELTA_RS, SAIL, Bench, note, turn_by_turn, typical
from benchmarks.figures import Figure
from benchmarks.workers import Timing, Worker

CHANGES = ("merge", "update", "delete")
LIFE = ("create", "insert", *CHANGES, "select")


def figures(bench: Bench) -> list[Figure]:
    """Medians over tables, each a new one; none where Sail is not installed."""
    sizes = bench.sizes
    note(f"{sizes.warm_ups} + {sizes.rounds} lives of a small table on Sail")
    with bench.warm_workers(SAIL, DELTA_RS) as workers:
        if SAIL not in workers:
            return []
        kept = turn_by_turn(workers, _live, sizes.warm_ups, sizes.rounds)
    return [_figure(work, typical(kept, SAIL, work), typical(kept, DELTA_RS, work)) for work in LIFE] + [
        _beside_sail(typical(kept, SAIL, "select"), typical(kept, SAIL, "select alone"))
    ]


def _figure(work: str, ours: float | None, theirs: float | None) -> Figure:
    assert ours is not None
    changes = work in CHANGES
    return Figure(
        f"2 rows on Sail: {work.upper()}",
        "s",
        ours,
        theirs,
        DELTA_RS,
        at_most=0.06 if changes else None,
        ratio_at_most=5 if changes else None,
    )


def _beside_sail(ours: float | None, theirs: float | None) -> Figure:
    assert ours is not None
    return Figure("2 rows on Sail: SELECT", "s", ours, theirs, "Sail alone", ratio_at_most=1.5)


def _live(worker: Worker, number: int) -> dict[str, Timing]:
    table = f"on_sail_{number}"
    timings = {work: worker.run(work, table=table) for work in LIFE}
    if worker.engine == SAIL:
        timings["select alone"] = worker.run("select alone", table=table)
    worker.run("drop", table=table)
    return timings
