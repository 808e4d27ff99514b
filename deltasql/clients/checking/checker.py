"""Checks the statements of a script, one after the other, each on the names that those before it have left.

A finding of a check: an error with its place in the checked text.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.catalog import CatalogNotFoundError, SchemaNotFoundError, TableNotFoundError
from deltasql.base.errors.log import NotADeltaTableError
from deltasql.base.errors.sources import EmptySourceError, NoFilesError, UnknownColumnsError
from deltasql.base.errors.statements.copy_into import SourceNotFoundError
from deltasql.base.errors.statements.inspect import PartitionNotFoundError
from deltasql.base.errors.statements.restore import (
    RestoreTimestampEarlierError,
    RestoreTimestampGreaterError,
    RestoreVersionError,
)
from deltasql.base.errors.statements.table import ExternalTableWithoutSchemaError
from deltasql.base.errors.statements.volume import VolumeFileNotFoundError
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.base.errors.versions import (
    ChangesStartAfterLatestError,
    InvalidChangeRangeError,
    MissingChangeDataError,
    NoCommitsFoundError,
    TimestampTooEarlyError,
    TimestampTooLateError,
    VersionNotFoundError,
)
from deltasql.clients.checking.columns import check_columns
from deltasql.clients.checking.known import KnownNames
from deltasql.clients.checking.planning import EngineNeededError, PlanningSession
from deltasql.plan.base import LogicalPlan, TableName
from deltasql.session.execution.pending import Placing
from deltasql.session.script.parsing import parse_script
from deltasql.session.session import Session
from deltasql.sql.parameter_nodes import BoundStatement
from deltasql.sql.parser import is_script, parse, split
from deltasql.sql.statement_words import second_query
from deltasql.statements.nodes.clone import CloneTable
from deltasql.statements.nodes.function import CreateFunction
from deltasql.statements.nodes.refresh import CreateRefreshed
from deltasql.statements.nodes.table import CreateTable, CreateTableLike
from deltasql.statements.nodes.view import CreateView

_OF_ROWS = (
    ChangesStartAfterLatestError,
    InvalidChangeRangeError,
    MissingChangeDataError,
    PartitionNotFoundError,
    SourceNotFoundError,
    NoFilesError,
    EmptySourceError,
    UnknownColumnsError,
    ExternalTableWithoutSchemaError,
    NotADeltaTableError,
    VolumeFileNotFoundError,
    NoCommitsFoundError,
    TimestampTooEarlyError,
    TimestampTooLateError,
    VersionNotFoundError,
    RestoreVersionError,
    RestoreTimestampEarlierError,
    RestoreTimestampGreaterError,
)
"""Errors about versions, which the tables of a scratch warehouse lack."""

_OF_NAMES = (TableNotFoundError, SchemaNotFoundError, CatalogNotFoundError)


class Checker:
    """Checks scripts: nothing is run, and no JVM starts unless an `engine` is chosen, which then analyses queries.

    Tables are those of `warehouse`, and those that the checked statements create. A missing one is no error where not
    all are known: `complete` is False.
    """

    def __init__(self, warehouse: Session | None = None, *, engine: str | None = None, complete: bool = True) -> None:
        self._end = ExitStack()
        folder = self._end.enter_context(tempfile.TemporaryDirectory(prefix="deltasql-check-"))
        self.session = PlanningSession(folder, engine)
        self._end.callback(self.session.close)
        self._known = KnownNames(self.session, warehouse)
        self._complete = complete

    def check(self, script: str) -> Iterator[Finding]:
        """The errors of the statements of a script, at most one for each, in order."""
        for statement in split(script):
            try:
                self._statement(statement.text)
            except DeltaSqlError as error:
                yield finding(error, script, statement.start, statement.text)

    def close(self) -> None:
        """Removes the scratch warehouse."""
        self._end.close()

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _statement(self, sql: str) -> None:
        """Raises the first error of a statement."""
        if is_script(sql):
            parse_script(sql)
            return
        self._known.declare(sql)
        try:
            bound = self.session.bound(sql)
        except EngineNeededError:
            return
        self._known.bring(bound.sql)
        if bound.sql == sql and (second := second_query(sql)) is not None:
            reason = "A second query begins here: end the first one with ;, or join them by UNION ALL."
            raise ParseSyntaxError(reason, second.text).at(Caret(sql, second.start, second.end))
        is_known = not self._known.mentions_incomplete(bound.sql)
        node = self._node(bound, sql, is_known=is_known)
        if node is not None and self._plans(node, sql, is_known=is_known) and is_known and bound.sql == sql:
            check_columns(node, sql, self.session)

    @staticmethod
    def _node(bound: BoundStatement, sql: str, *, is_known: bool) -> LogicalPlan | None:
        """The statement; None where a variable may be what is wrong with it. Raises its errors of syntax."""
        try:
            with Placing(bound, sql)():
                return parse(bound.sql)
        except DeltaSqlError:
            if is_known:
                raise
            return None

    def _plans(self, node: LogicalPlan, sql: str, *, is_known: bool) -> bool:
        """Whether the columns of a statement's query can be looked at as well. Raises the errors of its plan."""
        try:
            self.session.check(sql)
        except EngineNeededError:
            self._leave_open(node)
        except _OF_ROWS:
            self._leave_open(node)
            return False
        except DeltaSqlError as error:
            may_be_elsewhere = isinstance(error, _OF_NAMES) and not self._complete
            if is_known and not may_be_elsewhere:
                raise
            self._leave_open(node)
        if self._is_missing(node):
            self._leave_open(node)
        return True

    def _is_missing(self, node: LogicalPlan) -> bool:
        """Whether a statement makes a table that the scratch warehouse lacks, as files of other formats are no rows."""
        match node:
            case CreateTable(table=name) | CreateTableLike(table=name) | CloneTable(table=name):
                return name.path is None and self.session.catalog.find(name.parts) is None
            case _:
                return False

    def _leave_open(self, node: LogicalPlan) -> None:
        """Notes the table or view of a statement that only an engine can plan: its columns are not known."""
        match node:
            case (
                CreateTable(table=name)
                | CreateTableLike(table=name)
                | CloneTable(table=name)
                | CreateView(view=name)
                | CreateRefreshed(create=CreateTable(table=name))
            ):
                self._known.leave_incomplete(self._full(name))
            case CreateFunction(function=name):
                self._known.leave_unknown(self._full(name))
            case _:
                pass

    def _full(self, name: TableName) -> tuple[str, str, str]:
        return self.session.catalog.full_name(name.parts)


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
