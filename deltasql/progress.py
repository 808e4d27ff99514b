"""How far the work of a statement is, told to whoever listens while it goes on.

Work says here that it has begun, and how one can look at it. Who does the work, and how it is shown, is elsewhere.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

TOLD_AFTER = 0.4
"""Seconds of work of which nothing is told: most statements are over by then."""
TOLD_EVERY = 0.2
"""Seconds from one telling to the next."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What `on_progress` of a session is called with: how far the work is that Spark does for a statement.

    `activity` says what goes on, `seconds` for how long. The stages of Spark's jobs, and their tasks, are those that
    are known so far: a statement may begin new jobs. `rows` and `size` (bytes) were read from files by tasks that have
    ended. With `done` the work is over, and the same work is told of no more.
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
"""Tells how work stands now."""


class Watch:
    """Tells a listener how work goes on, from a thread of its own, which begins with the first work.

    `listener` gives the listener of the moment, or None: nobody is told, and nothing is looked at.
    """

    def __init__(self, listener: Callable[[], Listener | None]) -> None:
        self._listener = listener
        self._works: list[Look] = []
        self._began = 0.0
        self._last: Progress | None = None
        self._changed = threading.Condition(threading.RLock())
        self._thread: threading.Thread | None = None

    @property
    def is_wanted(self) -> bool:
        """Whether there is a listener."""
        return self._listener() is not None

    @contextmanager
    def over(self, look: Look) -> Iterator[None]:
        """Context: work, at which one can `look`; work within it is told of in its place."""
        if not self.is_wanted:
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
        """The listener hears of the end in the thread that worked, and of nothing after it."""
        with self._changed:
            self._works.remove(look)
            if not self._works and self._last is not None:
                self._tell(replace(self._last, seconds=self._seconds, done=True))

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._began

    def _watch(self) -> None:
        while True:
            with self._changed:
                while not self._works:
                    self._changed.wait()
                began, look = self._began, self._works[-1]
            wait = TOLD_AFTER - (time.monotonic() - began)
            if wait > 0:
                time.sleep(wait)
                continue
            seen = None
            # What is looked at may end meanwhile.
            with suppress(Exception):
                seen = look()
            with self._changed:
                if seen is not None and self._works and self._works[-1] is look:
                    self._last = replace(seen, seconds=self._seconds)
                    self._tell(self._last)
            time.sleep(TOLD_EVERY)

    def _tell(self, progress: Progress) -> None:
        """A listener that fails costs nobody the statement."""
        listener = self._listener()
        if listener is None:
            return
        try:
            listener(progress)
        except Exception as error:
            warnings.warn(f"on_progress failed: {type(error).__name__}: {error}", RuntimeWarning, stacklevel=2)
