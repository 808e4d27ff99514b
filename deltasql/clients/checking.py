"""`deltasql check`: the errors of the statements of scripts, as lines or as JSON, without running them.

Each statement is checked on the names that those before it have left. It is planned in a scratch warehouse, which has
the names of the real one: tables without rows, views, functions, volumes, schemas and catalogs. Plans change the
scratch warehouse alone. Columns of queries, which the planner leaves to an engine, are checked in this process.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from deltasql.base import Caret, DeltaSqlError, TokenCursor, errors, meant, session_settings, similar_names, tokenize
from deltasql.catalog import FunctionEntry, RefreshDefinition, Refreshed, TableEntry, ViewEntry
from deltasql.clients.command.files import included_notebook, read_script
from deltasql.log import Metadata, Stores
from deltasql.plan import ColumnPath, LogicalPlan, Operator, SqlQuery, SqlText, TableName
from deltasql.planner import (
    AtomicBlock,
    CatalogChange,
    CatalogCreation,
    CloneChange,
    FunctionChange,
    Plan,
    Registration,
    RowChange,
    SchemaCreation,
    SettingChange,
    StatementEngine,
    Stepwise,
    TableChange,
    ViewChange,
)
from deltasql.schema import StructType, matching, schema_ddl
from deltasql.schema import quote_name as quote
from deltasql.session import Placing, Run, Session, connect, described, parse_script, unstarted_engine
from deltasql.sql import (
    BoundStatement,
    Cell,
    TableReference,
    bind_identifiers,
    bind_parameters,
    cells_of,
    declared_variables,
    derived_columns,
    has_variables,
    is_script,
    parameter_names,
    parse,
    second_query,
    split,
    table_references,
    unknown_columns,
)
from deltasql.statements import (
    AddConstraint,
    ApplyChanges,
    CloneTable,
    CreateFlow,
    CreateFunction,
    CreateMetricView,
    CreateRefreshed,
    CreateTable,
    CreateTableLike,
    CreateView,
    Delete,
    DescribePolicy,
    DropPolicy,
    Insert,
    InsertAction,
    Merge,
    MergeClause,
    Query,
    Update,
    UpdateAction,
    plan_statement,
)

_WORD = re.compile(r"\W")


class EngineNeededError(Exception):
    """A statement whose check would have to ask an engine, which none was chosen for."""


class _NoEngine:
    """Answers for an engine what can be said without one."""

    started = False
    is_plain = True

    def __init__(self, stores: Stores) -> None:
        self._asleep = unstarted_engine(stores, self._refuse)

    @staticmethod
    def _refuse() -> StatementEngine:
        raise EngineNeededError

    def __getattr__(self, name: str) -> Any:
        return getattr(self._asleep, name)

    def schema(self, operator: Operator) -> StructType:
        """The columns of plain queries. Raises EngineNeededError for others."""
        derived = derived_columns(_without_alias(operator.sql), operator) if isinstance(operator, SqlQuery) else None
        if derived is None:
            raise EngineNeededError
        return derived


def _without_alias(sql: str) -> str:
    """A query of one table without the alias that binding has given it."""
    references = table_references(sql)
    if len(references) != 1 or references[0].alias is None:
        return sql
    tokens = [token for token in tokenize(sql) if token.start >= references[0].end]
    named = tokens[:1] if tokens[0].key != "AS" else tokens[:2]
    return sql[: references[0].end] + sql[named[-1].end :]


class PlanningSession(Session):
    """A session over a scratch warehouse. Without an `engine` no engine starts: see EngineNeededError."""

    def __init__(self, scratch: str, engine: str | None) -> None:
        super().__init__(scratch, engine=engine)
        self._asks = engine is not None

    def _runtime(self, sql: str) -> StatementEngine:
        return super()._runtime(sql) if self._asks else cast(StatementEngine, _NoEngine(self.stores))

    def bound(self, sql: str, unknown: str | int = "") -> BoundStatement:
        """A statement with the names that its IDENTIFIER(…) stand for, and values of its parameters and variables.

        Those without one get `unknown`, or their names where that is empty. Raises EngineNeededError, and its errors.
        """
        widgets = self.settings.with_prefix(session_settings.WIDGET_PREFIX)
        names = parameter_names(sql)
        values = None if "" in names else {name: widgets.get(name, unknown or name) for name in names} or None

        def variable(name: str) -> str | None:
            widget = name.removeprefix("$")
            found = widgets.get(widget, self.settings.stored(name))
            return found if found is not None or name.startswith("$") else str(unknown or _WORD.sub("_", name))

        bound = bind_parameters(sql, values, variable)
        with Placing(bound, sql)():
            return bind_identifiers(bound, lambda text: self._runtime(text).value(text))

    def lacks_values(self, sql: str) -> bool:
        """Whether a statement has a parameter or a variable whose value is not known before it runs."""
        widgets = self.settings.with_prefix(session_settings.WIDGET_PREFIX)
        named = [name for name in parameter_names(sql) if name]
        return has_variables(sql) or not set(named) <= widgets.keys()

    def check(self, sql: str, bound: BoundStatement | None = None) -> None:
        """Plans a statement and makes its changes of names, columns and settings.

        Raises the errors of `sql`, and EngineNeededError.
        """
        bound = self.bound(sql) if bound is None else bound
        placed = Placing(bound, sql)
        with self._statement(), placed():
            engine = self._runtime(sql)
            placed.case_sensitive = False
            with matching(case_sensitive=False):
                self._take(self._planned(bound, engine), engine)

    def create_empty(self, definition: str) -> None:
        """Creates a table as CREATE TABLE defines it, but in the scratch warehouse, wherever its location is."""
        statement = parse(definition)
        assert isinstance(statement, CreateTable)
        engine = self._runtime(definition)
        with self._statement():
            context = self._context(definition, engine)
            self._take(plan_statement(replace(statement, location=None), context), engine)

    def _take(self, plan: Plan, engine: StatementEngine) -> None:
        """The effects of a plan on names, columns and settings, without those on rows and files."""
        match plan:
            case Stepwise(steps=steps):
                for step in steps:
                    self._take(step, engine)
            case AtomicBlock(sql=sql, statements=statements):
                for part in statements:
                    self._take_part(part.bound, part.start, sql)
            case RowChange(commit=commit):
                if any(isinstance(action, Metadata) for action in commit.actions):
                    self._take(TableChange(commit), engine)
            case CloneChange(commit=commit):
                self._take(TableChange(commit), engine)
            case TableChange():
                if not self._is_scratch(plan.commit.log.location):
                    raise EngineNeededError
                self._run(replace(plan, verify=()), engine)
            case _:
                self._take_names(plan, engine)

    def _take_names(self, plan: Plan, engine: StatementEngine) -> None:
        """The effects of a plan on the catalog and the session."""
        match plan:
            case SchemaCreation() | CatalogCreation():
                self._run(replace(plan, location=None), engine)
            case Registration(location=location) if not self._is_scratch(location):
                raise EngineNeededError
            case CatalogChange() | ViewChange() | FunctionChange() | SettingChange():
                self._run(plan, engine)
            case _:
                pass

    def _take_part(self, bound: BoundStatement, start: int, block: str) -> None:
        try:
            self.check(bound.sql)
        except DeltaSqlError as error:
            raise error.moved(bound.sql, block, start) from None

    def _run(self, plan: Plan, engine: StatementEngine) -> None:
        Run(plan, engine, self._state()).commit()

    def _is_scratch(self, location: str) -> bool:
        return location.removeprefix("file://").startswith(self.catalog.warehouse.removeprefix("file://"))


Name = tuple[str, str, str]


class KnownNames:
    """Brings the tables that a statement names from a warehouse into the scratch warehouse, each once.

    Tables whose columns only an engine knows are there with a column that stands for them: see `mentions_incomplete`.
    """

    def __init__(self, scratch: PlanningSession, warehouse: Session | None) -> None:
        self._scratch, self._warehouse = scratch, warehouse
        self._seen: set[Name] = set()
        self._incomplete: set[Name] = set()
        self._has_volumes = False
        if warehouse is not None:
            self._bring_schemas(warehouse)

    def bring(self, sql: str) -> None:
        """Brings what the statement names, as far as the warehouse has it."""
        if self._warehouse is not None:
            if not self._has_volumes and "volume" in sql.lower():
                self._bring_volumes(self._warehouse)
            for parts in _names(sql):
                self._bring(self._warehouse, parts)

    def leave_incomplete(self, name: Name) -> None:
        """Notes that the columns of a new table or view are not known."""
        self._incomplete.add(name)
        with suppress(DeltaSqlError, EngineNeededError):
            self._scratch.create_empty(f"CREATE OR REPLACE TABLE {TableName(name)} (columns_that_are_not_known INT)")

    def leave_unknown(self, name: Name) -> None:
        """Notes that a name stands for something about which no more is known, such as a function."""
        self._incomplete.add(name)

    def declare(self, sql: str) -> None:
        """Notes the variables of DECLARE: their names may be anything in later statements."""
        for variable in declared_variables(sql):
            for parts in ((variable,), ("session", variable), ("system", "session", variable)):
                self.leave_unknown(self._scratch.catalog.full_name(parts))

    def mentions_incomplete(self, sql: str) -> bool:
        """Whether a statement names something whose columns are not known."""
        return bool(self._incomplete) and any(
            self._scratch.catalog.full_name(parts) in self._incomplete for parts in _names(sql)
        )

    def _bring_schemas(self, warehouse: Session) -> None:
        for catalog in warehouse.catalog.used_catalogs():
            if catalog not in self._scratch.catalog.catalogs():
                self._run(f"CREATE CATALOG {quote(catalog)}")
            for schema in warehouse.catalog.schemas(catalog=catalog):
                self._run(f"CREATE SCHEMA IF NOT EXISTS {quote(catalog)}.{quote(schema.name)}")
        self._run(f"USE {quote(warehouse.catalog.current_catalog)}.{quote(warehouse.catalog.current_schema)}")

    def _bring_volumes(self, warehouse: Session) -> None:
        """All volumes: paths name them as well. Their folders are those of the scratch warehouse, and empty."""
        self._has_volumes = True
        for catalog in warehouse.catalog.used_catalogs():
            for schema in warehouse.catalog.schemas(catalog=catalog):
                with suppress(DeltaSqlError):
                    for volume in warehouse.catalog.volumes((catalog, schema.name)):
                        self._scratch.catalog.create_volume((catalog, schema.name, volume.name), volume.comment)

    def _bring(self, warehouse: Session, parts: tuple[str, ...]) -> None:
        name = self._scratch.catalog.full_name(parts)
        if name in self._seen:
            return
        self._seen.add(name)
        with suppress(DeltaSqlError):
            routine = warehouse.catalog.routine(name)
            if routine is not None:
                self._bring_routine(routine)
            entry = warehouse.catalog.find(name)
            if isinstance(entry, ViewEntry):
                self._bring_view(entry)
            elif isinstance(entry, TableEntry) and entry.refreshed is not None:
                self._bring_refreshed(name, entry.refreshed)
            elif entry is not None:
                self._bring_table(warehouse, name)

    def _bring_routine(self, entry: FunctionEntry) -> None:
        self._scratch.catalog.change_function(entry.parts, lambda _: entry.definition)

    def _bring_view(self, entry: ViewEntry) -> None:
        self.bring(entry.definition.query)
        self._scratch.catalog.change_view(entry.parts, lambda _: entry.definition)

    def _bring_refreshed(self, name: Name, definition: RefreshDefinition) -> None:
        """A materialized view or streaming table, which statements about tables do not create."""
        self.bring(definition.view.query)
        self._scratch.create_empty(f"CREATE TABLE {TableName(name)} ({schema_ddl(definition.view.schema)})")
        self._scratch.catalog.define(name, definition)

    def _bring_table(self, warehouse: Session, name: Name) -> None:
        table = str(TableName(name))
        try:
            definition = str(warehouse.sql(f"SHOW CREATE TABLE {table}").collect()[0][0])
            self._scratch.create_empty(definition)
        except (DeltaSqlError, EngineNeededError):
            self.leave_incomplete(name)

    def _run(self, sql: str) -> None:
        self._scratch.check(sql)


def _names(sql: str) -> Iterator[tuple[str, ...]]:
    """Whatever in a statement may be the name of a table."""
    cursor = TokenCursor(sql)
    while cursor.left:
        if not cursor.is_name:
            cursor.at += 1
            continue
        parts = tuple(token.name for token in cursor.dotted())[:3]
        yield from (parts[:length] for length in range(len(parts), 0, -1))
        if parts[0].upper() == "LIVE" and len(parts) > 1:
            yield parts[1:]


def check_columns(node: LogicalPlan, sql: str, session: PlanningSession) -> None:
    """Raises UnresolvedColumnError for a column of the statement's query or conditions that none of its tables has."""
    for text, outer in _texts(node, sql, session):
        for name, columns in unknown_columns(text.text, lambda reference: _columns(reference, session), outer):
            close = similar_names(name.parts[-1], columns, most=3)
            advice = meant(map(quote, close)) if close else f"The tables have {', '.join(columns)}."
            caret = Caret(sql, text.start + name.start, text.start + name.end)
            raise errors.UnresolvedColumnError(column=".".join(map(quote, name.parts)), advice=advice).at(caret)


