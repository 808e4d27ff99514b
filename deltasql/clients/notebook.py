"""IPython extension: `%load_ext deltasql`, then `%sql` and `%%sql`.

This module has only the magics; results are rendered by `Result._repr_mimebundle_`.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from IPython.core.magic import Magics, line_cell_magic, magics_class, needs_local_scope, no_var_expand
from IPython.display import HTML, display

from deltasql.base import DeltaSqlError, errors, requested_engine, similar_names
from deltasql.files import diff_html
from deltasql.plan import TableName
from deltasql.schema import tree_text
from deltasql.session import Session, connect
from deltasql.sql import bind_parameters, parse, split

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from deltasql.files import Result

USAGE = (
    "%sql [--warehouse DIR] [--engine spark|sail|sc://HOST] [--session NAME] [--rows N] [--out NAME] [NAME <<] [SQL]"
)

_PRELOADED = ("deltasql.log.upkeep.checkpoint_writer", "pandas", "sqlglot")
_NAMES = ("warehouse", "engine", "session", "rows", "out")
_OPTION = re.compile(r"\s*--(?P<name>[a-z][a-z-]*)(?:[=\s]+(?P<value>\"[^\"]*\"|'[^']*'|\S+))?")
_TARGET = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*<<(?P<rest>.*)", re.DOTALL)
_DEFAULT_SESSION = "session"
"""The notebook variable whose session is used if no option selects one."""


@dataclass(frozen=True, slots=True)
class Call:
    """Parsed arguments of `%sql`: options by name, the variable for the result or "", and SQL."""

    options: Mapping[str, str]
    out: str
    sql: str


def read_call(line: str, cell: str = "") -> Call:
    """Parses a magic's line (options, then `name <<`, then SQL) and cell (more SQL). Raises MagicError."""
    options: dict[str, str] = {}
    while match := _OPTION.match(line):
        name, value = match["name"], match["value"]
        if name not in _NAMES:
            close = similar_names(name, _NAMES)
            raise errors.MagicError(
                f"There is no option --{name}" + (f"; did you mean --{close[0]}?" if close else "."), USAGE
            )
        if value is None:
            raise errors.MagicError(f"The option --{name} needs a value.", USAGE)
        options[name] = value[1:-1] if value[0] in "\"'" else value
        line = line[match.end() :]
    out = options.get("out", "")
    if target := _TARGET.fullmatch(line):
        out, line = target["name"], target["rest"]
    return Call(options, out, f"{line}\n{cell}".strip())


