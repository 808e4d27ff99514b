"""The transaction of a session: BEGIN, COMMIT and ROLLBACK, atomic blocks, and auto compaction after statements.

An open transaction has the pinned versions of the tables that it reads, and its uncommitted changes. Some statements
cannot be part of a transaction, and are refused with the reason.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from deltasql.base import Caret, DeltaSqlError, SessionSettings, errors, session_settings, tokens_from
from deltasql.log import (
    AddFile,
    Commit,
    CommitGroup,
    CommitRace,
    Cut,
    DeltaLog,
    PinnedLog,
    Transaction,
    operations,
    partition_keys,
)
from deltasql.plan import Alone, LogicalPlan, Operator, Reads, records_of_statement
from deltasql.planner import (
    AtomicBlock,
    CatalogChange,
    CatalogChoice,
    Context,
    FileRemoval,
    LayoutChange,
    LogRows,
    Plan,
    QueryRows,
    RowChange,
    SchemaChoice,
    SingleCommit,
    SourceWrite,
    SparkCommand,
    StatementEngine,
    Step,
    Stepwise,
    TableChange,
    may_repeat,
    partition_test,
    scans,
)
from deltasql.schema import INTEGER, LONG, STRING, MapType, StructField, StructType
from deltasql.session.execution.commit import Committed, Contribution
from deltasql.session.execution.row_change import StagedLayout
from deltasql.session.execution.written_table import WrittenTable, is_managed
from deltasql.sql import BoundStatement
from deltasql.statements import auto_compaction, compacts


def admit_statement(statement: LogicalPlan) -> None:
    """Raises NotInTransactionError for a statement that can be no part of a transaction."""
    if statement.alone is not None:
        words, reason = statement.alone
        raise errors.NotInTransactionError(words, reason.value)


def admit(plan: Plan) -> None:
    """Raises NotInTransactionError or NestedTransactionError for what a statement cannot come to in a transaction."""
    match plan:
        case AtomicBlock():
            raise errors.NestedTransactionError
        case TableChange() | RowChange():
            _admit_change(plan)
        case LayoutChange():
            raise errors.NotInTransactionError(plan.commit.operation.name, Alone.MOVES.value)
        case SourceWrite():
            raise errors.NotInTransactionError(f"A write of {plan.source.format} files", Alone.FILES.value)
        case FileRemoval():
            raise errors.NotInTransactionError("VACUUM", Alone.DELETES.value)
        case Stepwise(label) if plan.commits:
            raise errors.NotInTransactionError(f"A statement of several commits ({label})", Alone.STEPS.value)
        case CatalogChange() if not isinstance(plan, (SchemaChoice, CatalogChoice)):
            raise errors.NotInTransactionError("A change of the catalog", Alone.CATALOG.value)


def _admit_change(change: TableChange | RowChange) -> None:
    operation = change.commit.operation
    if operation is operations.REFRESH:
        raise errors.NotInTransactionError("REFRESH", Alone.REFRESHES.value)
    if isinstance(change, RowChange) and change.rearranges:
        raise errors.NotInTransactionError(operation.name, Alone.UNCHANGED.value)
    overwrites = bool(change.commit.parameters.get("isV1SaveAsTableOverwrite"))
    if change.commit.snapshot is None or not (operation.composes or overwrites):
        reason = Alone.STREAMS if operation is operations.STREAMING_UPDATE else Alone.MAKES
        raise errors.NotInTransactionError(operation.name, reason.value)


TRANSACTION_RESULT = StructType(
    (
        StructField("table", STRING),
        StructField("version", LONG),
        StructField("num_statements", INTEGER),
        StructField("metrics", MapType(STRING, LONG)),
    )
)
"""Columns of COMMIT's result: one row for each table that was written."""


