"""Logs at their worst: very many commits without a checkpoint, and the checkpoint of very many files."""

from __future__ import annotations

from itertools import product
from statistics import median
from typing import Any

from benchmarks.bench import DELTA_RS, OURS, Bench, Kept, note, turn_by_turn, typical
from benchmarks.big_log import VERSION, big_log, linked, metadata_action
from benchmarks.figures import Figure
from benchmarks.long_log import long_log, write_commit
from benchmarks.workers import Timing, Worker

ROUNDS = 5
CLASSIC = "classic"
KINDS = (CLASSIC, "V2")


def figures(bench: Bench) -> list[Figure]:
    """Medians. delta-rs gives the files, as we do; it writes no V2 checkpoint, so its classic one is the measure."""
    return [*_replayed(bench), *_checkpoints(bench)]


def _replayed(bench: Bench) -> list[Figure]:
    """New processes: both engines keep what they have replayed."""
    count = bench.sizes.commits
    note(f"a log of {count} commits")
    table, small = long_log(bench.cache, count), long_log(bench.cache, 20)
    seconds: dict[str, list[float]] = {}
    for _, (engine, work) in product(range(bench.sizes.some(ROUNDS)), ((OURS, "open"), (DELTA_RS, "open_files"))):
        with bench.workers(engine) as workers:
            for worker in workers.values():
                worker.run(work, path=str(small))
                seconds.setdefault(engine, []).append(worker.run(work, path=str(table)).seconds)
    theirs = median(seconds[DELTA_RS]) if DELTA_RS in seconds else None
    return [
        Figure(f"{count:,} commits: open for a scan", "s", median(seconds[OURS]), theirs, DELTA_RS, ratio_at_most=1.0)
    ]


def _checkpoints(bench: Bench) -> list[Figure]:
    note(f"a log of {bench.sizes.files} files")
    table, folder = big_log(bench.cache, bench.sizes.files), bench.folder("long-logs")

    def play(worker: Worker, number: int) -> dict[str, Timing]:
        found = {}
        for kind in KINDS if worker.engine == OURS else KINDS[:1]:
            path = linked(table, folder / f"{worker.engine}-{kind}-{number}")
            write_commit(path / "_delta_log", VERSION + 1, _commit(kind))
            found[kind] = worker.run("checkpoint", path=str(path))
        return found

    with bench.workers(OURS, DELTA_RS) as workers:
        kept = turn_by_turn(workers, play, bench.sizes.some(1, 0), bench.sizes.some(ROUNDS))
    theirs = typical(kept, DELTA_RS, CLASSIC)
    label = f"{bench.sizes.files:,} files: {{}} checkpoint"
    return [Figure(label.format(kind), "s", _ours(kept, kind), theirs, DELTA_RS, ratio_at_most=1.0) for kind in KINDS]


def _commit(kind: str) -> list[dict[str, Any]]:
    """One file more, so that there is something new; for the V2 kind the table asks for it."""
    add: dict[str, Any] = {"path": "day=2024-01-01/new", "partitionValues": {"day": "2024-01-01"}}
    add |= {"size": 1, "modificationTime": 1, "dataChange": True}
    if kind == CLASSIC:
        return [{"add": add}]
    features = ["v2Checkpoint"]
    versions = {"minReaderVersion": 3, "minWriterVersion": 7}
    metadata = metadata_action() | {"configuration": {"delta.checkpointPolicy": "v2"}}
    return [
        {"protocol": versions | {"readerFeatures": features, "writerFeatures": features}},
        {"metaData": metadata | {"format": {"provider": "parquet", "options": {}}}},
        {"add": add},
    ]


def _ours(kept: Kept, kind: str) -> float:
    seconds = typical(kept, OURS, kind)
    assert seconds is not None
    return seconds
