"""Planning a scan of one partition and a range of ids, in tables of 10,000 files and more."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.bench import DELTA_RS, DELTA_SPARK, OURS, Bench, note
from benchmarks.big_log import big_log
from benchmarks.figures import Figure
from benchmarks.workers import Timing, Worker

# Ids grow from file to file by a thousand, days one by one: each filter meets a few files of the hundreds of its day.
FILTERS = {
    "cold": "day = '2024-03-01' AND id BETWEEN 1000000 AND 9000000",
    "the same again": "day = '2024-03-01' AND id BETWEEN 1000000 AND 9000000",
    "another day": "day = '2024-07-01' AND id < 5000000",
    "ids alone": "id BETWEEN 4000000 AND 5000000",
    "ids again": "id > 9000000 AND id < 9500000",
}
COLD_SECONDS, WARM_SECONDS = 1.5, 0.15


def figures(bench: Bench) -> list[Figure]:
    """Medians of new processes: the first plan with the start of the process, those after it in the same session."""
    found: list[Figure] = []
    for files in sorted({bench.sizes.some(size, bench.sizes.files) for size in (10_000, 100_000, bench.sizes.files)}):
        note(f"plans over {files} files")
        found += _of_size(bench, files, is_largest=files == bench.sizes.files)
    return found


def _of_size(bench: Bench, files: int, is_largest: bool) -> Iterator[Figure]:
    table = big_log(bench.cache, files)
    processes = range(bench.sizes.processes)
    kept = {engine: [_plans(bench, engine, table) for _ in processes] for engine in (OURS, DELTA_RS, DELTA_SPARK)}
    for peer in (DELTA_RS, DELTA_SPARK):
        for step in FILTERS:
            ours, theirs = ([plans[step].seconds for plans in kept[engine] if step in plans] for engine in (OURS, peer))
            limit = {"cold": COLD_SECONDS, "the same again": WARM_SECONDS}.get(step) if is_largest else None
            label = f"{files:,} files: plan, {step}"
            yield Figure(label, "s", median(ours), median(theirs) if theirs else None, peer, at_most=limit)
    ours, theirs = ([plans["cold"].peak / 2**20 for plans in kept[engine] if plans] for engine in (OURS, DELTA_RS))
    memory = f"{files:,} files: peak memory of the first plan"
    limit = 0.6 if is_largest else 1.0 if files == 100_000 else None
    yield Figure(memory, "MiB", median(ours), median(theirs) if theirs else None, DELTA_RS, ratio_at_most=limit)


def _plans(bench: Bench, engine: str, table: Path) -> dict[str, Timing]:
    """Timings by filter; none for an engine that cannot start."""
    timings: dict[str, Timing] = {}
    start = time.perf_counter()
    with bench.workers(engine) as workers:
        for worker in workers.values():
            for step, predicate in FILTERS.items():
                timings[step] = _plan(worker, table, predicate)
                if step == "cold":
                    timings[step] = Timing(time.perf_counter() - start, timings[step].peak)
    return timings


def _plan(worker: Worker, table: Path, predicate: str) -> Timing:
    return worker.run("plan_scan", table=f"delta.`{table}`", path=str(table), filter=predicate)
