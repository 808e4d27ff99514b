"""Execution of plans, the only module where they have effects: staging, commit, and effects on session and catalog.

Changes of catalog and views affect names, and the files of managed tables, which DROP removes. EXPLAIN ANALYZE runs and
measures a statement, and discards its changes. Errors get carets in the user's text, and lose their secrets.

The engine starts when a question needs it: most statements on metadata never start it. Questions whose answer is no
without a session are answered without a start.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from typing_extensions import assert_never

from deltasql.base import (
    Caret,
    DeltaSqlError,
    SessionSettings,
    errors,
    interruptible,
    next_step,
    pc,
    session_settings,
    shielded,
)
from deltasql.catalog import (
    Catalog,
    DroppedTable,
    TableEntry,
    bring_back,
    forget_dropped,
    keep_dropped,
    remove_expired,
    sql_name,
)
from deltasql.files import FEW_BYTES, AnsweredRows, Columnar, Placed, Result, RowSource
from deltasql.log import DeltaLog, Snapshot, Stores, is_contended
from deltasql.plan import ComputedBy, Operator, Rewrite, Scan, children
from deltasql.planner import (
    GLOBAL,
    Analysis,
    Answer,
    AtomicBlock,
    CatalogChange,
    CatalogChoice,
    CatalogComment,
    CatalogCreation,
    CatalogProperties,
    CatalogRemoval,
    CloneChange,
    FileRemoval,
    FileTransfer,
    FunctionChange,
    FunctionDefining,
    GovernanceChange,
    LayoutChange,
    LogRows,
    ManifestChange,
    Plan,
    Preview,
    ProcedureCall,
    QueryRows,
    Redefinition,
    Registration,
    Relocation,
    RenameChange,
    RowChange,
    Runtime,
    SchemaChoice,
    SchemaComment,
    SchemaCreation,
    SchemaProperties,
    SchemaRemoval,
    SecurableChange,
    SecurableCreation,
    SettingChange,
    SourceDefining,
    SourceWrite,
    SparkCommand,
    StatementEngine,
    Stepwise,
    TableChange,
    TemporaryFunction,
    TransactionStep,
    Undropping,
    Unregistration,
    View,
    ViewChange,
    ViewDefining,
    ViewRemoval,
    VolumeComment,
    VolumeCreation,
    VolumeRemoval,
    VolumeRenaming,
    may_repeat,
)
from deltasql.schema import STRING, StructField, StructType, matching
from deltasql.schema import quote_name as quote
from deltasql.session.execution.commit import Committed, StagedChange, StagedClone, StagedTable
from deltasql.session.execution.open_transaction import StagedBlock, Transactions
from deltasql.session.execution.row_change import StagedLayout, StagedRows, write_source
from deltasql.sql import BoundStatement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def change_catalog(change: CatalogChange, catalog: Catalog, stores: Stores) -> None:
    """Applies a change of the catalog; nothing is changed if it raises. `stores` give access to managed tables."""
    match change:
        case Registration():
            _register(change, catalog)
        case Redefinition(parts, definition):
            catalog.define(parts, definition)
        case SourceDefining(parts, redefine):
            catalog.change_source(parts, redefine)
        case Unregistration() | Undropping():
            _drop_or_undrop(change, catalog, stores)
        case RenameChange(parts, new_parts):
            catalog.rename(parts, new_parts)
        case Relocation(parts, location):
            catalog.set_location(parts, location)
        case SchemaComment() | SchemaCreation() | SchemaProperties() | SchemaRemoval() | SchemaChoice():
            _change_schemas(change, catalog, stores)
        case CatalogChoice() | CatalogCreation() | CatalogComment() | CatalogProperties() | CatalogRemoval():
            _change_catalogs(change, catalog, stores)
        case VolumeCreation() | VolumeRemoval() | VolumeRenaming() | VolumeComment():
            _change_volumes(change, catalog, stores)
        case GovernanceChange() | SecurableCreation() | SecurableChange():
            _change_records(change, catalog)
        case _:
            _change_definitions(change, catalog)


def _register(change: Registration, catalog: Catalog) -> None:
    try:
        catalog.register(change.parts, change.location, change.managed, change.source, change.refreshed)
    except errors.TableAlreadyExistsError:
        # Another process was first.
        if not change.if_not_exists:
            raise


def _change_schemas(change: CatalogChange, catalog: Catalog, stores: Stores) -> None:
    match change:
        case SchemaComment(name, comment):
            catalog.comment_on_schema(name, comment)
        case SchemaCreation(name, comment, location, if_not_exists, properties):
            catalog.create_schema(name, comment, location, if_not_exists, dict(properties))
        case SchemaProperties(name, added, removed):
            catalog.change_schema_properties(name, dict(added), removed)
        case SchemaRemoval(name, cascade, if_exists):
            for entry in catalog.drop_schema(name, cascade, if_exists):
                _remove_files(entry, catalog, stores)
        case SchemaChoice(name):
            catalog.use(name)


def _change_catalogs(change: CatalogChange, catalog: Catalog, stores: Stores) -> None:
    match change:
        case CatalogChoice(name):
            catalog.use_catalog(name)
        case CatalogCreation(name, comment, location, if_not_exists, properties):
            catalog.create_catalog(name, if_not_exists, comment, location, dict(properties))
        case CatalogProperties(name, added, removed):
            catalog.change_catalog_properties(name, dict(added), removed)
        case CatalogComment(name, comment):
            catalog.comment_on_catalog(name, comment)
        case CatalogRemoval(name, cascade, if_exists):
            for entry in catalog.drop_catalog(name, cascade, if_exists):
                _remove_files(entry, catalog, stores)


def _change_volumes(change: CatalogChange, catalog: Catalog, stores: Stores) -> None:
    match change:
        case VolumeCreation(parts, comment, location, if_not_exists):
            catalog.create_volume(parts, comment, location, if_not_exists)
        case VolumeRemoval(parts, if_exists):
            with suppress(*([errors.VolumeNotFoundError] if if_exists else [])):
                _remove_files(catalog.drop_volume(parts).as_table, catalog, stores)
        case VolumeRenaming(parts, new_name):
            catalog.rename_volume(parts, new_name)
        case VolumeComment(parts, comment):
            catalog.comment_on_volume(parts, comment)


def _change_records(change: CatalogChange, catalog: Catalog) -> None:
    """Applies a change of records of governance, or of a securable without data."""
    match change:
        case GovernanceChange(subject, edit):
            catalog.change_governance(subject, edit)
        case SecurableCreation(securable, if_not_exists):
            catalog.create_securable(securable, if_not_exists)
        case SecurableChange(kind, name, edit_securable, if_exists):
            try:
                catalog.change_securable(kind, name, edit_securable)
            except errors.SecurableNotFoundError:
                if not if_exists:
                    raise


def _change_definitions(change: CatalogChange, catalog: Catalog) -> None:
    """Applies a change of definitions stored in the catalog: of views and functions."""
    match change:
        case ViewDefining(parts, define, if_not_exists):
            try:
                catalog.change_view(parts, define)
            except errors.CatalogNameTakenError:
                if not if_not_exists:
                    raise
        case ViewRemoval(parts, if_exists):
            if not catalog.drop_view(parts) and not if_exists:
                raise errors.ViewNotFoundError(view=sql_name(parts))
        case FunctionDefining(parts, define_function, if_not_exists):
            try:
                catalog.change_function(parts, define_function)
            except (errors.FunctionAlreadyExistsError, errors.ProcedureAlreadyExistsError):
                if not if_not_exists:
                    raise
        case _:
            raise AssertionError(f"no effect of {type(change).__name__}")


def change_views(change: ViewChange, views: dict[str, View]) -> None:
    """Applies a change to temporary `views`, by key. Raises ViewAlreadyExistsError, ViewNotFoundError."""
    if change.view is None:
        if views.pop(change.name, None) is None and not change.if_exists:
            raise errors.ViewNotFoundError(view=quote(change.name))
        return
    if change.name in views and not change.or_replace:
        raise errors.ViewAlreadyExistsError(view=quote(change.name))
    views[change.name] = change.view
    if change.renamed is not None:
        del views[change.renamed]


def change_functions(change: FunctionChange, functions: dict[str, TemporaryFunction]) -> None:
    """Applies a change to the session's temporary functions."""
    if change.function is None:
        functions.pop(change.name, None)
    else:
        functions[change.name] = change.function


