"""Ctrl-C during a statement: where KeyboardInterrupt may be raised, and what is cancelled.

A KeyboardInterrupt during a call to the JVM breaks the connection and leaves the job running; one during a commit
leaves it unknown whether the version exists. So it is raised only outside of these. Until then running work is
cancelled repeatedly, since Spark begins new jobs in the middle of a query.
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
"""Seconds between two cancel requests."""
REPORTED_AFTER = 1.0
"""Seconds of cancelling after which the user gets a message that it goes on."""
LEFT_AFTER = 0.2
"""Seconds of cancelling after which the statement no longer waits for work that `may_be_left`."""

_NOT_IN = frozenset({"py4j", "pyspark", "grpc", "importlib", "_frozen_importlib", "threading", "logging", "zipimport"})
_ENTERS_OR_LEAVES = frozenset({"__enter__", "__exit__"})


class StatementInterrupted(KeyboardInterrupt):
    """Ctrl-C after the statement had committed; `commits` are pairs of table and committed version."""

    def __init__(self, commits: tuple[tuple[str, int], ...]) -> None:
        self.commits = commits
        names = " and ".join(f"version {version} of {table}" for table, version in commits)
        were = "was" if len(commits) == 1 else "were"
        super().__init__(f"{names[:1].upper()}{names[1:]} {were} committed before Ctrl-C could stop the statement.")


class InterruptibleWork(Protocol):
    """Cancellable work outside of this thread, such as the jobs of a Spark session."""

    def cancel(self) -> None:
        """Cancels the running work. Called in another thread, repeatedly until the statement ends."""

    def settle(self) -> str:
        """Waits until cancelled work is over. Returns a message for the user if it is not after a while, else ""."""

    def end(self) -> None:
        """Releases resources at the end of the statement."""


class _Statement:
    """Interrupt state of the statement that the main thread runs; `base` is the frame that began it."""

    def __init__(self, base: FrameType | None) -> None:
        self.pressed = threading.Event()
        self.shields = 0
        self.sealed = self.in_doubt = False
        self.commits: list[tuple[str, int]] = []
        self.left = ""
        self.works: dict[Hashable, InterruptibleWork] = {}
        self.may_be_left = False
        """Whether the statement may end while its cancelled work still runs elsewhere."""
        self._is_left = False
        self._base = base
        self._tell = _telling[-1]
        self._ended = threading.Event()
        self._reminder_sent = False
        self._lock = threading.Lock()

    def press(self, number: int, frame: FrameType | None) -> None:
        """The SIGINT handler, for Ctrl-C and for the reminders that `_press_again` sends."""
        if self._reminder_sent:
            self._reminder_sent = False
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
            if not self._reminder_sent:
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
        """Cancels the works repeatedly until the statement ends; runs in a thread."""
        waited, reported, began = 0.0, False, time.monotonic()
        while not self._ended.is_set():
            for work in list(self.works.values()) if not self.sealed else ():
                # A failed request is retried.
                with suppress(Exception):
                    work.cancel()
            self._is_left = self.may_be_left and time.monotonic() - began >= LEFT_AFTER
            self._press_again()
            self._ended.wait(AGAIN_AFTER)
            waited += AGAIN_AFTER
            if not reported and waited >= REPORTED_AFTER and not self._ended.is_set():
                reported = True
                self._say()

    def _press_again(self) -> None:
        with self._lock:
            if not self._ended.is_set() and not self._reminder_sent:
                self._reminder_sent = True
                _remind()

    def _say(self) -> None:
        text = "Still cancelling …" if not self.sealed else "It is committed already; finishing what belongs to it …"
        # The terminal may be gone, or be written to by the code that the signal came upon.
        with suppress(Exception):
            self._tell(text)


class Cancellable(_Statement):
    """Interrupt state of a statement in a thread other than the main one: `cancel` takes the place of Ctrl-C."""

    def __init__(self) -> None:
        super().__init__(None)

    def cancel(self) -> None:
        """Cancels the statement. Idempotent; may be called in any thread."""
        with self._lock:
            if self.pressed.is_set() or self._ended.is_set():
                return
            self.pressed.set()
        threading.Thread(target=self._cancel, name="deltasql-cancel", daemon=True).start()

    def _press_again(self) -> None:
        """Nothing: a signal cannot reach another thread than the main one."""


def _remind() -> None:
    """Sends SIGINT to the main thread, which also interrupts its blocking calls where the system allows it."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


_running: list[_Statement] = []
_elsewhere = threading.local()
"""Thread-local `statement`: the Cancellable of a thread other than the main one."""
_telling: list[Callable[[str], None]] = [lambda text: None]


