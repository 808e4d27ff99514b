"""The state, the totals and the live files of a version by replay of commits, and the version checksum `<version>.crc`.

The newest action of every file wins. Commits are few and their keys go into a dict; the rows of a checkpoint, which may
be millions, are only probed against it. Source: Delta protocol, Action Reconciliation.

Totals are updated commit by commit, so that a checksum needs no scan of the whole table. A commit may name files that
are live already, or that are removed: these are not counted twice. The effect of the commits since the checkpoint is
known exactly. A file of the checkpoint is recognized by its age: no younger file can be in it. A checksum that is
missing or malformed is ignored. Source: Delta protocol, Version Checksum File.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deltasql.base import DeltaSqlError, np, pa, pc
from deltasql.log.actions.action_fields import (
    ACTIONS,
    COUNTS,
    Fields,
    check_action,
    check_characters,
    check_fields,
    has_odd_characters,
)
from deltasql.log.actions.actions import BOUNDARIES, DomainMetadata, FileTotals, Json, Metadata, SetTransaction
from deltasql.log.actions.commit_file import CommitFile, action_key
from deltasql.log.protocol import Protocol
from deltasql.log.replay.checkpoint import Checkpoint
from deltasql.log.replay.log_segment import CheckpointFiles
from deltasql.log.storage.listing import canonical, checksum_path
from deltasql.log.storage.log_store import LogStore


@dataclass(slots=True)
class LogTail:
    """The commits after a checkpoint, reconciled.

    `live` maps each live file's key to (number in `commits`, number of its add there), in log order; `removed` maps the
    keys of removed files to (number in `commits`, number of the remove). A key in either hides the checkpoint's row.
    """

    commits: list[CommitFile] = field(default_factory=list)
    live: dict[str, tuple[int, int]] = field(default_factory=dict)
    removed: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, key: str, table: str) -> Json:
        """The add action of a live file."""
        number, row = self.live[key]
        commit = self.commits[number]
        if not commit.is_big:
            return commit.adds[row]
        action: Json = commit.file_tables(table)[0].slice(row, 1).to_pylist(maps_as_pydicts="lossy")[0]
        return action


def replay(commits: Sequence[CommitFile], root: str, table: str, base: LogTail | None = None) -> LogTail:
    """The file actions of `commits`, in version order, reconciled on top of `base`. Raises InvalidLogJsonError."""
    base = base or LogTail()
    first = len(base.commits)
    newer = [commit for commit in commits if commit.has_files]
    if not newer and first:
        return base
    tail = LogTail([*base.commits, *newer], dict(base.live), dict(base.removed))
    for number, commit in enumerate(newer, first):
        adds, removes = _keys(commit, root, table)
        for row, key in enumerate(removes):
            tail.live.pop(key, None)
            tail.removed[key] = (number, row)
        for row, key in enumerate(adds):
            # Not just replaced: the file moves to the place of its newest action.
            tail.live.pop(key, None)
            tail.live[key] = (number, row)
            tail.removed.pop(key, None)
    return tail


def tail_adds(tail: LogTail, table: str) -> pa.Table:
    """The live add actions of the tail in log order, as `file_tables.ADD`."""
    from deltasql.log.actions.file_tables import ADD

    return _rows(tail.commits, tail.live.values(), 0, ADD, table)


def tail_removes(tail: LogTail, table: str) -> pa.Table:
    """The tombstones of the tail, as `file_tables.REMOVE`."""
    from deltasql.log.actions.file_tables import REMOVE

    return _rows(tail.commits, tail.removed.values(), 1, REMOVE, table)


def hidden_rows(checkpoint: Checkpoint, tail: LogTail, root: str) -> np.ndarray:
    """The numbers of the checkpoint's add rows that a newer action replaces or removes, sorted."""
    from deltasql.log.actions.file_tables import action_keys

    if not tail.live and not tail.removed:
        return np.empty(0, dtype=np.int64)
    paths = {key.partition("\0")[0] for key in (*tail.live, *tail.removed)} | _spellings(tail)
    rows = rows_of_paths(checkpoint, paths, root)
    if len(rows) == 0:
        return rows
    keys = action_keys(checkpoint.adds_at(rows, ("path", "deletionVector")), root)
    hidden: np.ndarray = rows[np.array([key in tail.live or key in tail.removed for key in keys], dtype=bool)]
    return hidden


