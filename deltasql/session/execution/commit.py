"""Common steps of all table changes: the commit with its read set and provenance, and clean-up of staged files.

Choice of the rebase of a change onto concurrent commits: row-level where possible, else file-level.

The commit of a change without new rows: metadata, and files that leave as a whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.catalog import TableAlreadyExistsError
from deltasql.base.errors.external_catalog import CatalogUnavailableError
from deltasql.base.errors.statements.features import DropCheckpointError
from deltasql.base.lazy import pa
from deltasql.base.settings.session_settings import (
    FOLLOW_ROWS,
    METRICS,
    ROW_LEVEL_BYTES,
    ROW_LEVEL_FILES,
    ROW_LEVEL_SECONDS,
    STRICT_WRITE_SERIALIZABLE,
    TIME_ZONE,
    USER_METADATA,
    SessionSettings,
)
from deltasql.catalog import Catalog
from deltasql.catalog.governed import TABLE, Subject
from deltasql.log.actions.actions import Action, AddFile, Outcome, RemoveFile, SetTransaction
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.actions.deletion_vectors import MarkedFile, Marking
from deltasql.log.actions.record_count import live_rows
from deltasql.log.commit.commit_writer import Provenance
from deltasql.log.commit.conflict import Rebase
from deltasql.log.commit.row_rebase import Budget, Describe, FollowingRebase, RowRebase, TouchedRows
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.configuration.row_ids import PRESERVED_TAG, tracks_rows
from deltasql.log.properties.property_registry import DELETION_VECTORS
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import canonical
from deltasql.log.storage.log_store import LogStore
from deltasql.log.upkeep.post_commit import forget_versions
from deltasql.plan.operators import NO_ROWS
from deltasql.planner.catalog_changes import Registration
from deltasql.planner.changes import OUTCOME_SCHEMAS, CloneChange, LayoutChange, RowChange, TableChange
from deltasql.planner.door import Runtime, Stage
from deltasql.schema.types import StructType
from deltasql.session.execution.metrics import removed_metrics

Note: TypeAlias = "Callable[[CommitFile], SetTransaction]"


@dataclass(frozen=True, slots=True)
class Committed:
    """Result of a statement after its commit: rows, version, metrics; `version` is None if nothing was committed."""

    schema: StructType = StructType()
    rows: tuple[tuple[Any, ...], ...] = ()
    version: int | None = None
    metrics: Mapping[str, int] = field(default_factory=dict)
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class Contribution:
    """One statement's part in the commit of a multi-statement transaction. `answer` is its result for the user.

    `actions` exclude those of deletion vectors: `marked` are the files with their deleted row indexes, and `marking`
    has the actions for the snapshot that the statement read. `describe` returns the metrics for the final deletion
    vectors. `runtime` and `stage` are released with the transaction.
    """

    change: TableChange | RowChange
    actions: Sequence[Action]
    answer: Committed
    runtime: Runtime
    marked: Sequence[MarkedFile] = ()
    marking: Marking | None = None
    stage: Stage | None = None
    describe: Describe | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to commit."""
        return self.change.skip_if_empty and not self.actions and not self.marked

    def discard(self) -> None:
        """Removes the staged files, unless a commit may need them, and releases the engine's resources."""
        if self.stage is not None:
            self.stage.discard()
        self.runtime.release()


class StagedChange(Protocol):
    """A change whose files are staged but not committed. Exactly one of the methods is called, once."""

    def commit(self) -> Committed:
        """Checks for conflicts with concurrent commits, and commits. Raises a ConcurrentModificationError."""

    def contribution(self) -> Contribution | None:
        """The part to be committed with other statements of a transaction; None if that is not possible."""

    def discard(self) -> None:
        """Removes the staged files, unless a commit may need them."""


@contextmanager
def discarded_on_error(stage: Stage) -> Iterator[None]:
    """Context: removes the staged files if the block fails, also on Ctrl-C, as no commit can refer to them yet."""
    try:
        yield
    except BaseException:
        stage.discard()
        raise


def commit_staged(
    change: RowChange | LayoutChange,
    actions: Sequence[Action],
    metrics: Mapping[str, int],
    settings: SessionSettings,
    stage: Stage,
    rebase: Rebase,
    note: Note | None = None,
) -> Commit | None:
    """Commits actions that refer to staged files, and removes these if the commit has certainly failed, also on Ctrl-C.

    None if concurrent commits have left nothing to commit. If the commit may exist, its files stay; if it does not,
    VACUUM removes them.
    """
    with discarded_on_error(stage):
        # A version that outlives a crash must find its files.
        change.commit.log.store.settle(stage.directories)
        return commit_actions(change, actions, metrics, settings, rebase, stage.need, note)


