"""One statement run, and what happened as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from deltasql.errors.base import DeltaSqlError
from deltasql.golden.compare import TITLE
from deltasql.golden.normal import Normalizer, masked
from deltasql.golden.script import GoldenStatement
from deltasql.golden.watch import LogWatch
from deltasql.render.values import value_text
from deltasql.schema.text import type_text
from deltasql.schema.types import STRING, DataType, StructType

if TYPE_CHECKING:
    from deltasql.result import Result, Row
    from deltasql.session import Session

_QUOTED = re.compile(r"""--[^\n]*|/\*.*?\*/|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`""", re.DOTALL)
_INNERMOST = re.compile(r"\([^()]*\)")
_ORDER_BY = re.compile(r"\b(order|sort)\s+by\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Block:
    """The text of one statement's outcome. `defect` says what no golden file may accept, or is ""."""

    text: str
    defect: str = ""


class Recorder:
    """Runs statements in one warehouse and writes their blocks.

    `level` is what `${LEVEL}` stands for. Then it is told in every title.
    """

    def __init__(self, warehouse: Path, level: str = "") -> None:
        self._warehouse = warehouse
        self._level = level
        self._watch = LogWatch(warehouse)
        self._normal = Normalizer(str(warehouse))

    def record(self, statement: GoldenStatement, session: Session, *, must_succeed: bool = False) -> Block:
        """Runs one statement. Never raises for what the statement does; a defect of the program is in the block.

        With `must_succeed` the block of a statement that fails is a defect, too.
        """
        lines = [self.title(TITLE, statement.options.name), statement.text.rstrip()]
        defect = ""
        try:
            lines += self.outcome(statement, session.sql(self.sql_of(statement)))
        except DeltaSqlError as error:
            defect = described(error) if must_succeed else ""
            lines += self._error(error, statement)
        except Exception as error:
            defect = described(error)
            lines += self.defect(error)
        lines += self._log(statement.options.log)
        return block(lines, defect)

    def title(self, kind: str, name: str) -> str:
        """The first line of a block."""
        return f"{kind}{': ' + name if name else ''}{f' ({self._level})' if self._level else ''}"

    def sql_of(self, statement: GoldenStatement) -> str:
        """What is run: the text with the values of `${WAREHOUSE}` and `${LEVEL}`."""
        text = statement.text.replace("${LEVEL}", self._level) if self._level else statement.text
        return text.replace("${WAREHOUSE}", str(self._warehouse))

    def defect(self, error: Exception) -> list[str]:
        """The lines for an error that is none of ours."""
        return [f"-- defect {type(error).__name__}", *self._normal.text(str(error)).splitlines()]

    def outcome(self, statement: GoldenStatement, result: Result) -> Iterator[str]:
        """Schema and rows, one line each."""
        columns = ", ".join(f"{field.name}:{type_text(field.type)}" for field in result.schema)
        rows = self._rows(result)
        if result.is_query and statement.options.sort and not is_ordered(statement.text):
            rows.sort()
        yield f"-- schema: {columns or '(none)'}"
        yield from rows

    def _rows(self, result: Result) -> list[str]:
        if not result.columns:
            return []
        return [self._row(row, result) for row in result.collect()]

    def _row(self, row: Row, result: Result) -> str:
        zone = result.time_zone or "UTC"
        if result.is_query:
            cells = [value_text(value, item.type, zone) for value, item in zip(row, result.schema, strict=True)]
        else:
            cells = [
                _command_cell(value, item.name, item.type, zone) for value, item in zip(row, result.schema, strict=True)
            ]
        return self._normal.text(" | ".join(cells)).replace("\\", "\\\\").replace("\n", "\\n")

    def _error(self, error: DeltaSqlError, statement: GoldenStatement) -> Iterator[str]:
        yield f"-- error {error.condition} {error.sqlstate}"
        yield from self._normal.text(error.message).splitlines()
        # A place after `${…}` stands under other text here than where it was drawn.
        if error.caret is not None and "${" not in statement.text:
            yield from error.caret.draw().splitlines()

    def _log(self, shown: bool) -> Iterator[str]:
        for table in self._watch.look():
            if table.schema_change:
                yield f"-- schema change of {table.table}"
                yield from map(self._normal.text, table.schema_change)
            for version, lines in table.commits if shown else ():
                yield f"-- log of {table.table}, version {version}"
                yield from map(self._normal.text, lines)


def block(lines: list[str], defect: str = "") -> Block:
    """A block of these lines."""
    return Block("\n".join(line.rstrip() for line in lines) + "\n", defect)


def described(error: Exception) -> str:
    """An error of the program in one line."""
    return f"{type(error).__name__}: {error}"


def is_ordered(sql: str) -> bool:
    """Whether the query has an ORDER BY of its own, not only one inside parentheses."""
    text = _QUOTED.sub(" ", sql)
    while _INNERMOST.search(text):
        text = _INNERMOST.sub(" ", text)
    return _ORDER_BY.search(text) is not None


def _command_cell(value: object, name: str, kind: DataType, zone: str) -> str:
    return _text_of(masked(value, kind, name), kind, zone)


def _text_of(value: object, kind: DataType, zone: str) -> str:
    """As `value_text`, for a value of which parts may be placeholders."""
    if isinstance(value, str):
        return value
    if isinstance(kind, StructType) and isinstance(value, list):
        parts = (_text_of(item, part.type, zone) for item, part in zip(value, kind, strict=True))
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, dict):
        inner = getattr(kind, "value", STRING)
        return "{" + ", ".join(f"{key} -> {_text_of(value[key], inner, zone)}" for key in sorted(value)) + "}"
    return value_text(value, kind, zone)
