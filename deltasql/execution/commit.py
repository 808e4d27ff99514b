"""A planned change of a table becomes a commit: rows are staged first, then one put decides."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from deltasql.catalog import Catalog
from deltasql.engine.engine import StatementEngine
from deltasql.engine.rewrites.outcome import Rewritten
from deltasql.engine.writing.stage import Stage, Staged, live_rows, row_count
from deltasql.errors.base import DeltaSqlError
from deltasql.errors.features import DropCheckpointError
from deltasql.execution.identity import with_used_numbers
from deltasql.execution.metrics import removed_metrics, rewrite_metrics
from deltasql.execution.races import RaceRules, rebase_of
from deltasql.log.actions.actions import Action, AddFile, RemoveFile
from deltasql.log.actions.vector_writer import MarkedFile, Marking, mark_rows
from deltasql.log.commit.commit_info import Provenance
from deltasql.log.commit.commit_rules import of_kind
from deltasql.log.commit.rebase import Rebase
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.configuration.iceberg_compat import stores_partitions
from deltasql.log.configuration.row_ids import PRESERVED_TAG, tracks_rows
from deltasql.log.protocol.protocol import Protocol
from deltasql.log.replay.snapshot import physical_names
from deltasql.plan.operators import Rewrite, RowEffect, Write
from deltasql.planner.catalog_changes import Registration
from deltasql.planner.changes import OUTCOME_SCHEMAS, LayoutChange, Outcome, Reads, RowChange, TableChange
from deltasql.schema.partition_values import partition_value
from deltasql.schema.types import StructType
from deltasql.settings.session_settings import (
    USER_METADATA,
    Settings,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from deltasql.log.replay.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Committed:
    """What a statement gives back after its commit; `version` is None when there was nothing to commit."""

    schema: StructType = StructType()
    rows: tuple[tuple[Any, ...], ...] = ()
    version: int | None = None
    metrics: Mapping[str, int] = field(default_factory=dict)
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class StagedChange:
    """A change whose files are written and which nobody can see yet: one of the two is called, once."""

    commit: Callable[[], Committed]
    discard: Callable[[], None] = lambda: None


def stage_table(change: TableChange, engine: StatementEngine, catalog: Catalog, settings: Settings) -> StagedChange:
    """A change without new rows, which has nothing to stage."""
    rebase = rebase_of(change, RaceRules.of(settings), engine)
    return StagedChange(lambda: _commit_table(change, rebase, catalog, settings))


def _commit_table(change: TableChange, rebase: Rebase, catalog: Catalog, settings: Settings) -> Committed:
    removes = _removes(change.commit.snapshot, change.removed)
    metrics = _table_metrics(change, removes)
    outcome = change.outcome or Outcome.NONE
    rows = _deleted_rows(change.removed) if outcome is Outcome.DELETE else None
    if rows is not None and rows >= 0:
        metrics["numDeletedRows"] = rows
    schema = OUTCOME_SCHEMAS[outcome]
    answer: tuple[tuple[Any, ...], ...] = ((rows,),) if rows is not None else ()
    if change.answer is not None:
        schema, answer = change.answer.schema, change.answer.rows
    if change.skip_if_empty and not removes and not change.commit.actions:
        return Committed(schema, answer)
    commit = commit_actions(change, [*change.commit.actions, *_removals(removes)], metrics, settings, rebase)
    _register(change.commit.register, catalog)
    if change.checkpoint:
        _checkpoint(change, commit)
    return Committed(schema, answer, commit.version, metrics, commit.attempts)


def _table_metrics(change: TableChange, removes: Sequence[AddFile]) -> dict[str, int]:
    if change.metrics is not None:
        return dict(change.metrics)
    return removed_metrics(removes) if change.removed is not None else {}


def _checkpoint(change: TableChange, commit: Commit) -> None:
    """The checkpoint that must be there before the statement goes on. Raises DropCheckpointError."""
    # They take Arrow, which most commits of metadata do without.
    from deltasql.log.upkeep import checkpoint_writer, cleanup

    try:
        checkpoint_writer.write_checkpoint(change.commit.log.store, commit.snapshot)
        if change.forget_before_ms is not None:
            cleanup.forget_versions(change.commit.log.store, commit.snapshot, change.forget_before_ms)
    except (DeltaSqlError, OSError) as error:
        raise DropCheckpointError(change.commit.log.table, commit.version, str(error).rstrip(".")) from error


def stage_rows(change: RowChange, engine: StatementEngine, catalog: Catalog, settings: Settings) -> StagedChange:
    """Writes the rows of a change. Files that no commit comes to refer to are removed again."""
    stage = Stage(
        engine.spark,
        change.commit.log.location,
        change.metadata.partition_columns,
        change.metadata.configuration,
        stores_partitions=stores_partitions(_protocol(change), change.metadata.configuration),
    )
    rules = RaceRules.of(settings)
    started = time.perf_counter()
    with discarded_on_error(stage):
        work = _staged(change, engine, stage)
    work.metrics["executionTimeMs"] = int((time.perf_counter() - started) * 1000)
    final = with_used_numbers(change, of_kind(work.actions, AddFile))
    final = final.committing(reads=final.commit.reads or work.reads)
    rebase = rebase_of(final, rules, engine, stage, work.marked, work.marking, work.described)

    def commit() -> Committed:
        try:
            return _commit_rows(final, work, rebase, stage, catalog, settings)
        finally:
            engine.release()

    def discard() -> None:
        stage.discard()
        engine.release()

    return StagedChange(commit, discard)


def _commit_rows(
    change: RowChange, work: _Work, rebase: Rebase, stage: Stage, catalog: Catalog, settings: Settings
) -> Committed:
    actions = [*change.commit.actions, *work.actions]
    schema = OUTCOME_SCHEMAS[change.outcome]
    if change.skip_if_empty and not actions and not work.marked:
        return Committed(schema, (work.answer,), None, work.metrics)
    commit = commit_staged(change, actions, work.metrics, settings, stage, rebase)
    assert commit is not None
    _register(change.commit.register, catalog)
    return Committed(schema, (work.answer,), commit.version, work.metrics, commit.attempts)


@contextmanager
def discarded_on_error(stage: Stage) -> Iterator[None]:
    """Removes what was staged when the block fails, also on Ctrl-C: nothing can refer to these files yet."""
    try:
        yield
    except BaseException:
        stage.discard()
        raise


def commit_staged(
    change: RowChange | LayoutChange,
    actions: Sequence[Action],
    metrics: Mapping[str, int],
    settings: Settings,
    stage: Stage,
    rebase: Rebase,
) -> Commit | None:
    """Commits actions that refer to staged files, and removes these when that fails for certain, also on Ctrl-C.

    None where others have left nothing to commit. Where the commit may be there, its files stay; VACUUM removes them if
    it is not.
    """
    with discarded_on_error(stage):
        # A version that outlives a crash must find its files.
        change.commit.log.store.settle(stage.directories)
        return commit_if_any(change, actions, metrics, settings, rebase, stage.need)


def _protocol(change: RowChange) -> Protocol:
    """The protocol that holds once the change is committed."""
    stated = of_kind(change.commit.actions, Protocol)
    if stated:
        return stated[-1]
    assert change.commit.snapshot is not None
    return change.commit.snapshot.protocol


def _staged(change: RowChange, engine: StatementEngine, stage: Stage) -> _Work:
    if isinstance(change.operator, Write):
        return _written(change, engine, stage, change.operator)
    return _rewritten(change, engine, stage, change.operator)


@dataclass(slots=True)
class _Work:
    """What the engine did for a change: actions, metrics, and the row that the statement returns.

    `marked` are files that stay, with the rows that go, and `marking` the actions which that comes to if nobody else
    commits. `reads` are known only now, where the plan has none.
    """

    actions: Sequence[Action]
    metrics: dict[str, int]
    answer: tuple[int, ...]
    marked: Sequence[MarkedFile] = ()
    marking: Marking | None = None
    reads: Reads | None = None
    describe: Callable[[Marking], dict[str, int]] | None = None

    def described(self, marking: Marking) -> dict[str, int]:
        """The metrics where `marking` is what was marked in the end; they are the work's from then on."""
        if self.describe is not None:
            self.metrics.update(self.describe(marking))
        return self.metrics


