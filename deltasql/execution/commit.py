"""What all changes of a table share: what a commit says and has read, and what becomes of staged files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from deltasql.catalog import Catalog
from deltasql.engines.door import Runtime, Stage
from deltasql.errors.base import DeltaSqlError
from deltasql.errors.catalog import TableAlreadyExistsError
from deltasql.log.actions.actions import Action, AddFile, RemoveFile, SetTransaction
from deltasql.log.actions.commit_file import CommitFile
from deltasql.log.actions.operations import Outcome
from deltasql.log.actions.vector_writer import MarkedFile, Marking
from deltasql.log.commit.commit_info import Provenance
from deltasql.log.commit.rebase import Rebase
from deltasql.log.commit.row_rebase import Describe
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.configuration.row_ids import PRESERVED_TAG, tracks_rows
from deltasql.log.storage.locations import absolute_location
from deltasql.log.storage.log_store import LogStore
from deltasql.planner.catalog_changes import Registration
from deltasql.planner.changes import CloneChange, LayoutChange, RowChange, TableChange
from deltasql.schema.types import StructType
from deltasql.settings.session_settings import USER_METADATA, SessionSettings

if TYPE_CHECKING:
    import pyarrow as pa

    from deltasql.log.replay.snapshot import Snapshot


Note: TypeAlias = "Callable[[CommitFile], SetTransaction]"


@dataclass(frozen=True, slots=True)
class Committed:
    """What a statement gives back after its commit; `version` is None when there was nothing to commit."""

    schema: StructType = StructType()
    rows: tuple[tuple[Any, ...], ...] = ()
    version: int | None = None
    metrics: Mapping[str, int] = field(default_factory=dict)
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one statement gives to the commit of a transaction. `answer` is what it gives back to the user.

    `actions` are those without the ones that mark rows of files that stay: `marked`, and `marking` on what it read.
    `describe` gives its metrics where something else was marked in the end. `runtime` is released and `stage` settled
    with the transaction.
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
        """Removes what was staged, unless a commit may need it, and lets go of what the engine holds."""
        if self.stage is not None:
            self.stage.discard()
        self.runtime.release()


class StagedChange(Protocol):
    """A change whose files are written and which nobody can see yet: one of these is called, once."""

    def commit(self) -> Committed:
        """Checks what others have committed meanwhile, and commits. Raises a ConcurrentModificationError."""

    def contribution(self) -> Contribution | None:
        """What a transaction commits with what other statements give it; None for what never composes."""

    def discard(self) -> None:
        """Removes what was staged, unless a commit may need it."""


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
    settings: SessionSettings,
    stage: Stage,
    rebase: Rebase,
    note: Note | None = None,
) -> Commit | None:
    """Commits actions that refer to staged files, and removes these when that fails for certain, also on Ctrl-C.

    None where others have left nothing to commit. Where the commit may be there, its files stay; VACUUM removes them if
    it is not.
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
    """Commits what a change came to, and what it read. None where others have left nothing to commit.

    `need` is told when the commit may be there, `note` gives what COPY INTO notes on top of a winner that did so, too.
    `added` are add actions besides, as `file_tables.ADD`.
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
        metrics,
        spec.user_metadata or settings[USER_METADATA],
        tags=commit_tags(change),
    )
    return transaction.commit_rebased(provenance, actions, rebase, added=added)


def commit_tags(change: TableChange | RowChange | LayoutChange | CloneChange) -> Mapping[str, str] | None:
    """What the commit says of itself besides its operation: where rows are tracked, whether all have kept their ids."""
    own, read = change.commit.tags, change.commit.snapshot
    if isinstance(change, TableChange) and own is not None:
        return own
    moves = isinstance(change, LayoutChange) or change.commit.operation.outcome in {
        Outcome.UPDATE,
        Outcome.DELETE,
        Outcome.MERGE,
    }
    if read is None or not moves or not tracks_rows(read.protocol, read.metadata):
        return own
    return {**(own or {}), PRESERVED_TAG: "true"}


def register(registration: Registration | None, catalog: Catalog, store: LogStore) -> None:
    """Makes the catalog know a table that has been created in a store.

    Where the catalog refuses, since another process has taken the name or dropped the schema meanwhile, the files of a
    managed table are removed: it has no name, and its place would be taken for ever.
    """
    if registration is None:
        return
    try:
        catalog.register(registration.parts, registration.location, registration.managed)
    except DeltaSqlError as error:
        if isinstance(error, TableAlreadyExistsError) and _is_at(catalog, registration):
            return
        if registration.managed:
            store.delete_below()
        raise


def _is_at(catalog: Catalog, registration: Registration) -> bool:
    """Whether the name stands for this place already."""
    entry = catalog.resolve(registration.parts)
    return entry is not None and entry.location == absolute_location(registration.location)


def adds_of(snapshot: Snapshot | None, files: pa.Table | None) -> Sequence[AddFile]:
    """The actions of some files (rows of `Snapshot.files()`) of the version that a statement read."""
    if snapshot is None or files is None or files.num_rows == 0:
        return []
    return snapshot.add_files(files.column("path").to_pylist())


def removals(files: Iterable[AddFile]) -> list[RemoveFile]:
    """The actions by which files leave the table now."""
    now = int(time.time() * 1000)
    return [item.remove(now) for item in files]
