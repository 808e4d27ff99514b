"""Traces of a dropped table feature in the history of a table."""

from __future__ import annotations

from deltasql.base.lazy import pc
from deltasql.log.actions.actions import Json, Metadata
from deltasql.log.actions.deletion_vectors import marked_files
from deltasql.log.protocol.features import requested_features
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.replay.log_segment import list_log


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