def _drop_or_undrop(change: Unregistration | Undropping, catalog: Catalog, stores: Stores) -> None:
    if isinstance(change, Undropping):
        _undrop(change.table, catalog)
    else:
        _remove_table(catalog.unregister(change.parts), change.days, catalog, stores)


def _remove_table(entry: TableEntry, days: int, catalog: Catalog, stores: Stores) -> None:
    """Puts the files of a dropped table aside, or deletes them; deletes those that have been aside for `days`."""
    if not entry.managed:
        return
    remove_expired(entry.location.rpartition("/")[0], days)
    # The newest commits of some tables are in the catalog, and gone with the name.
    if not days or catalog.commits.find(entry.location) is not None or not keep_dropped(entry):
        _remove_files(entry, catalog, stores)


def _undrop(table: DroppedTable, catalog: Catalog) -> None:
    """The file of the record goes last: who is interrupted before can be called again."""
    entry, location = table.entry, bring_back(table)
    catalog.register(entry.parts, location, True, entry.source, entry.refreshed, entry.governance)
    forget_dropped(location)


def _remove_files(entry: TableEntry, catalog: Catalog, stores: Stores) -> None:
    """Deletes all files of a managed table; an external table's files stay."""
    if entry.managed:
        catalog.commits.forget(entry.location)
        stores.open(entry.location).delete_below()


