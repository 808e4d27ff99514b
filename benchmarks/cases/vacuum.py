"""VACUUM of a table of 10,000 small files, half of which are in no version any more."""

from __future__ import annotations

import os
import time
from pathlib import Path

from benchmarks.bench import DELTA_SPARK, OURS, Bench, note, turn_by_turn, typical
from benchmarks.big_log import metadata_action
from benchmarks.figures import Figure
from benchmarks.long_log import write_commit
from benchmarks.workers import Timing, Worker

ROUNDS = 3
FILES, FEW = 10_000, 500
DAYS = 100
"""Folders that the files lie in, one per partition."""
OLD = 30 * 24 * 60 * 60
"""Seconds since the files were written: more than files are kept for."""


def figures(bench: Bench) -> list[Figure]:
    """Medians. Each round has a folder of its own, whose files are links to the same ones."""
    files = bench.sizes.some(FILES, FEW)
    note(f"a folder of {files} files")
    table, folder = _table(bench.folder("vacuum-source"), files), bench.folder("vacuum")
    with bench.warm_workers(OURS, DELTA_SPARK) as workers:

        def play(worker: Worker, number: int) -> dict[str, Timing]:
            path = _linked(table, folder / f"{worker.engine}-{number}")
            taken = worker.run("vacuum", table=f"delta.`{path}`")
            assert len([file for file in path.rglob("part-*") if not file.name.endswith(".crc")]) == files // 2
            return {"vacuum": taken}

        kept = turn_by_turn(workers, play, bench.sizes.some(1, 0), bench.sizes.some(ROUNDS))
    ours = typical(kept, OURS, "vacuum")
    assert ours is not None
    theirs = typical(kept, DELTA_SPARK, "vacuum")
    return [Figure(f"{files:,} files: VACUUM of half of them", "s", ours, theirs, DELTA_SPARK, ratio_at_most=1 / 5)]


def _table(root: Path, files: int) -> Path:
    """Every second file is in the log."""
    moment = time.time() - OLD
    adds = []
    for number in range(files):
        path = f"day=2024-01-{number % DAYS}/part-{number:05}.parquet"
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"PAR1")
        os.utime(file, (moment, moment))
        if number % 2:
            values = {"day": f"2024-01-{number % DAYS}"}
            add = {"path": path, "partitionValues": values, "size": 4, "modificationTime": 1, "dataChange": True}
            adds.append({"add": add})
    metadata = metadata_action() | {"format": {"provider": "parquet", "options": {}}, "configuration": {}}
    log = root / "_delta_log"
    log.mkdir(exist_ok=True)
    write_commit(log, 0, [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": metadata}, *adds])
    return root


def _linked(table: Path, target: Path) -> Path:
    """The same files and a copy of the log at another place."""
    for file in table.rglob("*"):
        if file.is_file():
            place = target / file.relative_to(table)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.hardlink_to(file)
    return target
