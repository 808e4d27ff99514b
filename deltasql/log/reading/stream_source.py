"""The rows of a table as a stream: a snapshot first, then what each version adds. Source: features of Delta, streams.

A place in the stream is an Offset, in the form that delta-spark gives it in a checkpoint.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from deltasql.base.errors.log import LogFileNotFoundError
from deltasql.base.errors.streams import (
    DifferentTableError,
    IncompatibleStreamSchemaError,
    SchemaChangedError,
    SourceChangeError,
    SourceDeleteError,
    StreamDataLossError,
)
from deltasql.base.errors.versions import MissingChangeDataError, VersionNotFoundError
from deltasql.base.lazy import np, pa
from deltasql.log.actions.actions import Json, Metadata
from deltasql.log.actions.commit_file import CommitFile, parse_whole_commit
from deltasql.log.properties.property_registry import CHANGE_DATA_FEED
from deltasql.log.reading.change_feed import version_changes
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.storage.locations import absolute, commit_path
from deltasql.schema.column_mapping import is_mapped, physical_name
from deltasql.schema.evolution import unreadable_part
from deltasql.schema.types import StructType

_AT_ONCE = 1000
"""Files of a snapshot that become Python objects at a time."""


@dataclass(frozen=True, slots=True)
class StreamOffset:
    """Everything up to and with file `index` of `version` has been read; -1: nothing of it.

    In a snapshot the files of all versions up to `version` count, oldest first; else those that `version` adds.
    """

    table_id: str
    version: int
    index: int = -1
    is_snapshot: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "sourceVersion": 1,
            "reservoirId": self.table_id,
            "reservoirVersion": self.version,
            "index": self.index,
            "isStartingVersion": self.is_snapshot,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> StreamOffset:
        return StreamOffset(data["reservoirId"], data["reservoirVersion"], data["index"], data["isStartingVersion"])

    @property
    def sort_key(self) -> tuple[int, int, int]:
        """Sorts offsets of one stream: the files of a snapshot come before those of the versions after it."""
        return (0 if self.is_snapshot else 1, self.version, self.index)


@dataclass(frozen=True, slots=True)
class StreamFile:
    """A data file and which of its rows count: all but those of `vector`, or `marked` alone.

    `path` is absolute; partition values are by physical name. `change` is the kind of all its rows in the change feed,
    None where the file tells it itself; `time_ms` is that of the commit.
    """

    path: str
    size: int
    partition_values: dict[str, str | None]
    vector: Json | None = None
    marked: np.ndarray[Any, Any] | None = None
    change: str | None = None
    version: int = 0
    time_ms: int = 0


@dataclass(frozen=True, slots=True)
class StreamRules:
    """The options of a stream. It has one start at most; without one it begins with a snapshot."""

    starting_version: int | None = None
    starting_micros: int | None = None
    from_latest: bool = False
    ignore_deletes: bool = False
    ignore_changes: bool = False
    skip_change_commits: bool = False
    change_feed: bool = False
    fail_on_data_loss: bool = True
    exclude: str | None = None


@dataclass(frozen=True, slots=True)
class _Step:
    """One file, or the end of a version (None), and where the stream is behind it.

    A file that is not `first` goes with those before it.
    """

    file: StreamFile | None
    after: StreamOffset
    first: bool = True


@dataclass(slots=True)
class StreamSource:
    """Walks the stream of one table. `schema` is what its query reads; `log` is looked at anew with each call."""

    log: DeltaLog
    rules: StreamRules
    schema: StructType
    _snapshots: dict[int, pa.Table] = field(default_factory=dict)
    _start_is_checked: bool = False

    def first(self) -> StreamOffset:
        """Where a new query begins. Raises VersionNotFoundError, TimestampTooLateError."""
        latest, rules = self.log.snapshot(), self.rules
        table_id = latest.metadata.id
        if rules.from_latest:
            return StreamOffset(table_id, latest.version + 1)
        if rules.starting_version is not None:
            if rules.starting_version > latest.version:
                raise VersionNotFoundError(self.log.table, rules.starting_version, self._earliest, latest.version)
            return StreamOffset(table_id, rules.starting_version)
        if rules.starting_micros is not None:
            version = self.log.first_at(rules.starting_micros)
            if version is None:
                # Says how late the latest version is.
                version = self.log.version_at(rules.starting_micros)
            return StreamOffset(table_id, version)
        return StreamOffset(table_id, latest.version, is_snapshot=True)

    def latest_version(self) -> int:
        return self.log.snapshot().version

    def next(self, start: StreamOffset, most_files: float, most_bytes: float, until: int) -> StreamOffset:
        """Where a batch from `start` ends that reads some files at most, and of versions up to `until`.

        A batch has one file at least, and all changes of a version. Raises the errors of `errors.streams`.
        """
        end, files, size = start, 0, 0
        for step in self._steps(start, until):
            if step.file is not None:
                if step.first and files and (files >= most_files or size >= most_bytes):
                    break
                files, size = files + 1, size + step.file.size
            end = step.after
        return end

    def files(self, start: StreamOffset, end: StreamOffset) -> Iterator[StreamFile]:
        """The data files of the batch from `start` to `end`, in order."""
        excluded = re.compile(self.rules.exclude) if self.rules.exclude else None
        for step in self._steps(start, end.version):
            if step.after.sort_key > end.sort_key:
                return
            if step.file is not None and not (excluded and excluded.search(step.file.path)):
                yield step.file

    def _steps(self, start: StreamOffset, until: int) -> Iterator[_Step]:
        latest = self.log.snapshot()
        if latest.metadata.id != start.table_id:
            raise DifferentTableError(self.log.table, start.table_id, latest.metadata.id)
        version, index = start.version, start.index
        self._check_start(min(version if start.is_snapshot else max(version - 1, 0), latest.version))
        if start.is_snapshot:
            yield from self._snapshot_steps(start)
            version, index = version + 1, -1
            yield _Step(None, StreamOffset(start.table_id, version))
        while version <= min(until, latest.version):
            commit = self._commit(version)
            if commit is None:
                version, index = self._earliest, -1
                continue
            if commit.metadata is not None:
                self._check(Metadata.from_json(commit.metadata), version)
            for number, file in enumerate(self._files_of(commit)):
                if number > index:
                    yield _Step(
                        file, StreamOffset(start.table_id, version, number), not self.rules.change_feed or number == 0
                    )
            version, index = version + 1, -1
            yield _Step(None, StreamOffset(start.table_id, version))

    def _snapshot_steps(self, start: StreamOffset) -> Iterator[_Step]:
        table = self._snapshot_files(start.version)
        fields = {item.name: physical_name(item) for item in self.schema}
        change = "insert" if self.rules.change_feed else None
        time_ms = self.log.snapshot(start.version).timestamp_ms if self.rules.change_feed else 0
        for at in range(start.index + 1, table.num_rows, _AT_ONCE):
            for number, row in enumerate(table.slice(at, _AT_ONCE).to_pylist(), start=at):
                values = {fields.get(name, name): value for name, value in (row["partitionValues"] or {}).items()}
                vector = row["deletionVector"]
                live = vector if vector and vector.get("storageType") else None
                file = StreamFile(
                    row["location"], row["size"], values, live, change=change, version=start.version, time_ms=time_ms
                )
                yield _Step(file, StreamOffset(start.table_id, start.version, number, is_snapshot=True))

    def _snapshot_files(self, version: int) -> pa.Table:
        """The files of a snapshot, oldest first; cached, as a stream reads them in several batches."""
        if version not in self._snapshots:
            columns = ("location", "size", "partitionValues", "deletionVector", "modificationTime")
            files = self.log.snapshot(version).files(columns)
            self._snapshots = {version: files.sort_by([("modificationTime", "ascending"), ("location", "ascending")])}
        return self._snapshots[version]

    def _commit(self, version: int) -> CommitFile | None:
        """A version's commit; None for one that was cleaned up, where that is no error."""
        path = commit_path(version)
        try:
            return parse_whole_commit(self.log.reader.data(version), version, path, self.log.table)
        except LogFileNotFoundError:
            earliest = self._earliest
            # A hole in the log is damage, whatever may be lost.
            if self.rules.fail_on_data_loss or earliest <= version:
                raise StreamDataLossError(self.log.table, version, earliest) from None
            return None

    @property
    def _earliest(self) -> int:
        return min(entry.version for entry in self.log.history())

    def _files_of(self, commit: CommitFile) -> list[StreamFile]:
        """The files that a version brings to the stream. Raises SourceDeleteError, SourceChangeError."""
        if self.rules.change_feed:
            return self._changes_of(commit.version)
        adds = [item for item in commit.adds if item.get("dataChange") is not False]
        removes = [item for item in commit.removes if item.get("dataChange") is not False]
        if removes and not self.rules.ignore_changes:
            adds = self._allowed(commit, adds, removes)
        return [self._file(item, commit.version) for item in adds]

    def _allowed(self, commit: CommitFile, adds: list[Json], removes: list[Json]) -> list[Json]:
        if self.rules.skip_change_commits:
            return []
        if adds:
            operation = commit.info.operation if commit.info is not None else "an unnamed operation"
            raise SourceChangeError(self.log.table, commit.version, operation)
        if not self.rules.ignore_deletes:
            raise SourceDeleteError(self.log.table, commit.version, removes[0]["path"])
        return []

    def _changes_of(self, version: int) -> list[StreamFile]:
        (changed,) = version_changes(self.log, version, version)
        (time_ms,) = self.log.commit_times([version]).values()
        files = [self._file(item, version, None, time_ms) for item in changed.changes]
        files += [self._file(item, version, "insert", time_ms) for item in changed.inserted]
        files += [self._file(item, version, "delete", time_ms) for item in changed.deleted]
        files += [self._file(item.file, version, "delete", time_ms, item.rows) for item in changed.marked]
        files += [self._file(item.file, version, "insert", time_ms, item.rows) for item in changed.unmarked]
        return files

    def _file(
        self,
        action: Json,
        version: int,
        change: str | None = None,
        time_ms: int = 0,
        marked: np.ndarray[Any, Any] | None = None,
    ) -> StreamFile:
        vector = None if marked is not None else action.get("deletionVector")
        values = dict(action.get("partitionValues") or {})
        location = absolute(action["path"], self.log.location)
        return StreamFile(location, action.get("size") or 0, values, vector, marked, change, version, time_ms)

    def _check_start(self, version: int) -> None:
        """The schema of what was read last must be readable, too: without renames nothing else could have changed."""
        if not self._start_is_checked and (is_mapped(self.schema) or self.rules.change_feed):
            self._check(self.log.snapshot(version).metadata, version)
        self._start_is_checked = True

    def _check(self, metadata: Metadata, version: int) -> None:
        """Raises SchemaChangedError where another start of the query would read on, else the other two."""
        if self.rules.change_feed and not metadata.properties[CHANGE_DATA_FEED]:
            raise MissingChangeDataError(table=self.log.table, version=version, start=version, end=version)
        reason = unreadable_part(self.schema, metadata.schema)
        if reason is None:
            return
        latest = self.log.snapshot().schema
        if latest != self.schema and unreadable_part(latest, metadata.schema) is None:
            raise SchemaChangedError(self.log.table, version, reason)
        raise IncompatibleStreamSchemaError(self.log.table, version, reason)
