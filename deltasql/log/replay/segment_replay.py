"""Replay of one log segment: state, totals and files of its version, each read when first requested.

`LogReader` reads and parses the log files of a table once, as long as some snapshot uses them. `SegmentReplay` raises
errors for damaged or missing log files; `RecoveringReplay` then reads the version from the other files of the log.
Source: Delta protocol, Action Reconciliation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from deltasql.base import DeltaSqlError, errors
from deltasql.log.actions.actions import DomainMetadata, FileTotals, Json, Metadata, SetTransaction
from deltasql.log.actions.commit_file import CommitFile, parse_commit
from deltasql.log.protocol import Protocol
from deltasql.log.replay.checkpoint import Checkpoint
from deltasql.log.replay.checksum import LogTail, TableState, count_commits, read_checksum, replay
from deltasql.log.replay.log_segment import (
    CheckpointFiles,
    Delta,
    LogListing,
    LogSegment,
    build_segment,
    list_log,
    with_staged,
)
from deltasql.log.storage.listing import commit_path
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.log_store import Entry, LogStore

if TYPE_CHECKING:
    from deltasql.log.replay.live_files import LiveFiles


@dataclass(frozen=True, slots=True)
class ReconciledTail:
    """The reconciled commits of `checkpoint` (None: of the whole log) up to `version`."""

    version: int
    checkpoint: CheckpointFiles | None
    tail: LogTail


@dataclass(frozen=True, slots=True)
class BaseVersion:
    """The state of an earlier version, on which newer commits are applied; `totals` is None if unknown."""

    version: int
    state: TableState
    totals: FileTotals | None
    tail: ReconciledTail | None = None


BEFORE_FIRST = BaseVersion(-1, TableState(), FileTotals())
"""The empty state before version 0, on which the totals of a new table are counted without listing its files."""

# Errors of a protocol or metaData action that is valid JSON, but not a valid action.
_DAMAGE = (errors.InvalidSchemaJsonError, KeyError, ValueError, TypeError, AttributeError)


class SegmentReplay:
    """The replay of one segment, on top of `base` where that is an earlier version of the same log.

    Every method that reads raises InvalidCheckpointError, InvalidCompactionError or LogFileNotFoundError where a log
    file of the segment is damaged or gone, InvalidLogJsonError or InvalidMetadataError for a damaged commit.
    """

    def __init__(self, reader: LogReader, segment: LogSegment, base: BaseVersion | None) -> None:
        self.reader, self.segment, self.base = reader, segment, base
        self.table, self.location, self.version = reader.table, reader.store.root, segment.version
        self._cached_tail: ReconciledTail | None = None
        self._files: LiveFiles | None = None

    @cached_property
    def base_version(self) -> BaseVersion | None:
        """The newest version up to this one whose state is known, from a checksum or `base`; None for none."""
        candidates = sorted(version for version in self.segment.checksums if version <= self.version)
        while candidates and (self.base is None or candidates[-1] > self.base.version):
            version = candidates.pop()
            checksum = read_checksum(self.reader.store, version)
            if checksum is not None:
                return BaseVersion(version, checksum.state, checksum.totals)
        return self.base

    def state(self) -> TableState:
        """Protocol and metadata; transactions and domains as well unless a checksum lacks them."""
        base = self.base_version
        checkpoint = self.segment.checkpoint
        if base is not None and base.version >= (checkpoint.version if checkpoint else 0):
            return self._applied(base.state, base.version + 1)
        return self._from_checkpoint(whole=True)

    def full_state(self, core: TableState) -> TableState:
        """`core`, which has protocol and metadata, with the transactions and domains that the log files hold."""
        state = self._from_checkpoint(whole=False)
        return TableState(core.protocol, core.metadata, state.transactions, state.domains)

    def _from_checkpoint(self, *, whole: bool) -> TableState:
        """The state from the checkpoint on, if there is one; without its protocol and metadata if not `whole`."""
        state = TableState()
        if self.segment.checkpoint is not None:
            state = self._checkpointed(self.segment.checkpoint, whole)
        return self._applied(state, 0)

    def _checkpointed(self, files: CheckpointFiles, whole: bool) -> TableState:
        checkpoint = self.reader.checkpoint(files)
        transactions = [SetTransaction.from_json(item) for item in checkpoint.actions("txn")]
        domains = [DomainMetadata.from_json(item) for item in checkpoint.actions("domainMetadata")]
        protocols = checkpoint.actions("protocol") if whole else []
        metadata = checkpoint.actions("metaData") if whole else []
        try:
            return TableState(
                Protocol.from_json(protocols[-1]) if protocols else None,
                Metadata.from_json(metadata[-1]) if metadata else None,
                {item.app_id: item for item in transactions},
                {item.domain: item for item in domains if not item.removed},
            )
        except _DAMAGE as error:
            raise errors.InvalidCheckpointError(self.table, files.paths[0], _reason(error)) from error

    def _applied(self, state: TableState, start: int) -> TableState:
        """`state` with the commits from version `start` on."""
        for commit in self.reader.deltas([item for item in self.segment.deltas if item.end >= start]):
            try:
                state = state.after(commit)
            except _DAMAGE as error:
                raise errors.InvalidMetadataError(self.table, commit.path, _reason(error)) from error
        return state

    def carried_totals(self, base: BaseVersion) -> FileTotals | None:
        """The totals of `base_version` plus the commits since; None if that requires reading the checkpoint."""
        commits = self._commits_with_files(base.version)
        if base.totals is None or commits is None:
            return None
        tail = self._tail_at(base.version) if commits else LogTail()
        if tail is None:
            return None
        return count_commits(base.totals, commits, tail, self.segment.checkpoint, self.location, self.table)

    def _commits_with_files(self, version: int) -> list[CommitFile] | None:
        """The commits after `version` up to the last with file actions; None if some exist only in compacted files."""
        newer = [number for number, _ in self.segment.commits if number > version]
        if len(newer) != self.version - version:
            return None
        commits = self.reader.commits(newer)
        while commits and not commits[-1].has_files:
            commits.pop()
        return commits

    def small_adds(self) -> list[Json] | None:
        """The live adds of a log without a checkpoint, as JSON objects, without Arrow; None if a commit is big."""
        tail = self.tail()
        if any(commit.is_big for commit in tail.commits):
            return None
        return [tail.commits[number].adds[row] for number, row in tail.live.values()]

    def live_files(self, partitions: Collection[tuple[str, str]]) -> LiveFiles:
        """The files of the version. `partitions` are pairs of key and logical name of each partition column."""
        from deltasql.log.replay.live_files import LiveFiles

        if self._files is None:
            files = self.segment.checkpoint
            checkpoint = self.reader.checkpoint(files) if files is not None else None
            self._files = LiveFiles(checkpoint, self.tail(), self.location, self.table, partitions)
        return self._files

    def tail(self) -> LogTail:
        """The commits after the checkpoint, reconciled."""
        if self._cached_tail is None:
            tail = self._tail_at(self.version)
            assert tail is not None
            self._cached_tail = ReconciledTail(self.version, self.segment.checkpoint, tail)
        return self._cached_tail.tail

    @property
    def reconciled_tail(self) -> ReconciledTail | None:
        """The reconciled commits so far: those of this version if they have been read, else those of `base`."""
        return self._cached_tail or self._base_tail

    def _tail_at(self, version: int) -> LogTail | None:
        """The reconciled commits after the checkpoint up to `version`, on top of those of `base` if possible.

        None if a compacted file ends later.
        """
        checkpoint, base = self.segment.checkpoint, self._base_tail
        if base is not None and base.version <= version:
            newer = self.segment.deltas_between(base.version + 1, version)
            if newer is not None:
                return replay(self.reader.deltas(newer), self.location, self.table, base.tail)
        deltas = self.segment.deltas_between(checkpoint.version + 1 if checkpoint else 0, version)
        return None if deltas is None else replay(self.reader.deltas(deltas), self.location, self.table)

    @property
    def _base_tail(self) -> ReconciledTail | None:
        base = self.base.tail if self.base is not None else None
        return base if base is not None and base.checkpoint == self.segment.checkpoint else None


def _reason(error: Exception) -> str:
    return error.reason if isinstance(error, errors.InvalidSchemaJsonError) else f"{type(error).__name__}: {error}"


_PARALLEL = 16


class LogReader:
    """The log files of one table, each read and parsed once as long as it is of use."""

    def __init__(self, store: LogStore, table: str) -> None:
        self.store = store
        self.table = table
        self.staged: Mapping[int, str] = {}
        """The staged files of commits that a catalog has ratified and that are not published, by version."""
        self._pending: Entry | None = None
        self._commits: dict[int, CommitFile] = {}
        self._checkpoints: dict[CheckpointFiles, Checkpoint] = {}
        self._compactions: dict[Delta, CommitFile] = {}

    def commit(self, version: int) -> CommitFile:
        """The parsed commit. Raises LogFileNotFoundError or InvalidLogJsonError."""
        commit = self._commits.get(version)
        if commit is None:
            data = self.data(version)
            commit = self._commits[version] = parse_commit(data, version, commit_path(version), self.table)
        return commit

    def data(self, version: int, length: int | None = None) -> bytes:
        """The text of a commit, or its first bytes. Raises LogFileNotFoundError."""
        staged, path = self.staged.get(version), commit_path(version)
        if staged is not None:
            # It is deleted once it is published.
            with suppress(FileNotFoundError):
                return self.store.read(staged)
        try:
            return self.store.read(path) if length is None else self.store.read_range(path, 0, length)
        except FileNotFoundError as error:
            raise errors.LogFileNotFoundError(self.table, path) from error

    def commits(self, versions: Sequence[int]) -> list[CommitFile]:
        """The parsed commits of these versions; remote ones are fetched side by side."""
        if isinstance(self.store, LocalLogStore) or len(versions) < 4:
            return [self.commit(version) for version in versions]
        with ThreadPoolExecutor(_PARALLEL) as pool:
            return list(pool.map(self.commit, versions))

    def deltas(self, deltas: Sequence[Delta]) -> list[CommitFile]:
        """The parsed files, compacted ones with the version of their last commit."""
        singles = iter(self.commits([item.start for item in deltas if not item.is_compacted]))
        return [self._compacted(item) if item.is_compacted else next(singles) for item in deltas]

    def _compacted(self, delta: Delta) -> CommitFile:
        """Raises InvalidCompactionError."""
        commit = self._compactions.get(delta)
        if commit is None:
            path = delta.entry.path
            try:
                commit = parse_commit(self.store.read(path), delta.end, path, self.table)
                if commit.is_big:
                    commit.file_tables(self.table)
            except FileNotFoundError as error:
                raise errors.InvalidCompactionError(self.table, path, "the file is missing") from error
            except errors.InvalidLogJsonError as error:
                raise errors.InvalidCompactionError(self.table, path, f"line {error.line}: {error.reason}") from error
            self._compactions[delta] = commit
        return commit

    def checkpoint(self, files: CheckpointFiles) -> Checkpoint:
        cached = self._checkpoints.get(files)
        if cached is None:
            # One is enough: snapshots of one log mostly share it, and its columns are big.
            self._checkpoints = {files: Checkpoint(self.store, self.table, files)}
            cached = self._checkpoints[files]
        return cached

    def remember(self, commit: CommitFile) -> None:
        """Keeps a commit that this process wrote, so that it is not read."""
        self._commits[commit.version] = commit

    def with_pending(self, commit: CommitFile, entry: Entry) -> LogReader:
        """A reader of the same log with one more version, which is not there: `commit`, listed as `entry`."""
        reader = LogReader(self.store, self.table)
        reader.staged = self.staged
        reader._commits = {**self._commits, commit.version: commit}
        reader._checkpoints, reader._compactions = self._checkpoints, self._compactions
        reader._pending = entry
        return reader

    def segment(self, listing: LogListing, version: int, without: Collection[CheckpointFiles | Delta]) -> LogSegment:
        """The log files of `version` among those of `listing`, without some that are known to be unusable.

        Raises what `build_segment` raises.
        """
        listing = with_staged(listing, self.staged)
        if self._pending is None:
            return build_segment(listing, self.table, self.store.root, version, without)
        segment = build_segment(listing, self.table, self.store.root, version - 1, without)
        return segment.extended(LogListing({version: self._pending}, (), frozenset(), complete=False))

    def forget(self, before: int) -> None:
        """Drops the commits that no newer snapshot needs."""
        for version in [item for item in self._commits if item < before]:
            del self._commits[version]
        for delta in [item for item in self._compactions if item.end < before]:
            del self._compactions[delta]


_Result = TypeVar("_Result")


class RecoveringReplay:
    """The replay of one version, and of other segments of the same version where the first turns out damaged.

    A checkpoint that is damaged is replaced by an older one and the commits since, a compacted file by its commits. A
    commit that is gone is looked for once more, since a clean-up leaves a checkpoint in its place.
    """

    def __init__(self, replay: SegmentReplay) -> None:
        self.current = replay
        self._broken: set[CheckpointFiles | Delta] = set()
        self._relisted = False

    def read(self, read: Callable[[SegmentReplay], _Result]) -> _Result:
        """The result of `read`, called anew with each segment. Raises its error where the log has no other files."""
        while True:
            try:
                return read(self.current)
            except errors.InvalidCheckpointError as error:
                assert self.current.segment.checkpoint is not None
                self._broken.add(self.current.segment.checkpoint)
                self._rebuild(error)
            except errors.InvalidCompactionError as error:
                compacted = self.current.segment.compacted
                self._broken.update(item for item in compacted if item.entry.path == error.path)
                self._rebuild(error)
            except errors.LogFileNotFoundError as error:
                if self._relisted:
                    raise
                self._relisted = True
                self._rebuild(error)

    def _rebuild(self, error: DeltaSqlError) -> None:
        """Goes on with the segment of the files that are not known to be broken; raises `error` if there is none."""
        old = self.current
        listing = list_log(old.reader.store, full=True)
        try:
            segment = old.reader.segment(listing, old.version, self._broken)
        except DeltaSqlError:
            raise error from None
        self.current = SegmentReplay(old.reader, segment, old.base)