def commit_actions(
    change: TableChange | RowChange | LayoutChange | CloneChange,
    actions: Sequence[Action],
    metrics: Mapping[str, int],
    settings: SessionSettings,
    rebase: Rebase,
    need: Callable[[bool], None] | None = None,
    note: Note | None = None,
    added: pa.Table | None = None,
) -> Commit | None:
    """Commits the actions of a change with its read set. None if concurrent commits have left nothing to commit.

    `need` is called when the commit may exist. `note` returns the load record of COPY INTO on top of a winner that is
    another COPY INTO. `added` are further add actions, as a table of `file_tables.ADD`.
    """
    spec = change.commit
    transaction = Transaction(spec.log, spec.snapshot)
    if need is not None:
        transaction.need = need
    transaction.note = note
    if spec.reads is not None:
        reads = spec.reads
        transaction.record_read(reads.predicate, reads.files, reads.whole_table, reads.matches)
    if isinstance(change, RowChange):
        transaction.advise(change.rows.advice)
    provenance = Provenance(
        spec.operation,
        spec.parameters,
        metrics if settings[METRICS] else {},
        spec.user_metadata or settings[USER_METADATA],
        tags=commit_tags(change),
    )
    return transaction.commit_rebased(provenance, actions, rebase, added=added)


def commit_tags(change: TableChange | RowChange | LayoutChange | CloneChange) -> Mapping[str, str] | None:
    """Tags of the commit: those of the change, and with row tracking that moved rows have their old row ids."""
    tags, read = change.commit.tags, change.commit.snapshot
    if isinstance(change, TableChange) and tags is not None:
        return tags
    moves = isinstance(change, LayoutChange) or change.commit.operation.outcome in {
        Outcome.UPDATE,
        Outcome.DELETE,
        Outcome.MERGE,
        Outcome.REFRESH,
    }
    if read is None or not moves or not tracks_rows(read.protocol, read.metadata):
        return tags
    return {**(tags or {}), PRESERVED_TAG: "true"}


def register(registration: Registration | None, catalog: Catalog, store: LogStore) -> None:
    """Registers a table, which has been created in a store, with the catalog.

    If the catalog refuses, since another process has taken the name or dropped the schema, the files of a managed table
    are removed: without a name they would block its location for ever.
    """
    if registration is None:
        return
    try:
        place, managed = registration.location, registration.managed
        refreshed, governance = registration.refreshed, registration.governance
        catalog.register(registration.parts, place, managed, refreshed=refreshed, governance=governance)
    except DeltaSqlError as error:
        if isinstance(error, TableAlreadyExistsError) and _is_at(catalog, registration):
            _replace_policies(registration, catalog)
            return
        # A catalog that has not answered may have taken the name.
        if registration.managed and not isinstance(error, CatalogUnavailableError):
            catalog.commits.forget(registration.location)
            store.delete_below()
        raise


def _replace_policies(registration: Registration, catalog: Catalog) -> None:
    """Sets row filter and masks of a table that was replaced, if the statement declares any."""
    declared = registration.governance
    if not declared.is_empty:
        subject = Subject(TABLE, catalog.full_name(registration.parts))
        catalog.change_governance(
            subject, lambda found: replace(found, row_filter=declared.row_filter, masks=declared.masks)
        )


def _is_at(catalog: Catalog, registration: Registration) -> bool:
    """Whether the name is already registered for this location."""
    entry = catalog.resolve(registration.parts)
    return entry is not None and entry.location == catalog.located(registration.location)


def adds_of(snapshot: Snapshot | None, files: pa.Table | None) -> Sequence[AddFile]:
    """The add actions of some files (rows of `Snapshot.files()`) of the snapshot that a statement read."""
    if snapshot is None or files is None or files.num_rows == 0:
        return []
    return snapshot.add_files(files.column("path").to_pylist())


def removals(files: Iterable[AddFile]) -> list[RemoveFile]:
    """Remove actions for some files, with the current time."""
    now = int(time.time() * 1000)
    return [item.remove(now) for item in files]


@dataclass(frozen=True, slots=True)
class RaceRules:
    """Settings of conflict detection, read before a statement stages files, since they may be invalid."""

    strict: bool
    follows: bool
    budget: Budget
    time_zone: str | None

    @staticmethod
    def of(settings: SessionSettings) -> RaceRules:
        """The rules of a session. Raises InvalidSettingError."""
        return RaceRules(
            settings[STRICT_WRITE_SERIALIZABLE],
            settings[FOLLOW_ROWS],
            Budget(settings[ROW_LEVEL_FILES], settings[ROW_LEVEL_BYTES], float(settings[ROW_LEVEL_SECONDS])),
            settings[TIME_ZONE],
        )

    def follow_rows_of(self, snapshot: Snapshot) -> bool:
        """Whether rows that concurrent commits move to other files are followed, so that a mere move is no conflict."""
        return self.follows and snapshot.properties[DELETION_VECTORS]


