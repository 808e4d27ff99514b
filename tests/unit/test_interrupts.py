"""Ctrl-C cancels what runs until it has stopped, and does not cut a commit in two."""

# ruff: noqa: PT012 - what happens within the context is what is tested
from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType

import pytest

from deltasql.base import interrupts
from deltasql.base.interrupts import (
    StatementInterrupted,
    cancel_with,
    check,
    interruptible,
    next_step,
    note_commit,
    note_doubt,
    settle,
    shielded,
    telling,
)


@pytest.fixture(autouse=True)
def python_handles_ctrl_c() -> Iterator[None]:
    # A shell starts what runs in the background with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


class Jobs:
    """Work that goes on until it was cancelled so often. `run` waits for that, as a call to the JVM does."""

    def __init__(self, attempts: int = 1) -> None:
        self.left = attempts
        self.stopped = threading.Event()
        self.ended = 0
        self.left_over = ""
        module = ModuleType("py4j")
        module.__dict__["stopped"] = self.stopped
        exec("def wait(press):\n    press()\n    return stopped.wait(300)", module.__dict__)
        self._wait: Callable[[Callable[[], None]], bool] = module.__dict__["wait"]

    def cancel(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.stopped.set()

    def settle(self) -> str:
        return self.left_over

    def end(self) -> None:
        self.ended += 1

    def run(self) -> None:
        cancel_with("jobs", lambda: self)
        assert self._wait(press)
        raise RuntimeError("the job was cancelled")


def test_cancelled_work_ends_as_an_interrupt() -> None:
    jobs = Jobs()
    with pytest.raises(KeyboardInterrupt) as caught, interruptible():
        jobs.run()
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert jobs.ended == 1


def test_what_does_not_stop_is_told() -> None:
    jobs = Jobs()
    jobs.left_over = "Some of it goes on."
    with pytest.raises(KeyboardInterrupt, match=r"Some of it goes on\."), interruptible():
        try:
            jobs.run()
        except RuntimeError:
            settle("jobs")
            raise


def test_it_is_cancelled_again_until_it_has_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "AGAIN_AFTER", 0.01)
    jobs = Jobs(attempts=20)
    with pytest.raises(KeyboardInterrupt), interruptible():
        jobs.run()
    assert jobs.left == 0


@pytest.mark.parametrize(("module_name", "waits"), [("grpc._common", "wait"), ("grpc._channel", "_blocking")])
def test_an_answer_that_does_not_come_is_not_waited_for(
    module_name: str, waits: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a server within this process, all of whose threads compute."""
    monkeypatch.setattr(interrupts, "LEFT_AFTER", 0.02)
    monkeypatch.setattr(interrupts, "AGAIN_AFTER", 0.01)
    jobs, module = Jobs(attempts=10**9), ModuleType(module_name)
    module.__dict__["sleep"] = time.sleep
    waiting = "event.wait(300)" if waits == "wait" else "sleep(20)"
    exec(f"def {waits}(event):\n    return {waiting}", module.__dict__)
    with pytest.raises(KeyboardInterrupt), interruptible():
        cancel_with("jobs", lambda: jobs, may_be_left=True)
        threading.Timer(0.01, press).start()
        assert module.__dict__[waits](jobs.stopped)
    assert not jobs.stopped.is_set()
    assert jobs.ended == 1


def test_an_error_that_is_swallowed_does_not_swallow_the_interrupt() -> None:
    jobs = Jobs()
    with pytest.raises(KeyboardInterrupt), interruptible():
        try:
            jobs.run()
        except RuntimeError:
            time.sleep(20)


def test_work_that_begins_after_ctrl_c_is_refused() -> None:
    begun = []
    with pytest.raises(KeyboardInterrupt), interruptible():
        with shielded():
            press()
        cancel_with("jobs", lambda: begun.append(1) or Jobs())  # type: ignore[func-returns-value]
    assert not begun


def test_it_falls_into_python_at_once() -> None:
    reached = []
    with pytest.raises(KeyboardInterrupt), interruptible():
        press()
        time.sleep(20)
        reached.append(1)
    assert not reached


def test_statements_within_a_statement_are_part_of_it() -> None:
    with pytest.raises(KeyboardInterrupt), interruptible():
        with interruptible():
            handler = signal.getsignal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is handler
        Jobs().run()


def test_it_waits_for_what_is_shielded() -> None:
    reached = []
    with pytest.raises(KeyboardInterrupt), interruptible():
        with shielded():
            press()
            time.sleep(0.01)
            check()
            reached.append("whole")
        time.sleep(20)
        reached.append("more")
    assert reached == ["whole"]


def test_what_is_committed_is_told() -> None:
    reached = []
    with pytest.raises(StatementInterrupted) as caught, interruptible():
        with shielded():
            press()
            note_commit("main.t", 7)
        reached.append("what belongs to it")
    assert reached
    assert caught.value.commits == (("main.t", 7),)
    assert str(caught.value) == "Version 7 of main.t was committed before Ctrl-C could stop the statement."


def test_a_later_step_is_stopped_and_the_earlier_one_told() -> None:
    told = "Version 1 of t and version 2 of t were committed"
    with pytest.raises(StatementInterrupted, match=told), interruptible():
        note_commit("t", 1, last=False)
        note_commit("t", 2)
        next_step()
        press()
        time.sleep(20)


def test_a_commit_that_may_be_there_is_told_as_that() -> None:
    with pytest.raises(RuntimeError, match="may be there"), interruptible(), shielded():
        press()
        note_doubt()
        raise RuntimeError("it may be there")


def test_ends_of_contexts_are_not_cut_in_two() -> None:
    reached = []

    @contextmanager
    def context() -> Iterator[None]:
        yield
        press()
        reached.append("whole")

    with pytest.raises(KeyboardInterrupt), interruptible():
        with context():
            pass
        time.sleep(20)
    assert reached == ["whole"]


def test_errors_without_a_press_stay() -> None:
    with pytest.raises(RuntimeError), interruptible():
        raise RuntimeError
    interrupted = KeyboardInterrupt("mine")
    with pytest.raises(KeyboardInterrupt, match="mine"), interruptible():
        raise interrupted


def test_the_user_is_told_when_it_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "AGAIN_AFTER", 0.02)
    monkeypatch.setattr(interrupts, "REPORTED_AFTER", 0.04)
    told: list[str] = []
    with pytest.raises(KeyboardInterrupt), telling(told.append), interruptible():
        Jobs(attempts=10).run()
    assert told == ["Still cancelling …"]


def test_a_second_press_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "AGAIN_AFTER", 0.5)
    told: list[str] = []
    with pytest.raises(KeyboardInterrupt), telling(told.append), interruptible():
        with shielded():
            press()
            time.sleep(0.1)
            press()
        time.sleep(20)
    assert told == ["Still cancelling …"]


def test_a_handler_of_the_user_is_left_alone() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        with interruptible():
            press()
            check()
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]


def test_other_threads_are_left_alone() -> None:
    def work() -> None:
        with interruptible():
            done.append(signal.getsignal(signal.SIGINT))
            check()

    done: list[object] = []
    with pytest.raises(KeyboardInterrupt), interruptible():
        with shielded():
            press()
            worker = threading.Thread(target=work)
            worker.start()
            worker.join()
        check()
    assert len(done) == 1
