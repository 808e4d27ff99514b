"""One version of a table: everything a statement may ask of it, read when it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from deltasql.errors.base import DeltaSqlError
from deltasql.errors.log import (
    InvalidCheckpointError,
    InvalidCompactionError,
    InvalidMetadataError,
    LogFileNotFoundError,
    MissingCommitTimestampError,
    StateRecoverError,
)
from deltasql.errors.schema import InvalidSchemaJsonError
from deltasql.log.actions.actions import AddFile, CommitInfo, DomainMetadata, Metadata, SetTransaction
from deltasql.log.configuration.support import check_readable, check_writable
from deltasql.log.protocol.protocol import Protocol
from deltasql.log.replay.checksum import VersionChecksum, read_checksum
from deltasql.log.replay.log_segment import CheckpointFiles, Delta, LogSegment, build_segment, list_log
from deltasql.log.replay.reconciliation import LogReader, LogTail, replay
from deltasql.log.replay.running_totals import count_commit
from deltasql.log.replay.table_state import FileTotals, TableState
from deltasql.log.storage.paths import commit_path
from deltasql.schema.types import StructType

if TYPE_CHECKING:
    import pyarrow as pa

    from deltasql.log.actions.commit_file import CommitFile
    from deltasql.log.replay.live_files import LiveFiles

_Result = TypeVar("_Result")

FILE_COLUMNS = ("path", "partitionValues", "size", "modificationTime", "stats")


@dataclass(frozen=True, slots=True)
class KnownTail:
    """The reconciled commits of `checkpoint` (None: of the whole log) up to `version`."""

    version: int
    checkpoint: CheckpointFiles | None
    tail: LogTail


@dataclass(frozen=True, slots=True)
class KnownVersion:
    """What is known of an earlier version, on which newer commits are applied; `totals` None: not known."""

    version: int
    state: TableState
    totals: FileTotals | None
    tail: KnownTail | None = None


# What a protocol or metaData action comes to that is valid JSON and still none.
_DAMAGE = (InvalidSchemaJsonError, KeyError, ValueError, TypeError, AttributeError)


class Snapshot:
    """A version of a table, immutable; safe to keep while the table moves on.

    Whatever reads the log raises the errors of `deltasql.errors.log`. A damaged checkpoint is replaced by older log
    files where these allow it.
    """

    def __init__(self, reader: LogReader, segment: LogSegment, base: KnownVersion | None = None) -> None:
        self.location = reader.store.root
        self.table = reader.table
        self.version = segment.version
        self.segment = segment
        self._reader = reader
        self._base = base
        self._broken: set[CheckpointFiles | Delta] = set()
        self._relisted = False
        # Costly parts by name.
        self._kept: dict[str, Any] = {}

    @property
    def protocol(self) -> Protocol:
        protocol = self.state.protocol
        assert protocol is not None
        return protocol

    @property
    def metadata(self) -> Metadata:
        metadata = self.state.metadata
        assert metadata is not None
        return metadata

    @property
    def schema(self) -> StructType:
        """All columns in the table's order, partition columns included."""
        return self.metadata.schema

    @property
    def partition_columns(self) -> tuple[str, ...]:
        """Logical names."""
        return self.metadata.partition_columns

    @property
    def configuration(self) -> Mapping[str, str]:
        return self.metadata.configuration

    def check_readable(self) -> None:
        """Raises what `support.check_readable` raises when deltasql cannot read rows of this version."""
        check_readable(self.protocol, self.table, self.schema, self.configuration)

    def check_writable(self) -> None:
        """Raises what `support.check_writable` raises when deltasql cannot write on top of this version."""
        check_writable(self.protocol, self.table, self.schema, self.configuration)

    @cached_property
    def state(self) -> TableState:
        """Protocol, metadata, and maybe transactions and domains. Raises StateRecoverError."""
        state = self._replayed(self._read_state)
        for action, value in (("protocol", state.protocol), ("metaData", state.metadata)):
            if value is None:
                raise StateRecoverError(self.table, self.version, action)
        return state

    @cached_property
    def transactions(self) -> Mapping[str, int]:
        """The last version of every application that has written."""
        known = self.full_state.transactions or {}
        return {name: item.version for name, item in known.items()}

    @cached_property
    def domains(self) -> Mapping[str, str]:
        """The configuration of every live metadata domain."""
        known = self.full_state.domains or {}
        return {name: item.configuration for name, item in known.items()}

    @cached_property
    def full_state(self) -> TableState:
        """The state with transactions and domains, which a checksum may lack."""
        state = self.state
        if state.transactions is not None and state.domains is not None:
            return state
        return self._replayed(lambda: self._from_checkpoint(state))

    @property
    def num_files(self) -> int:
        return self.totals.files

    @property
    def size_in_bytes(self) -> int:
        return self.totals.bytes

    @cached_property
    def totals(self) -> FileTotals:
        """Counts and bytes of the live files: from a checksum if there is one, else by reading all their sizes."""
        return self.cheap_totals or self._count()

    @cached_property
    def cheap_totals(self) -> FileTotals | None:
        """The totals, if they are known without reading a checkpoint's files."""
        known = self._known
        if known is not None and known.totals is not None:
            totals = self._replayed(lambda: self._counted_up(known))
            if totals is not None:
                return totals
        return None if self.segment.checkpoint else self._count()

    @property
    def lost_count(self) -> bool:
        """True if the totals of an earlier version are known, but not how the commits since have changed them."""
        return self.cheap_totals is None and self._known is not None and self._known.totals is not None

    def correct_count(self) -> bool:
        """Counts the files where the totals are only carried on from a checksum; True if they were wrong."""
        known = self.cheap_totals
        counted = self._count()
        self.__dict__["totals"] = self.__dict__["cheap_totals"] = counted
        return known is not None and (known.files, known.bytes) != (counted.files, counted.bytes)

    @cached_property
    def timestamp_ms(self) -> int:
        """When the version was committed: its in-commit timestamp if the table has them, else its file's time."""
        if in_commit_timestamps(self.metadata):
            return self._in_commit_timestamp()
        if self.segment.commits and self.segment.commits[-1][0] == self.version:
            modified = self.segment.commits[-1][1].modified
            if modified >= 0:
                return modified
        try:
            return self._reader.store.head(commit_path(self.version)).modified
        except FileNotFoundError:
            assert self.segment.checkpoint is not None
            return self.segment.checkpoint.parts[0].modified

    def files(self, columns: Sequence[str] = FILE_COLUMNS) -> pa.Table:
        """One row per live file, in log order.

        `columns` are fields of the add action in the log's spelling, and `location`: the file's absolute decoded place.
        `path` is as in the log. `partitionValues` is a struct with one dictionary-encoded string field per partition
        column, by logical name; empty is null. Only what is asked for is read.
        """
        return self.read_files(lambda files: files.table(columns))

    def read_files(self, read: Callable[[LiveFiles], _Result]) -> _Result:
        """What `read` gives. It is called anew if a log file turns out damaged, since files then have other numbers."""
        return self._replayed(lambda: read(self._live()))

    def add_files(self, paths: Iterable[str]) -> list[AddFile]:
        """The full add actions of these files, in log order. `paths` as in the log; unknown ones are left out."""
        wanted = set(paths)
        actions = self.read_files(lambda files: files.with_paths(wanted)).to_pylist(maps_as_pydicts="lossy")
        return [AddFile.from_json(action) for action in actions]

    def tombstones(self) -> pa.Table:
        """The removed files that the log still remembers, as `file_tables.REMOVE`; expired ones may be among them."""
        return self.read_files(lambda files: files.tombstones())

    def live_adds(self, columns: Sequence[str]) -> pa.Table:
        """The live files' add actions with these columns of `file_tables.ADD`, maps left as maps."""
        import pyarrow as pa

        return self.read_files(lambda files: pa.table({name: files.raw_column(name) for name in columns}))

    def tail_actions(self) -> int:
        """How many files the commits after the checkpoint added or removed, those included that are gone again."""
        tail = self._tail()
        return len(tail.live) + len(tail.gone)

    def commits_after(self, version: int) -> list[CommitFile]:
        """The commits from the one after `version` up to this one. Raises LogFileNotFoundError where one is gone."""
        return self._reader.commits(range(version + 1, self.version + 1))

    def commit_info(self) -> CommitInfo | None:
        """What the commit of this version says about itself; None if it is silent or its file is gone."""
        try:
            return self._reader.commit(self.version).info
        except LogFileNotFoundError:
            return None

    def known(self) -> KnownVersion:
        """What a newer snapshot can build on."""
        totals = self.__dict__.get("totals") or self.cheap_totals
        return KnownVersion(self.version, self.state, totals, self._kept.get("tail") or self._base_tail)

    # Reading the log

    @cached_property
    def _known(self) -> KnownVersion | None:
        """The newest version from which commits lead to this one and whose state is known."""
        candidates = sorted(version for version in self.segment.checksums if version <= self.version)
        while candidates and (self._base is None or candidates[-1] > self._base.version):
            version = candidates.pop()
            checksum = self._checksum(version)
            if checksum is not None:
                return KnownVersion(version, checksum.state, checksum.totals)
        return self._base

    def _checksum(self, version: int) -> VersionChecksum | None:
        return read_checksum(self._reader.store, version)

    def _read_state(self) -> TableState:
        known = self._known
        checkpoint = self.segment.checkpoint
        if known is not None and known.version >= (checkpoint.version if checkpoint else 0):
            return self._applied(known.state, known.version + 1)
        return self._from_checkpoint(None)

    def _from_checkpoint(self, core: TableState | None) -> TableState:
        """The state from the checkpoint on; protocol and metadata of `core` where it is given."""
        state = TableState()
        if self.segment.checkpoint is not None:
            state = self._checkpointed(self.segment.checkpoint, core is None)
        state = self._applied(state, 0)
        if core is None:
            return state
        return TableState(core.protocol, core.metadata, state.transactions, state.domains)

    def _checkpointed(self, files: CheckpointFiles, whole: bool) -> TableState:
        """The state that a checkpoint holds; without protocol and metadata if not `whole`."""
        checkpoint = self._reader.checkpoint(files)
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
            raise InvalidCheckpointError(self.table, files.paths[0], _reason(error)) from error

    def _applied(self, state: TableState, start: int) -> TableState:
        for commit in self._reader.deltas([item for item in self.segment.deltas if item.end >= start]):
            try:
                state = state.after(commit)
            except _DAMAGE as error:
                raise InvalidMetadataError(self.table, commit.path, _reason(error)) from error
        return state

    def _counted_up(self, known: KnownVersion) -> FileTotals | None:
        totals = known.totals
        newer = [version for version, _ in self.segment.commits if version > known.version]
        if len(newer) != self.version - known.version:
            return None
        commits = self._reader.commits(newer)
        while commits and not commits[-1].has_files:
            commits.pop()
        tail = self._tail_at(known.version) if commits else LogTail()
        if tail is None:
            return None
        for number, commit in enumerate(commits):
            if totals is not None and commit.has_files:
                totals = count_commit(totals, commit, tail, self.segment.checkpoint, self.location, self.table)
                tail = tail if number + 1 == len(commits) else replay([commit], self.location, self.table, tail)
        return totals if totals is not None and totals.is_plausible else None

    def _count(self) -> FileTotals:
        if self.segment.checkpoint is None:
            small = self._replayed(self._small_adds)
            if small is not None:
                totals = FileTotals().after(small, ())
                assert totals is not None
                return totals
        from deltasql.log.replay.columnar_totals import count_files

        return self.read_files(lambda files: count_files(files.raw_column("size"), files.raw_column("deletionVector")))

    def _small_adds(self) -> list[dict[str, Any]] | None:
        """The live adds of a small log, without Arrow; None if a commit is big."""
        tail = self._tail()
        if any(commit.is_big for commit in tail.commits):
            return None
        return [tail.commits[number].adds[row] for number, row in tail.live.values()]

    def _in_commit_timestamp(self) -> int:
        info = self.commit_info()
        timestamp = info.in_commit_timestamp if info is not None else None
        if timestamp is None:
            checksum = self._checksum(self.version)
            timestamp = checksum.in_commit_timestamp if checksum is not None else None
        if timestamp is None:
            raise MissingCommitTimestampError(self.table, self.version)
        return timestamp

    # Files

    def _live(self) -> LiveFiles:
        from deltasql.log.replay.live_files import LiveFiles

        # The metadata comes first: to read it may already show that the checkpoint is damaged.
        partitions = list(zip(physical_names(self.metadata), self.partition_columns, strict=True))
        files = self.segment.checkpoint
        checkpoint = self._reader.checkpoint(files) if files is not None else None
        return self._once("files", lambda: LiveFiles(checkpoint, self._tail(), self.location, self.table, partitions))

    def _tail(self) -> LogTail:
        return self._once("tail", self._read_tail).tail

    def _read_tail(self) -> KnownTail:
        tail = self._tail_at(self.version)
        assert tail is not None
        return KnownTail(self.version, self.segment.checkpoint, tail)

    def _tail_at(self, version: int) -> LogTail | None:
        """The commits after the checkpoint up to `version`, reconciled; what an earlier snapshot did is not redone.

        None where a compacted file ends later.
        """
        checkpoint, base = self.segment.checkpoint, self._base_tail
        if base is not None and base.version <= version:
            newer = self.segment.deltas_between(base.version + 1, version)
            if newer is not None:
                return replay(self._reader.deltas(newer), self.location, self.table, base.tail)
        deltas = self.segment.deltas_between(checkpoint.version + 1 if checkpoint else 0, version)
        return None if deltas is None else replay(self._reader.deltas(deltas), self.location, self.table)

    @property
    def _base_tail(self) -> KnownTail | None:
        base = self._base.tail if self._base is not None else None
        return base if base is not None and base.checkpoint == self.segment.checkpoint else None

    def _once(self, name: str, read: Callable[[], _Result]) -> _Result:
        """What `read` gave the first time, as long as the log files stay the same."""
        if name not in self._kept:
            self._kept[name] = read()
        result: _Result = self._kept[name]
        return result

    # Damage

    def _replayed(self, read: Callable[[], _Result]) -> _Result:
        """What `read` gives, from other log files if those of the segment are damaged or have been cleaned up."""
        while True:
            try:
                return read()
            except InvalidCheckpointError as error:
                assert self.segment.checkpoint is not None
                self._broken.add(self.segment.checkpoint)
                self._rebuild(error)
            except InvalidCompactionError as error:
                self._broken.update(item for item in self.segment.compacted if item.entry.path == error.path)
                self._rebuild(error)
            except LogFileNotFoundError as error:
                if self._relisted:
                    raise
                self._relisted = True
                self._rebuild(error)

    def _rebuild(self, error: DeltaSqlError) -> None:
        listing = list_log(self._reader.store, full=True)
        try:
            segment = build_segment(listing, self.table, self.location, self.version, self._broken)
        except DeltaSqlError:
            raise error from None
        self.segment = segment
        self._kept.clear()
        self.__dict__.pop("_known", None)


def in_commit_timestamps(metadata: Metadata) -> bool:
    """True if the table's commits carry their own timestamps."""
    return metadata.configuration.get("delta.enableInCommitTimestamps", "false").lower() == "true"


def physical_names(metadata: Metadata) -> list[str]:
    """The keys of `partitionValues`, in the order of the partition columns."""
    if metadata.configuration.get("delta.columnMapping.mode", "none").lower() == "none":
        return list(metadata.partition_columns)
    names = []
    for name in metadata.partition_columns:
        column = metadata.schema.find(name)
        names.append(str(column.metadata.get("delta.columnMapping.physicalName", name)) if column else name)
    return names


def _reason(error: Exception) -> str:
    return error.reason if isinstance(error, InvalidSchemaJsonError) else f"{type(error).__name__}: {error}"
