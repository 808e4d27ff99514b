"""The session that runs a script, as the script needs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from deltasql.base.lazy import pa
from deltasql.files.result import Result
from deltasql.schema.types import StructType
from deltasql.sql.parameter_nodes import BoundStatement


@dataclass(frozen=True, slots=True)
class ExecutedStatement:
    """A statement that has run; `is_query` is True if its rows are a result of the script."""

    result: Result
    is_query: bool


@dataclass(frozen=True, slots=True)
class ResultRows:
    """Rows of a query that has run, in columns."""

    schema: StructType
    table: pa.Table

    def row(self, index: int) -> ResultRows:
        """One row."""
        return ResultRows(self.schema, self.table.slice(index, 1))

    def to_arrow(self) -> pa.Table:
        return self.table


class Host(Protocol):
    """The session. Errors of a part of the script have carets in the script."""

    def run(self, part: BoundStatement, named: Callable[[str], str] = str) -> ExecutedStatement:
        """Runs one statement, with commits and retries of its own; the rows of a query are computed already.

        `named` gives the names of its columns.
        """

    def rows(self, part: BoundStatement) -> ResultRows:
        """The rows of a query."""

    def variables_lock(self) -> AbstractContextManager[object]:
        """Held while the script has variables, which another session may see."""

    def command(self, sql: str) -> None:
        """Runs a statement about variables on Spark."""

    def assign(self, variables: Sequence[str], row: ResultRows) -> None:
        """Gives variables the values of a row; a single variable takes several values as its fields."""

    def has_variable(self, name: str) -> bool:
        """Whether the session has a variable of this name."""
