"""The rows of a table as a stream, the changes of its versions for change readers, and its clustering columns.

A stream is a snapshot first, then the rows that each version adds. Source: features of Delta, streams. A place in it is
a `StreamOffset`, in the form that delta-spark gives it in a checkpoint. Changes of a version are the files that change
readers read. Source: Delta protocol, Reading CDF. Versions in the history may have traces of a table feature after it
was dropped.

Clustering columns are a metadata domain of physical paths. Source: Delta protocol, Clustered Table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deltasql.base import errors, np, pa, pc
from deltasql.log import operations
from deltasql.log.actions.actions import DomainMetadata, Json, Metadata
from deltasql.log.actions.commit_file import CommitFile, parse_whole_commit
from deltasql.log.actions.deletion_vectors import deleted_rows, marked_files
from deltasql.log.protocol import requested_features
from deltasql.log.replay.log_segment import list_log
from deltasql.log.replay.snapshot import DeltaLog, Snapshot
from deltasql.log.storage.listing import absolute, canonical, commit_path
from deltasql.log.table_properties import CHANGE_DATA_FEED
from deltasql.schema import Path, StructType, is_mapped, physical_name, unreadable_part

# A MERGE that has file actions and yet changed no row has zeros in these metrics.
_MERGED = ("numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted")


@dataclass(frozen=True, slots=True)
class MarkedRows:
    """Row indices that a version deleted or restored in a file; `file` is its add action as in the log."""

    file: Json
    rows: np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class VersionChanges:
    """The changes of one version: change data files (`changes`), or else changes derived from its data files.

    All file actions are JSON objects as in the log. Only rows of `deleted` files that were live are changes. `marked`
    are rows that new deletion vectors delete, `unmarked` rows that they restore.
    """

    version: int
    metadata: Json | None = None
    changes: Sequence[Json] = ()
    inserted: Sequence[Json] = ()
    deleted: Sequence[Json] = ()
    marked: Sequence[MarkedRows] = field(default_factory=list)
    unmarked: Sequence[MarkedRows] = field(default_factory=list)


def version_changes(log: DeltaLog, start: int, end: int) -> Iterator[VersionChanges]:
    """The changes of the versions from `start` to `end`, both included. Raises LogFileNotFoundError."""
    for version in range(start, end + 1):
        data = log.reader.data(version)
        yield changes_of(log, parse_whole_commit(data, version, commit_path(version), log.table))


def changes_of(log: DeltaLog, commit: CommitFile) -> VersionChanges:
    """The changes of one commit, whose file actions are JSON objects."""
    if commit.changes:
        return VersionChanges(commit.version, commit.metadata, commit.changes)
    if _merged_nothing(commit):
        return VersionChanges(commit.version, commit.metadata)
    adds, removes = _changing(log, commit.adds), _changing(log, commit.removes)
    both = adds.keys() & removes.keys()
    pairs = [(adds[path], _deleted_rows(log, adds[path]), _deleted_rows(log, removes[path])) for path in both]
    return VersionChanges(
        commit.version,
        commit.metadata,
        inserted=[item for path, item in adds.items() if path not in both],
        deleted=[item for path, item in removes.items() if path not in both],
        marked=_differences((add, new, old) for add, new, old in pairs),
        unmarked=_differences((add, old, new) for add, new, old in pairs),
    )


def _changing(log: DeltaLog, actions: Sequence[Json]) -> dict[str, Json]:
    """The actions that change data, by canonical path."""
    return {canonical(item["path"], log.location): item for item in actions if _is_change(item)}


def _differences(pairs: Iterator[tuple[Json, Any, Any]]) -> list[MarkedRows]:
    marked = [MarkedRows(add, np.setdiff1d(rows, others, assume_unique=True)) for add, rows, others in pairs]
    return [item for item in marked if len(item.rows)]


def _deleted_rows(log: DeltaLog, action: Json) -> np.ndarray[Any, Any]:
    vector = action.get("deletionVector")
    return np.empty(0, np.uint64) if vector is None else deleted_rows(log.store, vector)


def _is_change(action: Json) -> bool:
    return action.get("dataChange") is not False


def _merged_nothing(commit: CommitFile) -> bool:
    """True for a MERGE that rewrote files and changed no row."""
    if commit.info is None or commit.info.operation != operations.MERGE.name:
        return False
    metrics = commit.info.values.get("operationMetrics")
    return isinstance(metrics, Mapping) and all(str(metrics.get(name)) == "0" for name in _MERGED)


def earliest_version(log: DeltaLog) -> int:
    """The first version whose commit the log still has."""
    return min(list_log(log.store, full=True).commits)


def has_traces(feature: str, log: DeltaLog) -> bool:
    """True if a version that can still be read uses the feature: its metadata, its files, or a checkpoint's form."""
    listing = list_log(log.store, full=True)
    if feature == "v2Checkpoint" and any(not item.is_classic for item in listing.checkpoints):
        return True
    first = min(listing.commits)
    if first > 0 and _snapshot_uses(feature, log, first):
        return True
    return any(_commit_uses(feature, log, version) for version in sorted(listing.commits))


