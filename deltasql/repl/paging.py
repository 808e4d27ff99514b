"""Long results go through a pager, where there is a terminal and one is installed."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from deltasql.render.page import Page

_LESS = "less -SRFX"
"""Long lines are cut and scrolled to, colours shown, what fits is printed at once and stays on the screen."""


def pager_command() -> list[str]:
    """The words of the user's pager, or of less; none where there is no such program."""
    for text in (os.environ.get("DELTASQL_PAGER"), os.environ.get("PAGER"), _LESS):
        words = shlex.split(text or "")
        if words and shutil.which(words[0]):
            return [*words, *_LESS.split()[1:]] if words == ["less"] else words
    return []


def needs_pager(page: Page) -> bool:
    """Whether the text is higher or wider than the window."""
    window = shutil.get_terminal_size()
    return page.height >= window.lines or page.width > window.columns


def show(text: str, command: list[str]) -> None:
    """Has a pager show `text`, and waits until the user has left it. Ctrl-C is the pager's meanwhile."""
    with _without_interrupts():
        process = subprocess.Popen(command, stdin=subprocess.PIPE, encoding="utf-8", errors="replace")
        try:
            process.communicate(text)
        except BrokenPipeError:
            process.wait()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
