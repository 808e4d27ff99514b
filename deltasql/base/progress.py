"""Progress reports of running statements to a listener.

Work is registered here with a function that returns its current progress. Engines do the work, and renderers show it.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

REPORTED_AFTER = 0.4
"""Seconds of work before the first report: most statements are over by then."""
REPORTED_EVERY = 0.2
"""Seconds between two reports."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of Spark's work for a statement, the argument of a session's `on_progress`.

    `activity` describes the work, `seconds` is its duration. Stages and tasks are those of Spark's jobs so far: a
    statement may begin new jobs. `rows` and `size` (bytes) were read from files by tasks that have ended. `done` is set
    in the last report of the work.
    """

    activity: str
    seconds: float = 0.0
    stages: int = 0
    stages_done: int = 0
    tasks: int = 0
    tasks_done: int = 0
    tasks_running: int = 0
    rows: int = 0
    size: int = 0
    done: bool = False


Listener = Callable[[Progress], None]
Look = Callable[[], Progress]
"""Returns the current progress of work."""


class Watch:
    """Reports the progress of work to a listener, from a thread that starts with the first work.

    `listener` returns the current listener, or None: then there are no reports, and progress is not queried.
    """

    def __init__(self, listener: Callable[[], Listener | None]) -> None:
        self._listener = listener
        self._works: list[Look] = []
        self._began = 0.0
        self._last: Progress | None = None
        self._changed = threading.Condition(threading.RLock())
        self._thread: threading.Thread | None = None

    @property
    def has_listener(self) -> bool:
        """Whether there is a listener."""
        return self._listener() is not None

    @contextmanager
    def over(self, look: Look) -> Iterator[None]:
        """Context of some work, whose progress `look` returns; nested work is reported instead of the outer one."""
        if not self.has_listener:
            yield
            return
        self._begin(look)
        try:
            yield
        finally:
            self._end(look)

    def _begin(self, look: Look) -> None:
        with self._changed:
            if not self._works:
                self._began, self._last = time.monotonic(), None
            self._works.append(look)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="deltasql-progress", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _end(self, look: Look) -> None:
        """Reports the end of the work to the listener in the working thread, as the last report."""
        with self._changed:
            self._works.remove(look)
            if not self._works and self._last is not None:
                self._call_listener(replace(self._last, seconds=self._seconds, done=True))

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._began

    def _watch(self) -> None:
        while True:
            with self._changed:
                while not self._works:
                    self._changed.wait()
                began, look = self._began, self._works[-1]
            wait = REPORTED_AFTER - (time.monotonic() - began)
            if wait > 0:
                time.sleep(wait)
                continue
            seen = None
            # The work may end meanwhile.
            with suppress(Exception):
                seen = look()
            with self._changed:
                if seen is not None and self._works and self._works[-1] is look:
                    self._last = replace(seen, seconds=self._seconds)
                    self._call_listener(self._last)
            time.sleep(REPORTED_EVERY)

    def _call_listener(self, progress: Progress) -> None:
        """Calls the listener; an exception of it becomes a warning and does not fail the statement."""
        listener = self._listener()
        if listener is None:
            return
        try:
            listener(progress)
        except Exception as error:
            warnings.warn(f"on_progress failed: {type(error).__name__}: {error}", RuntimeWarning, stacklevel=2)
