"""Small tables and a long list of files in an object store: times and requests, every engine on the same server."""

from __future__ import annotations

from itertools import product
from statistics import median
from uuid import uuid4

from benchmarks.bench import DELTA_RS, DELTA_SPARK, OURS, Bench, note, turn_by_turn, typical
from benchmarks.big_log import big_log
from benchmarks.figures import Figure
from benchmarks.object_server import Bucket, bucket
from benchmarks.workers import Timing, Worker

LIFE = ("create", "insert", "merge", "update", "select")
FILES = 100_000
OPENINGS = ((OURS, "open"), (DELTA_RS, "open_files"))
_SCHEMES = {DELTA_SPARK: "s3a"}


def figures(bench: Bench) -> list[Figure]:
    """Medians: the life of a two-row table, on a warm session, and a table that is opened by a new process."""
    with bucket(f"bench-{uuid4().hex[:8]}") as store:
        return [*_lives(bench, store), *_opened(bench, store)]


def _lives(bench: Bench, store: Bucket) -> list[Figure]:
    note(f"{bench.sizes.warm_ups} + {bench.sizes.rounds} lives of a small table in an object store")
    requests: dict[tuple[str, str], list[int]] = {}

    def live(worker: Worker, number: int) -> dict[str, Timing]:
        table = f"delta.`{_SCHEMES.get(worker.engine, 's3')}://{store.name}/{worker.engine}-{number}`"
        timings = {}
        for work in LIFE:
            store.counter.take()
            timings[work] = worker.run(work, table=table)
            requests.setdefault((worker.engine, work), []).append(store.counter.take())
        return timings

    # They are told the store's address when they start.
    peers = () if bench.sizes.sample else (DELTA_SPARK,)
    with bench.new_workers(OURS, *peers) as workers:
        kept = turn_by_turn(workers, live, bench.sizes.warm_ups, bench.sizes.rounds)
    return [figure for work in LIFE for figure in _of(work, kept, requests)]


def _of(
    work: str, kept: dict[str, dict[str, list[Timing]]], requests: dict[tuple[str, str], list[int]]
) -> list[Figure]:
    ours = typical(kept, OURS, work)
    assert ours is not None
    asked = {engine: median(found) for (engine, name), found in requests.items() if name == work}
    name = f"2 rows in S3: {work.upper()}"
    return [
        Figure(name, "s", ours, typical(kept, DELTA_SPARK, work), DELTA_SPARK, ratio_at_most=0.6),
        Figure(f"{name}, requests", "", asked[OURS], asked.get(DELTA_SPARK), DELTA_SPARK, ratio_at_most=1.0),
    ]


def _opened(bench: Bench, store: Bucket) -> list[Figure]:
    """A log of very many files behind a checkpoint, opened once by a new process, whose imports are done."""
    count = bench.sizes.some(FILES, bench.sizes.files)
    note(f"a log of {count} files in an object store")
    for files in (count, 1000):
        for file in sorted((big_log(bench.cache, files) / "_delta_log").iterdir()):
            store.put(f"files-{files}/_delta_log/{file.name}", file)
    seconds: dict[str, list[float]] = {}
    requests: dict[str, list[int]] = {}
    for _, (engine, work) in product(range(bench.sizes.rounds), OPENINGS):
        with bench.new_workers(engine) as workers:
            for worker in workers.values():
                worker.run(work, path=f"s3://{store.name}/files-1000")
                store.counter.take()
                seconds.setdefault(engine, []).append(worker.run(work, path=f"s3://{store.name}/files-{count}").seconds)
                requests.setdefault(engine, []).append(store.counter.take())
    theirs = median(seconds[DELTA_RS]) if DELTA_RS in seconds else None
    asked = median(requests[DELTA_RS]) if DELTA_RS in requests else None
    name = f"{count:,} files in S3: cold open"
    return [
        Figure(name, "s", median(seconds[OURS]), theirs, DELTA_RS, ratio_at_most=1.0),
        Figure(f"{name}, requests", "", median(requests[OURS]), asked, DELTA_RS),
    ]
