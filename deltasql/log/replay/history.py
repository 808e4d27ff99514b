"""Times and operations of versions. Source: Delta protocol, Commit Timestamps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from deltasql.base.errors.log import MissingCommitTimestampError
from deltasql.base.errors.versions import NoCommitsFoundError, TimestampTooEarlyError, TimestampTooLateError
from deltasql.log.actions.commit_file import parse_commit
from deltasql.log.configuration.properties import first_with_timestamp
from deltasql.log.replay.log_segment import LogListing
from deltasql.log.replay.segment_replay import LogReader
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.locations import LOG, commit_path

# Where the first line of a big commit is expected to end.
_HEAD = 64 << 10


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """One commit: its timestamp in ms and its commitInfo, empty if it has none."""

    version: int
    timestamp_ms: int
    info: Mapping[str, Any]


def commit_history(reader: LogReader, listing: LogListing, snapshot: Snapshot, limit: int | None) -> list[CommitEntry]:
    """The commits that the log still has, newest first, at most `limit`."""
    times = file_times(listing)
    first = first_with_timestamp(snapshot.metadata)
    entries = []
    for version in sorted(times, reverse=True)[:limit]:
        info = read_commit_info(reader, version, listing.commits[version].size)
        in_commit_ms = info.get("inCommitTimestamp") if first is not None and version >= first else None
        entries.append(CommitEntry(version, times[version] if in_commit_ms is None else int(in_commit_ms), info))
    return entries


def version_at(reader: LogReader, listing: LogListing, snapshot: Snapshot, timestamp_us: int) -> int:
    """The last version committed at or before the timestamp (µs since the epoch).

    Raises NoCommitsFoundError, TimestampTooEarlyError or TimestampTooLateError.
    """
    versions = sorted(version for version in listing.commits if version >= _earliest(listing))
    if not versions:
        raise NoCommitsFoundError(reader.table, f"{reader.store.root}/{LOG}")
    timestamp_ms = timestamp_us // 1000
    clock = _Clock(reader, listing, snapshot)
    latest = versions[-1]
    candidates = _on_one_clock(clock, versions, timestamp_ms)
    first = clock.at(candidates[0])
    if timestamp_ms < first:
        raise TimestampTooEarlyError(
            reader.table, timestamp_text(timestamp_us), timestamp_text(first * 1000), candidates[0]
        )
    if candidates[-1] == latest and timestamp_us > clock.at(latest) * 1000:
        raise TimestampTooLateError(
            reader.table, timestamp_text(timestamp_us), timestamp_text(clock.at(latest) * 1000), latest
        )
    return candidates[_last_not_after(clock, candidates, timestamp_ms)]


def commit_times(reader: LogReader, listing: LogListing, snapshot: Snapshot, versions: Iterable[int]) -> dict[int, int]:
    """The timestamps, in ms, of some versions that the log still has."""
    clock = _Clock(reader, listing, snapshot)
    return {version: clock.at(version) for version in versions}


def first_at(reader: LogReader, listing: LogListing, snapshot: Snapshot, timestamp_us: int) -> int | None:
    """The first version committed at or after the timestamp (µs since the epoch); None if there is none yet."""
    versions = sorted(version for version in listing.commits if version >= _earliest(listing))
    timestamp_ms = -(-timestamp_us // 1000)
    clock = _Clock(reader, listing, snapshot)
    if not versions or clock.at(versions[-1]) < timestamp_ms:
        return None
    if clock.at(versions[0]) >= timestamp_ms:
        return versions[0]
    before = _last_not_after(clock, versions, timestamp_ms - 1)
    return versions[before + 1]


def file_times(listing: LogListing) -> dict[int, int]:
    """Each commit file's time in ms, moved up where needed so that a later version never has an earlier time."""
    times: dict[int, int] = {}
    previous = -1
    for version in sorted(listing.commits):
        previous = max(listing.commits[version].modified, previous + 1)
        times[version] = previous
    return times


def read_commit_info(reader: LogReader, version: int, size: int) -> Mapping[str, Any]:
    """The commitInfo of a version, empty if it has none; of a big commit only the first line is fetched."""
    path = commit_path(version)
    if size > _HEAD:
        head, newline, _ = reader.data(version, _HEAD).partition(b"\n")
        if newline and head.startswith(b'{"commitInfo"'):
            info = parse_commit(head, version, path, reader.table).info
            return info.values if info is not None else {}
    info = parse_commit(reader.data(version), version, path, reader.table).info
    return info.values if info is not None else {}


def timestamp_text(timestamp_us: int) -> str:
    """A timestamp in UTC for a message."""
    seconds, rest = divmod(timestamp_us, 1_000_000)
    moment = datetime.fromtimestamp(seconds, timezone.utc).replace(microsecond=rest)
    return moment.isoformat(sep=" ", timespec="milliseconds" if rest % 1000 == 0 else "microseconds")


class _Clock:
    """Commit timestamps in ms; in-commit timestamps are read only for the versions in question."""

    def __init__(self, reader: LogReader, listing: LogListing, snapshot: Snapshot) -> None:
        self._reader = reader
        self._listing = listing
        self._times = file_times(listing)
        self.first = first_with_timestamp(snapshot.metadata)

    def at(self, version: int) -> int:
        if self.first is None or version < self.first:
            return self._times[version]
        info = read_commit_info(self._reader, version, self._listing.commits[version].size)
        if info.get("inCommitTimestamp") is None:
            raise MissingCommitTimestampError(self._reader.table, version)
        return int(info["inCommitTimestamp"])


def _on_one_clock(clock: _Clock, versions: Sequence[int], timestamp_ms: int) -> Sequence[int]:
    """The versions to look in. The files of a copied table may be later than the times inside its commits."""
    newer = [version for version in versions if clock.first is not None and version >= clock.first]
    if not newer or len(newer) == len(versions):
        return versions
    return newer if timestamp_ms >= clock.at(newer[0]) else versions[: len(versions) - len(newer)]


def _last_not_after(clock: _Clock, versions: Sequence[int], timestamp_ms: int) -> int:
    """Index of the last version whose time is not after `timestamp_ms`; the first version's is not."""
    low, high = 0, len(versions) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if clock.at(versions[middle]) <= timestamp_ms:
            low = middle
        else:
            high = middle - 1
    return low


def _earliest(listing: LogListing) -> int:
    return listing.earliest if listing.earliest is not None else 0