def transfer_file(transfer: FileTransfer, stores: Stores) -> None:
    """Makes a transfer; a target is there as a whole or not at all.

    Raises VolumeFileNotFoundError for a source that is gone by now, VolumeFileExistsError, StorageError.
    """
    source, name = stores.of_file(transfer.source)
    if transfer.target is None:
        source.delete([name])
        return
    target, target_name = stores.of_file(transfer.target)
    try:
        data = source.read(name)
    except FileNotFoundError:
        raise errors.VolumeFileNotFoundError(transfer.source) from None
    if transfer.overwrite:
        target.overwrite(target_name, data)
    elif not target.put_if_absent(target_name, data):
        raise errors.VolumeFileExistsError(transfer.shown)


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

    @property
    def is_call(self) -> bool:
        """Whether the plan is the call of a procedure, which the session runs."""
        return isinstance(self._plan, ProcedureCall)

    def commit(self) -> Done:
        """Commits the staged change, or executes a plan that needs no staging. Raises a ConcurrentModificationError."""
        done = self._done(self._plan, self._staged)
        if isinstance(done, Committed) and done.version is not None:
            self._session.settings.set(session_settings.LAST_COMMIT_VERSION.name, str(done.version))
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
            case SettingChange(key, value, effect=effect):
                if effect is not None:
                    self._session.set(*effect)
                self._session.set(key, value)
                return Committed(*plan.answer())
            case TransactionStep(step, caret):
                return self._session.transactions.take(step, caret)
            case AtomicBlock() | Analysis():
                assert staged is not None
                return staged.commit()
            case ViewChange() | FunctionChange():
                return self._name_changed(plan)
            case ProcedureCall():
                # The session runs scripts; only statements of an atomic block come here.
                raise errors.CallInBlockError
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
    from deltasql.log import write_manifests

    write_manifests(log.store, snapshot)
    return Committed()


def _most_attempts(plan: Plan, settings: SessionSettings) -> int:
    """The number of times that a statement may be run if it conflicts with others. Raises InvalidSettingError."""
    if isinstance(plan, AtomicBlock):
        return settings[session_settings.RETRY_ATTEMPTS]
    if not isinstance(plan, (TableChange, RowChange, LayoutChange)):
        return 1
    if not may_repeat(plan, settings[session_settings.RETRY_STATEMENTS]):
        return 1
    return settings[session_settings.RETRY_ATTEMPTS]


def contended_table(plan: Plan, engine: StatementEngine) -> str | None:
    """The location of the table that a short statement changes while other threads of this process change it, too.

    Such a statement is faster where it begins after them: it would lose each race against them, and be put on top of
    all their commits. None for a statement that is not short, or not in a race.
    """
    if not isinstance(plan, RowChange) or not isinstance(plan.operator, Rewrite):
        return None
    location = plan.commit.log.location
    if not is_contended(location) or _bytes_read(plan.operator) > FEW_BYTES:
        return None
    return location if engine.way(plan.operator).by is ComputedBy.PROCESS else None


def _bytes_read(operator: Operator) -> int:
    if isinstance(operator, Scan):
        return pc.sum(operator.files.column("size")).as_py() or 0
    return sum(map(_bytes_read, children(operator)))


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


