"""An open transaction: pinned versions of the tables that it reads, and what it writes to them, up to the commit."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.statements.transaction import SecondTableError, SeparateCatalogError, StaleStatementError
from deltasql.base.settings.session_settings import RETRY_STATEMENTS, TIME_ZONE, SessionSettings
from deltasql.log.commit.commit_group import CommitGroup
from deltasql.log.commit.commit_race import CommitRace
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.pending.pinned_log import Cut, PinnedLog
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.plan.operators import Operator
from deltasql.plan.reads import Reads
from deltasql.planner.changes import LogRows, Plan, QueryRows, RowChange, SingleCommit, SparkCommand
from deltasql.planner.rows.read_set import partition_test, scans
from deltasql.planner.rows.row_change import may_repeat
from deltasql.schema.types import INTEGER, LONG, STRING, MapType, StructField, StructType
from deltasql.session.execution.commit import Committed, Contribution
from deltasql.session.execution.transaction.admission import admit
from deltasql.session.execution.transaction.written_table import WrittenTable, is_managed

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
        allowed = self._settings[RETRY_STATEMENTS]
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
            raise StaleStatementError
        _check_together([*(table.log for table in self._tables.values() if table.log is not log), log])
        if log.snapshot() is not spec.snapshot:
            raise StaleStatementError

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
            zone = self._settings[TIME_ZONE]
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
        raise SeparateCatalogError(logs[0].table, logs[-1].table, catalog, tables)
    plain = tuple(log.table for log in logs if not is_managed(log))
    if plain:
        managed = "SET TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported')"
        advice = "; ".join(f"ALTER TABLE {table} {managed}" for table in plain)
        raise SecondTableError(logs[0].table, logs[-1].table, plain, advice)


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
