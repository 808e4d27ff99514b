"""Ctrl-C cancels what runs, and is raised when that has stopped."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from deltasql.engine.interrupts import cancellable


@pytest.fixture(autouse=True)
def python_handles_ctrl_c() -> Iterator[None]:
    # A shell starts what runs in the background with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_cancelled_work_ends_as_an_interrupt() -> None:
    cancelled = threading.Event()

    @cancellable(cancelled.set)
    def job() -> None:
        press()
        assert cancelled.wait(5)
        raise RuntimeError("the job was cancelled")

    with pytest.raises(KeyboardInterrupt) as caught:
        job()
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_work_that_was_done_before_it_could_be_cancelled_is_given_up_all_the_same() -> None:
    with pytest.raises(KeyboardInterrupt), cancellable(lambda: None):
        press()


def test_a_second_press_is_raised_at_once() -> None:
    reached = []

    @cancellable(lambda: None)
    def job() -> None:
        press()
        reached.append(1)
        press()
        reached.append(2)

    with pytest.raises(KeyboardInterrupt):
        job()
    assert reached == [1]


def test_errors_without_a_press_stay() -> None:
    with pytest.raises(RuntimeError), cancellable(lambda: None):
        raise RuntimeError


def test_a_handler_of_the_user_is_left_alone() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        with cancellable(lambda: None):
            press()
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]
