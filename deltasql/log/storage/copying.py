"""Copies files between storages: within a bucket by the storage itself, else through this process."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import NamedTuple

from deltasql.base.errors.log import LostDataFileError
from deltasql.base.interrupts import check
from deltasql.log.storage.locations import folder_and_name
from deltasql.log.storage.log_store import LogStore

_THREADS = 8
# S3 copies no larger object with one request.
_MOST_AT_ONCE = 5 << 30
_LOOK_EVERY = 0.2


class Copy(NamedTuple):
    """One file to copy: from an absolute, decoded path (`location`) to a path below the target's location.

    `size` is its size in bytes from the log; 0 if unknown.
    """

    location: str
    path: str
    size: int


def copy_files(target: LogStore, copies: Iterable[Copy]) -> None:
    """Copies files in parallel into `target`, where no one else may use their paths.

    The first failure stops all: copies under way are awaited, and finished ones are left for the caller to remove.
    Raises LostDataFileError for a file that is gone, StorageError, and KeyboardInterrupt on Ctrl-C.
    """
    queue = _Queue(iter(copies), target)
    with ThreadPoolExecutor(_THREADS) as threads:
        try:
            left = {threads.submit(queue.work) for _ in range(_THREADS)}
            while left:
                done, left = wait(left, _LOOK_EVERY, FIRST_EXCEPTION)
                for worker in done:
                    worker.result()
                check()
        finally:
            queue.stopped.set()


class _Queue:
    """The remaining copies, taken one by one from an iterator: there may be very many. Thread-safe."""

    def __init__(self, copies: Iterator[Copy], target: LogStore) -> None:
        self._copies, self._target = copies, target
        self._lock = threading.Lock()
        self._sources: dict[str, LogStore] = {}
        self.stopped = threading.Event()

    def work(self) -> None:
        """Copies files until none is left or `stopped` is set; sets it on an error."""
        try:
            while (copy := self._next()) is not None:
                self._copy(copy)
        except BaseException:
            self.stopped.set()
            raise

    def _next(self) -> Copy | None:
        with self._lock:
            return None if self.stopped.is_set() else next(self._copies, None)

    def _copy(self, copy: Copy) -> None:
        folder, name = folder_and_name(copy.location)
        source = self._source(folder)
        try:
            if copy.size <= _MOST_AT_ONCE and self._target.copies_of(source):
                self._target.copy_within(source, name, copy.path)
                return
            size = source.head(name).size
            self._target.put_pieces(copy.path, lambda: self._until_stopped(source.pieces(name, size)))
        except FileNotFoundError as error:
            raise LostDataFileError(copy.location) from error

    def _source(self, folder: str) -> LogStore:
        with self._lock:
            if folder not in self._sources:
                self._sources[folder] = self._target.at(folder)
            return self._sources[folder]

    def _until_stopped(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            if self.stopped.is_set():
                return
            yield piece
