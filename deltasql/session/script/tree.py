"""The syntax tree of a script, and the interface of the session that runs it.

Statements of SQL and expressions stay text; names of variables keep their offsets. `Host` is the session as a script
needs it, and `SessionHost` implements it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union
from uuid import uuid4

from deltasql.base import DeltaSqlError, pa
from deltasql.catalog import Catalog
from deltasql.files import Columnar, Result
from deltasql.plan import ColumnPath, SqlQuery, SqlText, Supplied, hidden
from deltasql.planner import Plan, SparkCommand, StatementEngine
from deltasql.schema import STRING, VARIANT, StructField, StructType
from deltasql.schema import quote_name as quote
from deltasql.sql import BoundStatement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class Sql:
    """A statement of SQL, as text"""

    text: SqlText


@dataclass(frozen=True, slots=True)
class SetVariables:
    """SET a = e, … or SET (a, b) = (query); `text` is the text behind SET, `defaults` are values DEFAULT

    Each default is (start, end, its target).
    """

    text: SqlText
    targets: tuple[ColumnPath, ...]
    defaults: tuple[tuple[int, int, ColumnPath], ...]


@dataclass(frozen=True, slots=True)
class DeclareVariables:
    """DECLARE a, … type [DEFAULT e]; `rest` is the text behind the names, `default` the expression"""

    names: tuple[str, ...]
    rest: SqlText
    default: SqlText | None
    start: int


@dataclass(frozen=True, slots=True)
class DeclareCondition:
    """DECLARE name CONDITION [FOR SQLSTATE state]"""

    name: str
    sqlstate: str
    start: int


@dataclass(frozen=True, slots=True)
class DeclareCursor:
    """DECLARE name CURSOR FOR query"""

    name: str
    query: SqlText
    start: int


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger of a handler: `kind` is CONDITION, SQLSTATE, SQLEXCEPTION or NOT FOUND; `name` in capitals"""

    kind: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Handler:
    """DECLARE {EXIT | CONTINUE} HANDLER FOR trigger, … body"""

    leaves: bool
    triggers: tuple[Trigger, ...]
    body: Statement
    start: int


Declaration: TypeAlias = Union[DeclareVariables, DeclareCondition, DeclareCursor, Handler]


@dataclass(frozen=True, slots=True)
class ScriptBlock:
    """[label:] BEGIN [NOT ATOMIC] declarations statements END [label]"""

    label: str | None
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ScriptBranch:
    """condition THEN statements"""

    condition: SqlText
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ScriptChoice:
    """IF … THEN … ELSEIF … ELSE … END IF, and CASE [subject] WHEN … END CASE"""

    subject: SqlText | None
    branches: tuple[ScriptBranch, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """[label:] {WHILE condition DO … END WHILE | REPEAT … UNTIL condition END REPEAT | LOOP … END LOOP}"""

    label: str | None
    before: SqlText | None
    body: tuple[Statement, ...]
    until: SqlText | None


@dataclass(frozen=True, slots=True)
class For:
    """[label:] FOR [variable AS] query DO … END FOR"""

    label: str | None
    variable: str | None
    query: SqlText
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Jump:
    """LEAVE label, ITERATE label"""

    label: str
    again: bool


@dataclass(frozen=True, slots=True)
class Signal:
    """SIGNAL {condition | SQLSTATE state} [SET {MESSAGE_TEXT | MESSAGE_ARGUMENTS} = e]"""

    condition: str | None
    sqlstate: str | None
    message: SqlText | None
    arguments: SqlText | None
    start: int


@dataclass(frozen=True, slots=True)
class Resignal:
    """RESIGNAL"""

    start: int


@dataclass(frozen=True, slots=True)
class GetDiagnostics:
    """GET DIAGNOSTICS CONDITION 1 variable = item, …"""

    items: tuple[tuple[ColumnPath, str], ...]
    start: int


@dataclass(frozen=True, slots=True)
class OpenCursor:
    """OPEN cursor [USING value, …]"""

    cursor: ColumnPath
    values: SqlText | None


@dataclass(frozen=True, slots=True)
class FetchCursor:
    """FETCH [[NEXT] FROM] cursor INTO variable, …"""

    cursor: ColumnPath
    variables: tuple[ColumnPath, ...]


@dataclass(frozen=True, slots=True)
class CloseCursor:
    """CLOSE cursor"""

    cursor: ColumnPath


Statement: TypeAlias = Union[
    Sql,
    SetVariables,
    ScriptBlock,
    ScriptChoice,
    Loop,
    For,
    Jump,
    Signal,
    Resignal,
    GetDiagnostics,
    OpenCursor,
    FetchCursor,
    CloseCursor,
]


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


class SparkVariable(Protocol):
    """A variable of a script. Its name in Spark changes while another one hides it."""

    @property
    def sql(self) -> str:
        """The variable as SQL, by the name that it has now."""


class RunningScript(Protocol):
    """A script that runs, as the procedures see that it calls."""

    procedure: str

    def aside(self) -> AbstractContextManager[object]:
        """Context: names do not mean the variables of this script."""

    def variable(self, name: ColumnPath) -> SparkVariable | None:
        """The variable that a name in a statement of this script refers to; None for one that the script has not."""


class Host(Protocol):
    """The session. Errors of a part of the script have carets in the script.

    `running` are the scripts that run, the innermost last.
    """

    running: list[RunningScript]

    def within(self, namespace: tuple[str, str] | None) -> AbstractContextManager[object]:
        """Context: this catalog and schema are current, and afterwards those that were; None changes nothing."""

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


def session_variable(engine: StatementEngine, name: str) -> Any:
    """The value of a session variable; None if it does not exist or no engine was started."""
    with suppress(DeltaSqlError):
        return engine.value(name) if engine.started else None
    return None


class SessionHost:
    """See `Host`.

    `ended` runs a part of the script to its end and says whether it is a query, `runtime` is the engine, and `command`
    runs a plan that is made for the engine. `catalog` has the current schema.
    """

    def __init__(
        self,
        ended: Callable[[BoundStatement], tuple[Result, bool]],
        runtime: Callable[[], StatementEngine],
        command: Callable[[Callable[[StatementEngine], Plan]], None],
        catalog: Catalog,
        running: list[RunningScript],
    ) -> None:
        self._ended, self._runtime, self._command = ended, runtime, command
        self._catalog, self.running = catalog, running

    @contextmanager
    def within(self, namespace: tuple[str, str] | None) -> Iterator[None]:
        """See Host."""
        catalog = self._catalog
        before = (catalog.current_catalog, catalog.current_schema)
        if namespace is None or namespace == before:
            yield
            return
        catalog.use(namespace)
        try:
            yield
        finally:
            catalog.use(before)

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
