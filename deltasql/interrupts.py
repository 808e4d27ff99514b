"""Ctrl-C while a statement runs: where it may fall, what it cancels, and what it must not cut in two.

A KeyboardInterrupt that falls into a call to the JVM loses the connection and leaves the job running; one that falls
into a commit leaves nobody to say whether there is a version. So it is raised only where neither is at stake, and until
then what runs is cancelled again and again: Spark begins new jobs in the middle of a query.
"""

from __future__ import annotations

import _thread
import inspect
import signal
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Protocol

AGAIN_AFTER = 0.2
"""Seconds between two attempts to cancel."""
TOLD_AFTER = 1.0
"""Seconds of cancelling after which the user is told that it goes on."""
LEFT_AFTER = 0.2
"""Seconds of cancelling after which work that may go on by itself is left to do so."""

_NOT_IN = frozenset({"py4j", "pyspark", "grpc", "importlib", "_frozen_importlib", "threading", "logging", "zipimport"})
_ENTERS_OR_LEAVES = frozenset({"__enter__", "__exit__"})


class StatementInterrupted(KeyboardInterrupt):
    """Ctrl-C came too late for some of the statement: `commits` are the versions that it made, each with its table."""

    def __init__(self, commits: tuple[tuple[str, int], ...]) -> None:
        self.commits = commits
        made = " and ".join(f"version {version} of {table}" for table, version in commits)
        were = "was" if len(commits) == 1 else "were"
        super().__init__(f"{made[:1].upper()}{made[1:]} {were} committed before Ctrl-C could stop the statement.")


class InterruptibleWork(Protocol):
    """Work elsewhere, such as the jobs of a Spark session."""

    def cancel(self) -> None:
        """Stops what runs now; called in another thread, as often as it takes."""

    def settle(self) -> str:
        """Waits for what was stopped to be over; what to tell the user if it is not, after a while."""

    def end(self) -> None:
        """The statement is over."""


class _Statement:
    """What Ctrl-C does to the statement that the main thread runs, which `base` has begun."""

    def __init__(self, base: FrameType | None) -> None:
        self.pressed = threading.Event()
        self.shields = 0
        self.sealed = self.in_doubt = False
        self.commits: list[tuple[str, int]] = []
        self.left = ""
        self.works: dict[Hashable, InterruptibleWork] = {}
        self.may_be_left = False
        """Whether the statement may end while what it has asked for goes on elsewhere."""
        self._is_left = False
        self._base = base
        self._tell = _telling[-1]
        self._ended = threading.Event()
        self._own_press = False
        self._lock = threading.Lock()

    def press(self, number: int, frame: FrameType | None) -> None:
        """The handler of SIGINT: of the user's and of our own reminders."""
        if self._own_press:
            self._own_press = False
        elif self.pressed.is_set():
            self._say()
        if not self.pressed.is_set():
            self.pressed.set()
            threading.Thread(target=self._cancel, name="deltasql-cancel", daemon=True).start()
        if self.may_stop and (_may_fall(frame, self._base) or (self._is_left and _waits_for_answer(frame))):
            raise KeyboardInterrupt

    @property
    def may_stop(self) -> bool:
        return not (self.shields or self.sealed)

    def end(self) -> None:
        with self._lock:
            self._ended.set()
        for _ in range(100):
            if not self._own_press:
                break
            # A reminder on its way must find this handler.
            time.sleep(0.001)
        for work in self.works.values():
            with suppress(Exception):
                work.end()
        self._base = None

    def outcome(self) -> KeyboardInterrupt:
        if self.commits:
            return StatementInterrupted(tuple(self.commits))
        return KeyboardInterrupt(self.left) if self.left else KeyboardInterrupt()

    def _cancel(self) -> None:
        """Cancels for as long as the statement goes on."""
        waited, told, began = 0.0, False, time.monotonic()
        while not self._ended.is_set():
            for work in list(self.works.values()) if not self.sealed else ():
                # What fails is tried again.
                with suppress(Exception):
                    work.cancel()
            self._is_left = self.may_be_left and time.monotonic() - began >= LEFT_AFTER
            self._press_again()
            self._ended.wait(AGAIN_AFTER)
            waited += AGAIN_AFTER
            if not told and waited >= TOLD_AFTER and not self._ended.is_set():
                told = True
                self._say()

    def _press_again(self) -> None:
        with self._lock:
            if not self._ended.is_set() and not self._own_press:
                self._own_press = True
                _remind()

    def _say(self) -> None:
        text = "Still cancelling …" if not self.sealed else "It is committed already; finishing what belongs to it …"
        # The terminal may be gone, or be written to by the code that the signal came upon.
        with suppress(Exception):
            self._tell(text)


class Cancellable(_Statement):
    """A statement of another thread than the main one: what Ctrl-C is there, `cancel` is here."""

    def __init__(self) -> None:
        super().__init__(None)

    def cancel(self) -> None:
        """Stops the statement; called in any thread, and as often as one likes."""
        with self._lock:
            if self.pressed.is_set() or self._ended.is_set():
                return
            self.pressed.set()
        threading.Thread(target=self._cancel, name="deltasql-cancel", daemon=True).start()

    def _press_again(self) -> None:
        """There is no signal that would reach another thread."""


