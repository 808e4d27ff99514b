"""A finding of a check: an error with its place in the checked text."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.errors.base import Caret, DeltaSqlError


@dataclass(frozen=True, slots=True)
class Finding:
    """An error of a statement. `start` and `end` are character offsets in the checked text; `line` and `column` of
    both begin at 1. `help` has the cause of such errors and the remedy."""

    condition: str
    sqlstate: str
    message: str
    help: str
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int

    def text(self, path: str) -> str:
        """The finding as a line: `file:line:column: [CONDITION] message`."""
        return f"{path}:{self.line}:{self.column}: [{self.condition}] {self.message}"

    def entry(self, path: str) -> dict[str, object]:
        """The finding as an entry of a report."""
        return {
            "path": path,
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
            "condition": self.condition,
            "sqlstate": self.sqlstate,
            "message": self.message,
        }


def finding(error: DeltaSqlError, script: str, start: int, statement: str) -> Finding:
    """The finding of an error of the `statement` at `start`; without a caret its place is the first word."""
    caret = error.caret
    if caret is None or caret.sql != statement:
        first = len(statement.split(maxsplit=1)[0])
        caret = Caret(statement, 0, first)
    begin, end = start + caret.start, start + max(caret.end, caret.start + 1)
    ends = [_place(script, offset) for offset in (begin, min(end, len(script)))]
    return Finding(error.condition, error.sqlstate, error.message, error.help, begin, end, *ends[0], *ends[1])


def _place(script: str, offset: int) -> tuple[int, int]:
    return script.count("\n", 0, offset) + 1, offset - script.rfind("\n", 0, offset)
