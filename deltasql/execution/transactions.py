"""Multi-statement transactions: their statements' contributions and read sets, and commit or rollback."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from deltasql.engines.door import RowReader
from deltasql.errors.base import Caret, DeltaSqlError
from deltasql.errors.log import StorageError
from deltasql.errors.statements.transaction import (
    NestedTransactionError,
    NoTransactionError,
    SecondTableError,
    StaleStatementError,
)
from deltasql.execution.admission import admit, admit_statement
from deltasql.execution.commit import Committed, Contribution, commit_tags
from deltasql.execution.identity import SCHEMA_UPDATE_TAG
from deltasql.execution.races import RaceRules
from deltasql.execution.transaction_feed import with_feed
from deltasql.log.actions import operations
from deltasql.log.actions.actions import AddCDCFile, AddFile, Metadata, RemoveFile
from deltasql.log.actions.deletion_vectors import vector_file
from deltasql.log.commit.commit_info import Provenance, shown_parameters
from deltasql.log.commit.moved_rows import TouchedRows
from deltasql.log.commit.rebase import Rebase
from deltasql.log.commit.row_rebase import FollowingRebase, RowRebase
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.configuration.row_ids import ENABLEMENT_TAG
from deltasql.log.pending.joined_rows import JoinedRows
from deltasql.log.pending.net_actions import NetActions, now_ms
from deltasql.log.pending.pinned_log import PinnedLog
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.storage.paths import canonical
from deltasql.plan.base import LogicalPlan
from deltasql.plan.operators import Operator
from deltasql.plan.parameters import BoundStatement
from deltasql.plan.reads import Reads
from deltasql.planner.changes import AtomicBlock, LogRows, Plan, QueryRows, RowChange, SingleCommit, SparkCommand, Step
from deltasql.planner.rows.read_set import WHOLE_TABLE, partition_test, scans
from deltasql.planner.rows.repeats import may_repeat
from deltasql.schema.types import INTEGER, LONG, STRING, MapType, StructField, StructType
from deltasql.settings.session_settings import RETRY_STATEMENTS, TIME_ZONE, USER_METADATA, SessionSettings
from deltasql.sql.tokens import tokens_from

TRANSACTION_RESULT = StructType(
    (
        StructField("table", STRING),
        StructField("version", LONG),
        StructField("num_statements", INTEGER),
        StructField("metrics", MapType(STRING, LONG)),
    )
)
"""Columns of COMMIT's result: one row, or none if there was nothing to commit."""


class Transactions:
    """The transaction of a session, at most one; `open` is None if each statement commits by itself."""

    def __init__(self, settings: SessionSettings) -> None:
        self._settings = settings
        self.open: OpenTransaction | None = None
        # COMMIT has failed: the ROLLBACK that programs send then has nothing left to do.
        self._failed = False

    def take(self, step: Step, caret: Caret) -> Committed:
        """Begins, commits or rolls back. Raises NestedTransactionError, NoTransactionError, and as `commit`."""
        failed, self._failed = self._failed, False
        if step is Step.BEGIN:
            if self.open is not None:
                self._failed = failed
                raise NestedTransactionError().at(caret)
            self.open = OpenTransaction(self._settings)
            return Committed()
        transaction, self.open = self.open, None
        if transaction is None:
            if step is Step.ROLLBACK and failed:
                return Committed()
            raise NoTransactionError(verb=step.value).at(caret)
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
            raise NestedTransactionError().at(block.caret)
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


