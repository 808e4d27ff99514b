"""Commits of table changes, with their read sets, rebase, provenance and metrics, and the clean-up of staged files.

A change is rebased onto concurrent commits by rows where possible, else by files. A change without new rows commits
metadata, and files that are removed as a whole. CLONE copies files first where the clone does not share those of its
source; then one put decides. The record of files loaded by COPY INTO is written with the commit of their rows and
rebased onto concurrent ones. Metrics of operations have Delta's names.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

from deltasql.base import DeltaSqlError, SessionSettings, errors, pa, session_settings, shielded
from deltasql.catalog import TABLE, Catalog, Governance, Subject
from deltasql.log import (
    COPY_INTO,
    PRESERVED_TAG,
    Action,
    AddFile,
    Budget,
    Commit,
    CommitFile,
    Describe,
    FollowingRebase,
    ListedFile,
    LoadedFiles,
    LogStore,
    MarkedFile,
    Marking,
    Outcome,
    Provenance,
    Rebase,
    RemoveFile,
    RowRebase,
    SetTransaction,
    Snapshot,
    TouchedRows,
    Transaction,
    canonical,
    copy_files,
    encoded,
    forget_versions,
    live_rows,
    newest_part,
    part_path,
    read_parts,
    table_properties,
    tracks_rows,
    transaction,
)
from deltasql.plan import NO_ROWS, Rewrite, RowEffect, RowKind
from deltasql.planner import (
    OUTCOME_SCHEMAS,
    CloneChange,
    CopyLoad,
    LayoutChange,
    Registration,
    RewriteOutcome,
    RowChange,
    Runtime,
    Stage,
    TableChange,
)
from deltasql.schema import StructType


def removed_metrics(removes: Sequence[AddFile]) -> dict[str, int]:
    """Metrics of removed files: their number and total bytes."""
    return {"numRemovedFiles": len(removes), "numRemovedBytes": sum(item.size for item in removes)}


def rewrite_metrics(
    outcome: Outcome, done: RewriteOutcome, operator: Rewrite, removes: Sequence[AddFile], marking: Marking
) -> dict[str, int]:
    """Operation metrics of a rewrite, by `outcome`; `removes` are the files removed from the table."""
    if outcome is Outcome.INSERT:
        written = {"numFiles": len(done.staged.files), "numOutputRows": done.staged.rows}
        deleted = {"numDeletedRows": done.rows(operator.actions, RowEffect.DELETE), "numCopiedRows": done.copied}
        changes = {"numAddedChangeFiles": len(done.staged.changes)}
        return {**written, "numOutputBytes": done.staged.size, **removed_metrics(removes), **changes, **deleted}
    if operator.source is None:
        return _dml_metrics(done, operator, removes, marking)
    return _merge_metrics(done, operator, removes, marking)


def _vector_metrics(prefix: str, marking: Marking) -> dict[str, int]:
    return {
        f"{prefix}DeletionVectorsAdded": marking.added + marking.replaced,
        f"{prefix}DeletionVectorsRemoved": marking.replaced + marking.removed_vectors,
        f"{prefix}DeletionVectorsUpdated": marking.replaced,
    }


def _dml_metrics(
    done: RewriteOutcome, operator: Rewrite, removes: Sequence[AddFile], marking: Marking
) -> dict[str, int]:
    effect = operator.actions[0].effect
    name = "numUpdatedRows" if effect is RowEffect.UPDATE else "numDeletedRows"
    return {
        "numAddedFiles": len(done.staged.files),
        "numRemovedFiles": len(removes),
        "numAddedBytes": done.staged.size,
        "numRemovedBytes": sum(item.size for item in removes),
        "numAddedChangeFiles": len(done.staged.changes),
        **_vector_metrics("num", marking),
        name: done.counts[0],
        "numCopiedRows": done.copied,
    }


def _merge_metrics(
    done: RewriteOutcome, operator: Rewrite, removes: Sequence[AddFile], marking: Marking
) -> dict[str, int]:
    def rows(effect: RowEffect, kind: RowKind | None = None) -> int:
        return done.rows(operator.actions, effect, kind)

    return {
        "numSourceRows": done.source_rows,
        "numTargetRowsInserted": rows(RowEffect.INSERT),
        "numTargetRowsUpdated": rows(RowEffect.UPDATE),
        "numTargetRowsMatchedUpdated": rows(RowEffect.UPDATE, RowKind.MATCHED),
        "numTargetRowsNotMatchedBySourceUpdated": rows(RowEffect.UPDATE, RowKind.NOT_MATCHED_BY_SOURCE),
        "numTargetRowsDeleted": rows(RowEffect.DELETE),
        "numTargetRowsMatchedDeleted": rows(RowEffect.DELETE, RowKind.MATCHED),
        "numTargetRowsNotMatchedBySourceDeleted": rows(RowEffect.DELETE, RowKind.NOT_MATCHED_BY_SOURCE),
        "numTargetRowsCopied": done.copied,
        "numOutputRows": done.staged.rows,
        "numTargetFilesAdded": len(done.staged.files),
        "numTargetFilesRemoved": len(removes),
        "numTargetBytesAdded": done.staged.size,
        "numTargetBytesRemoved": sum(item.size for item in removes),
        "numTargetChangeFilesAdded": len(done.staged.changes),
        **_vector_metrics("numTarget", marking),
    }


class CopyNotes:
    """The load record of one COPY INTO, staged with its files; it takes effect by `action` in the commit."""

    def __init__(self, change: RowChange, load: CopyLoad, stage: Stage) -> None:
        """Writes the load record. Raises StorageError."""
        snapshot = change.commit.snapshot
        assert snapshot is not None
        self._snapshot, self._load, self._stage = snapshot, load, stage
        self._store = change.commit.log.store
        self._part_path: str | None = None
        self.action = self._put(newest_part(snapshot), load)

    def on_top(self, winner: CommitFile) -> SetTransaction:
        """The action of a new load record on top of that of `winner`, a concurrent COPY INTO.

        Raises DuplicateLoadError if that has loaded one of the same files, CopyStateError, StorageError.
        """
        newest = winner.transactions[COPY_INTO].version
        loaded = read_parts(self._store, self._snapshot.table, self._snapshot.metadata.id, newest)
        paths = loaded.paths
        left = tuple(file for file in self._load.new if file.path not in paths)
        both = len(self._load.new) - len(left)
        if both and not self._load.forced:
            operation = "Another statement" if winner.info is None else winner.info.operation
            raise errors.DuplicateLoadError(self._snapshot.table, winner.version, operation, files=both)
        if self._part_path is not None:
            # No commit has referred to it.
            self._store.delete([self._part_path])
            self._part_path = None
        self.action = self._put(newest, replace(self._load, new=left, loaded=loaded))
        return self.action

    def _put(self, newest: int, load: CopyLoad) -> SetTransaction:
        if not load.new:
            return transaction(newest)
        action, path = put_part(self._store, self._snapshot.metadata.id, newest, load.loaded, load.new)
        self._stage.also(path)
        self._part_path = path
        return action


def put_part(
    store: LogStore, table_id: str, newest: int, loaded: LoadedFiles, files: Sequence[ListedFile]
) -> tuple[SetTransaction, str]:
    """Writes a part that adds `files` to `loaded`; returns the txn action that makes it valid, and its path.

    `newest` is the number of the newest valid part. A higher number that exists is of a writer that has not committed,
    or never will: such a part never becomes valid, and clean-up of the log removes it.
    Raises StorageError.
    """
    number = newest + 1
    while not store.put_if_absent(part_path(number), encoded(loaded.with_files(files, number), table_id)):
        number += 1
    return transaction(number), part_path(number)


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
        metrics if settings[session_settings.METRICS] else {},
        spec.user_metadata or settings[session_settings.USER_METADATA],
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
        if isinstance(error, errors.TableAlreadyExistsError) and _is_at(catalog, registration):
            _replace_records(registration, catalog)
            return
        # A catalog that has not answered may have taken the name.
        if registration.managed and not isinstance(error, errors.CatalogUnavailableError):
            catalog.commits.forget(registration.location)
            store.delete_below()
        raise


def _replace_records(registration: Registration, catalog: Catalog) -> None:
    """Sets the records of a table that was replaced: row filter and masks, if the statement declares any, and whether
    it is a shallow clone.
    """
    declared, entry = registration.governance, catalog.resolve(registration.parts)
    if declared.is_empty and (entry is None or not entry.governance.shallow_clone):
        return

    def change(found: Governance) -> Governance:
        if declared.has_policies:
            found = replace(found, row_filter=declared.row_filter, masks=declared.masks)
        return replace(found, shallow_clone=declared.shallow_clone)

    catalog.change_governance(Subject(TABLE, catalog.full_name(registration.parts)), change)


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
            settings[session_settings.STRICT_WRITE_SERIALIZABLE],
            settings[session_settings.FOLLOW_ROWS],
            Budget(
                settings[session_settings.ROW_LEVEL_FILES],
                settings[session_settings.ROW_LEVEL_BYTES],
                float(settings[session_settings.ROW_LEVEL_SECONDS]),
            ),
            settings[session_settings.TIME_ZONE],
        )

    def follow_rows_of(self, snapshot: Snapshot) -> bool:
        """Whether rows that concurrent commits move to other files are followed, so that a mere move is no conflict."""
        return self.follows and snapshot.properties[table_properties.DELETION_VECTORS]


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
    from deltasql.log import write_checkpoint

    try:
        write_checkpoint(change.commit.log.store, commit.snapshot)
        if change.forget_before_ms is not None:
            forget_versions(change.commit.log.store, commit.snapshot, change.forget_before_ms)
    except (DeltaSqlError, OSError) as error:
        raise errors.DropCheckpointError(change.commit.log.table, commit.version, str(error).rstrip(".")) from error


def _deleted_rows(files: pa.Table | None) -> int:
    """Rows in files that go as a whole, from their statistics; -1 where one of them has none."""
    if files is None:
        return 0
    counts = live_rows(files)
    counted = [count for count in counts if count is not None]
    return sum(counted) if len(counted) == len(counts) else -1


class StagedClone:
    """A clone whose files are copied. They are removed again if it is not committed."""

    def __init__(self, change: CloneChange, catalog: Catalog, settings: SessionSettings) -> None:
        """Copies the files. Raises LostDataFileError, StorageError, and InvalidSettingError."""
        self._change, self._catalog, self._settings = change, catalog, settings
        self._store = change.commit.log.store
        self._rules = RaceRules.of(settings)
        self._needed = False
        self._copies = bool(len(change.files.data) or change.files.vectors)
        if self._copies:
            try:
                copy_files(self._store, change.files.copies())
            except BaseException:
                self.discard()
                raise

    def commit(self) -> Committed:
        change = self._change
        try:
            if self._copies:
                # A version that outlives a crash must find its files.
                self._store.settle([change.folder])
            removes = removals(adds_of(change.commit.snapshot, change.files.removed))
            commit = commit_actions(
                change,
                [*change.commit.actions, *removes],
                change.metrics,
                self._settings,
                Rebase(self._rules.strict),
                self._need,
                added=change.files.added,
            )
        except BaseException:
            self.discard()
            raise
        assert commit is not None
        register(change.commit.register, self._catalog, change.commit.log.store)
        return Committed(change.answer.schema, change.answer.rows, commit.version, change.metrics, commit.attempts)

    def contribution(self) -> None:
        """None: a clone never is one of several statements of a transaction."""
        return

    def discard(self) -> None:
        """Removes the copies, unless a commit may need them; VACUUM finds what cannot be removed now."""
        if self._copies and not self._needed:
            with shielded():
                self._store.delete_below(self._change.folder)

    def _need(self, needed: bool) -> None:
        self._needed = needed