@contextmanager
def interruptible() -> Iterator[None]:
    """Context of a statement: Ctrl-C cancels its work, and KeyboardInterrupt is raised once that has stopped.

    Raises StatementInterrupted if it had committed by then. No effect within another statement, outside of the main
    thread, and where the user handles SIGINT.
    """
    before = signal.getsignal(signal.SIGINT)
    if _running or threading.current_thread() is not threading.main_thread() or not _is_usual(before):
        yield
        return
    statement = _Statement(_caller(inspect.currentframe()))
    _running.append(statement)
    signal.signal(signal.SIGINT, statement.press)
    try:
        with _interrupted_context(statement):
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
    """Context of a statement in this thread, which is not the main one: other threads may cancel it.

    Raises KeyboardInterrupt once it has stopped, or StatementInterrupted if it had committed by then.
    """
    statement = Cancellable()
    _elsewhere.statement = statement
    try:
        with _interrupted_context(statement):
            yield statement
    finally:
        statement.end()
        _elsewhere.statement = None


@contextmanager
def _interrupted_context(statement: _Statement) -> Iterator[None]:
    """Context: replaces any error of an interrupted statement by KeyboardInterrupt or StatementInterrupted.

    The context has no frame on the stack while the statement runs, and no interrupt may be raised in its end.
    """
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        if not statement.pressed.is_set() or statement.in_doubt:
            raise
        raise statement.outcome() from error


def _is_usual(handler: Any) -> bool:
    """Whether the SIGINT handler is Python's or PySpark's, which calls the JVM during another call and so breaks it."""
    return handler is signal.default_int_handler or str(getattr(handler, "__module__", "")).startswith("pyspark.")


def _caller(frame: FrameType | None) -> FrameType | None:
    """The frame that entered the context manager whose generator runs in `frame`."""
    between = None if frame is None else frame.f_back
    return None if between is None else between.f_back


def cancel_with(key: Hashable, begin: Callable[[], InterruptibleWork], *, may_be_left: bool = False) -> None:
    """Registers work of the statement for cancellation by Ctrl-C; `begin` creates it on the first use of `key`.

    With `may_be_left` the statement may end although the cancelled work does not answer.
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
    """Waits until the work of `key` is over, if Ctrl-C has cancelled it."""
    statement = _current()
    if statement is not None and statement.pressed.is_set() and key in statement.works:
        with shielded(), suppress(Exception):
            statement.left = statement.works[key].settle()


@contextmanager
def shielded() -> Iterator[None]:
    """Context: KeyboardInterrupt is not raised within it, but at its end."""
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
    """Raises KeyboardInterrupt if the statement was interrupted and may stop now."""
    statement = _current()
    if statement is not None and statement.pressed.is_set() and statement.may_stop:
        raise KeyboardInterrupt


def note_commit(table: str, version: int, *, last: bool = True) -> None:
    """Records a version that the statement has committed. After the `last` one Ctrl-C no longer stops the statement."""
    statement = _current()
    if statement is not None:
        statement.commits.append((table, version))
        statement.sealed = last


def note_doubt() -> None:
    """Records that it is unknown whether a commit exists: the error about that is raised, even after Ctrl-C."""
    statement = _current()
    if statement is not None:
        statement.in_doubt = True


def next_step() -> None:
    """Allows Ctrl-C to stop the rest of the statement again, although it has committed."""
    statement = _current()
    if statement is not None:
        statement.sealed = False


@contextmanager
def telling(tell: Callable[[str], None]) -> Iterator[None]:
    """Context: `tell` is called with a message for the user when cancelling takes long."""
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
    """Whether KeyboardInterrupt may be raised in a frame: not in JVM calls, imports, or context managers' ends.

    Callers from `base` outwards are ignored.
    """
    while frame is not None and frame is not base:
        module = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if module in _NOT_IN or (module == "contextlib" and frame.f_code.co_name in _ENTERS_OR_LEAVES):
            return False
        frame = frame.f_back
    return True


def _waits_for_answer(frame: FrameType | None) -> bool:
    """Whether a frame is where gRPC waits for a response, which a KeyboardInterrupt may end.

    It waits for a stream of rows, or for a single response, such as that of PySpark's interrupt request.
    """
    if frame is not None and frame.f_code.co_name == "_blocking":
        return frame.f_globals.get("__name__") == "grpc._channel"
    while frame is not None and frame.f_globals.get("__name__") == "threading":
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") == "grpc._common"
