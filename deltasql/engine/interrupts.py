"""Ctrl-C while Spark works."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def cancellable(cancel: Callable[[], None]) -> Iterator[None]:
    """Within the context Ctrl-C runs `cancel` in a thread, and is raised once the work has stopped.

    Raised where it falls, it would cut a call to the JVM in two: the job would run on and the connection be lost. A
    second Ctrl-C is raised where it falls. Changes nothing outside the main thread, or where Ctrl-C is the user's own.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield
        return
    pressed = threading.Event()

    def press(number: int, frame: FrameType | None) -> None:
        if pressed.is_set():
            signal.default_int_handler(number, frame)
        pressed.set()
        threading.Thread(target=cancel, daemon=True).start()

    signal.signal(signal.SIGINT, press)
    try:
        yield
    except Exception as error:
        if pressed.is_set():
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed.is_set():
        raise KeyboardInterrupt