class OpenTransaction:
    """Uncommitted statements, the tables that they write, and the pinned versions of all tables that they read.

    Several tables are written if the catalog manages all of them. Used by one session at a time. `commit` or
    `roll_back` ends it; nothing can join it afterwards.
    """

    def __init__(self, settings: SessionSettings) -> None:
        self.caret: Caret | None = None
        """The caret for errors about the newest statement as a whole."""
        self._settings = settings
        self._cut = Cut()
        self._logs: dict[str, PinnedLog] = {}
        self._queries: dict[str, list[Reads]] = {}
        self._tables: dict[str, WrittenTable] = {}
        self._ended = False

    def log(self, real: DeltaLog) -> PinnedLog:
        """The table's log as pinned by the transaction, with its uncommitted changes."""
        return self._logs.setdefault(real.location, PinnedLog(real, self._cut))

    @property
    def has_changes(self) -> bool:
        """Whether a statement with changes has joined the transaction."""
        return bool(self._tables)

    @property
    def may_repeat(self) -> bool:
        """Whether all its statements may be retried after a conflict. Raises InvalidSettingError."""
        allowed = self._settings[session_settings.RETRY_STATEMENTS]
        parts = [part for table in self._tables.values() for part in table.parts]
        return allowed != "NONE" and all(may_repeat(part.change, allowed) for part in parts)

    def admit(self, plan: Plan) -> None:
        """Raises for a plan that cannot be part of the transaction; records the read set of a query.

        NotInTransactionError, NestedTransactionError, SecondTableError, SeparateCatalogError, StaleStatementError.
        """
        admit(plan)
        if isinstance(plan, SingleCommit):
            self._check_target(plan)
        elif isinstance(plan, (QueryRows, LogRows)):
            self._note((plan.query() if isinstance(plan, LogRows) else plan).operator)
        elif isinstance(plan, SparkCommand):
            for relation in plan.relations.values():
                self._note(relation)

    def join(self, given: Contribution) -> Committed:
        """Adds a statement's contribution to the transaction, without a commit, and returns the statement's result.

        Raises what `admit` and `with_feed` raise, and StaleStatementError; the transaction is then unchanged, and the
        files that the statement staged are removed.
        """
        location = given.change.commit.log.location
        try:
            self._check_target(given.change)
            if given.is_empty:
                given.discard()
                return given.answer
            table = self._tables.get(location) or WrittenTable(self._logs[location], self._settings)
            table.join(given)
        except BaseException as error:
            given.discard()
            if isinstance(error, DeltaSqlError):
                raise error.at(self.caret) from None
            raise
        if isinstance(given.change, RowChange):
            self._note(given.change.operator, target=location)
        self._tables[location] = table
        return given.answer

    def commit(self) -> Committed:
        """Commits the net changes of all statements, as one version of each table.

        Raises a ConcurrentModificationError. On any error the transaction is rolled back, unless it is unknown whether
        the versions exist.
        """
        tables = [table for table in self._tables.values() if not table.net.is_empty]
        if not tables:
            self.roll_back()
            return Committed(TRANSACTION_RESULT)
        try:
            commits = self._committed(tables)
        except BaseException:
            self.roll_back()
            raise
        self._end()
        for table, commit in zip(tables, commits, strict=True):
            table.remove_unused(commit)
        return _answer(tables, commits)

    def roll_back(self) -> None:
        """Removes all files that the statements have staged, unless a commit may need them. Idempotent."""
        for table in self._tables.values():
            table.discard()
        self._end()

    def _end(self) -> None:
        for table in self._tables.values():
            table.release()
        self._ended = True

    def _check_target(self, change: SingleCommit) -> None:
        """Raises SecondTableError, SeparateCatalogError for a further table where the tables have no common commit.

        Raises StaleStatementError for a plan over an outdated snapshot.
        """
        spec = change.commit
        log = self._logs.get(spec.log.location)
        if self._ended or log is None:
            raise errors.StaleStatementError
        _check_together([*(table.log for table in self._tables.values() if table.log is not log), log])
        if log.snapshot() is not spec.snapshot:
            raise errors.StaleStatementError

    def _note(self, operator: Operator, target: str | None = None) -> None:
        """Records the read sets of scans but for those of the table at `target`, whose statement knows its own.

        The transaction may write one of the tables later, and the catalog may have to check the others.
        """
        for scan in scans(operator):
            log = self._logs.get(scan.table.location)
            if log is None or scan.table.version not in {log.read.version, log.snapshot().version}:
                continue
            if target is not None and (scan.table.location == target or not is_managed(log)):
                continue
            predicate, paths = scan.pruning.predicate, tuple(scan.files.column("path").to_pylist())
            zone = self._settings[session_settings.TIME_ZONE]
            matches = None
            if predicate is not None:
                matches = partition_test(log.snapshot(), predicate, scan.pruning.alias, zone)
            reads = Reads(predicate or "TRUE", paths, matches=matches, alias=scan.pruning.alias)
            self._queries.setdefault(scan.table.location, []).append(reads)

    def _committed(self, tables: Sequence[WrittenTable]) -> list[Commit]:
        """One commit of each table. The catalog also checks the tables that were read, if it ratifies the commits."""
        transaction_id = str(uuid.uuid4())
        managed = all(is_managed(table.log) and _separate_catalog(table.log) is None for table in tables)
        watched = list(self._watched(tables, transaction_id)) if managed else []
        several = len(tables) > 1 or bool(watched)
        # An append whose transaction depends on rows of other tables cannot be moved before their changes.
        blind = False if several and (self._queries or any(table.depends_on_rows for table in tables)) else None
        prepared = [
            table.prepare(self._queries.get(table.log.location, ()), transaction_id, blind=blind) for table in tables
        ]
        if several:
            return CommitGroup(prepared, watched).run()
        commit = prepared[0].run()
        # Concurrent commits either conflict or leave something to commit.
        assert commit is not None
        return [commit]

    def _watched(self, written: Sequence[WrittenTable], transaction_id: str) -> list[CommitRace]:
        """Races of the tables that the catalog manages and that the transaction has only read.

        What other catalogs manage cannot be checked in one operation with the commits.
        """
        places = {table.log.location for table in written}
        races = []
        for location, queries in self._queries.items():
            log = self._logs[location]
            if location in places or not is_managed(log) or _separate_catalog(log) is not None:
                continue
            transaction = Transaction(log.real, log.read)
            transaction.transaction_id = transaction_id
            for reads in queries:
                transaction.record_read(reads.predicate, reads.files, reads.whole_table, reads.matches)
            races.append(transaction.watch())
        return races


