"""Statements that change or tell no row, on a small table in a warm session; and a suite of them."""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks.bench import DELTA_SPARK, OURS, Bench, note, turn_by_turn, typical
from benchmarks.figures import Figure
from benchmarks.statements import METADATA_ONLY
from benchmarks.workers import Timing, Worker

MILLISECONDS_AT_MOST = 20.0
"""Of one statement: nobody notices it."""
FILES, FEW, SECONDS_AT_MOST = 200, 10, 10.0
"""Of a suite of golden files."""


def figures(bench: Bench) -> list[Figure]:
    """Medians of each statement over tables, each a new one; then the time that a suite of them takes."""
    sizes = bench.sizes
    note(f"{sizes.warm_ups} + {sizes.rounds} rounds of {len(METADATA_ONLY)} statements")
    # Of a sample the peer would take most of the time.
    peers = () if sizes.sample else (DELTA_SPARK,)
    with bench.warm_workers(OURS, *peers) as workers:
        kept = turn_by_turn(workers, _played, sizes.warm_ups, sizes.rounds)
    found = [_figure(name, typical(kept, OURS, name), typical(kept, DELTA_SPARK, name)) for name in METADATA_ONLY]
    return [*found, *_suite(bench)]


def _played(worker: Worker, number: int) -> dict[str, Timing]:
    table = f"metadata_{number}"
    timings = {name: worker.run(name, table=table) for name in METADATA_ONLY}
    for rest in (table, f"{table}_g"):
        worker.run("drop", table=rest)
    return timings


def _figure(name: str, ours: float | None, theirs: float | None) -> Figure:
    assert ours is not None
    milliseconds = None if theirs is None else theirs * 1000
    return Figure(f"no rows: {name}", "ms", ours * 1000, milliseconds, DELTA_SPARK, at_most=MILLISECONDS_AT_MOST)


def _suite(bench: Bench) -> list[Figure]:
    """Golden files of these statements, without a JVM: in as many processes as `deltasql test` takes, then in this one.

    The workers' start is part of the time.
    """
    from deltasql.clients.golden import AUTO
    from deltasql.clients.golden.parallel import usable_cpus

    folder = bench.folder("goldens")
    files = bench.sizes.some(FILES, FEW)
    for number in range(files):
        text = ";\n".join(text.format(table=f"t{number}") for text in METADATA_ONLY.values())
        (folder / f"ddl_{number:03}.sql").write_text(f"-- expect: no jvm\n\n{text};\n", encoding="utf-8")
    note(f"{files} golden files of {len(METADATA_ONLY)} statements: workers for {usable_cpus()} CPUs, then one process")
    name = f"no rows: {files} golden files"
    return [
        Figure(f"{name}, on all CPUs", "s", _seconds(folder, AUTO), at_most=SECONDS_AT_MOST),
        Figure(f"{name}, one process", "s", _seconds(folder, 1)),
    ]


def _seconds(folder: Path, jobs: int) -> float:
    from deltasql.clients.golden import discover, run_files

    started = time.perf_counter()
    for outcome in run_files(discover(folder), jobs=jobs):
        assert not outcome.defects, outcome.defects
    return time.perf_counter() - started
