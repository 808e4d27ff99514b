"""COPY INTO of 1,000 small files beside the write of the same rows, and once more where all files are known."""

from __future__ import annotations

from pathlib import Path

from benchmarks.bench import DELTA_SPARK, OURS, Bench, note, turn_by_turn, typical
from benchmarks.figures import Figure
from benchmarks.workers import Timing, Worker
from deltasql.log import operations
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.source_files import Choice, LoadedFiles, find_source
from deltasql.log.storage.stores import Stores
from deltasql.session.execution.commit import put_part

ROUNDS = 3
SMALL, FEW = 1_000, 50
ROWS = 100
"""Rows of a small file."""
KNOWN = 100_000


def figures(bench: Bench) -> list[Figure]:
    """Medians. delta-spark writes what it reads from the same folder."""
    known_files = min(KNOWN, bench.sizes.files // 10)
    small, rounds = bench.sizes.some(SMALL, FEW), bench.sizes.some(ROUNDS)
    note(f"{small} files of CSV, and {known_files} that are known")
    source = _files(bench.folder("copy-source"), small)
    known = _files(bench.folder("copy-known"), known_files)
    with bench.warm_workers(OURS, DELTA_SPARK) as workers:

        def play(worker: Worker, number: int) -> dict[str, Timing]:
            table = f"copied_{worker.engine.replace('-', '_')}_{number}"
            worker.run("create", table=table)
            return {
                "load": worker.run("copy" if worker.engine == OURS else "copy peer", table=table, source=str(source))
            }

        kept = turn_by_turn(workers, play, bench.sizes.some(1, 0), rounds)
        table = bench.folder("copy-table") / "t"
        ours = workers[OURS]
        ours.run("create", table=f"delta.`{table}`")
        _note_all(table, known)
        again = [ours.run("copy", table=f"delta.`{table}`", source=str(known)).seconds for _ in range(rounds)]
    load = typical(kept, OURS, "load")
    assert load is not None
    theirs = typical(kept, DELTA_SPARK, "load")
    return [
        Figure(f"{small:,} files: COPY INTO", "s", load, theirs, DELTA_SPARK, ratio_at_most=1.0),
        Figure(f"{known_files:,} known files: COPY INTO", "s", sorted(again)[rounds // 2], at_most=2.0),
    ]


def _files(folder: Path, count: int) -> Path:
    """A folder of `count` files of CSV, which are one file under many names."""
    first = folder / "0.csv"
    first.write_text("".join(f"{number},v{number}\n" for number in range(ROWS)), encoding="utf-8")
    links = first
    for number in range(1, count):
        if number % 10_000 == 0:
            # A file system gives one file so many names.
            links = folder / f"{number}.csv"
            links.write_bytes(first.read_bytes())
        else:
            (folder / f"{number}.csv").hardlink_to(links)
    return folder


def _note_all(table: Path, source: Path) -> None:
    """Makes the table know all files of a folder, as if it had loaded them one by one."""
    log = DeltaLog(str(table))
    snapshot = log.snapshot()
    files = find_source(Stores().open, str(source), Choice()).files
    action, _ = put_part(log.store, snapshot.metadata.id, 0, LoadedFiles(), files)
    Transaction(log, snapshot).commit(operations.COPY_INTO, {}, [action])
