"""Common steps of all table changes: the commit with its read set and provenance, and clean-up of staged files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.catalog import TableAlreadyExistsError
from deltasql.base.errors.external_catalog import CatalogUnavailableError
from deltasql.base.lazy import pa
from deltasql.base.settings.session_settings import USER_METADATA, SessionSettings
from deltasql.base.settings.write_settings import METRICS
from deltasql.catalog import Catalog
from deltasql.catalog.governed import TABLE, Subject
from deltasql.log.actions.actions import Action, AddFile, RemoveFile, SetTransaction
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.actions.deletion_vectors import MarkedFile, Marking
from deltasql.log.actions.operations import Outcome
from deltasql.log.commit.commit_writer import Provenance
from deltasql.log.commit.rebase import Rebase
from deltasql.log.commit.row_rebase import Describe
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.configuration.row_ids import PRESERVED_TAG, tracks_rows
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.log_store import LogStore
from deltasql.planner.catalog_changes import Registration
from deltasql.planner.changes import CloneChange, LayoutChange, RowChange, TableChange
from deltasql.planner.door import Runtime, Stage
from deltasql.schema.types import StructType

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
