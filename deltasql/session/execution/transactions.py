"""The transaction of a session: BEGIN, COMMIT and ROLLBACK, and atomic blocks.

Auto compaction: the small files of a table are put together after a statement that wrote to it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.statements.transaction import (
    NestedTransactionError,
    NoTransactionError,
)
from deltasql.base.settings.session_settings import SessionSettings
from deltasql.log.actions.actions import AddFile
from deltasql.log.configuration.indexed_columns import partition_keys
from deltasql.plan.base import LogicalPlan
from deltasql.plan.notes import records_of_statement
from deltasql.planner.changes import AtomicBlock, LayoutChange, Plan, RowChange, Step
from deltasql.planner.context import Context
from deltasql.planner.door import StatementEngine
from deltasql.session.execution.commit import Committed
from deltasql.session.execution.layout_change import StagedLayout
from deltasql.session.execution.transaction.admission import admit_statement
from deltasql.session.execution.transaction.open_transaction import OpenTransaction
from deltasql.sql.parameter_nodes import BoundStatement
from deltasql.sql.tokens import tokens_from
from deltasql.statements.rules.files.auto_compaction import auto_compaction, compacts


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
