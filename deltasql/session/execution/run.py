"""Execution of plans, the only place where they have effects: staging, commit, and effects on session and catalog.

EXPLAIN ANALYZE: a statement is run and measured, and its changes are discarded.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from typing_extensions import assert_never

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.interrupts import next_step, shielded
from deltasql.base.settings.session_settings import (
    LAST_COMMIT_VERSION,
    RETRY_ATTEMPTS,
    RETRY_STATEMENTS,
    SessionSettings,
)
from deltasql.catalog import Catalog
from deltasql.files.result import AnsweredRows, RowSource
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.stores import Stores
from deltasql.planner.catalog_changes import CatalogChange, FunctionChange, TemporaryFunction, View, ViewChange
from deltasql.planner.changes import (
    Analysis,
    Answer,
    AtomicBlock,
    CloneChange,
    FileRemoval,
    FileTransfer,
    LayoutChange,
    LogRows,
    ManifestChange,
    Plan,
    Preview,
    QueryRows,
    RowChange,
    SettingChange,
    SourceWrite,
    SparkCommand,
    Stepwise,
    TableChange,
    TransactionStep,
)
from deltasql.planner.context import GLOBAL
from deltasql.planner.door import Runtime, StatementEngine
from deltasql.planner.rows.row_change import may_repeat
from deltasql.schema.types import STRING, StructField, StructType
from deltasql.session.execution.catalog_effects import change_catalog, change_functions, change_views, transfer_file
from deltasql.session.execution.clone import StagedClone
from deltasql.session.execution.commit import Committed, StagedChange, StagedTable
from deltasql.session.execution.row_change import StagedLayout, StagedRows, write_source
from deltasql.session.execution.transaction.open_transaction import StagedBlock, Transactions

Done: TypeAlias = "Committed | RowSource"
"""Result of a plan: rows with the commit that was made, or rows that are computed on request."""


@dataclass(frozen=True, slots=True)
class SessionState:
    """The state that plans may change: of the session and the catalog.

    `forget_logs` is called when names may refer to other tables. `stage_block` runs the statements of an atomic block
    up to their commit.
    """

    catalog: Catalog
    stores: Stores
    settings: SessionSettings
    views: dict[str, View]
    shared_views: dict[str, View]
    functions: dict[str, TemporaryFunction]
    set: Callable[[str | None, str | None], None]
    forget_logs: Callable[[], None]
    transactions: Transactions
    stage_block: Callable[[AtomicBlock], StagedBlock]


class Run:
    """Executes one plan in two phases: the constructor stages files, `commit` makes the plan take effect."""

    def __init__(self, plan: Plan, runtime: StatementEngine, session: SessionState) -> None:
        """Stages the files of a table change. Raises InvalidSettingError before that, and errors of the rows."""
        self._plan, self._runtime, self._session = plan, runtime, session
        # A statement that begins in a transaction is committed by it.
        self._transaction = session.transactions.open
        self.most_attempts = _most_attempts(plan, session.settings)
        """The number of times that the statement may be run if it conflicts with concurrent commits."""
        self._staged = self._stage(plan)
        if isinstance(self._staged, StagedBlock) and not self._staged.may_repeat:
            self.most_attempts = 1

    @property
    def is_query(self) -> bool:
        """Whether the plan is a query."""
        return isinstance(self._plan, (QueryRows, LogRows))

    def commit(self) -> Done:
        """Commits the staged change, or executes a plan that needs no staging. Raises a ConcurrentModificationError."""
        done = self._done(self._plan, self._staged)
        if isinstance(done, Committed) and done.version is not None:
            self._session.settings.set(LAST_COMMIT_VERSION.name, str(done.version))
        self._session.transactions.compact()
        return done

    def discard(self) -> None:
        """Removes the staged files, unless a commit may need them."""
        if self._staged is not None:
            self._staged.discard()

    def _stage(self, plan: Plan) -> StagedChange | None:
        """Stages a table change; None for a plan without staging."""
        session = self._session
        match plan:
            case TableChange():
                return StagedTable(plan, self._runtime, session.catalog, session.settings)
            case RowChange():
                return StagedRows(plan, self._runtime, session.catalog, session.settings)
            case LayoutChange():
                return StagedLayout(plan, self._runtime, session.settings)
            case AtomicBlock():
                return session.stage_block(plan)
            case CloneChange():
                return StagedClone(plan, session.catalog, session.settings)
            case Analysis():
                return Analyzed(plan, self._runtime, self._stage)
            case _:
                return None

    def _done(self, plan: Plan, staged: StagedChange | None) -> Done:  # noqa: C901, PLR0912 - one case per plan
        match plan:
            case Answer(schema, rows):
                return Committed(schema, rows)
            case QueryRows() | Preview():
                return self._rows(plan)
            case SparkCommand(sql, relations, function):
                return self._runtime.command(sql, relations, function)
            case LogRows(schema, rows, _, query):
                return AnsweredRows(schema, rows, lambda: self._runtime.rows(query().operator))
            case TableChange() | RowChange() | LayoutChange() | CloneChange():
                return self._committed(plan, staged)
            case FileRemoval():
                # Only VACUUM needs Arrow's functions in a session without rows.
                from deltasql.session.execution.vacuum import remove_files

                return remove_files(plan, self._runtime, self._session.settings)
            case FileTransfer():
                with shielded():
                    transfer_file(plan, self._session.stores)
                return Committed()
            case ManifestChange(log, snapshot):
                return _manifests_written(log, snapshot)
            case Stepwise():
                return self._stepped(plan)
            case SourceWrite():
                done = write_source(plan, self._runtime, self._session.catalog)
                self._session.forget_logs()
                return done
            case CatalogChange():
                with shielded():
                    change_catalog(plan, self._session.catalog, self._session.stores)
                    # A dropped table's log must not answer for a later one at the same place.
                    self._session.forget_logs()
                return Committed()
            case SettingChange(key, value):
                self._session.set(key, value)
                return Committed(*plan.answer())
            case TransactionStep(step, caret):
                return self._session.transactions.take(step, caret)
            case AtomicBlock() | Analysis():
                assert staged is not None
                return staged.commit()
            case ViewChange() | FunctionChange():
                return self._name_changed(plan)
            case _:
                assert_never(plan)

    def _rows(self, plan: QueryRows | Preview) -> Done:
        """Rows of a query, computed on request; those of a preview at once, since they may raise errors."""
        if isinstance(plan, QueryRows):
            return self._runtime.rows(plan.operator)
        shown = self._runtime.previewed(plan.operator, plan.table)
        return Committed(shown.schema, tuple(map(tuple, shown.collect())))

    def _committed(
        self, plan: TableChange | RowChange | LayoutChange | CloneChange, staged: StagedChange | None
    ) -> Committed:
        assert staged is not None
        contribution = None if self._transaction is None else staged.contribution()
        if self._transaction is not None and contribution is not None:
            done, is_done = self._transaction.join(contribution), not contribution.is_empty
        else:
            done = staged.commit()
            is_done = done.version is not None
        if is_done:
            if isinstance(plan, RowChange) and isinstance(staged, StagedRows):
                self._session.transactions.written.note(plan, staged.added, self._session.settings)
            for setting in plan.commit.afterwards:
                self._session.set(setting.key, setting.value)
        return done

    def _stepped(self, plan: Stepwise) -> Done:
        """Runs the steps, and returns the result of the last. If one fails, its error has the number of finished steps.

        Only plans that name their steps (`plan.step`) add that number.
        """
        done: Done | None = None
        finished = 0
        try:
            for number, step in enumerate(plan.steps, start=1):
                done = self._step(step)
                finished = number
        except DeltaSqlError as error:
            if finished and plan.step is not None:
                error.note = f" Of the statement's {plan.step}s, those before this one are done: {finished}."
            raise
        assert done is not None
        return done

    def _step(self, plan: Plan) -> Done:
        next_step()
        return self._done(plan, self._stage(plan))

    def _name_changed(self, plan: ViewChange | FunctionChange) -> Committed:
        if isinstance(plan, FunctionChange):
            change_functions(plan, self._session.functions)
            self._runtime.forget_function(plan.name)
            return Committed()
        shared = plan.name.startswith(f"{GLOBAL}.")
        change_views(plan, self._session.shared_views if shared else self._session.views)
        # The engine's view of that name, a DataFrame's, has been replaced or dropped with ours.
        self._runtime.forget_view(plan.name.split(".", 1) if shared else (plan.name,))
        return Committed()


def _manifests_written(log: DeltaLog, snapshot: Snapshot) -> Committed:
    # Takes Arrow, as the list of all files does.
    from deltasql.log.upkeep.manifests import write_manifests

    write_manifests(log.store, snapshot)
    return Committed()


def _most_attempts(plan: Plan, settings: SessionSettings) -> int:
    """The number of times that a statement may be run if it conflicts with others. Raises InvalidSettingError."""
    if isinstance(plan, AtomicBlock):
        return settings[RETRY_ATTEMPTS]
    if not isinstance(plan, (TableChange, RowChange, LayoutChange)):
        return 1
    if not may_repeat(plan, settings[RETRY_STATEMENTS]):
        return 1
    return settings[RETRY_ATTEMPTS]


_PLAN = StructType((StructField("plan", STRING, False),))


class Analyzed:
    """Rows that are computed, and files that are written and removed again. Implements StagedChange."""

    def __init__(self, plan: Analysis, runtime: Runtime, stage: Callable[[Plan], StagedChange | None]) -> None:
        """Writes the files of a change by `stage`. Raises what is wrong with its rows."""
        self._plan, self._runtime = plan, runtime
        self._seconds, self._staged = _timed(lambda: stage(plan.planned))

    def commit(self) -> Committed:
        """Commits nothing: tells what there was to commit, or how many rows the query has."""
        planned = self._plan.planned
        if isinstance(planned, QueryRows):
            self._seconds, rows = _timed(lambda: self._runtime.run_through(planned.operator))
            counts = [f"rows: {rows:,}"]
        else:
            counts = ["nothing was committed", *self._counts()]
            self.discard()
        lines = ["== Analysis ==", *counts, f"read: {self._plan.read}", f"time: {self._seconds * 1000:.0f} ms"]
        return Committed(_PLAN, (("\n".join([self._plan.text, *lines]),),))

    def contribution(self) -> None:
        """It never composes."""

    def discard(self) -> None:
        if self._staged is not None:
            self._staged.discard()
            self._staged = None

    def _counts(self) -> list[str]:
        """The metrics that the commit would have had, without times."""
        contribution = None if self._staged is None else self._staged.contribution()
        metrics = {} if contribution is None else contribution.answer.metrics or {}
        return [f"{name}: {value}" for name, value in sorted(metrics.items()) if not name.endswith("TimeMs")]


_T = TypeVar("_T")


def _timed(work: Callable[[], _T]) -> tuple[float, _T]:
    began = time.perf_counter()
    done = work()
    return time.perf_counter() - began, done
