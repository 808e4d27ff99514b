"""What happens between two prompts: a command of the shell or SQL is run, and nothing ends the session but the user."""

from __future__ import annotations

import sys
import time
import traceback
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.engine import SparkError
from deltasql.errors.secrets import without_secrets
from deltasql.interrupts import telling
from deltasql.parser import split
from deltasql.render.formats import render
from deltasql.repl.commands import Effect, command_of

if TYPE_CHECKING:
    from deltasql.render.grid import Grid
    from deltasql.result import Result
    from deltasql.session import Session

SHOWN_ROWS = 1000
"""More rows than this are not printed: a forgotten LIMIT must not flood the terminal or the driver."""

NOT_RUN = "Not run: the statement after it."


class Reader(Protocol):
    """Where input comes from; a PromptSession is one."""

    def prompt(self) -> Any:
        """The next input. Raises EOFError at the end, KeyboardInterrupt when the user gave it up."""


class Shell:
    """One interactive session. `style` and `timing` are what the commands of these names change."""

    def __init__(
        self,
        session: Session,
        style: str = "auto",
        timing: bool = True,
        stack: bool = False,
        out: TextIO | None = None,
    ) -> None:
        self.session = session
        self.style = style
        self.timing = timing
        self.stack = stack
        self._out = out
        self._left = 0

    @property
    def out(self) -> TextIO:
        # Looked up each time: prompt_toolkit and tests swap sys.stdout.
        return self._out or sys.stdout

    def loop(self, reader: Reader) -> int:
        """Reads and runs until the user leaves; 0."""
        self.say("deltasql: end a statement with ; — \\? helps, \\q or Ctrl-D leaves.")
        while True:
            try:
                text = reader.prompt()
            except KeyboardInterrupt:
                continue
            except EOFError:
                return 0
            if not self.run(text):
                return 0

    def run(self, text: str) -> bool:
        """Runs one input: a command, or any number of statements. False when the user wants to leave."""
        self._left = 0
        try:
            with telling(self.say):
                command = command_of(text)
                return self._statements(text) if command is None else self._command(command)
        except KeyboardInterrupt as interrupt:
            self.say(str(interrupt) or "Cancelled.")
        except DeltaSqlError as error:
            self.say(str(error))
            self._say_stack(error)
        except Exception as error:
            # A defect of ours or of Spark must not cost the user the session.
            self._say_defect(error)
        self._say_left()
        return True

    def say(self, text: str) -> None:
        self.out.write(text + "\n")
        self.out.flush()

    def _command(self, command: Effect) -> bool:
        if command.sql:
            self._statement(command.sql)
        return command.act(self)

    def _statements(self, text: str) -> bool:
        statements = list(split(text))
        self._left = len(statements)
        for statement in statements:
            self._left -= 1
            self._statement(statement.text)
        return True

    def _statement(self, sql: str) -> None:
        began = time.perf_counter()
        result = self.session.sql(sql)
        grid = result.grid(SHOWN_ROWS if result.is_query else None)
        render(grid, self.style, self.out)
        self.say(self._outcome(result, grid, time.perf_counter() - began))

    def _outcome(self, result: Result, grid: Grid, seconds: float) -> str:
        """`2 rows, 0.31 s`, `version 7, 0.02 s` …"""
        shown = len(grid.rows)
        parts = [f"{shown} row{'' if shown == 1 else 's'}"] if result.columns else []
        if grid.more:
            parts = [f"the first {shown} rows, there are more"]
        if result.version is not None:
            parts.append(f"version {result.version}")
        if self.timing:
            parts.append(f"{seconds:.2f} s")
        return ", ".join(parts) or "done"

    def _say_left(self) -> None:
        """Tells what of an input did not run because a statement before it ended otherwise than well."""
        if self._left:
            self.say(f"Not run: the {self._left} statements after it." if self._left > 1 else NOT_RUN)

    def _say_stack(self, error: DeltaSqlError) -> None:
        if self.stack and isinstance(error, SparkError) and error.stack:
            self.say(without_secrets(error.stack))

    def _say_defect(self, error: Exception) -> None:
        lines = traceback.format_exception(error) if self.stack else traceback.format_exception_only(error)
        self.say("".join(lines).rstrip())
        if not self.stack:
            self.say("This is not an error that deltasql expects. Start with --stack to see where it comes from.")