def _texts(node: LogicalPlan, sql: str, session: PlanningSession) -> Iterator[tuple[SqlText, dict[str, StructType]]]:
    """The queries and conditions of a statement, each with the tables around it, by their aliases."""
    match node:
        case Query(query) | CreateView(query=query) | Insert(query=query, ctes=None):
            yield query, {}
        case CreateRefreshed(kind=Refreshed.MATERIALIZED_VIEW, query=query) if query is not None:
            yield query, {}
        case CreateTable(query=query) if query is not None:
            yield query, {}
        case Delete(ctes=None, table=table, alias=alias, condition=condition):
            yield from _conditions(session, {_called(table, alias): table}, condition)
        case Update(ctes=None, table=table, alias=alias, condition=condition, assignments=assignments):
            values = (assignment.value for assignment in assignments)
            yield from _conditions(session, {_called(table, alias): table}, condition, *values)
        case Merge(ctes=None):
            yield from _of_merge(node, sql, session)
        case AddConstraint(table=table, condition=condition):
            yield from _conditions(session, {_called(table, None): table}, condition)
        case _:
            pass


def _of_merge(node: Merge, sql: str, session: PlanningSession) -> Iterator[tuple[SqlText, dict[str, StructType]]]:
    """The source that is a query, and the conditions and values over one that is a table; the columns that change."""
    source, target = node.source_table, {_called(node.table, node.alias): node.table}
    if source is None:
        yield node.source, {}
    else:
        tables = {**target, _called(source, node.source_alias): source}
        yield from _conditions(session, tables, node.condition, *_of_clauses(node.clauses))
    if not node.schema_evolution:
        targets = (SqlText(sql[path.start : path.end], path.start) for path in _changed(node.clauses))
        yield from _conditions(session, target, *targets)


