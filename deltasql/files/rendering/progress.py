"""How far work is, as one line of a terminal that is written over and leaves no trace."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from shutil import get_terminal_size
from typing import TextIO

from deltasql.base import Progress

_SPINNER, _PLAIN_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\"
_BAR = 20
_THOUSAND = 1000.0


class ProgressLine:
    """A listener that shows a session's progress as one line of a terminal, erased at the end of the work."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._turns = 0
        self._shown = False
        # Ctrl-C may come upon the thread that holds it, and has the line cleared.
        self._lock = threading.RLock()

    def __call__(self, progress: Progress) -> None:
        if progress.done:
            self.clear()
            return
        with self._lock:
            self._turns += 1
            plain = (self._stream.encoding or "").lower().replace("-", "") != "utf8"
            spinner = _PLAIN_SPINNER if plain else _SPINNER
            text = progress_text(progress, get_terminal_size().columns - 3, plain=plain)
            self._write(f"\r{spinner[self._turns % len(spinner)]} {text}\x1b[K")
            self._shown = True

    def clear(self) -> None:
        """Takes the line away, so that others may write."""
        with self._lock:
            if self._shown:
                self._write("\r\x1b[K")
                self._shown = False

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def progress_text(progress: Progress, width: int = 1000, *, plain: bool = False) -> str:
    """`Running ━━━━━╸    37 of 200 tasks, stage 2 of 3, 1.2 M rows read, 12 s`, cut at `width` from its end on.

    With `plain` it is of ASCII alone.
    """
    head = progress.activity
    if progress.tasks:
        head += f" {_bar(progress.tasks_done / progress.tasks, plain)}"
    first, *others = [*_parts(progress)] or [""]
    parts = [f"{head} {first}".rstrip(), *others]
    # The time tells that something goes on, where nothing else does.
    time = seconds_text(progress.seconds)
    while len(parts) > 1 and len(", ".join([*parts, time])) > width:
        parts.pop()
    return ", ".join([*parts, time])[:width]


def _parts(progress: Progress) -> Iterator[str]:
    if progress.tasks:
        yield f"{progress.tasks_done} of {progress.tasks} tasks"
        yield f"stage {min(progress.stages_done + 1, progress.stages)} of {progress.stages}"
    if progress.rows:
        yield f"{number_text(progress.rows)} rows read"
    if progress.size:
        yield size_text(progress.size)


def _bar(share: float, plain: bool) -> str:
    full = min(int(share * _BAR), _BAR)
    done, rest = ("#", ".") if plain else ("━", "╌")
    return done * full + rest * (_BAR - full)


def number_text(number: float) -> str:
    """`999`, `1.2 K`, `37 M`."""
    return _scaled(number, ("", "K", "M", "G", "T")).strip()


def size_text(size: float) -> str:
    """`999 B`, `1.2 KB`, `37 MB`."""
    return _scaled(size, ("B", "KB", "MB", "GB", "TB", "PB"))


def seconds_text(seconds: float) -> str:
    """`4 s`, `2 min 4 s`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _scaled(number: float, units: tuple[str, ...]) -> str:
    power = 0
    while number >= _THOUSAND and power < len(units) - 1:
        number, power = number / _THOUSAND, power + 1
    digits = f"{number:.1f}" if power and number < 10 else f"{number:.0f}"
    return f"{digits} {units[power]}"