class OpenTransaction:
    """Uncommitted statements that write one table, and the pinned versions of all tables that they read.

    Used by one session at a time. `commit` or `roll_back` ends it; nothing can join it afterwards.
    """

    def __init__(self, settings: SessionSettings) -> None:
        self.caret: Caret | None = None
        """The caret for errors about the newest statement as a whole."""
        self._settings = settings
        self._logs: dict[str, PinnedLog] = {}
        self._queries: dict[str, list[Reads]] = {}
        self._parts: list[Contribution] = []
        self._written: PinnedLog | None = None
        self._net: NetActions | None = None
        self._ended = False

    def log(self, real: DeltaLog) -> PinnedLog:
        """The table's log as pinned by the transaction, with its uncommitted changes."""
        return self._logs.setdefault(real.location, PinnedLog(real))

    @property
    def has_changes(self) -> bool:
        """Whether a statement with changes has joined the transaction."""
        return bool(self._parts)

    @property
    def may_repeat(self) -> bool:
        """Whether all its statements may be retried after a conflict. Raises InvalidSettingError."""
        allowed = self._settings[RETRY_STATEMENTS]
        return allowed != "NONE" and all(may_repeat(part.change, allowed) for part in self._parts)

    def admit(self, plan: Plan) -> None:
        """Raises for a plan that cannot be part of the transaction; records the read set of a query.

        NotInTransactionError, NestedTransactionError, SecondTableError, StaleStatementError.
        """
        admit(plan)
        if isinstance(plan, SingleCommit):
            self._check_target(plan)
        elif isinstance(plan, (QueryRows, LogRows)):
            self._note((plan.query() if isinstance(plan, LogRows) else plan).operator)
        elif isinstance(plan, SparkCommand):
            for relation in plan.relations.values():
                self._note(relation)

    def join(self, contribution: Contribution) -> Committed:
        """Adds a statement's contribution to the transaction, without a commit, and returns the statement's result.

        Raises what `admit` and `with_feed` raise, and StaleStatementError; the transaction is then unchanged, and the
        files that the statement staged are removed.
        """
        try:
            self._check_target(contribution.change)
            if contribution.is_empty:
                contribution.discard()
                return contribution.answer
            log = self._logs[contribution.change.commit.log.location]
            contribution, before = with_feed(contribution, self._net or NetActions(log.location), log)
            net = before.after(contribution.actions, now_ms(), contribution.marked, contribution.marking)
            log.put_on_top(net)
        except BaseException as error:
            contribution.discard()
            if isinstance(error, DeltaSqlError):
                raise error.at(self.caret) from None
            raise
        self._written, self._net = log, net
        self._parts.append(contribution)
        return contribution.answer

    def commit(self) -> Committed:
        """Commits the net changes of all statements as one version. Raises a ConcurrentModificationError.

        On any error the transaction is rolled back, unless it is unknown whether the version exists.
        """
        net, log = self._net, self._written
        if net is None or log is None or net.is_empty:
            self.roll_back()
            return Committed(TRANSACTION_RESULT)
        try:
            commit = self._committed(net, log)
        except BaseException:
            self.roll_back()
            raise
        self._end()
        self._remove_unused(net, log, commit)
        metrics = self._metrics
        answer = (log.table, commit.version, len(self._parts), metrics)
        return Committed(TRANSACTION_RESULT, (answer,), commit.version, metrics, commit.attempts)

    def roll_back(self) -> None:
        """Removes all files that the statements have staged, unless a commit may need them. Idempotent."""
        for part in self._parts:
            if part.stage is not None:
                part.stage.discard()
        self._end()

    def _end(self) -> None:
        for part in self._parts:
            part.runtime.release()
        self._ended = True

    def _check_target(self, change: SingleCommit) -> None:
        """Raises SecondTableError for another table, StaleStatementError for a plan over an outdated snapshot."""
        spec = change.commit
        if self._written is not None and self._written.location != spec.log.location:
            raise SecondTableError(first=self._written.table, second=spec.log.table)
        log = self._logs.get(spec.log.location)
        if self._ended or log is None or log.snapshot() is not spec.snapshot:
            raise StaleStatementError

    def _note(self, operator: Operator) -> None:
        """Records the read set of a query, since the transaction may write one of its tables later."""
        for scan in scans(operator):
            log = self._logs.get(scan.table.location)
            if log is None or scan.table.version not in {log.read.version, log.snapshot().version}:
                continue
            predicate, paths = scan.pruning.predicate, tuple(scan.files.column("path").to_pylist())
            zone = self._settings[TIME_ZONE]
            matches = None
            if predicate is not None:
                matches = partition_test(log.snapshot(), predicate, scan.pruning.alias, zone)
            reads = Reads(predicate or "TRUE", paths, matches=matches, alias=scan.pruning.alias)
            self._queries.setdefault(scan.table.location, []).append(reads)

    # The commit

    def _committed(self, net: NetActions, log: PinnedLog) -> Commit:
        stages = [part.stage for part in self._parts if part.stage is not None]

        def need(needed: bool) -> None:
            for stage in stages:
                stage.need(needed)

        transaction = Transaction(log.real, log.read)
        transaction.need = need
        for reads in self._reads(log):
            transaction.record_read(reads.predicate, reads.files, reads.whole_table, reads.matches)
        rows = [part.change.rows for part in self._parts if isinstance(part.change, RowChange)]
        transaction.advise(next((item.advice for item in rows if item.advice), ""))
        # A version that outlives a crash must find its files.
        log.store.settle([folder for stage in stages for folder in stage.directories])
        commit = transaction.commit_rebased(self._provenance(), net.fixed_actions(), self._rebase(net, log))
        # Concurrent commits either conflict or leave something to commit.
        assert commit is not None
        return commit

    def _reads(self, log: PinnedLog) -> Iterator[Reads]:
        """The read sets of all statements in the table that is written; the whole table for one without a read set."""
        yield from self._queries.get(log.location, ())
        for part in self._parts:
            reads = part.change.commit.reads
            if reads is not None:
                yield reads
            elif _takes_rows(part):
                yield WHOLE_TABLE

    def _provenance(self) -> Provenance:
        """The entry for the table's history: of the single statement, or TRANSACTION with a list of the statements."""
        first, *others = (part.change.commit for part in self._parts)
        notes = [spec.user_metadata for spec in (first, *others) if spec.user_metadata]
        note = notes[-1] if notes else self._settings[USER_METADATA]
        if not others:
            return Provenance(first.operation, first.parameters, self._metrics, note, tags=self._tags)
        statements = [
            {"operation": spec.operation.name, "operationParameters": shown_parameters(spec.parameters)}
            for spec in (first, *others)
        ]
        return Provenance(operations.TRANSACTION, {"statements": statements}, self._metrics, note, tags=self._tags)

    @property
    def _metrics(self) -> Mapping[str, int]:
        """The sum of each metric over the statements."""
        sums: dict[str, int] = {}
        for part in self._parts:
            for name, value in part.answer.metrics.items():
                sums[name] = sums.get(name, 0) + value
        return sums

    @property
    def _tags(self) -> Mapping[str, str] | None:
        """Tags of the commit: the union of the statements' tags, without those that do not hold for all of them."""
        tags = [commit_tags(part.change) or {} for part in self._parts]
        if len(tags) == 1:
            return tags[0]
        both = {key: value for item in tags for key, value in item.items() if key != ENABLEMENT_TAG}
        stated = [item for item, part in zip(tags, self._parts, strict=True) if _states_metadata(part)]
        if any(SCHEMA_UPDATE_TAG not in item for item in stated):
            # Otherwise readers would take the commit for one that only advances identity columns.
            both.pop(SCHEMA_UPDATE_TAG, None)
        return both or None

    def _rebase(self, net: NetActions, log: PinnedLog) -> Rebase:
        """The rebase onto concurrent commits: row-level if every statement supports it, else file-level."""
        rules, marking = RaceRules.of(self._settings), net.marking(now_ms())
        if not rules.follow_rows_of(log.read):
            return Rebase(rules.strict, () if marking is None else marking.actions)
        read = self._parts[0].runtime.row_reader(log.read, None, None, None, rules.time_zone)
        describe = self._parts[0].describe if len(self._parts) == 1 else None
        readers = self._row_readers(log, rules.time_zone)
        if not readers:
            touched = TouchedRows(log.store, log.location, read, dict(net.marked), marking)
            return FollowingRebase(touched, rules.strict, describe)
        rows = JoinedRows(read, readers)
        touched = TouchedRows(log.store, log.location, rows, dict(net.marked), marking)
        return RowRebase(touched, rows, rules.budget, rules.strict, describe)

    def _row_readers(self, log: PinnedLog, time_zone: str | None) -> list[RowReader]:
        """A row reader for each statement that depends on rows; empty if one of these has no row-level read set."""
        readers: list[RowReader] = []
        for part in self._parts:
            spec, probe = part.change.commit, part.change.rows.probe if isinstance(part.change, RowChange) else None
            if spec.reads is None and not _takes_rows(part):
                continue
            if probe is None or spec.snapshot is None or log.location in self._queries:
                return []
            readers.append(part.runtime.row_reader(spec.snapshot, spec.reads, probe, part.stage, time_zone))
        return readers

    def _remove_unused(self, net: NetActions, log: PinnedLog, commit: Commit) -> None:
        """Removes staged files that a later statement of the transaction has replaced."""
        root = log.location
        stored = log.real.reader.commit(commit.version).materialized(log.table)
        used = {canonical(add["path"], root) for add in stored.adds}
        used |= {vector_file(add["deletionVector"], root) or "" for add in stored.adds if add.get("deletionVector")}
        used |= {canonical(change.path, root) for change in net.changes}
        with suppress(StorageError):
            # Files that remain are unreferenced, and VACUUM removes them.
            log.store.delete(sorted(_written_files(self._parts, root) - used))


def _written_files(parts: Sequence[Contribution], root: str) -> set[str]:
    """The files that statements have staged for their table, by canonical path."""
    actions = [action for part in parts for action in part.actions if isinstance(action, (AddFile, AddCDCFile))]
    vectors = {part.marking.vector_file for part in parts if part.marking is not None and part.marking.vector_file}
    return {canonical(action.path, root) for action in actions} | vectors


def _takes_rows(part: Contribution) -> bool:
    return bool(part.marked) or any(isinstance(action, RemoveFile) for action in part.actions)


def _states_metadata(part: Contribution) -> bool:
    return any(isinstance(action, Metadata) for action in part.actions)