class NotebookVariables(Mapping[str, Any]):
    """The values of a notebook's variables, as parameters. NumPy scalars are converted to Python's types."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names

    def __getitem__(self, name: str) -> Any:
        value = self._names[name]
        return value.item() if type(value).__module__ == "numpy" and not getattr(value, "shape", None) else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@magics_class
class SqlMagics(Magics):
    """%sql and %%sql. Sessions stay open: a warehouse still has its temporary views when it is selected again."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self._sessions: dict[tuple[str, str | None], Session] = {}
        self._current: Session | None = None
        self._selected: tuple[str, str | None] = ("warehouse", None)
        self._names = shell.user_ns

    @no_var_expand
    @needs_local_scope
    @line_cell_magic
    def sql(self, line: str, cell: str = "", local_ns: dict[str, Any] | None = None) -> Result | Session | None:
        """Runs SQL: %sql [--warehouse DIR] [--engine spark|sail|sc://HOST] [--session NAME] [--rows N] [NAME <<] [SQL]

        `:name` in the SQL stands for the value of the Python variable. Of several statements, which end with `;`, each
        is shown; the last is the value. `NAME <<` or `--out NAME` gives it to a variable instead. Without SQL, the
        options hold for the cells that follow.
        """
        call = read_call(line, cell)
        names = ChainMap(local_ns or {}, self._names)
        session = self._session(call.options, names)
        if not call.sql:
            return session
        most = _number(call.options.get("rows"))
        result: Result | None = None
        for statement in split(call.sql):
            if result is not None:
                display(result)  # type: ignore[no-untyped-call]
            result = _run(session, statement.text, NotebookVariables(names))
            if most is not None:
                result.most_shown = most
            if not call.out:
                # Errors of the rows are raised in this cell.
                result._repr_mimebundle_()
        if not call.out:
            return result
        self._names[call.out] = result
        return None

    def close(self) -> None:
        """Closes the sessions that this magic has opened."""
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()
        self._current = None

    def _session(self, options: Mapping[str, str], names: Mapping[str, Any]) -> Session:
        """The session that the options name, the one of the last cell, or a new one. Raises MagicError."""
        if "session" in options:
            session = names.get(options["session"])
            if not isinstance(session, Session):
                raise errors.MagicError(f"There is no session in a variable {options['session']}.", USAGE)
            self._current = session
        elif "warehouse" in options or "engine" in options:
            self._current = self._opened(
                options.get("warehouse", self._selected[0]), options.get("engine", self._selected[1])
            )
        elif self._current is None:
            default = names.get(_DEFAULT_SESSION)
            self._current = default if isinstance(default, Session) else self._opened(*self._selected)
        return self._current

    def _opened(self, warehouse: str, engine: str | None) -> Session:
        key = warehouse, engine
        if key not in self._sessions:
            spark, name = requested_engine(engine)
            self._sessions[key] = connect(warehouse, spark, engine=name)
        self._selected = key
        return self._sessions[key]


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal():
        raise errors.MagicError(f"The option --rows needs a number, not {text}.", USAGE)
    return int(text)


def _run(session: Session, sql: str, values: NotebookVariables) -> Result:
    """Runs a statement, displays how it changed its table's schema, and returns its result."""
    try:
        result = session.sql(sql, values)
    except errors.UnboundParameterError as error:
        error.note = " Or assign a value to the Python variable of this name."
        raise
    if result.version:
        with suppress(DeltaSqlError):
            change = _schema_change(session, bind_parameters(sql, values).sql, result.version)
            if change:
                display(HTML(change))  # type: ignore[no-untyped-call]
    return result


def _schema_change(session: Session, sql: str, version: int) -> str:
    """The schema before and after a version that a statement made, as HTML; "" where they are the same."""
    node = parse(sql)
    # The first table of a statement is the one that it changes.
    values: list[object] = [getattr(node, item.name) for item in fields(node)] if is_dataclass(node) else []
    table = next((value for value in values if isinstance(value, TableName)), None)
    if table is None:
        return ""
    log = session.log(table)
    before, after = log.schema(version - 1), log.schema(version)
    if before == after:
        return ""
    title = f"schema of {table}, version {version}"
    return diff_html(title, *(tree_text(schema).splitlines() for schema in (before, after)))


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Registers the magics; called by `%load_ext deltasql`.

    Imports modules that later cells need, so that these do not wait: every tenth commit writes a checkpoint with Arrow,
    sqlglot parses conditions, and Arrow consults pandas about each Python value.
    """
    for module in _PRELOADED:
        import_module(module)
    shell.register_magics(SqlMagics)
    if as_cell not in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.append(as_cell)


def as_cell(lines: list[str]) -> list[str]:
    """A cell whose first line is `%sql` alone, as in notebooks of Databricks, as one of the magic `%%sql`."""
    is_databricks = len(lines) > 1 and lines[0].strip() == "%sql"
    return [f"%{lines[0].strip()}\n", *lines[1:]] if is_databricks else lines


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Closes the sessions and removes the magics; called by `%unload_ext deltasql`."""
    magics = shell.magics_manager.registry.get(SqlMagics.__name__)
    if isinstance(magics, SqlMagics):
        magics.close()
    if as_cell in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.remove(as_cell)
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("sql", None)