def _separate_catalog(log: PinnedLog) -> str | None:
    """The catalog of a table whose commits cannot be ratified with those of other tables; None for any other table."""
    catalog = log.real.catalog
    return None if catalog is None else catalog.separate(log.location)


def _check_together(logs: Sequence[PinnedLog]) -> None:
    """Raises SeparateCatalogError, SecondTableError if several tables cannot be committed together; the last is new."""
    if len(logs) == 1:
        return
    separate = {log.table: catalog for log in logs if (catalog := _separate_catalog(log)) is not None}
    if separate:
        catalog = next(iter(separate.values()))
        tables = tuple(table for table, of in separate.items() if of == catalog)
        raise errors.SeparateCatalogError(logs[0].table, logs[-1].table, catalog, tables)
    plain = tuple(log.table for log in logs if not is_managed(log))
    if plain:
        managed = "SET TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported')"
        advice = "; ".join(f"ALTER TABLE {table} {managed}" for table in plain)
        raise errors.SecondTableError(logs[0].table, logs[-1].table, plain, advice)


def _answer(tables: Sequence[WrittenTable], commits: Sequence[Commit]) -> Committed:
    """The result of COMMIT: a row for each table. The version is that of a single table, the metrics are sums."""
    rows = tuple(
        (table.log.table, commit.version, len(table.parts), table.metrics)
        for table, commit in zip(tables, commits, strict=True)
    )
    sums: dict[str, int] = {}
    for table in tables:
        for name, value in table.metrics.items():
            sums[name] = sums.get(name, 0) + value
    version = commits[0].version if len(commits) == 1 else None
    return Committed(TRANSACTION_RESULT, rows, version, sums, max(commit.attempts for commit in commits))