def _written(change: RowChange, engine: StatementEngine, stage: Stage, operator: Write) -> _Work:
    staged = engine.write(operator, stage, change.commit.log.table)
    removed, reads = change.removed, None
    if change.dynamic_overwrite and change.commit.snapshot is not None:
        removed, reads = _overwritten(change.commit.snapshot, staged)
    removes = _removes(change.commit.snapshot, removed)
    metrics = {"numFiles": len(staged.files), "numOutputRows": staged.rows, "numOutputBytes": staged.size}
    if removed is not None:
        metrics |= removed_metrics(removes)
    actions: list[AddFile | RemoveFile] = [*_removals(removes), *staged.adds]
    if change.rearranges:
        actions = [replace(action, data_change=False) for action in actions]
    return _Work(actions, metrics, (staged.rows, staged.rows), reads=reads)


def _rewritten(change: RowChange, engine: StatementEngine, stage: Stage, operator: Rewrite) -> _Work:
    assert change.commit.snapshot is not None
    merge, insert = change.outcome is Outcome.MERGE, change.outcome is Outcome.INSERT
    done = engine.rewrite(operator, stage, change.commit.log.table, merge=merge, insert=insert)
    adds = change.commit.snapshot.add_files(done.marked) if done.marked else []
    marked = [MarkedFile(add, done.marked[add.path], row_count(add, change.commit.log.location)) for add in adds]
    marking = mark_rows(change.commit.log.store, marked, int(time.time() * 1000))
    if marking.vector_file is not None:
        # It is staged like the files of rows.
        stage.also(marking.vector_file)
    removed = change.commit.snapshot.add_files(done.removed) if done.removed else []
    actions: list[Action] = [*_removals(removed), *done.staged.adds, *done.staged.changes]

    def describe(final: Marking) -> dict[str, int]:
        return rewrite_metrics(change.outcome, done, operator, [*removed, *final.removed_files], final)

    answer = _answer(change.outcome, done, operator)
    return _Work(actions, describe(marking), answer, marked, marking, describe=describe)