def rebase_of(
    change: TableChange | RowChange,
    rules: RaceRules,
    runtime: Runtime,
    stage: Stage | None = None,
    marked: Sequence[MarkedFile] = (),
    marking: Marking | None = None,
    describe: Describe | None = None,
) -> Rebase:
    """The rebase of a change onto concurrent commits. `marked` are files that stay, with their deleted row indexes, and
    `marking` has the actions of their deletion vectors without a concurrent commit. `describe` returns the metrics for
    the final deletion vectors."""
    snapshot = change.commit.snapshot
    rows = change.rows if isinstance(change, RowChange) else NO_ROWS
    if snapshot is None or not (rows.probe or rules.follow_rows_of(snapshot)):
        return Rebase(rules.strict, () if marking is None else marking.actions)
    root = change.commit.log.location
    reader = runtime.row_reader(snapshot, change.commit.reads, rows.probe, stage, rules.time_zone)
    files = {canonical(item.add.path, root): item for item in marked}
    touched = TouchedRows(change.commit.log.store, root, reader, files, marking)
    if rows.probe is None:
        return FollowingRebase(touched, rules.strict, describe)
    return RowRebase(touched, reader, rules.budget, rules.strict, describe)


class StagedTable:
    """A change of a table without new rows. It stages nothing, so that there is nothing to discard."""

    def __init__(self, change: TableChange, runtime: Runtime, catalog: Catalog, settings: SessionSettings) -> None:
        """Raises what `change.verify` says of rows that are in the way, and InvalidSettingError."""
        for check in change.verify:
            if runtime.rows(check.broken).head(1):
                raise check.error
        self._change, self._catalog, self._settings = change, catalog, settings
        self._runtime = runtime
        self._rebase = rebase_of(change, RaceRules.of(settings), runtime)

    def commit(self) -> Committed:
        change, contribution = self._change, self.contribution()
        if contribution.is_empty:
            return replace(contribution.answer, metrics={})
        commit = commit_actions(change, contribution.actions, contribution.answer.metrics, self._settings, self._rebase)
        # Only changes with rows find that others have left them nothing.
        assert commit is not None
        register(change.commit.register, self._catalog, change.commit.log.store)
        if change.checkpoint:
            _checkpoint(change, commit)
        return replace(contribution.answer, version=commit.version, attempts=commit.attempts)

    def contribution(self) -> Contribution:
        change, spec = self._change, self._change.commit
        removes = adds_of(spec.snapshot, change.removed)
        metrics = _metrics(change, removes)
        outcome = spec.operation.outcome
        rows = _deleted_rows(change.removed) if outcome is Outcome.DELETE else None
        if rows is not None and rows >= 0:
            metrics["numDeletedRows"] = rows
        schema = OUTCOME_SCHEMAS[outcome]
        answer: tuple[tuple[Any, ...], ...] = ((rows,),) if rows is not None else ()
        if change.answer is not None:
            schema, answer = change.answer.schema, change.answer.rows
        actions = [*spec.actions, *removals(removes)]
        return Contribution(change, actions, Committed(schema, answer, None, metrics), self._runtime)

    def discard(self) -> None:
        """Nothing: no file was written."""


def _metrics(change: TableChange, removes: Sequence[AddFile]) -> dict[str, int]:
    if change.metrics is not None:
        return dict(change.metrics)
    return removed_metrics(removes) if change.removed is not None else {}


def _checkpoint(change: TableChange, commit: Commit) -> None:
    """The checkpoint that must be there before the statement goes on. Raises DropCheckpointError."""
    # Takes Arrow, which most commits of metadata do without.
    from deltasql.log.upkeep.checkpoint_writer import write_checkpoint

    try:
        write_checkpoint(change.commit.log.store, commit.snapshot)
        if change.forget_before_ms is not None:
            forget_versions(change.commit.log.store, commit.snapshot, change.forget_before_ms)
    except (DeltaSqlError, OSError) as error:
        raise DropCheckpointError(change.commit.log.table, commit.version, str(error).rstrip(".")) from error


def _deleted_rows(files: pa.Table | None) -> int:
    """Rows in files that go as a whole, from their statistics; -1 where one of them has none."""
    if files is None:
        return 0
    counts = live_rows(files)
    counted = [count for count in counts if count is not None]
    return sum(counted) if len(counted) == len(counts) else -1
