"""The log files that make up one version of a table, and the hint file `_last_checkpoint`.

`list_log` lists the storage, `build_segment` decides: a pure function of names. Source: Delta protocol, Snapshot
reconstruction.

The hint says where a checkpoint is, so that a reader need not list the whole log. It is overwritten without atomicity,
so any damage only means that there is no hint. Source: Delta protocol, Last Checkpoint File and its JSON checksum.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from deltasql.base import errors
from deltasql.log.actions.action_fields import Fields, check_fields
from deltasql.log.actions.actions import Json
from deltasql.log.storage.listing import LAST_CHECKPOINT, LOG, checksum_path, commit_path, is_local
from deltasql.log.storage.log_store import Entry, LogStore

_FEW_COMMITS = 32
"""New versions of a local log that are looked for one by one; of more the log is listed."""

_COMMIT = re.compile(r"(\d+)\.json")
_CHECKSUM = re.compile(r"(\d+)\.crc")
_CLASSIC = re.compile(r"(\d+)\.checkpoint\.parquet")
_PART = re.compile(r"(\d+)\.checkpoint\.(\d{10})\.(\d{10})\.parquet")
_COMPACTED = re.compile(r"(\d+)\.(\d+)\.compacted\.json")
_NAMED = re.compile(r"(\d+)\.checkpoint\.([^.]+)\.(json|parquet)")


@dataclass(frozen=True, slots=True)
class CheckpointFiles:
    """One complete checkpoint. `parts` in order; more than one only for the multi-part kind."""

    version: int
    kind: int
    parts: tuple[Entry, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(part.path for part in self.parts)

    @property
    def is_classic(self) -> bool:
        """True if readers that know no V2 checkpoints find it."""
        return self.kind < _V2


_SINGLE, _PARTS, _V2 = range(3)


@dataclass(frozen=True, slots=True)
class Delta:
    """A log file after the checkpoint: the commit of one version, or those from `start` to `end` in one."""

    start: int
    end: int
    entry: Entry

    @property
    def is_compacted(self) -> bool:
        return self.end > self.start


@dataclass(frozen=True, slots=True)
class LogListing:
    """The files of a log by kind. `complete` is false if the listing began at a checkpoint that a hint named."""

    commits: dict[int, Entry]
    checkpoints: tuple[CheckpointFiles, ...]
    checksums: frozenset[int]
    complete: bool
    compacted: tuple[Delta, ...] = ()

    def commits_from(self, first: int, last: int) -> tuple[tuple[int, Entry], ...]:
        """The existing commit files of the versions from `first` to `last`, oldest first."""
        return tuple((number, self.commits[number]) for number in sorted(self.commits) if first <= number <= last)

    @property
    def earliest(self) -> int | None:
        """The oldest version that can be read, None if there is none."""
        if 0 in self.commits:
            return 0
        return min((item.version for item in self.checkpoints), default=None)

    @property
    def latest(self) -> int:
        """The newest version, -1 if there is none."""
        newest = max(self.commits, default=-1)
        return max(newest, max((item.version for item in self.checkpoints), default=-1))


@dataclass(frozen=True, slots=True)
class LogSegment:
    """A version's log files: a checkpoint, if any, and every commit after it, oldest first.

    `deltas` are what replay reads in place of the commits, some of which may be there only in compacted form.
    """

    version: int
    checkpoint: CheckpointFiles | None
    commits: tuple[tuple[int, Entry], ...]
    checksums: frozenset[int]
    compacted: tuple[Delta, ...] = ()

    @property
    def deltas(self) -> list[Delta]:
        """The files that hold the commits after the checkpoint, each once, oldest first."""
        deltas = self.deltas_between(self._start + 1 if self.checkpoint else 0, self.version)
        assert deltas is not None
        return deltas

    def deltas_between(self, first: int, last: int) -> list[Delta] | None:
        """The files that hold exactly the commits from `first` to `last`; None if some are compacted with others."""
        inside = [item for item in self.compacted if first <= item.start and item.end <= last]
        starts = [item.start for item in inside]
        deltas = [Delta(version, version, entry) for version, entry in self.commits if first <= version <= last]
        single = [item for item in deltas if not _is_within(item.start, inside, starts)]
        if len(single) + sum(item.end - item.start + 1 for item in inside) != last - first + 1:
            return None
        return sorted([*single, *inside], key=lambda delta: delta.start)

    def extended(self, listing: LogListing) -> LogSegment:
        """The segment with the newer commits of a listing that begins right after it, up to the first gap."""
        commits = list(self.commits)
        version = self.version
        while version + 1 in listing.commits:
            version += 1
            commits.append((version, listing.commits[version]))
        checksums = {item for item in self.checksums if item >= self._start} | listing.checksums
        return replace(self, version=version, commits=tuple(commits), checksums=frozenset(checksums))

    @property
    def _start(self) -> int:
        return self.checkpoint.version if self.checkpoint else 0


def list_log(store: LogStore, full: bool = False, upto: int | None = None) -> LogListing:
    """The log's files, from the last checkpoint on, or all of them if `full` or if the hint does not help.

    `upto` is the version that is wanted: a hint that is newer does not help.
    """
    hint = None if full else read_last_checkpoint(store)
    if hint is not None and (upto is None or hint.version <= upto):
        listing = classify(store.list_folder(LOG, offset=f"{LOG}/{hint.version:020d}"), complete=False)
        if any(item.version >= hint.version and (upto is None or item.version <= upto) for item in listing.checkpoints):
            return listing
    return classify(store.list_folder(LOG), complete=True)


def list_after(store: LogStore, version: int) -> LogListing:
    """The log's files that are newer than the commit of `version`.

    On a local disk files are looked for by their names, so that the time does not grow with the log; checkpoints and
    compacted files are left out then.
    """
    few = _next_entries(store, version) if is_local(store.root) else None
    if few is not None:
        return classify(few, complete=False)
    return classify(store.list_folder(LOG, offset=commit_path(version)), complete=False)


def _next_entries(store: LogStore, version: int) -> list[Entry] | None:
    """The commits after `version`, up to a gap, and their checksums; None if they are many."""
    entries = list[Entry]()
    for newer in range(version + 1, version + 1 + _FEW_COMMITS):
        try:
            entries.append(store.head(commit_path(newer)))
        except FileNotFoundError:
            return entries
        with suppress(FileNotFoundError):
            entries.append(store.head(checksum_path(newer)))
    return None


def with_staged(listing: LogListing, staged: Mapping[int, str]) -> LogListing:
    """The listing with ratified commits that are not published yet, which win over a published file of that version."""
    if not staged:
        return listing
    commits = {version: Entry(path, 0, -1) for version, path in staged.items()}
    return replace(listing, commits={**listing.commits, **commits})


def up_to(listing: LogListing, latest: int) -> LogListing:
    """The listing without later versions than the `latest` one, which a catalog has told."""
    if listing.latest <= latest:
        return listing
    return LogListing(
        {version: entry for version, entry in listing.commits.items() if version <= latest},
        tuple(item for item in listing.checkpoints if item.version <= latest),
        frozenset(version for version in listing.checksums if version <= latest),
        listing.complete,
        tuple(item for item in listing.compacted if item.end <= latest),
    )


def classify(entries: Iterable[Entry], complete: bool) -> LogListing:
    """The files of a log by kind. Unknown names, incomplete multi-part checkpoints and empty files, but commits, are
    left out.
    """
    commits: dict[int, Entry] = {}
    checksums: set[int] = set()
    checkpoints: list[CheckpointFiles] = []
    parts: dict[tuple[int, int], dict[int, Entry]] = {}
    compacted: list[Delta] = []
    for entry in entries:
        name = entry.name
        if match := _COMMIT.fullmatch(name):
            commits[int(match[1])] = entry
        elif match := _CHECKSUM.fullmatch(name):
            checksums.add(int(match[1]))
        elif entry.size == 0:
            continue
        elif match := _COMPACTED.fullmatch(name):
            compacted.append(Delta(int(match[1]), int(match[2]), entry))
        elif match := _CLASSIC.fullmatch(name):
            checkpoints.append(CheckpointFiles(int(match[1]), _SINGLE, (entry,)))
        elif match := _PART.fullmatch(name):
            parts.setdefault((int(match[1]), int(match[3])), {})[int(match[2])] = entry
        elif match := _NAMED.fullmatch(name):
            checkpoints.append(CheckpointFiles(int(match[1]), _V2, (entry,)))
    for (version, count), members in parts.items():
        if set(members) == set(range(1, count + 1)):
            checkpoints.append(CheckpointFiles(version, _PARTS, tuple(members[part] for part in sorted(members))))
    ranked = tuple(sorted(checkpoints, key=_rank))
    longest_first = tuple(sorted(compacted, key=lambda delta: (delta.start, -delta.end)))
    return LogListing(commits, ranked, frozenset(checksums), complete, longest_first)


def build_segment(
    listing: LogListing,
    table: str,
    location: str,
    version: int | None = None,
    without: Collection[CheckpointFiles | Delta] = (),
) -> LogSegment:
    """The segment of `version`, or of the latest one; the files `without` are known to be unusable.

    Raises NotADeltaTableError, VersionNotFoundError, TruncatedLogError or LogGapError.
    """
    if listing.latest < 0:
        raise errors.NotADeltaTableError(table, location)
    newest = listing.latest if version is None else version
    usable = [item for item in listing.checkpoints if item.version <= newest and item not in without]
    checkpoint = usable[-1] if usable else None
    _require_version(listing, table, newest, begins=checkpoint is not None or 0 in listing.commits or version is None)
    start = checkpoint.version + 1 if checkpoint else 0
    compacted = _usable_compactions(listing, without, start, newest)
    _require_none(_first_missing(listing, compacted, start, newest), listing, table, location, start, newest)
    checksums = frozenset(number for number in listing.checksums if start - 1 <= number <= newest)
    return LogSegment(newest, checkpoint, listing.commits_from(start, newest), checksums, compacted)


def _require_version(listing: LogListing, table: str, requested: int, *, begins: bool) -> None:
    """Raises VersionNotFoundError for a version outside of the log, or one before all that replay could begin with."""
    if 0 <= requested <= listing.latest and begins:
        return
    earliest = min(listing.commits) if listing.earliest is None else listing.earliest
    raise errors.VersionNotFoundError(table, requested, earliest, listing.latest)


def _usable_compactions(
    listing: LogListing, without: Collection[CheckpointFiles | Delta], start: int, last: int
) -> tuple[Delta, ...]:
    """Compacted files that do not overlap, the longest of those that begin at the same version.

    None where they leave a gap: a file that bridges no gap is only an aid, and a log with gaps is reported without it.
    """
    taken: list[Delta] = []
    for item in listing.compacted:
        fits = start <= item.start < item.end <= last and (not taken or item.start > taken[-1].end)
        if fits and item not in without:
            taken.append(item)
    return tuple(taken) if _first_missing(listing, taken, start, last) is None else ()


def _first_missing(listing: LogListing, compacted: Iterable[Delta], start: int, last: int) -> int | None:
    """The oldest version that no file holds. It takes as many steps as there are files: a name may hold any number."""
    ends = {item.start: item.end for item in compacted}
    version = start
    while version <= last:
        if version in ends:
            version = ends[version] + 1
        elif version in listing.commits:
            version += 1
        else:
            return version
    return None


def _require_none(missing: int | None, listing: LogListing, table: str, location: str, start: int, last: int) -> None:
    if missing is None:
        return
    if missing == start:
        earliest = min((number for number in listing.commits if number > start), default=last)
        raise errors.TruncatedLogError(table, f"{location}/{LOG}", last, earliest)
    raise errors.LogGapError(table, f"{location}/{LOG}", missing, commit_path(missing))


def _is_within(version: int, spans: Sequence[Delta], starts: Sequence[int]) -> bool:
    """Whether one of the `spans`, which do not overlap and begin at the sorted `starts`, holds the version."""
    index = bisect_right(starts, version) - 1
    return index >= 0 and version <= spans[index].end


def _rank(files: CheckpointFiles) -> tuple[int, int, int, str]:
    return files.version, files.kind, len(files.parts), files.parts[0].path


_FIELDS = Fields(
    dict.fromkeys(("version", "size", "parts", "sizeInBytes", "numOfAddFiles"), int), required=("version", "size")
)
_UNRESERVED = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")


@dataclass(frozen=True, slots=True)
class V2Hint:
    """A V2 checkpoint's top-level file, and its actions if they are few."""

    path: str
    size_in_bytes: int
    modified: int
    actions: tuple[Json, ...] | None = None
    sidecars: tuple[Json, ...] | None = None

    def to_json(self) -> Json:
        values: Json = {"path": self.path, "sizeInBytes": self.size_in_bytes, "modificationTime": self.modified}
        values |= {} if self.actions is None else {"nonFileActions": list(self.actions)}
        return values | ({} if self.sidecars is None else {"sidecarFiles": list(self.sidecars)})


