"""Millions of rows of five columns: write, MERGE, UPDATE and DELETE, copy-on-write."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.bench import DELTA_RS, DELTA_SPARK, OURS, Bench, Kept, note, turn_by_turn, typical
from benchmarks.big_rows import big_rows, changes
from benchmarks.figures import Figure
from benchmarks.workers import Timing, Worker

WORK = {
    "write_rows": "write",
    "merge_rows": "MERGE, half of the changes match",
    "update_rows": "UPDATE 1 %",
    "delete_rows": "DELETE 1 %",
}


def figures(bench: Bench) -> list[Figure]:
    """Medians over tables, each a new one; delta-rs for reference."""
    sizes = bench.sizes
    note(f"1 + {sizes.big_rounds} tables of {sizes.rows} rows")
    kept = lives(bench, (OURS, DELTA_SPARK, DELTA_RS), "copied_rows", sizes.some(1, 0))
    label = f"{sizes.rows:,} rows: "
    return [_figure(kept, label, work, peer) for peer in (DELTA_SPARK, DELTA_RS) for work in WORK]


def lives(bench: Bench, engines: Sequence[str], prefix: str, warm_ups: int) -> Kept:
    """What each work takes on tables of each engine, whose names begin with `prefix`, turn by turn."""
    sizes = bench.sizes
    rows = str(big_rows(bench.cache, sizes.rows))
    merged = str(changes(bench.cache, sizes.rows, sizes.changes))

    def play(worker: Worker, number: int) -> dict[str, Timing]:
        table = f"{prefix}_{number}"
        timings = {work: worker.run(work, table=table, rows=rows, changes=merged) for work in WORK}
        worker.run("drop", table=table)
        return timings

    with bench.warm_workers(*engines) as workers:
        return turn_by_turn(workers, play, warm_ups, sizes.big_rounds)


def _figure(kept: Kept, label: str, work: str, peer: str) -> Figure:
    ours = typical(kept, OURS, work)
    assert ours is not None
    limit = (1.0 if work == "write_rows" else 0.4) if peer == DELTA_SPARK else None
    return Figure(label + WORK[work], "s", ours, typical(kept, peer, work), peer, ratio_at_most=limit)
