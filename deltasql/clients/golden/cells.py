"""Cells of a notebook in a golden file that are not SQL: they run as by `deltasql run`, and their output is text.

All cells of one file share a namespace, and the session of its statements. Cells of shells and of packages are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NoReturn

from deltasql.base import DeltaSqlError
from deltasql.clients.notebooks import NotebookPosition, NotebookRun, Output
from deltasql.files import Result
from deltasql.session import Session
from deltasql.sql import Cell, Statement, cells_of, is_notebook

RowsOf = Callable[[Result], "list[str]"]
"""The rows of a result, a line each."""

OUTPUT = "-- output"


def cells_of_script(script: str) -> Iterator[Cell]:
    """The cells of a notebook that give an output, and any other script as one cell of SQL."""
    if is_notebook(script):
        yield from (cell for cell in cells_of(script) if cell.language != "md")
        return
    starts, at = [0], script.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = script.find("\n", at + 1)
    yield Cell("sql", script, tuple(starts))


class CellRecorder:
    """Runs the cells of one notebook at `path`; `rows_of` writes rows that a cell shows."""

    def __init__(self, path: Path, rows_of: RowsOf) -> None:
        self._path, self._rows_of = path, rows_of
        self._run: NotebookRun | None = None
        self._written = StringIO()

    def output(self, cell: Cell, session: Session, last: Result | None) -> list[str]:
        """The lines that a cell prints and shows; `last` is the last query before it. Raises the cell's errors."""
        run = self._run = self._run or self._opened(session)
        self._written = StringIO()
        with redirect_stdout(self._written):
            run.run_cell(str(self._path), self._path.read_text(encoding="utf-8"), cell, last)
        return self._written.getvalue().splitlines()

    def close(self) -> None:
        """Takes back what `spark` has changed in this process."""
        if self._run is not None:
            self._run.close()
            self._run = None

    def _opened(self, session: Session) -> NotebookRun:
        return NotebookRun(session, Output(self._statement, self._failed, self._say, self._show))

    def _statement(self, statement: Statement, place: NotebookPosition, session: Session) -> Result:
        """A statement of a notebook that a cell includes: its rows are part of the output of the cell."""
        result = session.sql(statement.text)
        if result.is_query:
            self._show(result)
        return result

    def _failed(self, error: DeltaSqlError, place: NotebookPosition) -> NoReturn:
        raise error

    def _say(self, text: str) -> None:
        self._written.write(f"{text}\n")

    def _show(self, result: Result) -> None:
        for line in self._rows_of(result):
            self._say(line)
