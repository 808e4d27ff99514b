"""CONVERT TO DELTA of a folder of many small Parquet files, in partitions."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile

from benchmarks.bench import DELTA_SPARK, OURS, Bench, note, turn_by_turn, typical
from benchmarks.big_rows import changes
from benchmarks.figures import Figure
from benchmarks.workers import Timing, Worker

ROUNDS = 3
FILES, FEW = 10_000, 100
"""In a sample FEW: delta-spark takes half a minute for all."""
ROWS = 100
DAYS = 100
"""Folders that the files lie in, one per partition."""


def figures(bench: Bench) -> list[Figure]:
    """Medians. Each round has a folder of its own, whose files are links to a few."""
    count = bench.sizes.some(FILES, FEW)
    note(f"a folder of {count} files of Parquet")
    (file,) = changes(bench.cache, ROWS, ROWS).glob("*.parquet")
    folder = bench.folder("convert")
    with bench.warm_workers(OURS, DELTA_SPARK) as workers:

        def play(worker: Worker, number: int) -> dict[str, Timing]:
            path = _linked(file, folder / f"{worker.engine}-{number}", count)
            return {"convert": worker.run("convert", path=str(path))}

        kept = turn_by_turn(workers, play, bench.sizes.some(1, 0), bench.sizes.some(ROUNDS))
    ours = typical(kept, OURS, "convert")
    assert ours is not None
    theirs = typical(kept, DELTA_SPARK, "convert")
    return [Figure(f"{count:,} files: CONVERT TO DELTA", "s", ours, theirs, DELTA_SPARK, ratio_at_most=1 / 2)]


def _linked(file: Path, target: Path, count: int) -> Path:
    """A folder of so many names, in each partition of one file: a disk gives a file 65,000 names at the most."""
    for number in range(count):
        place = target / f"part={number % DAYS}" / f"{number:05}.parquet"
        if number < DAYS:
            place.parent.mkdir(parents=True, exist_ok=True)
            copyfile(file, place)
        else:
            place.hardlink_to(place.with_name(f"{number % DAYS:05}.parquet"))
    return target
