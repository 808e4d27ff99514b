"""Sessions: SQL text in, Result out, by the steps parse → plan → run → commit.

External catalogs that repeat schema and properties of a log are notified of each commit. They are configured by the
arguments of the session, and by its Spark session.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from copy import copy
from dataclasses import replace
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any

from deltasql.base import (
    SAIL,
    DeltaSqlError,
    Listener,
    SessionSettings,
    Watch,
    chosen_engine,
    errors,
    interruptible,
    session_settings,
)
from deltasql.catalog import Catalog, Catalogs, ExternalCatalogs, MirroredTable, TableFacts, configured, of_spark
from deltasql.files import Placed, Result, stream_options
from deltasql.log import DeltaLog, LocalLogStore, Snapshot, Stores, back_off, turn
from deltasql.plan import LogicalPlan, MemoryRows, Note, Supplied, TableName, make_note, records_of_statement
from deltasql.planner import (
    Answer,
    Context,
    FunctionDefining,
    Plan,
    ProcedureCall,
    StatementEngine,
    TemporaryFunction,
    View,
    VisibleViews,
    plan,
    unrestricted,
)
from deltasql.schema import matching, schema_to_json
from deltasql.session.execution.commit import Committed
from deltasql.session.execution.open_transaction import Transactions
from deltasql.session.execution.run import (
    Done,
    Pending,
    Placing,
    Run,
    SessionState,
    change_catalog,
    contended_table,
    unstarted_engine,
)
from deltasql.session.frames.reader import FrameReader, StreamReader, StreamWriter
from deltasql.session.frames.writer import FrameWriter, FrameWriterV2, frame_of, rows_to_write
from deltasql.session.script.interpreter import run_procedure, run_script
from deltasql.session.script.parsing import parse_script
from deltasql.session.script.tree import RunningScript, SessionHost, session_variable
from deltasql.sql import (
    BoundStatement,
    bind_identifiers,
    bind_parameters,
    bind_versions,
    is_script,
    misplaced_word,
    parse,
    refused_name,
    split,
    table_name,
)
from deltasql.statements import DATAFRAME, CreateForFrame, WriteFrame, all_properties, new_namespaces, plan_statement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deltasql.engines import SessionEngine


def follow(log: DeltaLog, catalog: Catalog, stores: Stores) -> None:
    """Gives a log the storages of its session, and its catalog, which hears of each commit of this session."""
    log.store.at, log.catalog, log.on_commit = stores.open, catalog.commits, partial(_mirror, catalog)


def _mirror(catalog: Catalog, before: Snapshot | None, after: Snapshot) -> None:
    if catalog.external.opened:
        catalog.external.mirror(after.location, mirrored_table(before, after))


def mirrored_table(before: Snapshot | None, after: Snapshot) -> MirroredTable:
    """The part of a version, `after`, that catalogs repeat; it was committed on top of `before`."""
    properties = dict(all_properties(after))
    changed = before is None or before.metadata != after.metadata or before.protocol != after.protocol
    old = () if before is None or not changed else (key for key, _ in all_properties(before))
    return MirroredTable(
        after.version,
        after.timestamp_ms,
        after.schema,
        after.partition_columns,
        after.metadata.description,
        properties,
        frozenset(old) - frozenset(properties),
        changed,
    )


def external_catalogs(
    catalogs: Catalogs | None, spark_settings: Callable[[], Mapping[str, str] | Any], stores: Stores
) -> ExternalCatalogs:
    """The external catalogs of a session: those of `catalogs`, and those that its Spark session has.

    They lend `stores` the credentials for their tables. Raises CatalogConfigurationError for `catalogs`; the others
    are read, and checked, when a name needs them.
    """
    given = configured(catalogs)

    def find() -> Mapping[str, Any]:
        return {**configured(of_spark((spark_settings() or {}).items())), **given}

    external = ExternalCatalogs(find, lambda location: _facts(location, stores))
    stores.lender = external.lend
    return external


def _facts(location: str, stores: Stores) -> TableFacts:
    """The newest version of the table at a location. Raises what `DeltaLog.snapshot` raises."""
    snapshot = DeltaLog(location, store=stores.open(location)).snapshot()
    protocol, metadata = snapshot.protocol, snapshot.metadata
    features = {"readerFeatures": protocol.reader_features, "writerFeatures": protocol.writer_features}
    return TableFacts(
        snapshot.version,
        snapshot.timestamp_ms,
        json.loads(schema_to_json(metadata.schema)),
        tuple(metadata.partition_columns),
        dict(metadata.configuration),
        {
            "minReaderVersion": protocol.min_reader_version,
            "minWriterVersion": protocol.min_writer_version,
            **{name: sorted(found) for name, found in features.items() if found},
        },
        {name: json.loads(text) for name, text in snapshot.domains.items() if name.startswith("delta.")},
        metadata.description,
    )


_VARIABLES = (
    "{written} is replaced as text before the statement is read. Write :{name} for a value, and IDENTIFIER(:{name}) "
    "for a name."
)
_MOST_SECONDS_FOR_TURN = 10
"""Seconds that a statement waits for others of this process before it begins; each of them takes far less."""
_SHARED_VIEWS: dict[str, dict[str, View]] = {}
"""The global temporary views of this process, by warehouse and name."""


class _ContendedError(Exception):
    """A statement is to begin anew once the other threads that change its table, at `location`, are done."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