def _of_clauses(clauses: Iterable[MergeClause]) -> Iterator[SqlText | None]:
    """The conditions and new values of the clauses of a MERGE."""
    for clause in clauses:
        yield clause.condition
        if isinstance(clause.action, UpdateAction):
            yield from (assignment.value for assignment in clause.action.assignments)
        if isinstance(clause.action, InsertAction):
            yield from clause.action.values


def _changed(clauses: Iterable[MergeClause]) -> Iterator[ColumnPath]:
    """The columns that the clauses of a MERGE set or fill."""
    for clause in clauses:
        if isinstance(clause.action, UpdateAction):
            yield from (assignment.target for assignment in clause.action.assignments)
        if isinstance(clause.action, InsertAction):
            yield from clause.action.columns


def _conditions(
    session: PlanningSession, tables: Mapping[str, TableName], *conditions: SqlText | None
) -> Iterator[tuple[SqlText, dict[str, StructType]]]:
    """Each condition with the columns of the tables; nothing where those of one are not known."""
    known = {alias: _columns_of(table.parts, session) for alias, table in tables.items()}
    columns = {alias: found for alias, found in known.items() if found is not None}
    if len(columns) == len(tables):
        yield from ((condition, columns) for condition in conditions if condition is not None)


def _called(table: TableName, alias: str | None) -> str:
    return (alias or table.parts[-1]).lower()