@dataclass(frozen=True, slots=True)
class LastCheckpoint:
    """The hint to the last checkpoint: `size` counts actions, `files` add actions; `size_in_bytes` is of its files.

    `v2` is written, never read.
    """

    version: int
    size: int
    parts: int | None = None
    size_in_bytes: int | None = None
    files: int | None = None
    v2: V2Hint | None = None

    def to_bytes(self) -> bytes:
        values: dict[str, Any] = {"version": self.version, "size": self.size}
        optional = {"parts": self.parts, "sizeInBytes": self.size_in_bytes, "numOfAddFiles": self.files}
        values |= {key: value for key, value in optional.items() if value is not None}
        if self.v2 is not None:
            values["v2Checkpoint"] = self.v2.to_json()
        values["checksum"] = hint_checksum(json.dumps(values))
        return json.dumps(values, separators=(",", ":")).encode()


def read_last_checkpoint(store: LogStore) -> LastCheckpoint | None:
    """The hint, or None if there is none that can be trusted. A torn file is read once more."""
    return _read(store) or _read(store)


def write_last_checkpoint(store: LogStore, hint: LastCheckpoint) -> None:
    """Overwrites the hint, unless it points to a newer checkpoint already. Raises StorageError."""
    present = read_last_checkpoint(store)
    if present is not None and present.version > hint.version:
        return
    store.overwrite(LAST_CHECKPOINT, hint.to_bytes())
    # Hadoop's checksum file of the old hint would make Spark refuse the new one.
    store.delete([f"{LOG}/._last_checkpoint.crc"])