class Transactions:
    """The transaction of a session, at most one; `open` is None if each statement commits by itself.

    `written` are tables that may need compaction after the commit.
    """

    def __init__(self, settings: SessionSettings, surroundings: Surroundings) -> None:
        self._settings, self._surroundings = settings, surroundings
        self.open: OpenTransaction | None = None
        self.written = WrittenTables()
        # COMMIT has failed: the ROLLBACK that programs send then has nothing left to do.
        self._failed = False

    def take(self, step: Step, caret: Caret) -> Committed:
        """Begins, commits or rolls back. Raises NestedTransactionError, NoTransactionError, and as `commit`."""
        failed, self._failed = self._failed, False
        if step is Step.BEGIN:
            if self.open is not None:
                self._failed = failed
                raise errors.NestedTransactionError().at(caret)
            self.open = OpenTransaction(self._settings)
            return Committed()
        transaction, self.open = self.open, None
        if transaction is None:
            if step is Step.ROLLBACK and failed:
                return Committed()
            raise errors.NoTransactionError(verb=step.value).at(caret)
        if step is Step.ROLLBACK:
            transaction.roll_back()
            return Committed()
        self._failed = True
        done = transaction.commit()
        self._failed = False
        return done

    def admit(self, item: LogicalPlan | Plan, sql: str) -> None:
        """Raises if the open transaction does not allow a statement or plan; the caret is at `sql`'s first word."""
        if self.open is None:
            return
        first = next(tokens_from(sql, 0), None)
        self.open.caret = None if first is None else Caret(sql, first.start, first.end)
        try:
            if isinstance(item, LogicalPlan):
                admit_statement(item)
            else:
                self.open.admit(item)
        except DeltaSqlError as error:
            raise error.at(self.open.caret) from None

    def stage(self, block: AtomicBlock, run: Callable[[BoundStatement], tuple[Committed, bool]]) -> StagedBlock:
        """Runs the statements of an atomic block, by `run`, in a transaction that is not yet committed.

        `run` returns a statement's result, and whether it is the rows of a query. Raises NestedTransactionError.
        """
        if self.open is not None:
            raise errors.NestedTransactionError().at(block.caret)
        self.open = transaction = OpenTransaction(self._settings)
        done, is_query = Committed(), False
        try:
            for statement in block.statements:
                try:
                    done, is_query = run(statement.bound)
                except DeltaSqlError as error:
                    raise error.moved(statement.bound.sql, block.sql, statement.start) from None
        except BaseException:
            transaction.roll_back()
            raise
        finally:
            self.open = None
        return StagedBlock(transaction, done, is_query=is_query)

    def compact(self) -> None:
        """Compacts the tables of `written` that need it, unless a transaction is open."""
        if self.open is None:
            self.written.compact(self._surroundings)

    def close(self) -> None:
        """Rolls back the open transaction, if there is one."""
        if self.open is not None:
            self.open.roll_back()
            self.open = None


class StagedBlock:
    """The statements of BEGIN ATOMIC … END, run in a transaction that is not yet committed.

    `last` is the result of the last statement; with `is_query` its rows are the block's result.
    """

    def __init__(self, transaction: OpenTransaction, last: Committed, *, is_query: bool) -> None:
        self._transaction, self._last, self._is_query = transaction, last, is_query
        self.may_repeat = transaction.may_repeat

    def commit(self) -> Committed:
        done = self._transaction.commit()
        return replace(done, schema=self._last.schema, rows=self._last.rows) if self._is_query else done

    def contribution(self) -> None:
        """None: a block is a transaction itself, and transactions are not nested."""

    def discard(self) -> None:
        self._transaction.roll_back()


Surroundings: TypeAlias = "Callable[[], tuple[StatementEngine, Context]]"
"""Returns an engine and a planning context for one more statement."""
_LOGGER = logging.getLogger(__name__)


class WrittenTables:
    """The tables with auto compaction that a session has written to since their last compaction.

    They are compacted after the commit. No failure of it fails the statement, whose commit is there.
    """

    def __init__(self) -> None:
        self._partitions: dict[tuple[str, str], set[tuple[str | None, ...]]] = {}

    def note(self, change: RowChange, added: Sequence[AddFile], settings: SessionSettings) -> None:
        """Notes the partitions of the files that a change adds, if its table has auto compaction."""
        metadata = change.metadata
        if not added or not compacts(metadata.properties, settings):
            return
        keys = partition_keys(metadata)
        noted = self._partitions.setdefault((change.commit.log.location, change.commit.log.table), set())
        noted.update(tuple(add.partition_values.get(key) for key in keys) for add in added)

    def compact(self, surroundings: Surroundings) -> None:
        """Puts the small files of the noted tables together, where there are enough of them."""
        while self._partitions:
            (location, table), partitions = self._partitions.popitem()
            try:
                # How its rows are computed is nothing that the statement's result says.
                with records_of_statement():
                    engine, context = surroundings()
                    plan = auto_compaction(context.logs(location, table), partitions, context)
                    if isinstance(plan, LayoutChange):
                        StagedLayout(plan, engine, context.settings).commit()
            except Exception as error:
                _LOGGER.warning("no auto compaction of %s: %s", table, error)
