"""The log files of one table, read and parsed once, as long as some snapshot is of use."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from deltasql.errors.log import InvalidCompactionError, InvalidLogJsonError, LogFileNotFoundError
from deltasql.log.actions.commit_file import CommitFile, parse_commit
from deltasql.log.replay.checkpoint import Checkpoint
from deltasql.log.replay.log_segment import (
    CheckpointFiles,
    Delta,
    LogListing,
    LogSegment,
    build_segment,
    with_staged,
)
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.log_store import Entry, LogStore
from deltasql.log.storage.paths import commit_path

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
            raise LogFileNotFoundError(self.table, path) from error

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
                raise InvalidCompactionError(self.table, path, "the file is missing") from error
            except InvalidLogJsonError as error:
                raise InvalidCompactionError(self.table, path, f"line {error.line}: {error.reason}") from error
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