def _answer(outcome: Outcome, done: Rewritten, operator: Rewrite) -> tuple[int, ...]:
    rows = [done.rows(operator.actions, effect) for effect in (RowEffect.UPDATE, RowEffect.DELETE, RowEffect.INSERT)]
    if outcome is Outcome.INSERT:
        return rows[2], rows[2]
    return (sum(rows), *rows) if outcome is Outcome.MERGE else (sum(rows),)


def _deleted_rows(files: pa.Table | None) -> int:
    """Rows in files that go as a whole, from their statistics; -1 where one of them has none."""
    if files is None:
        return 0
    counts = live_rows(files)
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else -1


def _overwritten(snapshot: Snapshot, staged: Staged) -> tuple[pa.Table, Reads]:
    """The files of every partition that a staged file falls into, and that a dynamic overwrite depends on just these.

    Values are compared by type: writers spell one timestamp in several ways.
    """
    import pyarrow as pa

    fields = [field for name in snapshot.partition_columns if (field := snapshot.schema.find(name))]
    names = list(zip(snapshot.partition_columns, physical_names(snapshot.metadata), strict=True))

    def partition(values: Mapping[str, str | None]) -> tuple[object, ...]:
        """The partition of a file, whose values the log has by physical name."""
        return partition_value({name: values.get(physical) for name, physical in names}, fields)

    touched = {partition(add.partition_values) for add in staged.adds}
    files = snapshot.files(("path", "partitionValues", "size", "stats"))
    values = files.column("partitionValues").to_pylist()
    removed = files.filter(pa.array([partition_value(row, fields) in touched for row in values], pa.bool_()))
    paths = tuple(removed.column("path").to_pylist())
    return removed, Reads("TRUE", paths, matches=lambda values: partition(values) in touched)


def _removes(snapshot: Snapshot | None, files: pa.Table | None) -> Sequence[AddFile]:
    if snapshot is None or files is None or files.num_rows == 0:
        return []
    return snapshot.add_files(files.column("path").to_pylist())


def _removals(files: Iterable[AddFile]) -> list[RemoveFile]:
    now = int(time.time() * 1000)
    return [item.remove(now) for item in files]


def commit_actions(
    change: TableChange | RowChange | LayoutChange,
    actions: Sequence[Action],
    metrics: Mapping[str, int],
    settings: Settings,
    rebase: Rebase,
) -> Commit:
    """Commits what a change came to, and what it read."""
    commit = commit_if_any(change, actions, metrics, settings, rebase)
    assert commit is not None
    return commit


def commit_if_any(
    change: TableChange | RowChange | LayoutChange,
    actions: Sequence[Action],
    metrics: Mapping[str, int],
    settings: Settings,
    rebase: Rebase,
    need: Callable[[bool], None] | None = None,
) -> Commit | None:
    """The same; None where others have left nothing to commit. `need` is told when the commit may be there."""
    transaction = Transaction(change.commit.log, change.commit.snapshot)
    if need is not None:
        transaction.need = need
    _record(transaction, change.commit.reads)
    if isinstance(change, RowChange):
        transaction.advise(change.rows.advice)
    provenance = Provenance(
        change.commit.operation,
        change.commit.parameters,
        metrics,
        _user_metadata(change) or settings.get(USER_METADATA),
        tags=_tags(change),
    )
    return transaction.commit_rebased(provenance, actions, rebase)


def _user_metadata(change: TableChange | RowChange | LayoutChange) -> str | None:
    return change.commit.user_metadata if isinstance(change, RowChange) else None


def _tags(change: TableChange | RowChange | LayoutChange) -> Mapping[str, str] | None:
    """What the commit says of itself besides its operation: where rows are tracked, whether all have kept their ids."""
    own = None if isinstance(change, LayoutChange) else change.commit.tags
    if isinstance(change, TableChange) and own is not None:
        return own
    read = change.commit.snapshot
    moves = isinstance(change, LayoutChange) or change.outcome in {Outcome.UPDATE, Outcome.DELETE, Outcome.MERGE}
    if read is None or not moves or not tracks_rows(read.protocol, read.metadata):
        return own
    return {**(own or {}), PRESERVED_TAG: "true"}


def _record(transaction: Transaction, reads: Reads | None) -> None:
    if reads is not None:
        transaction.record_read(reads.predicate, reads.files, reads.whole_table, reads.matches)


def _register(registration: Registration | None, catalog: Catalog) -> None:
    if registration is not None:
        catalog.register(registration.parts, registration.location, registration.managed)
