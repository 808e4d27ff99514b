"""Worker processes that run golden files, each one file at a time, so that a crash can be assigned to a file."""

from __future__ import annotations

import multiprocessing
import signal
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType

from deltasql.base.errors.usage import GoldenWorkerDiedError, GoldenWorkersNotStartedError
from deltasql.clients.golden.suite import GoldenOutcome, SessionFactory, expectation, run_file

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
        except GoldenWorkerDiedError as error:
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
            raise GoldenWorkerDiedError(str(path), end) if ready else GoldenWorkersNotStartedError(end) from None
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
