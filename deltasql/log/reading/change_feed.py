"""Changes of each table version, as the files that change readers read. Source: Delta protocol, Reading CDF."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deltasql.base.lazy import np
from deltasql.log.actions import operations
from deltasql.log.actions.actions import Json
from deltasql.log.actions.commit_file import CommitFile, parse_whole_commit
from deltasql.log.actions.deletion_vectors import deleted_rows
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.log.storage.locations import canonical, commit_path

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
