"""A table of very many files: ADD COLUMN and opening it for a scan on a log that is new to the process; COUNT(*)."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from statistics import median

from benchmarks.bench import DELTA_RS, DELTA_SPARK, OURS, Bench, Kept, note, turn_by_turn, typical
from benchmarks.big_log import big_log, linked
from benchmarks.figures import Figure
from benchmarks.workers import Timing, Worker

ROUNDS = 5
OPENINGS = (
    (OURS, OURS, "open"),
    (f"{DELTA_RS} open", DELTA_RS, "open"),
    (f"{DELTA_RS} open + files", DELTA_RS, "open_files"),
)
"""Names of figures, engines and their work. delta-rs opens without giving the files to its caller; then it does."""


def figures(bench: Bench) -> list[Figure]:
    """Medians. Time does not include the start of the engine, which has altered a small table before."""
    note(f"a log of {bench.sizes.files} files")
    table = big_log(bench.cache, bench.sizes.files)
    kept = _add_columns(bench, table)
    ours = typical(kept, OURS, "add_column")
    assert ours is not None
    label = f"{bench.sizes.files:,} files: "
    limits = ((DELTA_RS, 1 / 10), (DELTA_SPARK, 1 / 50))
    alter = [
        Figure(f"{label}cold ADD COLUMN", "s", ours, typical(kept, peer, "add_column"), peer, ratio_at_most=limit)
        for peer, limit in limits
    ]
    return [*alter, _counted(bench, table, label), *_opened(bench, table, label)]


def _add_columns(bench: Bench, table: Path) -> Kept:
    folder = bench.folder("many-files")
    with bench.warm_workers(OURS, DELTA_RS, DELTA_SPARK) as workers:
        for worker in workers.values():
            worker.run("create", table="small")
            worker.run("add_column", table="small", column="warm_up")

        def play(worker: Worker, number: int) -> dict[str, Timing]:
            # A new path is a new log to every engine's cache.
            path = linked(table, folder / f"{worker.engine}-{number}")
            return {"add_column": worker.run("add_column", table=f"delta.`{path}`", path=str(path), column="extra")}

        return turn_by_turn(workers, play, warm_ups=0, rounds=bench.sizes.some(ROUNDS))


def _counted(bench: Bench, table: Path, label: str) -> Figure:
    """COUNT(*) of a table that the session has seen: both engines answer it from the log."""

    def play(worker: Worker, number: int) -> dict[str, Timing]:
        return {"count": worker.run("count_all", table=f"delta.`{table}`")}

    with bench.warm_workers(OURS, DELTA_SPARK) as workers:
        kept = turn_by_turn(workers, play, bench.sizes.some(2), bench.sizes.some(ROUNDS))
    ours = typical(kept, OURS, "count")
    assert ours is not None
    theirs = typical(kept, DELTA_SPARK, "count")
    return Figure(f"{label}COUNT(*), warm", "s", ours, theirs, DELTA_SPARK, ratio_at_most=0.1)


def _opened(bench: Bench, table: Path, label: str) -> list[Figure]:
    """Time and peak memory of new processes that open the table once."""
    seconds: dict[str, list[float]] = {}
    peaks: dict[str, list[float]] = {}
    small = big_log(bench.cache, 1000)
    for _, (name, engine, work) in product(range(bench.sizes.some(ROUNDS)), OPENINGS):
        with bench.workers(engine) as workers:
            for worker in workers.values():
                # Imports do not count as time, though they do as memory.
                worker.run(work, path=str(small))
                opened = worker.run(work, path=str(table))
                seconds.setdefault(name, []).append(opened.seconds)
                peaks.setdefault(name, []).append(opened.peak / 2**20)
    return [
        Figure(f"{label}{what}", unit, median(found[OURS]), median(found[peer]), peer, ratio_at_most=0.5)
        for what, unit, found in (("open for a scan", "s", seconds), ("peak memory of that", "MiB", peaks))
        for peer in sorted(found.keys() - {OURS})
    ]
