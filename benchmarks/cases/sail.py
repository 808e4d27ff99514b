"""The life of a two-row table on Sail, warm, and millions of rows, both beside delta-rs; a whole process with a SELECT.

And what Sail itself takes for the same SELECT.
"""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

from benchmarks.bench import DELTA_RS, SAIL, Bench, Kept, note, turn_by_turn, typical
from benchmarks.cases.big_tables import WORK, lives
from benchmarks.figures import Figure
from benchmarks.workers import ROOT, Timing, Worker

CHANGES = ("merge", "update", "delete")
LIFE = ("create", "insert", *CHANGES, "select")


BIG = ("merge_rows", "update_rows", "delete_rows")
_MAKE = "CREATE TABLE first (id INT, v STRING); INSERT INTO first VALUES (1, 'a'), (2, 'b')"


def figures(bench: Bench) -> list[Figure]:
    """Medians over tables, each a new one; none where Sail is not installed."""
    sizes = bench.sizes
    note(f"{sizes.warm_ups} + {sizes.rounds} lives of a small table on Sail")
    with bench.warm_workers(SAIL, DELTA_RS) as workers:
        if SAIL not in workers:
            return []
        kept = turn_by_turn(workers, _live, sizes.warm_ups, sizes.rounds)
    return [*_small(kept), _first_select(bench), *_big(bench)]


def _small(kept: Kept) -> list[Figure]:
    return [_figure(work, typical(kept, SAIL, work), typical(kept, DELTA_RS, work)) for work in LIFE] + [
        _beside_sail(typical(kept, SAIL, "select"), typical(kept, SAIL, "select alone"))
    ]


def _first_select(bench: Bench) -> Figure:
    """A whole process: Python, the import, Sail, and the rows of a SELECT."""
    warehouse = str(bench.folder("first-select"))
    command = [sys.executable, "-m", "deltasql", "--engine", "sail", "--warehouse", warehouse, "-e"]
    subprocess.run([*command, _MAKE], cwd=ROOT, check=True, capture_output=True)
    seconds = []
    for _ in range(bench.sizes.processes + 1):
        began = time.perf_counter()
        subprocess.run([*command, "SELECT * FROM first"], cwd=ROOT, check=True, capture_output=True)
        seconds.append(time.perf_counter() - began)
    return Figure("first SELECT of a process on Sail", "s", median(seconds[1:]), at_most=2.0)


def _big(bench: Bench) -> list[Figure]:
    sizes = bench.sizes
    note(f"1 + {sizes.big_rounds} tables of {sizes.rows} rows on Sail")
    kept = lives(bench, (SAIL, DELTA_RS), "big", 1)
    return [_beside_delta_rs(f"{sizes.rows:,} rows on Sail: {WORK[work]}", kept, work) for work in BIG]


def _beside_delta_rs(label: str, kept: Kept, work: str) -> Figure:
    ours = typical(kept, SAIL, work)
    assert ours is not None
    return Figure(label, "s", ours, typical(kept, DELTA_RS, work), DELTA_RS, ratio_at_most=1.0)


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
