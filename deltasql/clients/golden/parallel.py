"""Runs golden files in parallel, if that is faster."""

from __future__ import annotations

import multiprocessing
import os
import pickle
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path

from deltasql.base.errors.base import DeltaSqlError
from deltasql.clients.golden.processes import Workers
from deltasql.clients.golden.script import read_script
from deltasql.clients.golden.suite import GoldenOutcome, SessionFactory, run_file, temporary_sessions

AUTO = 0
"""Number of jobs that stands for one worker per usable CPU."""

STATEMENTS_PER_WORKER = 300
"""Statements from which on a worker pays. Measured: the first statement takes 1.2 s in a new worker and 0.9 s in this
process, later ones 3 ms. So two workers are faster from 200 statements on, and clearly faster with some more."""


def run_files(
    paths: Iterable[Path | str], session_factory: SessionFactory | None = None, jobs: int = 1
) -> Generator[GoldenOutcome, None, None]:
    """The outcomes of `run_file` for the files, in their order.

    Up to `jobs` worker processes (AUTO: as many as there are CPUs) run the files that promise to need no JVM, if those
    are enough to pay for starting workers, and the factory can be pickled. The other files are run by this process
    meanwhile, one after another on one Spark.
    Raises what `run_file` raises, when it is the file's turn, and GoldenWorkersNotStartedError.
    """
    files = [Path(path) for path in paths]
    factory = session_factory or temporary_sessions()
    # 0 for a script that cannot be read, or needs this process's Spark.
    counts = [_statements_without_jvm(path) for path in files] if jobs != 1 else []
    workers = min(jobs or usable_cpus(), sum(counts) // STATEMENTS_PER_WORKER, sum(map(bool, counts)))
    if workers < 2 or not _can_be_sent(factory):
        yield from (run_file(path, factory) for path in files)
        return
    with Workers(workers, factory) as started:
        results = [started.submit(path) if count else None for path, count in zip(files, counts, strict=True)]
        yield from _in_order(files, results, factory)


def _in_order(
    files: Sequence[Path], results: list[Future[GoldenOutcome] | None], factory: SessionFactory
) -> Generator[GoldenOutcome, None, None]:
    """The outcomes in the order of the files; those without a worker's result are run by this process meanwhile."""
    ours = deque(number for number, result in enumerate(results) if result is None)
    for number in range(len(files)):
        # Instead of waiting for a worker, this process runs its next file.
        while ours and not _is_done(results[number]):
            ahead = ours.popleft()
            results[ahead] = _result(files[ahead], factory)
        result = results[number]
        assert result is not None
        yield result.result()


def usable_cpus() -> int:
    """The CPUs that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _statements_without_jvm(path: Path) -> int:
    """How many statements a worker could run for this file; 0 for one that may need Spark or cannot be read."""
    try:
        script = read_script(path)
    except (DeltaSqlError, OSError, ValueError):
        # The error is raised when it is the file's turn.
        return 0
    return 0 if script.jvm else len(script.statements)


def _can_be_sent(factory: SessionFactory) -> bool:
    """Whether the factory can be pickled, and this process may start workers."""
    if multiprocessing.current_process().daemon:
        return False
    try:
        pickle.dumps(factory)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def _is_done(result: Future[GoldenOutcome] | None) -> bool:
    return result is not None and result.done()


def _result(path: Path, factory: SessionFactory) -> Future[GoldenOutcome]:
    """Runs the file in this process, now; a completed future."""
    result: Future[GoldenOutcome] = Future()
    try:
        result.set_result(run_file(path, factory))
    except Exception as error:
        result.set_exception(error)
    return result
