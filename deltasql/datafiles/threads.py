"""Pieces of work that threads of this process do side by side, and the wait for them, which Ctrl-C ends."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

from deltasql.interrupts import AGAIN_AFTER, check

Result = TypeVar("Result")

_THREADS = 8


@contextmanager
def working(pieces: int, most: int = _THREADS, *, settles: bool = False) -> Iterator[ThreadPoolExecutor]:
    """Threads for so many pieces of work; what they have not begun when the context ends is left.

    What they have begun goes on, unless the context `settles`: then it is waited for.
    """
    threads = ThreadPoolExecutor(min(most, max(1, pieces)))
    try:
        yield threads
    finally:
        threads.shutdown(wait=settles, cancel_futures=True)


def awaited(future: Future[Result]) -> Result:
    """What a piece of work comes to. Raises what it raises, and KeyboardInterrupt.

    Ctrl-C is never raised amid the wait for a thread, and so is looked for.
    """
    while not wait((future,), AGAIN_AFTER).done:
        check()
    return future.result()