class Session:
    """Runs statements one at a time: threads that share a session wait for each other.

    Any number of sessions, threads and processes may share a warehouse.
    """

    def __init__(
        self,
        warehouse: str,
        spark: SparkSession | str | None = None,
        storage_options: Mapping[str, str] | None = None,
        progress: Listener | None = None,
        engine: str | None = None,
        catalogs: Mapping[str, Mapping[str, Any]] | None = None,
        directory: str = "",
    ) -> None:
        def again() -> Session:
            return Session(warehouse, spark, storage_options, progress, engine, catalogs, directory)

        # A closure, since some of the arguments are secrets, and vars() of the session would show them.
        self._opened_again = again
        self._sail = chosen_engine(engine, has_spark=spark is not None) == SAIL
        self.stores = Stores(storage_options, lambda: self._engine.spark.hadoop_settings())  # noqa: PLW0108 - not yet
        external = external_catalogs(catalogs, lambda: spark and self._engine.spark.given_settings(), self.stores)
        self.catalog = Catalog(warehouse, self.stores.open, external, directory)
        self.settings = SessionSettings()
        self.views: dict[str, View] = {}
        self.functions: dict[str, TemporaryFunction] = {}
        self.open_log: Callable[[str, str], DeltaLog] = self._open_log
        """Opens the log at a location, for a table of that name; tests replace it to use other storage."""
        self.on_progress, self._spark = progress, spark
        self._supplied: DataFrame | None = None
        self._backend: SessionEngine | None = None
        self._logs: dict[str, DeltaLog] = {}
        self._said: set[Note] = set()
        self._lock, self._closed, self._has_noted_variables = RLock(), False, False
        self._running: list[RunningScript] = []
        self._transactions = Transactions(self.settings, self._surroundings)

    def sql(self, text: str, args: Mapping[str, Any] | Sequence[Any] | None = None) -> Result:
        """Runs one statement. `args` are the values of its parameters: by name for `:name`, in order for `?`.

        BEGIN … END is one, too: it gives the rows of its last query. A statement that loses a race with another writer
        is run again, up to the setting `deltasql.retry.maxAttempts`; `Result.attempts` says how often. Raises a
        DeltaSqlError; the table is then as it was. So it is after Ctrl-C, which is raised once Spark has stopped, or
        as StatementInterrupted where a version had been committed.
        """
        with interruptible(), self._statement(), records_of_statement(self._said):
            bound = self._with_values(text, args)
            placed = Placing(bound, text)
            if not is_script(bound.sql):
                return self._ended(bound, placed)[0]
            started = time.perf_counter()
            with placed():
                result = run_script(bound, self._script_host(bound))
            result.elapsed = time.perf_counter() - started
            return result

    def begin(self, text: str, args: Mapping[str, Any] | Sequence[Any] | None = None) -> Pending:
        """The first phase of `sql`: reads the tables' current snapshots and stages new files, but commits nothing.

        `commit` of the returned statement is the second phase, which checks for conflicts with concurrent commits.
        Raises ScriptPhasesError for BEGIN … END, whose statements commit one by one.
        """
        bound = self._with_values(text, args)
        if is_script(bound.sql):
            raise errors.ScriptPhasesError
        return self._begin(bound, Placing(bound, text))

    def _with_values(self, text: str, args: Mapping[str, Any] | Sequence[Any] | None) -> BoundStatement:
        """A statement with the values of its parameters and variables; widgets have values for both."""
        widgets = self.settings.with_prefix(session_settings.WIDGET_PREFIX)
        named = dict(args) if isinstance(args, Mapping) else {}
        replaced: list[str] = []

        def variable(name: str) -> str | None:
            widget = name.removeprefix("$")
            stored = None if name.startswith("$") else self.settings.stored(name)
            found = named.get(widget, widgets.get(widget, stored))
            replaced.extend(() if found is None else (widget,))
            return None if found is None else str(found)

        if widgets and (args is None or isinstance(args, Mapping)):
            args = {**widgets, **named}
        bound = bind_parameters(text, args, variable)
        if replaced and not self._has_noted_variables:
            self._has_noted_variables, name = True, replaced[0]
            written = f"${{{name}}}" if "${" in text or "{{" not in text else f"{{{{{name}}}}}"
            make_note(_VARIABLES.format(name=name, written=written), is_warning=True)
        return bound

    def _ended(self, bound: BoundStatement, placed: Placing) -> tuple[Result, bool]:
        """The result of a statement, retried after conflicts with concurrent commits, and whether it is a query."""
        lost, place = 0, ""
        while True:
            try:
                with self._turn(place), self._begin(bound, placed, awaits_turn=not place) as pending:
                    result = pending.commit()
            except _ContendedError as contended:
                place = contended.location
                continue
            except errors.ConcurrentModificationError:
                lost += 1
                if lost >= pending.most_attempts:
                    raise
                back_off(lost)
                continue
            result.attempts += lost
            return result, pending.is_query

    @contextmanager
    def _turn(self, location: str) -> Iterator[None]:
        """Context of a whole statement: see `log.turn`. Without a location it does nothing."""
        if not location:
            yield
            return
        # The session's lock comes first, as in each commit.
        with self._lock, turn(location, _MOST_SECONDS_FOR_TURN):
            yield

    def _script_host(self, script: BoundStatement) -> SessionHost:
        def command(make: Callable[[StatementEngine], Plan]) -> None:
            # Its text is not the user's, so errors get no caret.
            engine = self._runtime("")
            Run(make(engine), engine, self._state()).commit()

        return SessionHost(
            lambda part: self._ended(part, Placing(part, script.sql)),
            lambda: self._runtime(""),
            command,
            self.catalog,
            self._running,
        )

    def _begin(self, bound: BoundStatement, placed: Placing, *, awaits_turn: bool = False) -> Pending:
        """With `awaits_turn` a statement that other threads are in the way of raises _ContendedError instead."""
        started = time.perf_counter()
        with interruptible(), self._statement(), placed():
            bound = bind_identifiers(bound, lambda name: self._runtime(name).value(name))
            bound = placed.bound = bind_versions(bound, lambda name: session_variable(self._runtime(name), name))
            engine = self._runtime(bound.sql)
            placed.case_sensitive = self._context(bound.sql, engine).setting(session_settings.CASE_SENSITIVE)
            with matching(case_sensitive=placed.case_sensitive):
                change = self._planned(bound, engine)
            if (
                awaits_turn
                and self._transactions.open is None
                and (place := contended_table(change, engine)) is not None
            ):
                raise _ContendedError(place)
            return self._begun(change, engine, placed, time.perf_counter() - started)

    @property
    def read(self) -> FrameReader:
        """PySpark's `spark.read`, for the tables of this session: options, then table or load."""
        return FrameReader(lambda query: self.sql(query).df)

    def table(self, name: str) -> DataFrame:
        """The rows of a table as a Spark DataFrame, lazily; the name may have a version: `t@v3`."""
        return self.read.table(name)

    def write(self, rows: Any) -> FrameWriter:
        """PySpark's `df.write`, for rows that `rows_to_write` accepts: mode, options, then saveAsTable, save or
        insertInto."""
        return FrameWriter(rows_to_write(rows), self._write, table_name)

    def writeTo(self, rows: Any, table: str) -> FrameWriterV2:  # noqa: N802 - Spark's name
        """PySpark's `df.writeTo(table)`, for rows that `write` accepts."""
        return FrameWriterV2(rows_to_write(rows), table, self._write, table_name)

    def writeStream(self, rows: DataFrame) -> StreamWriter:  # noqa: N802 - Spark's name
        """PySpark's `df.writeStream`: toTable or start begin a query whose every batch is one idempotent commit."""
        self._refuse_stream()
        beside = self._beside()
        return StreamWriter(frame_of(rows), beside._write, self._full_name, beside._create, self.catalog.located)

    @property
    def readStream(self) -> StreamReader:  # noqa: N802 - Spark's name
        """PySpark's `spark.readStream`, for the tables of this session: options, then table or load."""
        return StreamReader(self._stream, table_name)

    @contextmanager
    def supplied(self, rows: DataFrame | MemoryRows) -> Iterator[str]:
        """Context: the name by which statements of this thread read the rows of a DataFrame."""
        with self._statement():
            self.views[DATAFRAME.text.lower()] = View("", rows=Supplied(rows))
            self._supplied = None if isinstance(rows, MemoryRows) else rows
            try:
                yield DATAFRAME.text
            finally:
                self._supplied = None
                del self.views[DATAFRAME.text.lower()]

    def run(self, script: str, args: Mapping[str, Any] | None = None) -> Iterator[Result]:
        """Runs the statements of a script, which end with `;`, and yields each result. `args` are values by name."""
        for statement in split(script):
            yield self.sql(statement.text, args)

    def log(self, name: TableName | str) -> DeltaLog:
        """The log of a table, by its SQL name. Raises TableNotFoundError."""
        if isinstance(name, str):
            name = table_name(name)
        with self._statement():
            return self._context("", self._runtime("")).log(name)

    @property
    def in_transaction(self) -> bool:
        """Whether BEGIN TRANSACTION was run, and neither COMMIT nor ROLLBACK since."""
        return self._transactions.open is not None

    @property
    def has_changes(self) -> bool:
        """Whether a statement of the open transaction has something to commit."""
        return self._transactions.open is not None and self._transactions.open.has_changes

    @property
    def spark_started(self) -> bool:
        """Whether the Spark session has started. Does not start it."""
        return self._backend is not None and self._backend.spark.started

    @property
    def spark(self) -> SparkSession:
        """The Spark session that computes rows, started on first use. Its own `sql` knows no tables of deltasql."""
        return self._engine.spark.session

    def another(self) -> Session:
        """Another session of the same warehouse and engine, without the settings, views and variables of this one."""
        return self._opened_again()

    def interrupt(self) -> None:
        """Cancels Spark's jobs for this session. Does nothing if Spark has not started."""
        if self._backend is not None:
            self._backend.spark.interrupt()

    def close(self) -> None:
        """Ends the session: its next statement raises SessionClosedError. An open transaction is rolled back.

        On Spark Connect the session's temporary views are dropped, which invalidates its DataFrames. A Spark session
        that deltasql started goes on running, and later sessions begin in it with settings, variables, temporary
        functions and temporary views of their own.
        """
        self._closed = True
        self._transactions.close()
        self.catalog.close()
        if self._backend is not None:
            with suppress(DeltaSqlError):  # Of a Spark that has stopped meanwhile.
                self._backend.spark.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed else f"Spark {'' if self.spark_started else 'not '}started"
        return f"Session({self.catalog.warehouse!r}, {state})"

    def _planned(self, bound: BoundStatement, engine: StatementEngine) -> Plan:
        statement = parse(bound.sql)
        self._transactions.admit(statement, bound.sql)
        context = replace(self._context(bound.sql, engine), bound=bound)
        try:
            self._create_namespaces(statement, context)
            planned = plan_statement(statement, context)
        except (errors.TableNotFoundError, errors.SchemaNotFoundError, errors.CatalogNotFoundError) as error:
            # The missing table may be a misplaced keyword, or a name that is known but not supported.
            raise refused_name(error.caret) or misplaced_word(error.caret) or error from None
        if isinstance(planned, FunctionDefining) and planned.script is not None:
            parse_script(*planned.script)
        self._transactions.admit(planned, bound.sql)
        return planned

    def _create_namespaces(self, statement: LogicalPlan, context: Context) -> None:
        """Creates the catalog and the schema of what a statement creates, if a setting says so."""
        for change in new_namespaces(statement, context):
            change_catalog(change, self.catalog, self.stores)

    @contextmanager
    def _statement(self) -> Iterator[None]:
        """Context: holds the session's lock. Raises SessionClosedError."""
        with self._lock:
            if self._closed:
                raise errors.SessionClosedError
            yield

    def _begun(self, plan: Plan, engine: StatementEngine, placed: Placed, planning: float) -> Pending:
        run = Run(plan, engine, self._state())

        def finish() -> Result:
            with self._lock:
                if isinstance(plan, ProcedureCall):
                    return run_procedure(plan, self._script_host)
                return self._result(run.commit(), engine).placed_by(placed)

        return Pending(run, finish, placed, planning)

    def _state(self) -> SessionState:
        views = (self.views, self._shared_views, self.functions)
        stage = partial(self._transactions.stage, run=self._done_in_block)
        return SessionState(
            self.catalog, self.stores, self.settings, *views, self._set, self._logs.clear, self._transactions, stage
        )

    def _done_in_block(self, bound: BoundStatement) -> tuple[Committed, bool]:
        """The result of a statement of an atomic block, and whether it is a query, whose rows are computed now."""
        engine = self._runtime(bound.sql)
        change = self._planned(bound, engine)
        run = Run(change, engine, self._state())
        try:
            done = run.commit()
        except BaseException:
            run.discard()
            raise
        if isinstance(done, Committed):
            return done, isinstance(change, Answer) and bool(done.schema.fields)
        return Committed(done.schema, tuple(tuple(row) for row in done.collect())), True

    @property
    def _shared_views(self) -> dict[str, View]:
        """The global temporary views of the warehouse."""
        return _SHARED_VIEWS.setdefault(self.catalog.warehouse, {})

    def _write(self, statement: WriteFrame) -> Result:
        started = time.perf_counter()
        engine = self._engine.statement_of(statement.frame)
        with interruptible(), self._statement():
            context = self._context("", engine)
            self._create_namespaces(statement, context)
            change = plan(statement, context)
            self._transactions.admit(change, "")
            with self._begun(change, engine, nullcontext, time.perf_counter() - started) as pending:
                return pending.commit()

    def _stream(self, name: TableName, options: Mapping[str, str]) -> DataFrame:
        """The rows of a table as a streaming DataFrame. Raises errors of the options and the table."""
        with self._statement():
            self._refuse_stream()
            context = self._context("", self._runtime(""))
            stream_options({**options, "deltasql.timezone": context.time_zone or ""})
            return self._engine.stream(unrestricted("A stream", name, context), options, context.time_zone)

    def _refuse_stream(self) -> None:
        """Raises NotInTransactionError where a transaction is open."""
        if self.in_transaction:
            raise errors.NotInTransactionError(
                operation="A stream", reason="it goes on after COMMIT, and reads what others commit."
            )

    def _create(self, statement: WriteFrame) -> None:
        """Creates the table that a stream is to fill, if it does not exist."""
        creation, engine = CreateForFrame(statement), self._engine.statement_of(statement.frame)
        self._create_namespaces(creation, context := self._context("", engine))
        Run(plan(creation, context), engine, self._state()).commit()

    def _beside(self) -> Session:
        """A session for the thread of a stream: the same tables, and copies of the current settings and views."""
        beside = copy(self)
        beside.settings, beside.views, beside._logs = self.settings.copy(), dict(self.views), {}
        beside._lock, beside._backend = RLock(), self._engine.beside(beside.settings)
        beside._running = []
        beside._transactions = Transactions(beside.settings, beside._surroundings)
        beside.functions = dict(self.functions)
        return beside

    def _full_name(self, text: str) -> TableName:
        """The full table name for `text`, which a later USE does not change."""
        name = table_name(text)
        return name if name.path is not None else TableName(self.catalog.full_name(name.parts))

    @property
    def _engine(self) -> SessionEngine:
        """The engine, created on first use: statements on metadata do not need it."""
        if self._backend is None:
            from deltasql.engines import session_engine

            self._backend = session_engine(
                self._spark, self.settings, self.stores, Watch(lambda: self.on_progress), sail=self._sail
            )
        return self._backend

    def _runtime(self, sql: str) -> StatementEngine:
        """The engine for one statement; its errors have carets in the statement's text `sql`."""
        if self._supplied is not None:
            return self._engine.statement_of(self._supplied, sql)
        if self._backend is None and self._spark is None:
            return unstarted_engine(self.stores, lambda: self._engine.statement(sql))
        return self._engine.statement(sql)

    def _context(self, sql: str, engine: StatementEngine) -> Context:
        views = VisibleViews({**self._shared_views, **self.views})
        catalog = self.catalog.looked_at_once()
        return Context(sql, catalog, self.settings, engine, views, self._log_at, functions=self.functions)

    def _surroundings(self) -> tuple[StatementEngine, Context]:
        engine = self._runtime("")
        return engine, self._context("", engine)

    def _open_log(self, location: str, name: str) -> DeltaLog:
        return DeltaLog(location, name, self.stores.open(location))

    def _log_at(self, location: str, name: str) -> DeltaLog:
        """The log at a location, cached, so that the next statement reads only new commits."""
        log = self._logs.get(location := self.catalog.located(location))
        if log is None or log.table != name:
            log = self._logs[location] = self.open_log(location, name)
            follow(log, self.catalog, self.stores)
        if isinstance(log.store, LocalLogStore):
            log.store.durable = self.catalog.commits.durable = self.settings[session_settings.FSYNC]
        log.store.probed = self.settings[session_settings.COMMIT_PROBE]
        transaction = self._transactions.open
        return log if transaction is None else transaction.log(log)

    def _result(self, outcome: Done, engine: StatementEngine) -> Result:
        if not isinstance(outcome, Committed):
            return Result(outcome, time_zone=self._time_zone)
        return Result.of(
            outcome.schema,
            outcome.rows,
            make_df=engine.frame_of,
            version=outcome.version,
            metrics=outcome.metrics,
            attempts=outcome.attempts,
            time_zone=self._time_zone,
        )

    @property
    def _time_zone(self) -> str:
        return self.settings.stored(session_settings.TIME_ZONE.name) or ""

    def _set(self, key: str | None, value: str | None) -> None:
        """Changes a setting of the session, also in Spark if it is one of Spark's.

        `value` None resets it, `key` None resets all settings.
        """
        if key is None:
            return self._reset()
        if self._backend is not None:
            self._backend.configure(key, value)
        return self.settings.reset(key) if value is None else self.settings.set(key, value)

    def _reset(self) -> None:
        """Resets all settings, also in Spark."""
        if self._backend is not None:
            for name in self.settings.names():
                self._backend.configure(name, None)
        self.settings.reset(None)
