"""The version checksum `<version>.crc`: the state and the totals of one version in one small file.

It is an aid: one that is missing or malformed is as good as none. Source: Delta protocol, Version Checksum File.

Totals kept up to date commit by commit, so that a checksum costs no look at the whole table.

A commit may name files that are live already, or that are gone: these are not counted twice. What the commits since the
checkpoint did is known exactly. A file of the checkpoint is told by its age: whatever is younger cannot be in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.lazy import pc
from deltasql.log.actions.action_fields import (
    ACTIONS,
    COUNTS,
    Fields,
    check_action,
    check_characters,
    check_fields,
    has_odd_characters,
)
from deltasql.log.actions.actions import DomainMetadata, Json, Metadata, SetTransaction
from deltasql.log.actions.commit_file import CommitFile, action_key
from deltasql.log.protocol.protocol import Protocol
from deltasql.log.replay.file_totals import BOUNDARIES, FileTotals
from deltasql.log.replay.log_segment import CheckpointFiles
from deltasql.log.replay.reconciliation import LogTail, replay
from deltasql.log.replay.table_state import TableState
from deltasql.log.storage.locations import checksum_path
from deltasql.log.storage.log_store import LogStore

# Beyond these, a checksum that every commit writes anew would cost more than it saves.
_MOST_TRANSACTIONS = 100
_MOST_DOMAINS = 10

_HISTOGRAM = Fields({"sortedBinBoundaries": COUNTS, "fileCounts": COUNTS, "totalBytes": COUNTS})
_FIELDS = Fields(
    {
        "txnId": str,
        "metadata": ACTIONS["metaData"],
        "protocol": ACTIONS["protocol"],
        "fileSizeHistogram": _HISTOGRAM,
        "histogramOpt": _HISTOGRAM,
        "inCommitTimestampOpt": ACTIONS["commitInfo"].fields["inCommitTimestamp"],
        **dict.fromkeys(("numFiles", "tableSizeBytes", "numDeletionVectorsOpt", "numDeletedRecordsOpt"), int),
    },
    ("metadata", "protocol", "numFiles", "tableSizeBytes"),
)


@dataclass(frozen=True, slots=True)
class VersionChecksum:
    """The checksum of a version: its state and totals. `in_commit_timestamp` in ms, None for a table without them."""

    state: TableState
    totals: FileTotals
    in_commit_timestamp: int | None = None
    transaction_id: str | None = None

    def to_bytes(self) -> bytes:
        """The text of the file. Raises AssertionError without protocol and metadata, which every version has."""
        assert self.state.metadata is not None
        assert self.state.protocol is not None
        values: Json = {"txnId": self.transaction_id} if self.transaction_id else {}
        values |= {"tableSizeBytes": self.totals.bytes, "numFiles": self.totals.files}
        values |= {"numMetadata": 1, "numProtocol": 1}
        if self.in_commit_timestamp is not None:
            values["inCommitTimestampOpt"] = self.in_commit_timestamp
        values |= _small("setTransactions", "txn", self.state.transactions, _MOST_TRANSACTIONS)
        values |= _small("domainMetadata", "domainMetadata", self.state.domains, _MOST_DOMAINS)
        values |= {"metadata": self.state.metadata.to_json()["metaData"], "protocol": self.state.protocol.to_json()}
        values |= _histogram(self.totals)
        if "deletionVectors" in self.state.protocol.features and self.totals.vectors is not None:
            values |= {"numDeletedRecordsOpt": self.totals.deleted_rows, "numDeletionVectorsOpt": self.totals.vectors}
        return json.dumps(values, separators=(",", ":")).encode() + b"\n"

    @staticmethod
    def from_bytes(data: bytes) -> VersionChecksum:
        """The checksum in `data`. Raises ValueError, KeyError, TypeError or DeltaSqlError where there is none."""
        values = json.loads(data)
        if has_odd_characters(data):
            check_characters(values)
        check_fields("checksum", values, _FIELDS)
        for field, kind in (("setTransactions", "txn"), ("domainMetadata", "domainMetadata")):
            for item in values.get(field) or ():
                check_action(kind, item)
        transactions = _parsed(values.get("setTransactions"), SetTransaction.from_json)
        domains = _parsed(values.get("domainMetadata"), DomainMetadata.from_json)
        state = TableState(
            Protocol.from_json(values["protocol"]),
            Metadata.from_json(values["metadata"]),
            None if transactions is None else {item.app_id: item for item in transactions},
            None if domains is None else {item.domain: item for item in domains if not item.removed},
        )
        return VersionChecksum(state, _totals(values), values.get("inCommitTimestampOpt"), values.get("txnId"))


def read_checksum(store: LogStore, version: int) -> VersionChecksum | None:
    """The checksum of a version, or None if there is none that can be used."""
    try:
        return VersionChecksum.from_bytes(store.read(checksum_path(version)))
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError, RecursionError, DeltaSqlError):
        return None


def _small(key: str, kind: str, values: Mapping[str, Any] | None, most: int) -> Json:
    if values is None or len(values) > most:
        return {}
    return {key: [item.to_json()[kind] for item in values.values()]}


def _histogram(totals: FileTotals) -> Json:
    if totals.bin_files is None or totals.bin_bytes is None:
        return {}
    return {
        "fileSizeHistogram": {
            "sortedBinBoundaries": list(BOUNDARIES),
            "fileCounts": list(totals.bin_files),
            "totalBytes": list(totals.bin_bytes),
        }
    }


def _totals(values: Json) -> FileTotals:
    histogram = values.get("fileSizeHistogram") or values.get("histogramOpt") or {}
    has_our_bounds = histogram.get("sortedBinBoundaries") == list(BOUNDARIES)
    if has_our_bounds and not len(histogram["fileCounts"]) == len(histogram["totalBytes"]) == len(BOUNDARIES):
        raise ValueError("a histogram has a count for each of its bins")
    # A table without the feature has no vectors, and its checksum does not say so.
    unknown = None if "deletionVectors" in (values["protocol"].get("writerFeatures") or ()) else 0
    return FileTotals(
        values["numFiles"],
        values["tableSizeBytes"],
        tuple(histogram["fileCounts"]) if has_our_bounds else None,
        tuple(histogram["totalBytes"]) if has_our_bounds else None,
        values.get("numDeletionVectorsOpt", unknown),
        values.get("numDeletedRecordsOpt", unknown),
    )


def _parsed(items: list[Json] | None, parse: Any) -> list[Any] | None:
    return None if items is None else [parse(item) for item in items]


# Clocks of writers differ; who says that rows are only arranged anew is believed to name old files.
_SKEW_MS = 3_600_000


def count_commits(
    totals: FileTotals,
    commits: Sequence[CommitFile],
    before: LogTail,
    checkpoint: CheckpointFiles | None,
    root: str,
    table: str,
) -> FileTotals | None:
    """The totals once `commits` are on top of the checkpoint and of `before`.

    None if that takes a look at the checkpoint, or if the totals cannot be right: a count would be below zero.
    """
    for number, commit in enumerate(commits, 1):
        if not commit.has_files:
            continue
        counted = count_commit(totals, commit, before, checkpoint, root, table)
        if counted is None:
            return None
        totals = counted
        if number < len(commits):
            before = replay([commit], root, table, before)
    return totals if totals.is_plausible else None


def count_commit(
    totals: FileTotals, commit: CommitFile, before: LogTail, checkpoint: CheckpointFiles | None, root: str, table: str
) -> FileTotals | None:
    """The totals once `commit` is on top of the checkpoint and of `before`.

    None if that takes a look at the checkpoint: its size is missing, or a file may be live already.
    """
    if commit.is_big and _only_news(commit, before, checkpoint, root, table):
        from deltasql.log.replay.columnar_totals import totals_after

        return totals_after(totals, *commit.file_tables(table))
    plain = commit.materialized(table)
    leaving: list[Json] = []
    for action in plain.removes:
        key = action_key(action, root)
        if key in before.live:
            leaving.append(before.add(key, table))
        elif checkpoint is not None and key not in before.removed:
            leaving.append(action)
    for action in plain.adds:
        key = action_key(action, root)
        if key in before.live:
            leaving.append(before.add(key, table))
        elif key not in before.removed and _may_be_old(action, checkpoint):
            return None
    return totals.after(plain.adds, leaving)


def _only_news(commit: CommitFile, before: LogTail, checkpoint: CheckpointFiles | None, root: str, table: str) -> bool:
    """True if the commit's adds are new files for sure, and its removes come from the checkpoint."""
    from deltasql.log.actions.file_tables import action_keys

    adds, removes = commit.file_tables(table)
    if (before.live or before.removed) and not all(
        paths.isdisjoint(keys)
        for keys in (action_keys(adds, root), action_keys(removes, root))
        for paths in (before.live.keys(), before.removed.keys())
    ):
        return False
    if checkpoint is None:
        return bool(removes.num_rows == 0)
    skew = 0 if pc.all(adds["dataChange"]).as_py() is not False else _SKEW_MS
    oldest = pc.min(adds["modificationTime"]).as_py()
    return oldest is None or oldest > _age(checkpoint) + skew


def _may_be_old(action: Json, checkpoint: CheckpointFiles | None) -> bool:
    if checkpoint is None:
        return False
    skew = _SKEW_MS if action.get("dataChange") is False else 0
    return bool(action["modificationTime"] <= _age(checkpoint) + skew)


def _age(checkpoint: CheckpointFiles) -> int:
    return max(part.modified for part in checkpoint.parts)
