"""Thread pools for parallel I/O in this process, and waits that Ctrl-C interrupts."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

from deltasql.base.interrupts import AGAIN_AFTER, check

Result = TypeVar("Result")

_THREADS = 8


@contextmanager
def working(pieces: int, most: int = _THREADS, *, settles: bool = False) -> Iterator[ThreadPoolExecutor]:
    """Context: a thread pool for `pieces` tasks, with at most `most` threads. Its end cancels tasks not yet begun.

    With `settles` the end also waits for running tasks.
    """
    threads = ThreadPoolExecutor(min(most, max(1, pieces)))
    try:
        yield threads
    finally:
        threads.shutdown(wait=settles, cancel_futures=True)


def awaited(future: Future[Result]) -> Result:
    """The result of a future. Raises the task's exception, and KeyboardInterrupt.

    Ctrl-C does not interrupt the wait for a thread, so it is polled.
    """
    while not wait((future,), AGAIN_AFTER).done:
        check()
    return future.result()