def _columns(reference: TableReference, session: PlanningSession) -> StructType | None:
    if reference.arguments is not None or reference.temporal is not None:
        return None
    return _columns_of(reference.parts, session)


def _columns_of(parts: tuple[str, ...], session: PlanningSession) -> StructType | None:
    """The columns of a table or a view; None where they are not known."""
    view = session.views.get(parts[0].lower()) if len(parts) == 1 else None
    if view is not None:
        return None if view.creation is None else view.creation.schema
    try:
        return described(session, parts).columns
    except DeltaSqlError:
        return None


_OF_ROWS = (
    errors.ChangesStartAfterLatestError,
    errors.InvalidChangeRangeError,
    errors.MissingChangeDataError,
    errors.PartitionNotFoundError,
    errors.SourceNotFoundError,
    errors.NoFilesError,
    errors.EmptySourceError,
    errors.UnknownColumnsError,
    errors.ExternalTableWithoutSchemaError,
    errors.NotADeltaTableError,
    errors.VolumeFileNotFoundError,
    errors.NoCommitsFoundError,
    errors.TimestampTooEarlyError,
    errors.TimestampTooLateError,
    errors.VersionNotFoundError,
    errors.RestoreVersionError,
    errors.RestoreTimestampEarlierError,
    errors.RestoreTimestampGreaterError,
)
"""Errors about versions, which the tables of a scratch warehouse lack."""

