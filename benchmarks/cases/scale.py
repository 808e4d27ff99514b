"""How time and memory grow with the files of a log, from 10,000 to 10,000,000: V2 checkpoints with sidecars."""

from __future__ import annotations

import math
import os
import shutil
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from benchmarks.bench import OURS, Bench, note
from benchmarks.big_log import linked
from benchmarks.figures import EXPONENT, Figure
from benchmarks.huge_log import LONE_DAY, huge_log
from benchmarks.workers import Timing

MOST_MEMORY = 2048
"""MiB, of every process."""

PLAN = "plan with a partition filter"
WORK = {
    PLAN: ("plan_scan", {"filter": "day = '2024-03-01' AND id BETWEEN 1000000 AND 9000000"}),
    "COUNT and MAX": ("count", {}),
    "COUNT and MAX by day": ("count_by_day", {}),
    "ADD COLUMN": ("add_column", {"column": "extra"}),
    "DELETE of one file": ("delete_partition", {"day": LONE_DAY}),
    "VACUUM DRY RUN": ("vacuum_dry", {}),
    "checkpoint": ("checkpoint", {}),
}
"""By the name of the figure: the work, and its values."""


def figures(bench: Bench) -> list[Figure]:
    """Of whole new processes, start and imports included, which is what a user waits for."""
    curves: dict[str, dict[int, Timing]] = {name: {} for name in WORK}
    for files in bench.sizes.logs:
        note(f"a log of {files} files")
        table = huge_log(bench.cache, files)
        for name in WORK:
            curves[name][files] = _timed(bench, table, name)
    return [figure for name, curve in curves.items() for figure in _figures(name, curve)]


def _timed(bench: Bench, table: Path, name: str) -> Timing:
    work, values = WORK[name]
    # A path of its own: a process may have seen the others.
    folder = bench.folder(f"scale-{table.name}-{work}")
    copy = linked(table, folder / "t")
    if work == "vacuum_dry":
        _write_orphans(copy)
    start = time.perf_counter()
    with bench.workers(OURS) as workers:
        if work == "checkpoint":
            # A version that has none yet.
            workers[OURS].run("add_column", table=f"delta.`{copy}`", path=str(copy), column="new")
        done = workers[OURS].run(work, table=f"delta.`{copy}`", path=str(copy), **values)
    seconds = time.perf_counter() - start
    shutil.rmtree(folder)
    return Timing(seconds, done.peak)


def _write_orphans(table: Path) -> None:
    """Files that no version knows: VACUUM must look for each of them among all that are known."""
    for number in range(1000):
        path = table / f"orphan-{number}.parquet"
        path.write_bytes(b"PAR1")
        os.utime(path, (1, 1))


def _figures(name: str, curve: dict[int, Timing]) -> Iterator[Figure]:
    for files, timing in curve.items():
        yield Figure(f"{files:,} files: {name}", "s", timing.seconds)
    largest = max(curve)
    peak = curve[largest].peak / 2**20
    yield Figure(f"{largest:,} files: peak memory of {name}", "MiB", peak, at_most=MOST_MEMORY)
    limit = 1.0 if name == PLAN else None
    yield Figure(f"{name}: exponent of {min(curve):,} to {largest:,}", EXPONENT, _exponent(curve), at_most=limit)
    for smaller, larger in pairwise(curve):
        if name == PLAN and larger == 10 * smaller and larger == largest:
            times = curve[larger].seconds, curve[smaller].seconds
            yield Figure(f"{larger:,} files: {name}, by {smaller:,}", "s", *times, OURS, ratio_at_most=10)


def _exponent(curve: dict[int, Timing]) -> float:
    """The slope of the line through the curve's ends, where both axes are logarithms."""
    (first, start), (last, end) = min(curve.items()), max(curve.items())
    return math.log(end.seconds / start.seconds) / math.log(last / first)