def rows_of_paths(checkpoint: Checkpoint, paths: Collection[str], root: str | None = None) -> np.ndarray:
    """The numbers of the checkpoint's add rows with these paths, sorted.

    With `root`, rows count as well whose path is written in another way but comes to the same.
    """
    from deltasql.schema import indexes_of, strings

    options = pc.SetLookupOptions(strings(sorted(paths)))
    chunks, start = [np.empty(0, dtype=np.int64)], 0
    for batch in checkpoint.batches(("path",)):
        for chunk in batch["path"].chunks:
            rows = indexes_of(pc.is_in(chunk, options=options))
            if root is not None:
                rows = np.union1d(rows, _oddly_spelled(chunk, paths, root))
            chunks.append(rows + start)
            start += len(chunk)
    return np.concatenate(chunks)


def _spellings(tail: LogTail) -> set[str]:
    """The paths of the tail as they are written, for those that are written otherwise than canonically."""
    spellings: set[str] = set()
    for commit in tail.commits:
        if commit.is_big:
            for table in commit.tables or ():
                spellings.update(table["path"].to_pylist())
            continue
        spellings.update(action["path"] for action in (*commit.adds, *commit.removes))
    return spellings


def _oddly_spelled(paths: pa.Array, requested: Collection[str], root: str) -> np.ndarray:
    """The places of paths that are spelled otherwise than canonically, where the canonical one is wanted."""
    from deltasql.log.actions.file_tables import is_oddly_spelled
    from deltasql.schema import indexes_of, integers

    if not is_oddly_spelled(paths):
        return np.empty(0, dtype=np.int64)
    odd = indexes_of(pc.match_substring_regex(paths, "[%:]|^/"))
    spelled = paths.take(integers(odd)).to_pylist()
    matches: np.ndarray = odd[np.array([canonical(path, root) in requested for path in spelled], dtype=bool)]
    return matches


def _keys(commit: CommitFile, root: str, table: str) -> tuple[list[str], list[str]]:
    if commit.is_big:
        from deltasql.log.actions.file_tables import action_keys

        adds, removes = commit.file_tables(table)
        return action_keys(adds, root), action_keys(removes, root)
    return [action_key(item, root) for item in commit.adds], [action_key(item, root) for item in commit.removes]


def _rows(
    commits: Sequence[CommitFile], positions: Iterable[tuple[int, int]], kind: int, schema: pa.Schema, table: str
) -> pa.Table:
    from deltasql.log.actions.file_tables import from_actions

    chosen: dict[int, list[int]] = {}
    for number, row in positions:
        chosen.setdefault(number, []).append(row)
    pieces = []
    small: list[Any] = []
    for number in sorted(chosen):
        commit = commits[number]
        if not commit.is_big:
            actions = (commit.adds, commit.removes)[kind]
            small.extend(actions[row] for row in chosen[number])
            continue
        if small:
            pieces.append(from_actions(small, schema))
            small = []
        whole = commit.file_tables(table)[kind]
        pieces.append(whole if len(chosen[number]) == len(whole) else whole.take(pa.array(chosen[number])))
    pieces.append(from_actions(small, schema))
    return pa.concat_tables(pieces)


@dataclass(frozen=True, slots=True)
class TableState:
    """The newest protocol and metadata, and the live transactions and domains; None where they are unknown."""

    protocol: Protocol | None = None
    metadata: Metadata | None = None
    transactions: Mapping[str, SetTransaction] | None = field(default_factory=dict)
    domains: Mapping[str, DomainMetadata] | None = field(default_factory=dict)

    def after(self, commit: CommitFile) -> TableState:
        """The state with one more commit on top."""
        return TableState(
            self.protocol if commit.protocol is None else Protocol.from_json(commit.protocol),
            self.metadata if commit.metadata is None else Metadata.from_json(commit.metadata),
            _merged(self.transactions, commit.transactions),
            _live(_merged(self.domains, commit.domains)),
        )


def _merged(base: Mapping[str, Any] | None, newer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if base is None or not newer:
        return base
    return {**base, **newer}


def _live(domains: Mapping[str, DomainMetadata] | None) -> Mapping[str, DomainMetadata] | None:
    if domains is None or not any(item.removed for item in domains.values()):
        return domains
    return {name: item for name, item in domains.items() if not item.removed}


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
        for name, kind in (("setTransactions", "txn"), ("domainMetadata", "domainMetadata")):
            for item in values.get(name) or ():
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
