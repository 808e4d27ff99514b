"""Changes of each table version, as the files that change readers read. Source: Delta protocol, Reading CDF.

Traces of a dropped table feature in the history of a table.

Clustering columns in the log: a metadata domain of physical paths. Source: Delta protocol, Clustered Table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deltasql.base.lazy import np, pc
from deltasql.log.actions import actions as operations
from deltasql.log.actions.actions import DomainMetadata, Json, Metadata
from deltasql.log.actions.commit_file import CommitFile, parse_whole_commit
from deltasql.log.actions.deletion_vectors import deleted_rows, marked_files
from deltasql.log.protocol.protocol import requested_features
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.replay.log_segment import list_log
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import canonical, commit_path
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.paths import Path
from deltasql.schema.types import StructType

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
