"""The 22 queries of TPC-H over our tables, beside plain Spark on the files that the tables consist of."""

from __future__ import annotations

import sys

from benchmarks.bench import OURS, Bench, Kept, by_turns, note, turn_by_turn, typical
from benchmarks.figures import Figure
from benchmarks.tpch import QUERIES, tpch_files
from benchmarks.workers import Timing, Worker

SCALE = 1.0
"""Of a full run without `--scale`: a gigabyte."""
PLAIN = "plain Spark"
FEW = (1, 3, 6, 13, 18, 21)
"""Queries of a sample."""
EACH_AT_MOST, ALL_AT_MOST = 1.3, 1.1


def figures(bench: Bench) -> list[Figure]:
    """Medians; the answers of both are compared each time. None where the generator is not installed."""
    scale, rounds = bench.sizes.scale_or(SCALE), bench.sizes.even(3)
    note(f"TPC-H at scale {scale:g}")
    try:
        files = tpch_files(bench.cache, scale)
    except FileNotFoundError as error:
        print(f"without {error}", file=sys.stderr)
        return []
    numbers = FEW if bench.sizes.sample else tuple(QUERIES)

    def play(worker: Worker, number: int) -> dict[str, Timing]:
        timings = {}
        for query in numbers:
            for who in by_turns(number, OURS, PLAIN):
                timings[f"{who} {query}"] = worker.run("tpch", query=str(query), who=who, scale=str(scale))
        return timings

    with bench.warm_workers(OURS) as workers:
        workers[OURS].run("tpch load", files=str(files))
        kept = turn_by_turn(workers, play, bench.sizes.some(1, 0), rounds)
    pairs = {query: (_seconds(kept, OURS, query), _seconds(kept, PLAIN, query)) for query in numbers}
    label = f"TPC-H at scale {scale:g}"
    ours, theirs = (sum(pair[side] for pair in pairs.values()) for side in (0, 1))
    return [
        *(
            Figure(f"{label}, query {query}", "s", mine, its, PLAIN, ratio_at_most=EACH_AT_MOST)
            for query, (mine, its) in pairs.items()
        ),
        Figure(f"{label}, {len(pairs)} queries", "s", ours, theirs, PLAIN, ratio_at_most=ALL_AT_MOST),
    ]


def _seconds(kept: Kept, who: str, query: int) -> float:
    seconds = typical(kept, OURS, f"{who} {query}")
    assert seconds is not None
    return seconds
