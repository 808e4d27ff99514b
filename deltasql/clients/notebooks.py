"""Notebooks run from files: the cells of SQL by a session, those of Python in one namespace, as a cluster would.

The namespace has `spark` (a Spark session of deltasql), `dbutils`, `display`, `displayHTML`, `sql`, `getArgument`, and
`_sqldf`, the rows of the last query of a SQL cell. `%run` includes another notebook, with its names. Cells of a shell,
of files and of packages run only where the user allows it. Cells of Scala and R are refused.
"""

from __future__ import annotations

import ast
import shlex
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deltasql.base import DeltaSqlError, errors, session_settings
from deltasql.clients.command.files import (
    arguments_of,
    found_notebook,
    included_notebook,
    read_script,
    shown_name,
)
from deltasql.clients.dbutils import DbUtils, NotebookExit
from deltasql.clients.spark.install import home_of, installed, uninstall
from deltasql.files import Result
from deltasql.schema import quote_name as quote
from deltasql.session import Session, rows_to_write
from deltasql.sql import Cell, Statement, cells_of, is_notebook, split

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_DEEPEST = 20
_NEED_SPARK = frozenset({"spark", "sc", "sqlContext", "sql", "_sqldf", "table", "DeltaTable", "SparkSession"})
_SHOWN_ROWS = 1000
_SHELLS = {"sh": "%sh", "fs": "%fs", "pip": "%pip"}


@dataclass(frozen=True, slots=True)
class NotebookPosition:
    """A notebook's file, its text, and the offset in it at which a cell or a statement begins."""

    path: str
    script: str
    offset: int

    def text(self, error: DeltaSqlError | None = None) -> str:
        """`file:line:` of an error that begins at the place; of a file of Jupyter, the cell and its line."""
        line = error.caret.line if error is not None and error.caret is not None else 1
        if not self.path.endswith(".ipynb"):
            return f"{shown_name(self.path)}:{self.script.count(chr(10), 0, self.offset) + line}:"
        cells = cells_of(self.script)
        cell = next((item for item in reversed(cells) if item.start <= self.offset), cells[0])
        # A word such as %sql is a line of the cell, though not of its text.
        within = self.script.count("\n", cell.start, self.offset) + line
        return f"{self.path}, cell {cell.number}, line {within}:"


class Output(NamedTuple):
    """The effects of cells for a user.

    `run_statement` runs a statement of a session, and shows its rows; its result is None where it failed, and the rest
    shall run nevertheless. `failed` reports the error of a cell; it raises the error, unless the rest shall run. `say`
    prints a text, `show` the rows of a result.
    """

    run_statement: Callable[[Statement, NotebookPosition, Session], Result | None]
    failed: Callable[[DeltaSqlError, NotebookPosition], None]
    say: Callable[[str], None]
    show: Callable[[Result], None]


