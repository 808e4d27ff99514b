"""Shallow clones: of a small table, which needs no JVM, and of a table of very many files."""

from __future__ import annotations

from statistics import median

from benchmarks.bench import OURS, Bench, note
from benchmarks.big_log import big_log
from benchmarks.figures import Figure

ROUNDS = 5


def figures(bench: Bench) -> list[Figure]:
    """Medians on a warm session. delta-spark clones with Spark jobs, delta-rs not at all."""
    note(f"shallow clones, of {bench.sizes.files} files")
    table = big_log(bench.cache, bench.sizes.files)
    folder = bench.folder("clone")
    seconds: dict[str, list[float]] = {"small": [], "big": []}
    with bench.workers(OURS) as workers:
        for worker in workers.values():
            worker.run("create", table=f"delta.`{folder}/small`")
            for number in range(bench.sizes.some(ROUNDS) + 1):
                for kind, source in (("small", f"{folder}/small"), ("big", str(table))):
                    target = f"delta.`{folder}/{kind}-{number}`"
                    taken = worker.run("shallow_clone", table=target, source=f"delta.`{source}`")
                    seconds[kind].append(taken.seconds)
    small, big = (median(found[1:]) for found in seconds.values())
    return [
        Figure("small table: SHALLOW CLONE", "s", small, at_most=0.02),
        Figure(f"{bench.sizes.files:,} files: SHALLOW CLONE", "s", big, at_most=5.0 * bench.sizes.files / 1_000_000),
    ]
