"""Where the time of small statements goes: Python, analysis, generated code, jobs, footers, the commit."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from benchmarks.bench import OURS, Bench, note, turn_by_turn
from benchmarks.figures import Figure
from benchmarks.profile import CALLS
from benchmarks.workers import Timing, Worker

LIFE = ("create", "insert", "merge", "update", "delete", "select")
SHOWN = ("merge", "update", "delete", "select")


def figures(bench: Bench) -> list[Figure]:
    """Medians over tables, each a new one. The parts overlap: see `Profile.of`."""
    sizes = bench.sizes
    note(f"{sizes.warm_ups} + {sizes.rounds} lives of a small table, in parts")
    with bench.warm_workers(OURS) as workers:
        kept = turn_by_turn(workers, _live, sizes.warm_ups, sizes.rounds)
    return [figure for work in SHOWN for figure in _of(work, kept[OURS][work])]


def _live(worker: Worker, number: int) -> dict[str, Timing]:
    table = f"profile_{number}"
    timings = {work: worker.run("profiled", statement=work, table=table) for work in LIFE}
    worker.run("drop", table=table)
    return timings


def _of(work: str, timings: list[Timing]) -> Iterator[Figure]:
    for part in timings[0].parts:
        value = median(timing.parts[part] for timing in timings)
        yield Figure(f"2 rows: {work.upper()}, {part}", "" if part == CALLS else "s", value)