def _snapshot_uses(feature: str, log: DeltaLog, version: int) -> bool:
    snapshot = log.snapshot(version)
    if feature in requested_features(snapshot.schema, snapshot.configuration):
        return True
    if feature != "deletionVectors":
        return False

    return bool(pc.any(marked_files(snapshot.live_adds(("deletionVector",))), min_count=0).as_py())


def _commit_uses(feature: str, log: DeltaLog, version: int) -> bool:
    commit = log.reader.commit(version)
    if commit.metadata is not None:
        metadata = Metadata.from_json(commit.metadata)
        if feature in requested_features(metadata.schema, metadata.configuration):
            return True
    if feature != "deletionVectors" or not commit.has_files:
        return False
    plain = commit.materialized(log.table)
    return any(_has_vector(action) for action in (*plain.adds, *plain.removes))


def _has_vector(action: Json) -> bool:
    vector = action.get("deletionVector") or {}
    return vector.get("storageType") is not None


CLUSTERING_FEATURE = "clustering"
CLUSTERING_DOMAIN = "delta.clustering"
AUTO_PROPERTY = "clusterByAuto"
PROVIDER = "liquid"
CUBE_ID, CUBE_COLUMNS, CUBE_CURVE = "ZCUBE_ID", "ZCUBE_ZORDER_BY", "ZCUBE_ZORDER_CURVE"
"""Tags of a clustered file: the cube it was written in, by which columns (JSON), along which curve."""


def is_clustered(snapshot: Snapshot) -> bool:
    """Whether the table has clustering columns, or has had some."""
    return CLUSTERING_FEATURE in snapshot.protocol.features and CLUSTERING_DOMAIN in snapshot.domains


def clustering_columns(snapshot: Snapshot) -> tuple[Path, ...]:
    """The clustering columns as the schema calls them; a path that leads nowhere is left out."""
    if CLUSTERING_FEATURE not in snapshot.protocol.features:
        return ()
    paths = (logical_path(snapshot.schema, path) for path in _physical_paths(snapshot.domains))
    return tuple(path for path in paths if path is not None)


def _physical_paths(domains: Mapping[str, str]) -> list[Path]:
    """The domain holds paths, or plain names as the protocol's example has them."""
    columns = json.loads(domains.get(CLUSTERING_DOMAIN) or "{}").get("clusteringColumns") or []
    return [(column,) if isinstance(column, str) else tuple(column) for column in columns]


def clustering_domain(schema: StructType, columns: Iterable[Path]) -> DomainMetadata:
    """The action that makes `columns` the clustering columns; their paths are as the schema spells them."""
    paths = [physical_path(schema, path) for path in columns]
    configuration = {"clusteringColumns": paths, "domainName": CLUSTERING_DOMAIN}
    return DomainMetadata(CLUSTERING_DOMAIN, json.dumps(configuration, separators=(",", ":"), ensure_ascii=False))


def physical_path(schema: StructType, path: Path) -> Path:
    """A path of struct fields as data files call them, by physical names."""
    field = schema.find(path[0])
    assert field is not None
    below = physical_path(field.type, path[1:]) if isinstance(field.type, StructType) and len(path) > 1 else ()
    return (physical_name(field), *below)


def logical_path(schema: StructType, path: Path) -> Path | None:
    """A path of physical names as the schema calls its fields; None where there is no such field."""
    field = next((item for item in schema if physical_name(item) == path[0]), None)
    if field is None or len(path) == 1:
        return None if field is None else (field.name,)
    below = logical_path(field.type, path[1:]) if isinstance(field.type, StructType) else None
    return None if below is None else (field.name, *below)


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
                raise errors.VersionNotFoundError(
                    self.log.table, rules.starting_version, self._earliest, latest.version
                )
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
            raise errors.DifferentTableError(self.log.table, start.table_id, latest.metadata.id)
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
        except errors.LogFileNotFoundError:
            earliest = self._earliest
            # A hole in the log is damage, whatever may be lost.
            if self.rules.fail_on_data_loss or earliest <= version:
                raise errors.StreamDataLossError(self.log.table, version, earliest) from None
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
            raise errors.SourceChangeError(self.log.table, commit.version, operation)
        if not self.rules.ignore_deletes:
            raise errors.SourceDeleteError(self.log.table, commit.version, removes[0]["path"])
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
            raise errors.MissingChangeDataError(table=self.log.table, version=version, start=version, end=version)
        reason = unreadable_part(self.schema, metadata.schema)
        if reason is None:
            return
        latest = self.log.snapshot().schema
        if latest != self.schema and unreadable_part(latest, metadata.schema) is None:
            raise errors.SchemaChangedError(self.log.table, version, reason)
        raise errors.IncompatibleStreamSchemaError(self.log.table, version, reason)
