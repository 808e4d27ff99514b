"""Loads from what is no table of ours, beside plain Spark: ranges, files and temp views, into a table and into Parquet.

Both share one JVM, turn by turn: plain Spark is a session of its own there, with the settings that Spark comes with.
"""

from __future__ import annotations

from benchmarks.bench import OURS, Bench, Kept, by_turns, note, turn_by_turn, typical
from benchmarks.figures import Figure
from benchmarks.workers import Timing, Worker

SOURCES = ("range", "csv", "parquet", "view")
STATEMENTS = ("aggregate", "CREATE TABLE AS", "INSERT", "MERGE")
PLAIN = "plain Spark"
RATIO_AT_MOST = 1.1


def figures(bench: Bench) -> list[Figure]:
    """Medians. The peer of a MERGE is the same one in a session of ours on plain Spark: Spark has none for Parquet."""
    return [figure for rows in bench.sizes.plain_rows for figure in _of_size(bench, rows)]


def _of_size(bench: Bench, rows: int) -> list[Figure]:
    warm_ups, rounds = bench.sizes.some(1, 0), bench.sizes.even(bench.sizes.big_rounds)
    note(f"{rows} rows of {', '.join(SOURCES)}: {warm_ups} + {rounds} rounds")

    def play(worker: Worker, number: int) -> dict[str, Timing]:
        timings: dict[str, Timing] = {}
        for source in SOURCES:
            values = {"source": source, "rows": str(rows), "number": str(number)}
            for who in by_turns(number, OURS, PLAIN):
                for statement in STATEMENTS:
                    work = worker.run("plain", statement=statement, who=who, **values)
                    timings[f"{who}: {statement} from {source}"] = work
        return timings

    with bench.warm_workers(OURS) as workers:
        kept = turn_by_turn(workers, play, warm_ups, rounds)
    return [_figure(kept, rows, f"{statement} from {source}") for source in SOURCES for statement in STATEMENTS]


def _figure(kept: Kept, rows: int, work: str) -> Figure:
    ours, theirs = (typical(kept, OURS, f"{who}: {work}") for who in (OURS, PLAIN))
    assert ours is not None
    return Figure(f"{rows:,} rows: {work}", "s", ours, theirs, PLAIN, ratio_at_most=RATIO_AT_MOST)