_OF_NAMES = (
    errors.TableNotFoundError,
    errors.SystemTableError,
    errors.SchemaNotFoundError,
    errors.CatalogNotFoundError,
    errors.ProcedureNotFoundError,
    errors.FunctionNotFoundError,
    errors.SecurableNotFoundError,
    errors.ViewNotFoundError,
    errors.VolumeNotFoundError,
    errors.UnknownWidgetError,
    errors.UnknownFunctionError,
    errors.StorageError,
    errors.UnsupportedLocationError,
    errors.SourceLocationError,
    errors.NoIcebergTableError,
    errors.NamedCredentialError,
    errors.PythonPackagesError,
)
"""Errors about names, places and packages, which a file that is checked alone takes from where it will run."""


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
        self._included: set[str] = set()

    def check(self, script: str, path: str = "") -> Iterator[Finding]:
        """The errors of the statements of a script or a notebook, at most one for each, in order.

        Notebooks that one includes by %run are looked for from its `path`, for the names that they make. Other names
        may come from cells in other languages.
        """
        cells = cells_of(script)
        self._complete = self._complete and all(cell.language in {"sql", "md", "run"} for cell in cells)
        for statement in split(script):
            self._include(cells, path, statement.start)
            try:
                self.statement(statement.text)
            except DeltaSqlError as error:
                yield finding(error, script, statement.start, statement.text)

    def _include(self, cells: Sequence[Cell], path: str, before: int) -> None:
        """Takes the names that notebooks make which %run includes, before an offset of a notebook; each once."""
        for cell in cells:
            key = f"{path}:{cell.start}"
            if cell.language != "run" or cell.start >= before or key in self._included:
                continue
            self._included.add(key)
            try:
                file = included_notebook(cell.argument or cell.text.strip(), Path(path or ".").resolve().parent, path)
                for _ in self.check(read_script(file), file):
                    pass
            except DeltaSqlError:
                self._complete = False

    def close(self) -> None:
        """Removes the scratch warehouse."""
        self._end.close()

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def statement(self, sql: str) -> None:
        """Raises the first error of a statement."""
        if is_script(sql):
            parse_script(sql)
            return
        self._known.declare(sql)
        try:
            bound = self._bound(sql)
        except EngineNeededError:
            return
        self._known.bring(bound.sql)
        if bound.sql == sql and (second := second_query(sql)) is not None:
            reason = "A second query begins here: end the first one with ;, or join them by UNION ALL."
            raise errors.ParseSyntaxError(reason, second.text).at(Caret(sql, second.start, second.end))
        lacks_values = self.session.lacks_values(sql)
        is_known = not lacks_values and not self._known.mentions_incomplete(bound.sql)
        node = self._node(bound, sql, is_known=is_known)
        if node is not None and self._plans(node, sql, bound, is_known=is_known) and is_known and bound.sql == sql:
            check_columns(node, sql, self.session)

    def _bound(self, sql: str) -> BoundStatement:
        """A statement with values, or with texts or numbers that stand for them. Raises its errors of syntax."""
        bound = self.session.bound(sql)
        if not self.session.lacks_values(sql):
            return bound
        try:
            parse(bound.sql)
        except errors.ParseSyntaxError as error:
            numbers = self.session.bound(sql, 1)
            try:
                parse(numbers.sql)
            except DeltaSqlError:
                raise error.moved(bound.sql, sql, 0) from None
            return numbers
        return bound

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

    def _plans(self, node: LogicalPlan, sql: str, bound: BoundStatement, *, is_known: bool) -> bool:
        """Whether the columns of a statement's query can be looked at as well. Raises the errors of its plan."""
        try:
            self.session.check(sql, bound)
        except EngineNeededError:
            self._leave_open(node)
        except _OF_ROWS:
            self._leave_open(node)
            return False
        except DeltaSqlError as error:
            may_be_elsewhere = isinstance(error, _OF_NAMES) and not self._complete
            # The functions of policies are not known here, so that these are not recorded.
            may_be_elsewhere |= isinstance(node, (DescribePolicy, DropPolicy))
            if is_known and not may_be_elsewhere:
                raise
            self._leave_open(node)
        # A new table or view has columns of a table whose columns are not known.
        if self._is_missing(node) or not is_known:
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
                | CreateMetricView(view=name)
                | CreateRefreshed(create=CreateTable(table=name))
                | CreateFlow(table=name)
                | ApplyChanges(table=name)
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


