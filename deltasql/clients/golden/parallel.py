"""`deltasql test`: runs a suite of golden files, in parallel if that is faster, and reports the differences.

Worker processes run one file at a time, so that a crash can be assigned to a file. The files that failed in the last
run are stored in the user's cache outside of the project.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import TextIO

from deltasql.base import DeltaSqlError, chosen_engine, errors
from deltasql.clients.golden.record import read_script
from deltasql.clients.golden.suite import (
    GoldenOutcome,
    Report,
    SessionFactory,
    discover,
    expectation,
    run_file,
    stale_outputs,
    temporary_sessions,
    write_junit,
)

# A fork would copy the locks of the threads of Spark and of the storage, in whatever state they are.
_SPAWN = multiprocessing.get_context("spawn")

_START_LOCK = threading.Lock()
"""Processes start one by one: a second one may close what the first one is to inherit."""

_SECONDS_TO_END = 5.0
"""Time in which an idle worker may exit by itself before it is killed."""


class Workers:
    """Up to `count` processes, which take files in the order of their submission and end with the `with`."""

    def __init__(self, count: int, factory: SessionFactory) -> None:
        # A worker that dies cannot remove its warehouse, so it lies in here.
        self._directory = tempfile.TemporaryDirectory(prefix="deltasql-golden-", ignore_cleanup_errors=True)
        self._all = [_Worker(factory, self._directory.name) for _ in range(count)]
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        for worker in self._all:
            self._idle.put(worker)
        # Its threads only wait for what the processes answer.
        self._threads = ThreadPoolExecutor(count)

    def submit(self, path: Path) -> Future[GoldenOutcome]:
        """A future of the outcome or error of `run_file`; if the worker dies, an outcome with that as defect.

        The future may also raise GoldenWorkersNotStartedError.
        """
        return self._threads.submit(self._run, path)

    def _run(self, path: Path) -> GoldenOutcome:
        worker = self._idle.get()
        try:
            return worker.run(path)
        except errors.GoldenWorkerDiedError as error:
            # The output is unknown: there is no difference to show.
            expected = expectation(path)
            return GoldenOutcome(path, expected, expected or "", (str(error),))
        finally:
            self._idle.put(worker)

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        if kind is not None:
            for worker in self._all:
                worker.kill()
        self._threads.shutdown()
        for worker in self._all:
            worker.hang_up()
        for worker in self._all:
            worker.wait()
        self._directory.cleanup()


class _Worker:
    """A process that is started for its first file, and restarted for the next file after a crash."""

    def __init__(self, factory: SessionFactory, directory: str) -> None:
        self._factory = factory
        self._directory = directory
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._killed = False

    def run(self, path: Path) -> GoldenOutcome:
        """Runs one file. Raises GoldenWorkerDiedError, GoldenWorkersNotStartedError, and what `run_file` raises."""
        ready = self._process is not None
        try:
            pipe = self._pipe or self._start()
            ready = ready or pipe.recv()
            pipe.send(path)
            answer: GoldenOutcome | Exception = pipe.recv()
        except (EOFError, ConnectionError):
            end = self._end()
            raise (
                errors.GoldenWorkerDiedError(str(path), end) if ready else errors.GoldenWorkersNotStartedError(end)
            ) from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def kill(self) -> None:
        """Ends the process at once, also one that is being started by another thread."""
        self._killed = True
        process = self._process
        if process is not None:
            process.kill()

    def hang_up(self) -> None:
        """Closes the pipe, so that the process exits. No thread may be waiting for it."""
        if self._pipe is not None:
            self._pipe.close()

    def wait(self) -> None:
        """Returns when the process has ended."""
        if self._process is not None:
            self._process.join(_SECONDS_TO_END)
            self._process.kill()
            self._process.join()

    def _start(self) -> Connection:
        pipe, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=_serve, args=(theirs, self._factory, self._directory), daemon=True)
        with _START_LOCK, theirs, _interrupts_blocked():
            process.start()
        self._process, self._pipe = process, pipe
        if self._killed:
            process.kill()
        return pipe

    def _end(self) -> str:
        """Resets the worker after its process has ended; returns the signal or exit code, for messages."""
        if self._process is None:
            return "it ended before it could be told what to do"
        self._process.join()
        code = self._process.exitcode
        self.hang_up()
        self._process = self._pipe = None
        return f"signal {-code}, {signal.strsignal(-code)}" if code is not None and code < 0 else f"exit code {code}"


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Context: processes started within ignore Ctrl-C, which a terminal sends to all; this process ends them itself."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, factory: SessionFactory, directory: str) -> None:
    """Main loop of a worker: runs the files whose paths it receives, until the parent closes the pipe or dies."""
    # Needed where signals cannot be blocked.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tempfile.tempdir = directory
    with suppress(EOFError, ConnectionError):
        pipe.send(True)
        while True:
            pipe.send(_answer(pipe.recv(), factory))


def _answer(path: Path, factory: SessionFactory) -> GoldenOutcome | Exception:
    try:
        return run_file(path, factory)
    except Exception as error:
        return error


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


def run_suite(
    directory: Path,
    *,
    only: str = "",
    accept: bool = False,
    jobs: int = 1,
    spark: str | None = None,
    engine: str | None = None,
    sessions: SessionFactory | None = None,
    out: TextIO | None = None,
    exit_first: bool = False,
    last_failed: bool = False,
    durations: int = 0,
    junit: Path | None = None,
) -> bool:
    """Whether every file gave what it should; with `accept`, the `.out` files are rewritten and only defects fail.

    `jobs` as for `run_files`. `exit_first` ends with the first file that fails; `last_failed` runs those alone that
    failed when they ran last, or all if there are none. `durations` of the slowest files are listed, and `junit` is a
    file for JUnit's XML. Raises NoGoldenFilesError, UnknownDirectiveError, ScheduleError, ReportNotWrittenError.
    """
    report = Report(
        out or sys.stdout, accept, by_statement=chosen_engine(engine, has_spark=spark is not None) == "sail"
    )
    memory = LastFailed(directory)
    files = discover(directory, only)
    if last_failed:
        files = _failed(files, memory) or files
    # Closed at once whatever happens here, so that no worker outlives the command.
    with closing(run_files(files, sessions or temporary_sessions(spark, engine), jobs)) as outcomes:
        for outcome in outcomes:
            report.add(outcome, accept and _accepted(outcome))
            if exit_first and report.failed:
                break
    memory.write([outcome.path for outcome, _ in report.outcomes], report.failed)
    report.end(stale_outputs(directory, only), durations)
    if junit is not None:
        _write(junit, report)
    return not report.failed


def _failed(files: Sequence[Path], memory: LastFailed) -> list[Path]:
    failed = memory.read()
    return [path for path in files if path.resolve() in failed]


def _accepted(outcome: GoldenOutcome) -> bool:
    """Whether the `.out` file was rewritten, which no defect may be."""
    differs = outcome.expected != outcome.actual and not outcome.defects
    if differs:
        outcome.accept()
    return differs


def _write(junit: Path, report: Report) -> None:
    try:
        write_junit(junit, report.outcomes)
    except OSError as error:
        raise errors.ReportNotWrittenError(path=str(junit), reason=error.strerror or str(error)) from None


class LastFailed:
    """The failed files of the suite at a path; empty where the cache cannot be written."""

    def __init__(self, directory: Path) -> None:
        self._path = _record_path(directory)

    def read(self) -> set[Path]:
        """Resolved paths."""
        with suppress(OSError, ValueError, TypeError):
            if self._path is not None:
                return {Path(path) for path in json.loads(self._path.read_text(encoding="utf-8"))}
        return set()

    def write(self, ran: Iterable[Path], failed: Iterable[Path]) -> None:
        """Of the files that ran, `failed` are those that did; what is known of others stays."""
        paths = self.read().difference(path.resolve() for path in ran) | {path.resolve() for path in failed}
        if self._path is None:
            return
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(json.dumps(sorted(map(str, paths))), encoding="utf-8")


def _record_path(directory: Path) -> Path | None:
    try:
        root = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    except RuntimeError:
        # There is no home directory.
        return None
    name = hashlib.sha256(str(directory.resolve()).encode()).hexdigest()[:16]
    return root / "deltasql" / "last-failed" / f"{name}.json" if root.is_absolute() else None