def _remind() -> None:
    """Sends the main thread a SIGINT, which also ends its waiting where the system allows that."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


_running: list[_Statement] = []
_elsewhere = threading.local()
"""The statement of each other thread that is to be cancelled from outside."""
_telling: list[Callable[[str], None]] = [lambda text: None]


@contextmanager
def interruptible() -> Iterator[None]:
    """A statement, which Ctrl-C stops: what it runs is cancelled, and KeyboardInterrupt raised once that has stopped.

    Raises StatementInterrupted where it had committed by then. Within another statement, outside of the main thread
    and where the user handles Ctrl-C it changes nothing.
    """
    before = signal.getsignal(signal.SIGINT)
    if _running or threading.current_thread() is not threading.main_thread() or not _is_usual(before):
        yield
        return
    statement = _Statement(_caller(inspect.currentframe()))
    _running.append(statement)
    signal.signal(signal.SIGINT, statement.press)
    try:
        with _told(statement):
            yield
    finally:
        statement.end()
        # Runs what is still to be handled by the old handler, and then sets the new one.
        signal.signal(signal.SIGINT, before)
        _running.remove(statement)
    if statement.pressed.is_set():
        raise statement.outcome()


@contextmanager
def cancellable() -> Iterator[Cancellable]:
    """A statement of this thread, which is not the main one, that others may cancel.

    Raises KeyboardInterrupt once it has stopped, or StatementInterrupted where it had committed by then.
    """
    statement = Cancellable()
    _elsewhere.statement = statement
    try:
        with _told(statement):
            yield statement
    finally:
        statement.end()
        _elsewhere.statement = None


@contextmanager
def _told(statement: _Statement) -> Iterator[None]:
    """Whatever a statement raises that was stopped, what comes out tells how far it had come.

    While it runs this context has no frame on the stack, and at its end none in which an interrupt may fall.
    """
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        if not statement.pressed.is_set() or statement.in_doubt:
            raise
        raise statement.outcome() from error


def _is_usual(handler: Any) -> bool:
    """Whether only Python or PySpark handles Ctrl-C. PySpark calls the JVM amid another call, which breaks it."""
    return handler is signal.default_int_handler or str(getattr(handler, "__module__", "")).startswith("pyspark.")


def _caller(frame: FrameType | None) -> FrameType | None:
    """The frame that has entered the context whose generator runs in `frame`."""
    between = None if frame is None else frame.f_back
    return None if between is None else between.f_back


def cancel_with(key: Hashable, begin: Callable[[], InterruptibleWork], *, may_be_left: bool = False) -> None:
    """Has Ctrl-C cancel some work of the statement; `begin` is called for its first use of `key`.

    Of work that `may_be_left` no answer is waited for, where it does not come.
    """
    statement = _current()
    if statement is None:
        return
    check()
    statement.may_be_left = may_be_left
    if key not in statement.works:
        with shielded():
            statement.works[key] = begin()


def settle(key: Hashable) -> None:
    """Waits for the work of `key` to be over if Ctrl-C has stopped it."""
    statement = _current()
    if statement is not None and statement.pressed.is_set() and key in statement.works:
        with shielded(), suppress(Exception):
            statement.left = statement.works[key].settle()


@contextmanager
def shielded() -> Iterator[None]:
    """Work that Ctrl-C does not cut in two: it is raised afterwards."""
    statement = _current()
    if statement is None:
        yield
        return
    statement.shields += 1
    try:
        yield
    finally:
        statement.shields -= 1
    check()


def check() -> None:
    """Raises KeyboardInterrupt where the statement is to stop."""
    statement = _current()
    if statement is not None and statement.pressed.is_set() and statement.may_stop:
        raise KeyboardInterrupt


def note_commit(table: str, version: int, *, last: bool = True) -> None:
    """Notes a version that the statement has made. What belongs to the `last` is not given up any more."""
    statement = _current()
    if statement is not None:
        statement.commits.append((table, version))
        statement.sealed = last


def note_doubt() -> None:
    """Notes that nobody knows whether a commit is there: the error that says so comes out, whatever was pressed."""
    statement = _current()
    if statement is not None:
        statement.in_doubt = True


def next_step() -> None:
    """Says that what a statement has still to do may be given up, whatever it has committed."""
    statement = _current()
    if statement is not None:
        statement.sealed = False


@contextmanager
def telling(tell: Callable[[str], None]) -> Iterator[None]:
    """While statements run within, `tell` is called with how it stands when Ctrl-C takes long."""
    _telling.append(tell)
    try:
        yield
    finally:
        _telling.pop()


def _current() -> _Statement | None:
    if threading.current_thread() is not threading.main_thread():
        statement: _Statement | None = getattr(_elsewhere, "statement", None)
        return statement
    return _running[-1] if _running else None


def _may_fall(frame: FrameType | None, base: FrameType | None) -> bool:
    """Whether an exception may be raised in a frame: not in calls to the JVM, imports, or the ends of a context.

    Callers from `base` on do not matter.
    """
    while frame is not None and frame is not base:
        module = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if module in _NOT_IN or (module == "contextlib" and frame.f_code.co_name in _ENTERS_OR_LEAVES):
            return False
        frame = frame.f_back
    return True


def _waits_for_answer(frame: FrameType | None) -> bool:
    """Whether a frame is where gRPC waits for an answer, which Python's own Ctrl-C ends as well.

    That is a stream of rows, and a single one: what PySpark asks for when it is interrupted.
    """
    if frame is not None and frame.f_code.co_name == "_blocking":
        return frame.f_globals.get("__name__") == "grpc._channel"
    while frame is not None and frame.f_globals.get("__name__") == "threading":
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") == "grpc._common"
