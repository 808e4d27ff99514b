"""An error as notebooks show it: the user's line that raised it, and its text."""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterator
from types import TracebackType

MOST_LINES = 10

_PACKAGE = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 - a prefix of names, no place on a disk
_RUNS_CELLS = tuple(f"{os.sep}{name}{os.sep}" for name in ("IPython", "ipykernel", "concurrent", "asyncio"))
_MAGIC = "get_ipython().run_"


def short_traceback(error: BaseException) -> list[str]:
    """At most MOST_LINES lines: of a long message the middle is left out, since its end has the caret."""
    lines = [*_user_line(error.__traceback__), *str(error).splitlines()]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 4], "…", *lines[-3:]]
    return lines


def _user_line(trace: TracebackType | None) -> list[str]:
    """The last line of code of the user's own before ours; none for a magic, which has nothing but the statement."""
    lines = list(_user_lines(trace))
    if not lines:
        return []
    file, number = lines[-1]
    code = linecache.getline(file, number).strip()
    if code.startswith(_MAGIC):
        return []
    name = "the cell" if _is_cell(file) else file
    return [f"{name}, line {number}: {code}".rstrip(": ")]


def _user_lines(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(_PACKAGE + os.sep):
            return
        if not any(part in file for part in _RUNS_CELLS):
            yield file, trace.tb_lineno
        trace = trace.tb_next


def _is_cell(file: str) -> bool:
    return file.startswith("<") or "ipykernel_" in file
