"""The read-eval-print loop: runs shell commands and SQL; errors never end it, only the user.

Long results go through a pager, where there is a terminal and one is installed. The history of a table is shown in a
hundred columns: version, time, operation, user, files and rows.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol, TextIO
from warnings import catch_warnings, simplefilter

from deltasql.base import DeltaSqlError, counted, errors, telling, without_secrets
from deltasql.clients.command.files import read_script
from deltasql.clients.notebooks import NotebookPosition, NotebookRun, Output
from deltasql.clients.repl.commands import (
    Effect,
    Preferences,
    columns_grid,
    command_of,
    footer,
    headline,
    schema_changes,
    sent,
)
from deltasql.clients.repl.copying import edited, output, write_rows
from deltasql.clients.repl.prompt import question
from deltasql.files import Grid, Page, ProgressLine, Result, render
from deltasql.plan import LogicalPlan, StatementWarning, TableName
from deltasql.schema import LONG, STRING, StructField, StructType
from deltasql.session import Session
from deltasql.sql import Statement, is_notebook, parse, split
from deltasql.statements import Insert, Merge, columns

COLUMNS = StructType(
    (
        StructField("version", LONG),
        *(StructField(name, STRING) for name in ("time", "operation", "who", "files", "rows")),
    )
)
_WIDEST = {"operation": 22, "who": 14, "files": 9, "rows": 15}
_SIGNS = (
    ("+", ("numAddedFiles", "numTargetFilesAdded", "numFiles")),
    ("-", ("numRemovedFiles", "numTargetFilesRemoved")),
)
_ROWS = (
    ("+", ("numTargetRowsInserted", "numInsertedRows", "numCopiedFilesRows")),
    ("~", ("numTargetRowsUpdated", "numUpdatedRows")),
    ("-", ("numTargetRowsDeleted", "numDeletedRows")),
)


def history_grid(history: Result) -> Grid:
    """The rows of DESCRIBE HISTORY, newest first, with what most people ask of them."""
    return Grid(COLUMNS, [_row(entry.asDict()) for entry in history.collect()], history.time_zone)


def _row(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    metrics = entry["operationMetrics"] or {}
    who = entry["userName"] or entry["userId"] or entry["engineInfo"] or ""
    return (
        entry["version"],
        f"{entry['timestamp']:%Y-%m-%d %H:%M:%S}",
        _cut(entry["operation"] or "", "operation"),
        _cut(who, "who"),
        _cut(_counts_text(_SIGNS, metrics), "files"),
        _cut(_counts_text(_ROWS, metrics) or _written(metrics), "rows"),
    )


def _counts_text(signs: tuple[tuple[str, tuple[str, ...]], ...], metrics: Mapping[str, str]) -> str:
    counts = ((sign, next((metrics[name] for name in names if name in metrics), "0")) for sign, names in signs)
    return " ".join(f"{sign}{count}" for sign, count in counts if count not in {"0", None})


def _written(metrics: Mapping[str, str]) -> str:
    """Of a write only the rows are counted that it has put out."""
    rows = metrics.get("numOutputRows", "0")
    return "" if rows == "0" else f"+{rows}"


def _cut(text: str, column: str) -> str:
    return text if len(text) <= _WIDEST[column] else f"{text[: _WIDEST[column] - 1]}…"


NOT_RUN = "Not run: the statement after it."
NOT_CONFIRMED = "Not run."
_CHANGES_COLUMNS = (
    columns.AddColumns,
    columns.AlterColumns,
    columns.DropColumns,
    columns.RenameColumn,
    columns.ReplaceColumns,
)


class LineReader(Protocol):
    """Source of input, such as a PromptSession."""

    def prompt(self, *, default: str = "") -> Any:
        """The next input, which begins as `default`. Raises EOFError at the end, KeyboardInterrupt when given up."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """Input and output of the shell. `ask` asks a yes-no question, None without a user; `out` None is sys.stdout."""

    ask: Callable[[str], bool] | None = None
    out: TextIO | None = None


class Shell:
    r"""One interactive session. `style` and `preferences` are what \format, \x, \timing and \pset change."""

    def __init__(
        self,
        session: Session,
        style: str = "auto",
        stack: bool = False,
        preferences: Preferences | None = None,
        args: Mapping[str, Any] | None = None,
        terminal: Terminal | None = None,
    ) -> None:
        self.session = session
        self.style = style
        self.stack = stack
        self.preferences = Preferences() if preferences is None else preferences
        self._args = args
        self._terminal = Terminal() if terminal is None else terminal
        self._progress: ProgressLine | None = None
        self._last = self._next = self._file = ""
        self._left = 0

    @property
    def out(self) -> TextIO:
        # Looked up each time: prompt_toolkit and tests swap sys.stdout.
        return self._terminal.out or sys.stdout

    def loop(self, reader: LineReader) -> int:
        """Reads and runs input until the user leaves; returns 0."""
        self.say("deltasql: end a statement with ; — \\? helps, \\q or Ctrl-D leaves.")
        while True:
            default, self._next = self._next, ""
            try:
                text = reader.prompt(default=default)
            except KeyboardInterrupt:
                continue
            except EOFError:
                return 0
            if not self.run(text):
                return 0

    def run(self, text: str) -> bool:
        """Runs one input: a command, or any number of statements. False when the user wants to leave."""
        self._left = 0
        self._watch()
        try:
            with telling(self.say):
                command = command_of(text)
                if command is not None:
                    return self._command(command)
                self._last, path = sent(text) or (text, "")
                self.again(path)
                return True
        except KeyboardInterrupt as interrupt:
            self.say(str(interrupt) or "Cancelled.")
        except DeltaSqlError as error:
            self.say(str(error))
            self._say_stack(error)
        except Exception as error:
            # An unexpected exception must not end the session.
            self._say_defect(error)
        self._say_left()
        return True

    def say(self, text: str) -> None:
        if self._progress is not None:
            self._progress.clear()
        self.out.write(text + "\n")
        self.out.flush()

    def describe(self, table: str) -> None:
        """Shows a table: size, columns, keys, constraints, properties; of a view its DESCRIBE."""
        try:
            snapshot = self.session.log(table).snapshot()
        except (errors.TableNotFoundError, errors.DeltaOnlyError):
            self._show(self.session.sql(f"DESCRIBE TABLE EXTENDED {table}").grid())
            return
        with self._paged(wide=True) as out:
            out.writelines(f"{line}\n" for line in headline(table, snapshot))
            render(columns_grid(snapshot), "table", out)
            out.writelines(f"{line}\n" for line in footer(table, snapshot))

    def history(self, table: str, limit: str) -> None:
        """Shows the versions of a table, newest first."""
        said = self.session.sql(f"DESCRIBE HISTORY {table}{limit and f' LIMIT {limit}'}")
        self._show(history_grid(said), "table")

    def run_file(self, path: str) -> None:
        """Runs the statements or cells of a file, without confirmation. Raises ScriptUnreadableError."""
        script = read_script(str(Path(path).expanduser()))
        if not is_notebook(script):
            self._statements(script, file=path)
            return
        output = Output(self._cell, self._failed, self.say, lambda rows: self._show(rows.grid()))
        run = NotebookRun(self.session, output)
        try:
            run.run(path, script)
        finally:
            run.close()

    def _cell(self, statement: Statement, place: NotebookPosition, session: Session) -> Result | None:
        """Runs a statement of a cell, and shows its rows. Raises its errors after printing its place."""
        try:
            result = session.sql(statement.text, self._args) if self._args else session.sql(statement.text)
            self._show(result.grid())
        except DeltaSqlError as error:
            self._failed(error, place)
        return result

    def _failed(self, error: DeltaSqlError, place: NotebookPosition) -> NoReturn:
        self.say(place.text(error))
        raise error

    def edit(self) -> None:
        """Opens the last input in an editor, as the next input."""
        self._next = edited(self._last).rstrip()

    def again(self, path: str) -> None:
        """Runs the last input again; its output goes into the file `path`, unless that is empty."""
        if not self._last.strip():
            self.say("There is nothing to run again.")
            return
        before = self._file
        try:
            if path:
                self._empty(path)
            self._statements(self._last, self._terminal.ask if self.preferences.confirm else None)
        finally:
            self._file = before

    def copy(self, sql: str, path: str) -> None:
        """Writes the rows of a query into a file, whose suffix is its format. Raises OutputNotWrittenError."""
        result = self.session.sql(sql, self._args) if self._args else self.session.sql(sql)
        self.say(f"{counted(write_rows(result, path), 'rows')} into {path}")

    def write_to(self, path: str) -> None:
        """Redirects the output of statements to a file; "": to the screen. Raises OutputNotWrittenError."""
        if path:
            self._empty(path)
        self._file = path
        self.say(f"Rows go into {path}." if path else "Rows go to the screen.")

    def _empty(self, path: str) -> None:
        with output(path, "w"):
            self._file = path

    def _watch(self) -> None:
        """Switches the progress line of the session on or off, as preferred; only in a terminal."""
        is_shown = self.preferences.progress and self.out.isatty()
        self._progress = ProgressLine(self.out) if is_shown else None
        self.session.on_progress = self._progress

    def _command(self, command: Effect) -> bool:
        if command.sql:
            self._statement(command.sql)
        return command.act(self)

    def _statements(self, text: str, ask: Callable[[str], bool] | None = None, file: str = "") -> None:
        """Runs the statements of a text. Raises the first error, after printing its line in the `file`."""
        statements = list(split(text))
        self._left = len(statements)
        for statement in statements:
            self._left -= 1
            try:
                confirmed = self._statement(statement.text, ask)
            except DeltaSqlError as error:
                if file:
                    self.say(f"{file}:{statement.line_in(text, error)}:")
                raise
            if not confirmed:
                self.say(NOT_CONFIRMED)
                self._say_left()
                return

    def _statement(self, sql: str, ask: Callable[[str], bool] | None = None) -> bool:
        """Runs a statement and shows its result; False if the user did not confirm it."""
        node = _node(sql)
        if ask is not None and node is not None:
            prompt = question(node, self.session)
            if prompt is not None and not ask(prompt):
                return False
        changed = _changed_table(node)
        before = self._schema(changed)
        began = time.perf_counter()
        with catch_warnings():
            # They are printed with the result.
            simplefilter("ignore", StatementWarning)
            result = self.session.sql(sql, self._args) if self._args else self.session.sql(sql)
        # The limit on printed rows does not apply to a file.
        grid = result.grid(self.preferences.rows if result.is_query and not self._file else None)
        seconds = time.perf_counter() - began
        self._show(grid)
        if result.version is not None:
            self._say_changes(before, self._schema(changed))
        for text in result.warnings:
            self.say(f"Warning: {text}")
        for text in result.notes:
            self.say(text)
        self.say(self._outcome(result, grid, seconds))
        return True

    def _say_changes(self, before: StructType | None, after: StructType | None) -> None:
        """Prints the changes of a table's columns by a statement."""
        if before is not None and after is not None and before != after:
            self.say("\n".join(schema_changes(before, after)))

    def _schema(self, table: TableName | None) -> StructType | None:
        with suppress(DeltaSqlError):
            return None if table is None else self.session.log(table).snapshot().schema
        return None

    def _show(self, grid: Grid, style: str | None = None) -> None:
        style = style or self.style
        with self._paged(wide=style == "table") as out:
            render(grid, style, out)

    @contextmanager
    def _paged(self, *, wide: bool) -> Iterator[TextIO]:
        """Context: the stream for possibly long output. A `wide` text may have lines longer than the window."""
        if self._file:
            with output(self._file) as stream:
                yield stream
            return
        command = pager_command() if self.preferences.pager and self.out.isatty() else []
        if not command:
            yield self.out
            return
        page = Page(wide=wide)
        yield page
        if needs_pager(page):
            show(page.getvalue(), command)
        else:
            self.out.write(page.getvalue())

    def _outcome(self, result: Result, grid: Grid, seconds: float) -> str:
        """The line after a statement: `2 rows, 0.31 s`, `version 7, 0.02 s` …"""
        shown = len(grid.rows)
        parts = [f"{shown} row{'' if shown == 1 else 's'}"] if result.columns else []
        if grid.more:
            parts = [f"the first {shown} rows, there are more (all of them: \\pset rows all)"]
        if self._file and parts:
            parts = [f"{parts[0]} into {self._file}"]
        if result.version is not None:
            parts.append(f"version {result.version}")
        if self.preferences.timing:
            parts.append(f"{seconds:.2f} s")
        return ", ".join(parts) or "done"

    def _say_left(self) -> None:
        """Prints how many statements of an input did not run because one before them failed."""
        if self._left:
            self.say(f"Not run: the {self._left} statements after it." if self._left > 1 else NOT_RUN)

    def _say_stack(self, error: DeltaSqlError) -> None:
        if self.stack and isinstance(error, errors.SparkError) and error.stack:
            self.say(without_secrets(error.stack))

    def _say_defect(self, error: Exception) -> None:
        lines = traceback.format_exception(error) if self.stack else traceback.format_exception_only(error)
        self.say("".join(lines).rstrip())
        if not self.stack:
            self.say("This is not an error that deltasql expects. Start with --stack to see where it comes from.")


def _node(sql: str) -> LogicalPlan | None:
    """The parsed statement; None for a syntax error, which running it raises."""
    with suppress(DeltaSqlError):
        return parse(sql)
    return None


def _changed_table(node: LogicalPlan | None) -> TableName | None:
    """The table whose columns the statement may change."""
    if isinstance(node, _CHANGES_COLUMNS):
        return node.table
    return node.table if isinstance(node, (Insert, Merge)) and node.schema_evolution else None


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
