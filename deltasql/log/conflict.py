"""Whether a transaction can go on top of a commit that came first: data in, verdict out.

One winner at a time, in version order; the first rule that is broken gives the error. File level: a read whose
predicate does not tell partitions apart meets every added file.
Source: Delta's conflict checker; Delta Lake documentation, Concurrency control.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from deltasql.errors.log import (
    ConcurrentAppendError,
    ConcurrentDeleteDeleteError,
    ConcurrentDeleteReadError,
    ConcurrentModificationError,
    ConcurrentTransactionError,
    ConcurrentWriteError,
    MetadataChangedError,
    ProtocolChangedError,
)


class IsolationLevel(str, Enum):
    """How much a commit may ignore of what was committed since it read. Values as in commitInfo."""

    SERIALIZABLE = "Serializable"
    WRITE_SERIALIZABLE = "WriteSerializable"
    SNAPSHOT = "SnapshotIsolation"


@dataclass(frozen=True, slots=True)
class ReadPredicate:
    """One scan of the table: its predicate in SQL, and which partitions it can meet.

    `matches` is asked with a file's partition values as the log has them; None: the scan can meet every partition.
    """

    text: str
    matches: Callable[[Mapping[str, str | None]], bool] | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """What matters of the transaction that lost the race. Paths are canonical.

    `read_files` are all files that its scans were planned over. `version` is the one that it wanted, 0 for a new table.
    """

    table: str
    version: int
    level: IsolationLevel
    read_predicates: tuple[ReadPredicate, ...] = ()
    read_files: frozenset[str] = frozenset()
    read_whole_table: bool = False
    read_app_ids: frozenset[str] = frozenset()
    removes: frozenset[str] = frozenset()
    app_ids: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    changes_metadata: bool = False
    changes_protocol: bool = False
    only_adds: bool = True
    needs_next_version: bool = False

    @property
    def is_blind_append(self) -> bool:
        reads = self.read_predicates or self.read_files or self.read_whole_table
        return self.only_adds and not reads


@dataclass(frozen=True, slots=True)
class Winner:
    """What matters of the commit that came first. Paths are canonical.

    `adds` maps the files of new rows to their partition values; files that only arrange rows anew are not among them.
    `removes` are all that left. `only_raises_identity` marks metadata that just note where identity columns go on,
    `only_enables_row_tracking` those that just say that the ids, which all files have by then, may be asked for.
    """

    version: int
    operation: str
    is_blind_append: bool = False
    changes_metadata: bool = False
    changes_protocol: bool = False
    only_raises_identity: bool = False
    only_enables_row_tracking: bool = False
    adds: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    removes: frozenset[str] = frozenset()
    app_ids: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()


def find_conflict(attempt: Attempt, winner: Winner) -> ConcurrentModificationError | None:
    """The error that the transaction must end with, or None if it can be tried again after the winner."""
    for rule in _RULES:
        error = rule(attempt, winner)
        if error is not None:
            return error
    return None


def _protocol(attempt: Attempt, winner: Winner) -> ConcurrentModificationError | None:
    if attempt.version == 0:
        return ProtocolChangedError(attempt.table, winner.version, winner.operation, _EMPTY_FOLDER)
    if winner.changes_protocol:
        return ProtocolChangedError(attempt.table, winner.version, winner.operation)
    return None


def _metadata(attempt: Attempt, winner: Winner) -> ConcurrentModificationError | None:
    harmless = winner.only_raises_identity or winner.only_enables_row_tracking
    if not winner.changes_metadata or (harmless and not attempt.changes_metadata):
        return None
    return MetadataChangedError(attempt.table, winner.version, winner.operation)


def _large(attempt: Attempt, winner: Winner) -> ConcurrentModificationError | None:
    if attempt.needs_next_version:
        return ConcurrentWriteError(attempt.table, winner.version, winner.operation)
    return None


def _transactions(attempt: Attempt, winner: Winner) -> ConcurrentModificationError | None:
    shared = winner.app_ids & (attempt.read_app_ids | attempt.app_ids)
    if shared:
        subject = f"application id {min(shared)}"
        return ConcurrentTransactionError(attempt.table, winner.version, winner.operation, subject)
    # Row ids are given out anew on top of the winner's.
    shared = (winner.domains & attempt.domains) - {"delta.rowTracking"}
    if shared:
        subject = f"metadata domain {min(shared)}"
        return ConcurrentTransactionError(attempt.table, winner.version, winner.operation, subject)
    return None


def _appends(attempt: Attempt, winner: Winner) -> ConcurrentModificationError | None:
    if attempt.is_blind_append or attempt.level is IsolationLevel.SNAPSHOT:
        return None
    # Whoever writes new metadata has looked at all rows, also at those that other levels let slip in.
    lenient = attempt.level is IsolationLevel.WRITE_SERIALIZABLE and not attempt.changes_metadata
    if lenient and winner.is_blind_append:
        return None
    met = next((values for values in winner.adds.values() if _reads(attempt, values)), None)
    if met is None:
        return None
    return ConcurrentAppendError(attempt.table, winner.version, winner.operation, _hint(met))


def _reads(attempt: Attempt, values: Mapping[str, str | None]) -> bool:
    """True if a scan of the attempt would have met a file with these partition values."""
    if attempt.read_whole_table:
        return True
    return any(item.matches is None or item.matches(values) for item in attempt.read_predicates)


def _hint(values: Mapping[str, str | None]) -> str:
    if not values:
        return ""
    return f", partition [{', '.join(f'{key}={_shown(value)}' for key, value in values.items())}]"


def _shown(value: str | None) -> str:
    return "null" if value is None else value


def _deleted_reads(attempt: Attempt, winner: Winner) -> ConcurrentModificationError | None:
    if winner.removes & attempt.read_files or (winner.removes and attempt.read_whole_table):
        return ConcurrentDeleteReadError(attempt.table, winner.version, winner.operation)
    return None


def _deleted_twice(attempt: Attempt, winner: Winner) -> ConcurrentModificationError | None:
    if winner.removes & attempt.removes:
        return ConcurrentDeleteDeleteError(attempt.table, winner.version, winner.operation)
    return None


_EMPTY_FOLDER = "Several writers wrote to an empty folder: create the table before they start. "

_RULES: tuple[Callable[[Attempt, Winner], ConcurrentModificationError | None], ...] = (
    _protocol,
    _metadata,
    _large,
    _transactions,
    _appends,
    _deleted_reads,
    _deleted_twice,
)
