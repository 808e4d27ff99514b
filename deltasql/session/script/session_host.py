"""The session as the host of a script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from deltasql.base.errors.base import DeltaSqlError
from deltasql.files.result import Columnar, Result
from deltasql.plan.base import quote
from deltasql.plan.hidden import hidden
from deltasql.plan.operators import SqlQuery, Supplied
from deltasql.planner.changes import Plan, SparkCommand
from deltasql.planner.door import StatementEngine
from deltasql.schema.types import STRING, VARIANT, StructField, StructType
from deltasql.session.script.host import ExecutedStatement, ResultRows
from deltasql.sql.parameter_nodes import BoundStatement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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

    def variables_lock(self) -> AbstractContextManager[object]:
        """See Host."""
        return self._runtime().variables_lock()

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


def assignment(variables: Sequence[str], row: ResultRows, frame_of: Callable[[Columnar], DataFrame]) -> SparkCommand:
    """The command that gives variables the values of a row; a single one of several values takes them as its fields."""
    names = [f"c{index}" for index in range(len(row.schema))]
    # Variants come as their JSON.
    stored = (STRING if item.type == VARIANT else item.type for item in row.schema)
    schema = StructType(tuple(StructField(name, kind) for name, kind in zip(names, stored, strict=True)))
    frame = frame_of(ResultRows(schema, row.table.rename_columns(names)))
    pairs = zip(names, row.schema, strict=True)
    values = [f"parse_json({name})" if item.type == VARIANT else name for name, item in pairs]
    as_fields = len(variables) == 1 and len(values) > 1
    value = f"struct({', '.join(values)})" if as_fields else ", ".join(values)
    view = hidden(uuid4().hex)
    sql = f"SET VARIABLE ({', '.join(variables)}) = (SELECT {value} FROM {view})"
    return SparkCommand(sql, {view: Supplied(frame)})
