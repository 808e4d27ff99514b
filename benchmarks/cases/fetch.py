"""All rows of a table as Arrow, through a cursor, beside PySpark's own `toArrow` of the same files."""

from __future__ import annotations

from benchmarks.bench import OURS, Bench, by_turns, note, turn_by_turn, typical
from benchmarks.figures import Figure
from benchmarks.workers import Timing, Worker

PLAIN = "PySpark's toArrow"


def figures(bench: Bench) -> list[Figure]:
    """Medians. Both fetch within one JVM, and take turns to be the first."""
    rows, rounds = bench.sizes.rows, bench.sizes.even(bench.sizes.big_rounds)
    note(f"{rows} rows: 1 + {rounds} rounds")

    def play(worker: Worker, number: int) -> dict[str, Timing]:
        if number == 0:
            worker.run("fetch make", rows=str(rows))
        return {who: worker.run("fetch", who=who, rows=str(rows)) for who in by_turns(number, OURS, PLAIN)}

    with bench.warm_workers(OURS) as workers:
        kept = turn_by_turn(workers, play, 1, rounds)
    ours, theirs = (typical(kept, OURS, who) for who in (OURS, PLAIN))
    assert ours is not None
    return [Figure(f"{rows:,} rows × 10 columns as Arrow", "s", ours, theirs, PLAIN, ratio_at_most=1.1)]