class Pending:
    """Result of `Session.begin`: a statement that has read tables and staged its files, but committed nothing.

    `commit` or `abort` ends it; leaving a `with` block without a commit aborts it, too.
    """

    def __init__(self, run: Run, finish: Callable[[], Result], placed: Placed, planning: float) -> None:
        """`finish` commits `run` and returns its Result; `planning` is the time spent so far, in seconds."""
        self._run, self._finish, self._placed, self._planning = run, finish, placed, planning
        self._ended = self._called_query = False

    @property
    def is_query(self) -> bool:
        """Whether the statement is a query, as opposed to a command that returns rows.

        The call of a procedure is one, once it has run, if a query was among its statements.
        """
        return self._run.is_query or self._called_query

    @property
    def most_attempts(self) -> int:
        """The number of times that `Session.sql` may run the statement if it conflicts with concurrent commits."""
        return self._run.most_attempts

    def commit(self) -> Result:
        """Checks for conflicts with commits since `begin`, and commits.

        Raises a ConcurrentModificationError on a conflict, after removing the staged files. Raises StatementEndedError
        the second time.
        """
        self._end()
        started = time.perf_counter()
        with interruptible(), self._placed():
            try:
                result = self._finish()
            except KeyboardInterrupt:
                # This keeps the files of a commit that may exist.
                self._run.discard()
                raise
        result.elapsed = self._planning + time.perf_counter() - started
        self._called_query = self._run.is_call and result.is_query
        return result

    def abort(self) -> None:
        """Removes the staged files. Raises StatementEndedError if the statement has ended already."""
        self._end()
        self._run.discard()

    def __enter__(self) -> Pending:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if not self._ended:
            self.abort()

    def _end(self) -> None:
        if self._ended:
            raise errors.StatementEndedError
        self._ended = True


class Placing:
    """Puts errors of a statement to their places in `text`, of which it was made, and hides its parameters in them.

    Within, names are compared as the statement does.
    """

    def __init__(self, bound: BoundStatement, text: str) -> None:
        self.bound, self.case_sensitive = bound, False
        self._text = text

    @contextmanager
    def __call__(self) -> Iterator[None]:
        try:
            with matching(case_sensitive=self.case_sensitive):
                yield
        except DeltaSqlError as error:
            if error.caret is not None and error.caret.sql == self.bound.sql:
                error.caret = _original(error.caret, self._text, self.bound)
            self.bound.hide_values(error)
            raise
        except RecursionError as error:
            raise errors.TooComplexError from error


def _original(caret: Caret | None, text: str, bound: BoundStatement) -> Caret | None:
    """A place in the statement after parameters were bound, as a place in the user's text."""
    if caret is None or caret.sql == text:
        return caret
    first, last = bound.whole_names(caret.start, caret.end)
    start = bound.to_original(first)
    return Caret(text, start, max(start + 1, bound.to_original(last)))


def unstarted_engine(stores: Stores, start: Callable[[], StatementEngine]) -> StatementEngine:
    """The engine of a statement, which `start` makes at the first question that needs one."""
    return cast(StatementEngine, Asleep(stores, start))


class Asleep:
    """A placeholder for the engine of a statement until it is needed; `start` makes it. See `StatementEngine`."""

    def __init__(self, stores: Stores, start: Callable[[], StatementEngine]) -> None:
        self.stores = stores
        self._start = start
        self._engine: StatementEngine | None = None

    @property
    def _awake(self) -> StatementEngine:
        if self._engine is None:
            self._engine = self._start()
        return self._engine

    def __getattr__(self, name: str) -> Any:
        """Any question that is not answered below starts the engine."""
        return getattr(self._awake, name)

    def frame_of(self, rows: Columnar) -> DataFrame:
        """A result gets this method before anybody asks for its DataFrame."""
        return self._awake.frame_of(rows)

    @property
    def started(self) -> bool:
        return self._engine is not None and self._engine.started

    def setting(self, key: str) -> str | None:
        return None if self._engine is None else self._engine.setting(key)

    def knows(self, parts: Sequence[str]) -> bool:
        return self._engine is not None and self._engine.knows(parts)

    def knows_view(self, parts: Sequence[str]) -> bool:
        return self._engine is not None and self._engine.knows_view(parts)

    def knows_function(self, parts: Sequence[str]) -> bool:
        return self._engine is not None and self._engine.knows_function(parts)

    def temporary_views(self) -> list[str]:
        return [] if self._engine is None else self._engine.temporary_views()

    def forget_view(self, parts: Sequence[str]) -> None:
        if self._engine is not None:
            self._engine.forget_view(parts)

    def forget_function(self, name: str) -> None:
        if self._engine is not None:
            self._engine.forget_function(name)

    def release(self) -> None:
        if self._engine is not None:
            self._engine.release()