class NotebookRun:
    """One run of a notebook and of those that it includes. `allow_shell` runs cells of shells and packages."""

    def __init__(self, session: Session, output: Output, *, allow_shell: bool = False, depth: int = 0) -> None:
        self._session, self._output = session, output
        self._allow_shell, self._depth = allow_shell, depth
        self._names: dict[str, Any] = {}
        self._spark: SparkSession | None = None
        self._last: Result | None = None
        self._folder = Path()

    def run(self, path: str, script: str) -> str | None:
        """Runs all cells. The value of `dbutils.notebook.exit`, None without it. Raises errors of cells."""
        self._enter(path)
        try:
            self._cells(path, script)
        except NotebookExit as end:
            return end.value
        return None

    def run_cell(self, path: str, script: str, cell: Cell, last: Result | None) -> None:
        """Runs one cell that is not SQL; `last` is the last query before it. Raises the errors of the cell."""
        self._enter(path)
        self._last = last
        try:
            self._other(cell, NotebookPosition(path, script, cell.start))
        except NotebookExit as end:
            self._output.say(f"Exit: {end.value}")

    def close(self) -> None:
        """Takes back what `spark` has changed in this process."""
        if self._spark is not None:
            uninstall(self._spark, close=False)
            self._spark = None

    def _enter(self, path: str) -> None:
        self._folder = Path(path).resolve().parent if path not in {"", "-"} else Path.cwd()
        if "dbutils" not in self._names:
            utils = DbUtils(self._session, self._run_other, path)
            self._names.update(
                __name__="__main__",
                __builtins__=__builtins__,
                dbutils=utils,
                display=self._display,
                displayHTML=lambda html: self._output.say(str(html)),
                getArgument=utils.widgets.getArgument,
            )

    def _cells(self, path: str, script: str) -> None:
        if not is_notebook(script):
            for statement in split(script):
                self._statement(statement, NotebookPosition(path, script, statement.start))
            return
        for cell in cells_of(script):
            place = NotebookPosition(path, script, cell.start)
            if cell.language == "sql":
                for statement in split(cell.text):
                    moved = Statement(statement.text, cell.in_file(statement.start))
                    self._statement(moved, NotebookPosition(path, script, moved.start))
                continue
            try:
                self._other(cell, place)
            except DeltaSqlError as error:
                self._output.failed(error, place)

    def _statement(self, statement: Statement, place: NotebookPosition) -> None:
        result = self._output.run_statement(statement, place, self._session)
        if result is not None and result.is_query:
            self._last = result

    def _other(self, cell: Cell, place: NotebookPosition) -> None:
        """Runs a cell that is not SQL. Raises CellRefusedError, CellFailedError, NotebookNotFoundError."""
        match cell.language:
            case "md":
                self._output.say(cell.text.strip())
            case "python":
                self._python(cell, place)
            case "run":
                self._include(cell.argument or cell.text.strip(), place)
            case "sh" | "fs" | "pip" if self._allow_shell:
                self._shell(cell)
            case "sh" | "fs" | "pip":
                advice = "It runs programs of this machine. Allow it by --allow-shell, or leave the cell out."
                raise errors.CellRefusedError(_SHELLS[cell.language], advice)
            case language:
                advice = "There is no interpreter for it. Write the cell in SQL or Python, or leave it out."
                raise errors.CellRefusedError(f"%{language}", advice)

    def _python(self, cell: Cell, place: NotebookPosition) -> None:
        """Runs a cell of Python; the value of an expression at its end is printed. Raises CellFailedError."""
        # Lines are counted as in the file.
        code = "\n" * place.script.count("\n", 0, cell.start) + cell.text
        try:
            tree = ast.parse(code, place.path)
        except SyntaxError as error:
            raise errors.CellFailedError(f"{type(error).__name__}: {error.msg}", _line(error.lineno)) from None
        self._provide({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | _imported(tree))
        try:
            value = self._value(tree, place.path)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == place.path]
            shown = str(error) if isinstance(error, DeltaSqlError) else f"{type(error).__name__}: {error}"
            raise errors.CellFailedError(shown, _line(lines[-1] if lines else None)) from error
        if value is not None:
            self._output.say(repr(value))

    def _value(self, tree: ast.Module, path: str) -> Any:
        """Runs statements of Python; the value of an expression at their end, or None."""
        last = tree.body[-1] if tree.body else None
        end = last if isinstance(last, ast.Expr) else None
        tree.body = tree.body[: len(tree.body) - (end is not None)]
        exec(compile(tree, path, "exec"), self._names)
        return None if end is None else eval(compile(ast.Expression(end.value), path, "eval"), self._names)

    def _provide(self, names: set[str]) -> None:
        """Puts `spark` and what belongs to it into the namespace, where a cell names any of them."""
        if not names & _NEED_SPARK:
            return
        if self._spark is None:
            spark = self._spark = installed(self._session)
            self._names.update(spark=spark, sql=spark.sql, table=spark.table, sqlContext=spark)
            if "sc" in names:
                self._names["sc"] = spark.sparkContext
        if "_sqldf" in names and self._last is not None:
            self._names["_sqldf"] = self._handed(self._last)

    def _handed(self, result: Result) -> Any:
        """The rows of a query as a DataFrame of the namespace's `spark`."""
        assert self._spark is not None
        return home_of(self._spark).handed(result.df)

    def _display(self, rows: Any = None, *_: Any, **options: Any) -> None:
        """`display`: the rows of a DataFrame or a result; any other object as a text."""
        if isinstance(rows, Result):
            self._output.show(rows)
            return
        if hasattr(rows, "sparkSession") and self._spark is not None:
            rows = home_of(self._spark).taken(rows)
        try:
            source = rows_to_write(rows)
        except errors.NotADataFrameError:
            self._output.say(str(rows))
            return
        with self._session.supplied(source) as name:
            self._output.show(self._session.sql(f"SELECT * FROM {quote(name)} LIMIT {_SHOWN_ROWS}"))

    def _include(self, argument: str, place: NotebookPosition) -> None:
        """`%run path $name="value" …`: another notebook, in this session and namespace."""
        path = included_notebook(argument, self._folder, place.path)
        if self._depth >= _DEEPEST:
            raise errors.NestedNotebookError(path, _DEEPEST)
        for name, value in arguments_of(argument).items():
            self._session.settings.set(session_settings.WIDGET_PREFIX + name, value)
        folder = self._folder
        self._folder, self._depth = Path(path).resolve().parent, self._depth + 1
        try:
            self._cells(path, read_script(path))
        finally:
            self._folder, self._depth = folder, self._depth - 1

    def _run_other(self, path: str, arguments: Mapping[str, str]) -> str:
        """`dbutils.notebook.run`: another notebook in a session and a namespace for it alone; its exit value."""
        found = found_notebook(path, self._folder, "dbutils.notebook.run")
        if self._depth >= _DEEPEST:
            raise errors.NestedNotebookError(found, _DEEPEST)
        with self._session.another() as session:
            for name, value in arguments.items():
                session.settings.set(session_settings.WIDGET_PREFIX + name, str(value))
            other = NotebookRun(session, self._output, allow_shell=self._allow_shell, depth=self._depth + 1)
            try:
                return other.run(found, read_script(found)) or ""
            finally:
                other.close()

    def _shell(self, cell: Cell) -> None:
        """A cell of `%sh`, `%fs` or `%pip`, in the notebook's folder. Raises CellFailedError."""
        if cell.language == "fs":
            verb, *words = shlex.split(cell.argument or cell.text)
            found = getattr(self._names["dbutils"].fs, verb, None)
            if found is None:
                raise errors.CellRefusedError(f"%fs {verb}", "Write ls, head, put, mkdirs, cp, mv or rm.")
            value = found(*words)
            self._output.say("\n".join(map(str, value)) if isinstance(value, list) else str(value))
            return
        text = f"{cell.argument}\n{cell.text}"
        command = ["bash", "-c", text] if cell.language == "sh" else _pip(text)
        done = subprocess.run(command, cwd=self._folder, capture_output=True, text=True, check=False)
        self._output.say((done.stdout + done.stderr).rstrip())
        if done.returncode:
            raise errors.CellFailedError(f"exit code {done.returncode}", "")


def _pip(text: str) -> list[str]:
    return [sys.executable, "-m", "pip", *shlex.split(text)]


def _line(number: int | None) -> str:
    return "" if number is None else f" in line {number}"


def _imported(tree: ast.AST) -> set[str]:
    """The modules whose import needs the package `delta`, or another Spark session than a cell would find."""
    modules = (node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {"spark"} if any(module.partition(".")[0] in {"delta", "pyspark"} for module in modules) else set()