NamedScript = tuple[str, str]
"""The name of a file, and its text."""


def check_scripts(
    scripts: Sequence[NamedScript],
    schema: Sequence[NamedScript],
    *,
    warehouse: str,
    catalog: str | None = None,
    engine: str | None = None,
    as_json: bool = False,
) -> bool:
    """Prints the errors of scripts, each after the statements of `schema`; whether there are none.

    The tables are those of `warehouse`, if it exists.
    """
    found: list[tuple[str, Finding]] = []
    with ExitStack() as stack:
        session = stack.enter_context(connect(warehouse, catalog=catalog)) if exists(warehouse) else None
        for number, script in enumerate(scripts):
            with _checker(session, schema, engine) as checker:
                of_schema = list(_findings(checker, schema))
                # Printed once, however many scripts follow.
                found += [*(of_schema if number == 0 else ()), *_findings(checker, [script])]
    _print(found, as_json)
    return not found


def exists(warehouse: str) -> bool:
    """Whether there is a warehouse; one in an object store is asked when its first name is."""
    return "://" in warehouse or Path(warehouse).is_dir()


def _checker(session: Session | None, schema: Sequence[NamedScript], engine: str | None) -> Checker:
    return Checker(session, engine=engine, complete=session is not None or bool(schema))


def _findings(checker: Checker, scripts: Sequence[NamedScript]) -> Iterator[tuple[str, Finding]]:
    for name, text in scripts:
        yield from ((name, finding) for finding in checker.check(text, name))


def _print(found: Sequence[tuple[str, Finding]], as_json: bool) -> None:
    if as_json:
        print(json.dumps([finding.entry(name) for name, finding in found], indent=2))
        return
    for name, finding in found:
        print(finding.text(name))
