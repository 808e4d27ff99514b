"""A whole process that runs one ALTER TABLE, with no Java to be found; and the statement alone in a warm session."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.bench import DELTA_RS, OURS, Bench, turn_by_turn, typical
from benchmarks.figures import Figure
from benchmarks.workers import ROOT, Timing, Worker

RUNS = 9
OURS_IN_PYTHON = ("-m", "deltasql", "-e")
THEIRS_IN_PYTHON = (
    "-c",
    "import sys; from deltalake import DeltaTable, Field; from deltalake.schema import PrimitiveType; "
    "DeltaTable(sys.argv[1]).alter.add_columns(Field(sys.argv[2], PrimitiveType('integer')))",
)


def figures(bench: Bench) -> list[Figure]:
    """Medians. The peer is delta-rs: a process of delta-spark takes 10 s, and none without Java."""
    folder = bench.folder("start-up")
    _python(folder, *OURS_IN_PYTHON, f"CREATE TABLE delta.`{folder}/t` (id INT, v STRING)")
    ours, theirs, imported = [], [], []
    for number in range(bench.sizes.some(RUNS) + 1):
        ours.append(_python(folder, *OURS_IN_PYTHON, f"ALTER TABLE delta.`{folder}/t` ADD COLUMNS (ours{number} INT)"))
        theirs.append(_python(folder, *THEIRS_IN_PYTHON, f"{folder}/t", f"theirs{number}"))
        imported.append(_python(folder, "-c", "import deltasql; deltasql.connect"))
    statement, other = _warm(bench)
    return [
        Figure("process: ALTER TABLE ADD COLUMNS, no Java", "s", median(ours[1:]), median(theirs[1:]), DELTA_RS, 0.7),
        Figure("process: import deltasql with its session", "s", median(imported[1:]), at_most=0.15),
        Figure("warm: ADD COLUMNS, table of no files", "s", statement, other, DELTA_RS, 0.015),
    ]


def _python(folder: Path, *arguments: str) -> float:
    """Seconds of a whole Python process that finds no Java. Raises CalledProcessError when it fails."""
    environment = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"}
    environment |= {"PATH": str(folder), "PYTHONPATH": str(ROOT)}
    assert shutil.which("java", path=environment["PATH"]) is None
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _warm(bench: Bench) -> tuple[float, float | None]:
    with bench.warm_workers(OURS, DELTA_RS) as workers:
        for worker in workers.values():
            worker.run("create", table="warm")
        kept = turn_by_turn(workers, _add_column, bench.sizes.warm_ups, bench.sizes.some(RUNS))
    statement = typical(kept, OURS, "add_column")
    assert statement is not None
    return statement, typical(kept, DELTA_RS, "add_column")


def _add_column(worker: Worker, number: int) -> dict[str, Timing]:
    return {"add_column": worker.run("add_column", table="warm", column=f"c{number}")}
