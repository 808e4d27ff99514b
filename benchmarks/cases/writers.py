"""Many writers of one table at once: changes of rows of one file, appends, and a commit behind very many others."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.bench import DELTA_RS, DELTA_SPARK, OURS, Bench, note
from benchmarks.figures import Figure
from benchmarks.workers import Worker
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.log.commit.transaction import Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.schema.types import LONG, StructField, StructType

SCHEMA = StructType((StructField("id", LONG), StructField("v", LONG)))
VECTORS = {"delta.enableDeletionVectors": "true"}
FEATURES = frozenset({"deletionVectors"})


def figures(bench: Bench) -> list[Figure]:
    """Seconds per commit, all writers together; each commit must be there once."""
    return [_updates(bench), _appends(bench), _winners(bench)]


def _updates(bench: Bench) -> Figure:
    sizes = bench.sizes
    ours = _updated(bench, OURS, sizes.updaters, sizes.updates)
    # A writer of a sample is there already.
    theirs = _updated(bench, DELTA_SPARK, sizes.some(sizes.updaters), sizes.peer_updates)
    assert ours is not None
    often = f"{sizes.updates} UPDATEs of its own row (the peer's {sizes.peer_updates})"
    label = f"{sizes.updaters} writers, each {often}: per commit"
    return Figure(label, "s", ours, theirs, DELTA_SPARK, ratio_at_most=1 / 3)


def _updated(bench: Bench, engine: str, writers: int, times: int) -> float | None:
    """The peer has a loop around the statement that runs it again after a conflict; ours needs none."""
    note(f"{writers} writers of {engine}, {times} UPDATEs each")
    path = bench.folder(f"updates-{engine}") / "t"
    with bench.crowd(engine, writers) as workers:
        if not workers:
            return None
        workers[0].run("create_counters", path=str(path))
        workers[0].run("fill_counters", path=str(path), rows=", ".join(f"({id_}, 0)" for id_ in range(writers)))
        _each(workers, "count_up", path, times=1)
        seconds = _each(workers, "count_up", path, times=times)
        workers[0].run("expect", query=f"SELECT min(v), max(v) FROM delta.`{path}`", rows=f"{times + 1}, {times + 1}")
    _check_versions(path, 1 + writers * (times + 1))
    return seconds / (writers * times)


def _appends(bench: Bench) -> Figure:
    sizes = bench.sizes
    ours, theirs = (_appended(bench, engine, sizes.appenders, sizes.appends) for engine in (OURS, DELTA_RS))
    assert ours is not None
    label = f"{sizes.appenders} writers, each {sizes.appends} appends: per commit"
    return Figure(label, "s", ours, theirs, DELTA_RS, ratio_at_most=1.0)


def _appended(bench: Bench, engine: str, writers: int, times: int) -> float | None:
    note(f"{writers} writers of {engine}, {times} appends each")
    path = bench.folder(f"appends-{engine}") / "t"
    # The table is the same for both: neither records what its feature list could make it record besides.
    Transaction(DeltaLog(str(path)), None).commit(
        operations.CREATE_TABLE, {}, [Protocol(1, 2), Metadata("counters", SCHEMA)]
    )
    with bench.crowd(engine, writers) as workers:
        if not workers:
            return None
        _each(workers, "append_row", path, times=1)
        seconds = _each(workers, "append_row", path, times=times)
    _check_versions(path, writers * (times + 1))
    return seconds / (writers * times)


def _each(workers: Sequence[Worker], work: str, path: Path, times: int) -> float:
    """Has every worker do its work at the same time; the seconds until the last one is done."""
    started = time.perf_counter()
    with ThreadPoolExecutor(len(workers)) as pool:
        list(
            pool.map(
                lambda pair: pair[1].run(work, path=str(path), id=str(pair[0]), times=str(times)), enumerate(workers)
            )
        )
    return time.perf_counter() - started


def _check_versions(path: Path, latest: int) -> None:
    found = sorted(int(item.stem) for item in (path / "_delta_log").glob("*.json") if item.stem.isdigit())
    assert found[-1] == latest, f"{latest} commits were to be there, and the last is {found[-1]}"
    assert found == list(range(found[0], latest + 1)), "versions have gaps"


def _winners(bench: Bench) -> Figure:
    """A row-level transaction behind commits that each have read the table and added a file."""
    count = bench.sizes.winners
    note(f"a commit behind {count} others")
    path = bench.folder("winners") / "t"
    log = DeltaLog(str(path))
    protocol = Protocol(3, 7, FEATURES, FEATURES)
    Transaction(log, None).commit(
        operations.CREATE_TABLE, {}, [protocol, Metadata("counters", SCHEMA, (), VECTORS), _file(0)]
    )
    with bench.crowd(OURS, 1) as (worker,):
        worker.run("pin", path=str(path))
        for number in range(1, count + 1):
            Transaction(log, log.snapshot()).commit(operations.UPDATE, {}, [_file(number)], blind_append=False)
        seconds = worker.run("commit_behind", path=str(path)).seconds
    return Figure(f"a commit behind {count:,} others", "s", seconds, at_most=1.0)


def _file(number: int) -> AddFile:
    """A file of ten rows with ids of its own."""
    low, high = {"id": number * 10, "v": 0}, {"id": number * 10 + 9, "v": 0}
    stats = {"numRecords": 10, "minValues": low, "maxValues": high, "nullCount": {"id": 0, "v": 0}}
    return AddFile(f"{number}.parquet", {}, 1000, 1, True, json.dumps(stats))
