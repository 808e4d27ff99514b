"""The session as the host of a script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from deltasql.engines.door import StatementEngine
from deltasql.errors.base import DeltaSqlError
from deltasql.plan.base import quote
from deltasql.plan.operators import SqlQuery
from deltasql.plan.parameters import BoundStatement
from deltasql.planner.changes import Plan, SparkCommand
from deltasql.result import Result
from deltasql.script.assignment import assignment
from deltasql.script.host import ExecutedStatement, ResultRows


def session_variable(engine: StatementEngine, name: str) -> Any:
    """The value of a session variable; None if it does not exist or no engine was started."""
    with suppress(DeltaSqlError):
        return engine.value(name) if engine.started else None
    return None


class SessionHost:
    """See `Host`.

    `ended` runs a part of the script to its end and says whether it is a query, `runtime` is the engine, and `command`
    runs a plan that is made for the engine.
    """

    def __init__(
        self,
        ended: Callable[[BoundStatement], tuple[Result, bool]],
        runtime: Callable[[], StatementEngine],
        command: Callable[[Callable[[StatementEngine], Plan]], None],
    ) -> None:
        self._ended, self._runtime, self._command = ended, runtime, command

    def run(self, part: BoundStatement, named: Callable[[str], str] = str) -> ExecutedStatement:
        """See Host."""
        result, is_query = self._ended(part)
        return ExecutedStatement(result.materialized(named) if result.is_query else result, is_query)

    def rows(self, part: BoundStatement) -> ResultRows:
        """See Host."""
        result, _ = self._ended(part)
        return ResultRows(result.schema, result.to_arrow())

    def command(self, sql: str) -> None:
        """See Host."""
        self._command(lambda _: SparkCommand(sql, {}))

    def assign(self, variables: Sequence[str], row: ResultRows) -> None:
        """See Host."""
        self._command(lambda engine: assignment(variables, row, engine.frame_of))

    def has_variable(self, name: str) -> bool:
        """See Host."""
        try:
            self._runtime().schema(SqlQuery(f"SELECT session.{quote(name)}", {}, "query"))
        except DeltaSqlError:
            return False
        return True
