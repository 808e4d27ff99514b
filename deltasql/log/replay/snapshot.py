"""One version of a table: its metadata, and its files, which are read on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from deltasql.base import errors, pa
from deltasql.log.actions.actions import AddFile, CommitInfo, Metadata
from deltasql.log.configuration.properties import check_readable, check_writable, has_commit_timestamps, partition_keys
from deltasql.log.properties import TableProperties
from deltasql.log.protocol import MANAGED, Protocol
from deltasql.log.replay.checksum import TableState, read_checksum
from deltasql.log.replay.file_totals import FileTotals
from deltasql.log.replay.log_segment import LogSegment
from deltasql.log.replay.segment_replay import BaseVersion, LogReader, RecoveringReplay, SegmentReplay
from deltasql.log.storage.listing import commit_path
from deltasql.schema import StructType

if TYPE_CHECKING:
    from deltasql.log.actions.commit_file import CommitFile
    from deltasql.log.replay.live_files import LiveFiles

_Result = TypeVar("_Result")

FILE_COLUMNS = ("path", "partitionValues", "size", "modificationTime", "stats")


class Snapshot:
    """A version of a table, immutable; safe to keep while the table moves on.

    Whatever reads the log raises errors of the group `log`. A damaged checkpoint is replaced by older log
    files where these allow it: see `recovery`.
    """

    def __init__(
        self,
        reader: LogReader,
        segment: LogSegment,
        base: BaseVersion | None = None,
        *,
        by_version: bool = False,
        by_catalog: bool = False,
    ) -> None:
        """`by_version` says that this version was asked for by its number, not as the newest one; `by_catalog`, that
        the catalog which manages the table says that it is the newest one."""
        self.location = reader.store.root
        self.table = reader.table
        self.version = segment.version
        self._reader = reader
        self._by_version, self.by_catalog = by_version, by_catalog
        self._replay = RecoveringReplay(SegmentReplay(reader, segment, base))
        # Files that were counted one by one, and whether that corrects what a checksum says.
        self._counted: FileTotals | None = None
        self._corrected = False

    @property
    def segment(self) -> LogSegment:
        """The log files that the version is read from; others than at first where some were damaged."""
        return self._replay.current.segment

    # What the version says

    @property
    def protocol(self) -> Protocol:
        """Versions and features that readers and writers must support."""
        protocol = self.state.protocol
        assert protocol is not None
        return protocol

    @property
    def metadata(self) -> Metadata:
        """Identity, schema, partitioning and properties of the table."""
        metadata = self.state.metadata
        assert metadata is not None
        return metadata

    @property
    def schema(self) -> StructType:
        """All columns in the table's order, partition columns included."""
        return self.metadata.schema

    @property
    def partition_columns(self) -> tuple[str, ...]:
        """The partition columns by logical name, in their order."""
        return self.metadata.partition_columns

    @property
    def configuration(self) -> Mapping[str, str]:
        """The table's properties as the log holds them."""
        return self.metadata.configuration

    @property
    def properties(self) -> TableProperties:
        """The table's properties with their types."""
        return self.metadata.properties

    @property
    def is_managed(self) -> bool:
        """Whether a catalog decides which version is the newest one."""
        return bool(MANAGED & self.protocol.features)

    def check_readable(self) -> None:
        """Raises what `support.check_readable` raises when deltasql cannot read rows of this version."""
        check_readable(
            self.protocol,
            self.table,
            self.schema,
            self.configuration,
            by_version=self._by_version,
            by_catalog=self.by_catalog,
        )

    def check_writable(self) -> None:
        """Raises what `support.check_writable` raises when deltasql cannot write on top of this version."""
        check_writable(self.protocol, self.table, self.schema, self.configuration, by_catalog=self.by_catalog)

    @cached_property
    def state(self) -> TableState:
        """Protocol, metadata, and maybe transactions and domains. Raises StateRecoverError."""
        state = self._replay.read(SegmentReplay.state)
        for action, value in (("protocol", state.protocol), ("metaData", state.metadata)):
            if value is None:
                raise errors.StateRecoverError(self.table, self.version, action)
        return state

    @cached_property
    def full_state(self) -> TableState:
        """The state with transactions and domains, which a checksum may lack."""
        state = self.state
        if state.transactions is not None and state.domains is not None:
            return state
        return self._replay.read(lambda replay: replay.full_state(state))

    @cached_property
    def transactions(self) -> Mapping[str, int]:
        """The last version of every application that has written, by its id."""
        transactions = self.full_state.transactions or {}
        return {name: item.version for name, item in transactions.items()}

    @cached_property
    def domains(self) -> Mapping[str, str]:
        """The configuration of every live metadata domain, by its name."""
        domains = self.full_state.domains or {}
        return {name: item.configuration for name, item in domains.items()}

    @cached_property
    def timestamp_ms(self) -> int:
        """When the version was committed: its in-commit timestamp if the table has them, else its file's time.

        Raises MissingCommitTimestampError.
        """
        if has_commit_timestamps(self.metadata):
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

    def _in_commit_timestamp(self) -> int:
        info = self.commit_info()
        timestamp = info.in_commit_timestamp if info is not None else None
        if timestamp is None:
            checksum = read_checksum(self._reader.store, self.version)
            timestamp = checksum.in_commit_timestamp if checksum is not None else None
        if timestamp is None:
            raise errors.MissingCommitTimestampError(self.table, self.version)
        return timestamp

    def commit_info(self) -> CommitInfo | None:
        """The commitInfo of this version; None if its commit has none or its file is gone."""
        try:
            return self._reader.commit(self.version).info
        except errors.LogFileNotFoundError:
            return None

    def commits_after(self, version: int) -> list[CommitFile]:
        """The commits from the one after `version` up to this one. Raises LogFileNotFoundError where one is gone."""
        return self._reader.commits(range(version + 1, self.version + 1))

    # How many files it has

    @property
    def num_files(self) -> int:
        return self.totals.files

    @property
    def size_in_bytes(self) -> int:
        return self.totals.bytes

    @property
    def totals(self) -> FileTotals:
        """Counts and bytes of the live files: from a checksum if there is one, else by reading all their sizes."""
        totals = self.cheap_totals or self._counted
        if totals is None:
            totals = self._counted = self._count()
        return totals

    @property
    def cheap_totals(self) -> FileTotals | None:
        """The totals, if they are known without reading a checkpoint's files."""
        return self._counted if self._corrected else self._carried_totals

    @cached_property
    def _carried_totals(self) -> FileTotals | None:
        base = self._replay.current.base_version
        if base is not None and base.totals is not None:
            totals = self._replay.read(lambda replay: replay.carried_totals(base))
            if totals is not None:
                return totals
        return None if self.segment.checkpoint else self._count()

    @property
    def lost_count(self) -> bool:
        """True if the totals of an earlier version are known, but not how the commits since have changed them."""
        base = self._replay.current.base_version
        return self.cheap_totals is None and base is not None and base.totals is not None

    def correct_count(self) -> bool:
        """Counts the files where the totals are only carried on from a checksum; True if they were wrong."""
        totals = self.cheap_totals
        self._counted, self._corrected = self._count(), True
        return totals is not None and (totals.files, totals.bytes) != (self._counted.files, self._counted.bytes)

    @property
    def is_plainly_empty(self) -> bool:
        """True if there is no file, and a log without a checkpoint and without large commits says so."""
        return self.segment.checkpoint is None and self._replay.read(SegmentReplay.small_adds) == []

    def _count(self) -> FileTotals:
        if self.segment.checkpoint is None:
            small = self._replay.read(SegmentReplay.small_adds)
            if small is not None:
                totals = FileTotals().after(small, ())
                assert totals is not None
                return totals
        from deltasql.log.replay.columnar_totals import count_files

        return self.read_files(lambda files: count_files(files.raw_column("size"), files.raw_column("deletionVector")))

    def as_base(self) -> BaseVersion:
        """The state, totals and reconciled commits of this version, on which a newer snapshot can build."""
        return BaseVersion(
            self.version, self.state, self.cheap_totals or self._counted, self._replay.current.reconciled_tail
        )

    # Its files

    def files(self, columns: Sequence[str] = FILE_COLUMNS) -> pa.Table:
        """One row per live file, in log order.

        `columns` are fields of the add action in the log's spelling, and `location`: the file's absolute decoded place.
        `path` is as in the log. `partitionValues` is a struct with one dictionary-encoded string field per partition
        column, by logical name; empty is null. Only what is asked for is read.
        """
        return self.read_files(lambda files: files.table(columns))

    def read_files(self, read: Callable[[LiveFiles], _Result]) -> _Result:
        """The result of `read`, called anew if a log file turns out damaged, since files then have other numbers."""
        # The metadata come first: to read them may already show that the checkpoint is damaged.
        partitions = list(zip(partition_keys(self.metadata), self.partition_columns, strict=True))
        return self._replay.read(lambda replay: read(replay.live_files(partitions)))

    def add_files(self, paths: Iterable[str]) -> list[AddFile]:
        """The full add actions of these files, in log order. `paths` as in the log; unknown ones are left out."""
        requested = set(paths)
        actions = self.read_files(lambda files: files.with_paths(requested)).to_pylist(maps_as_pydicts="lossy")
        return [AddFile.from_json(action) for action in actions]

    def tombstones(self) -> pa.Table:
        """The removed files that the log still remembers, as `file_tables.REMOVE`; expired ones may be among them."""
        return self.read_files(lambda files: files.tombstones())

    def live_adds(self, columns: Sequence[str]) -> pa.Table:
        """The live files' add actions with these columns of `file_tables.ADD`, maps left as maps."""
        return self.read_files(lambda files: files.raw_table(columns))

    def tail_actions(self) -> int:
        """The number of files that commits after the checkpoint added or removed, also those that are gone again."""
        tail = self._replay.current.tail()
        return len(tail.live) + len(tail.removed)