def hint_checksum(text: str) -> str:
    """MD5 in hex of the JSON object `text` in canonical form, its `checksum` left out.

    Raises ValueError for invalid JSON and for duplicate keys.
    """
    values = json.loads(text, parse_int=_Number, parse_float=_Number, object_pairs_hook=_unique)
    values.pop("checksum", None)
    pairs = sorted((key.encode(), value) for key, value in _leaves(values, ()))
    canonical = ",".join(f"{key.decode()}={value}" for key, value in pairs)
    return hashlib.md5(canonical.encode(), usedforsecurity=False).hexdigest()


class _Number(str):
    """A number as it was spelled: 1.0 and 1.00 differ."""

    __slots__ = ()


def _read(store: LogStore) -> LastCheckpoint | None:
    try:
        return _parse(store.read(LAST_CHECKPOINT).decode())
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError, RecursionError, errors.StorageError):
        return None


def _parse(text: str) -> LastCheckpoint:
    values = json.loads(text)
    if "checksum" in values and values["checksum"] != hint_checksum(text):
        raise ValueError("checksum")
    check_fields("hint", values, _FIELDS)
    if values["version"] < 0:
        raise ValueError("version")
    return LastCheckpoint(
        values["version"],
        values["size"],
        values.get("parts"),
        values.get("sizeInBytes"),
        values.get("numOfAddFiles"),
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("duplicate key")
    return values


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, f'"{_encode(key)}"'))
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, str(index)))
        return
    yield "+".join(path), _leaf(value)


def _leaf(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return str(value) if isinstance(value, _Number) else f'"{_encode(value)}"'


def _encode(text: str) -> str:
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in text.encode())
