"""Conflict rules: whether a transaction can be committed after a commit that won the race, and its rebase onto it.

Pure functions. Winners are checked one at a time, in version order; the first broken rule gives the error. Table rules
come first. File rules apply without row-level concurrency; see `row_rebase` for conflicts by row.
Source: Delta's conflict checker; Delta Lake documentation, Concurrency control.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from deltasql.base import errors
from deltasql.log.actions.actions import Action, Json
from deltasql.log.actions.commit_file import FileChanges
from deltasql.log.source_files import COPY_INTO
from deltasql.log.storage.listing import canonical

PartitionValues: TypeAlias = Mapping[str, "str | None"]


class IsolationLevel(str, Enum):
    """The isolation level of a commit: which commits since its read it may ignore. Values as in commitInfo."""

    SERIALIZABLE = "Serializable"
    WRITE_SERIALIZABLE = "WriteSerializable"
    SNAPSHOT = "SnapshotIsolation"


@dataclass(frozen=True, slots=True)
class ReadPredicate:
    """One scan of the table: its predicate in SQL, and a test for the partitions that it can read.

    `matches` takes a file's partition values as in the log; None: the scan can read every partition.
    """

    text: str
    matches: Callable[[PartitionValues], bool] | None = None


class CanonicalPaths(Set[str]):
    """The canonical paths of files of a table at `root`, computed when a rule first asks for them.

    Most commits win their race and never ask; of 100,000 files that saves half a second.
    """

    def __init__(self, root: str, paths: Sequence[Collection[str]]) -> None:
        self._root, self._paths = root, paths
        self._computed: frozenset[str] | None = None

    @property
    def _canonical(self) -> frozenset[str]:
        if self._computed is None:
            self._computed = frozenset(canonical(path, self._root) for paths in self._paths for path in paths)
        return self._computed

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> Set[Any]:
        return frozenset(it)

    def __contains__(self, path: object) -> bool:
        return path in self._canonical

    def __iter__(self) -> Iterator[str]:
        return iter(self._canonical)

    def __len__(self) -> int:
        return len(self._canonical)

    def __bool__(self) -> bool:
        return any(map(len, self._paths))


@dataclass(frozen=True, slots=True)
class ReadSet:
    """Read set of a transaction: predicates of its scans, and ids of applications whose txn version it read.

    `files` are the canonical paths of all files that its scans were planned over.
    """

    predicates: tuple[ReadPredicate, ...] = ()
    files: Set[str] = frozenset()
    whole_table: bool = False
    app_ids: frozenset[str] = frozenset()

    @property
    def has_scans(self) -> bool:
        """Whether there is a scan to check winners against."""
        return bool(self.predicates or self.files or self.whole_table)

    def meets(self, values: PartitionValues) -> bool:
        """True if a scan would have read a file with these partition values."""
        if self.whole_table:
            return True
        return any(item.matches is None or item.matches(values) for item in self.predicates)


@dataclass(frozen=True, slots=True)
class TableWrites:
    """Actions of a commit besides files: whether it has metadata or a protocol, and its application ids and domains."""

    metadata: bool = False
    protocol: bool = False
    app_ids: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Attempt:
    """A transaction that lost the race for a version, as input of the conflict rules. Paths are canonical.

    `version` is the version that it attempted, 0 for a new table. `advice` is the errors' hint on avoiding conflicts.
    """

    table: str
    version: int
    level: IsolationLevel
    reads: ReadSet = ReadSet()
    writes: TableWrites = TableWrites()
    removes: frozenset[str] = frozenset()
    only_adds: bool = True
    needs_next_version: bool = False
    advice: str = ""

    @property
    def is_blind_append(self) -> bool:
        return self.only_adds and not self.reads.has_scans

    def ignores(self, winner: Winner) -> bool:
        """Whether the isolation level lets the transaction ignore the files that the winner added."""
        # No added row could have changed a blind append, which has read nothing, or a commit without a data change:
        # only such commits have the level SnapshotIsolation.
        if self.is_blind_append or self.level is IsolationLevel.SNAPSHOT:
            return True
        # Whoever writes new metadata has looked at all rows, also at those that other levels let slip in.
        lenient = self.level is IsolationLevel.WRITE_SERIALIZABLE and not self.writes.metadata
        return lenient and winner.is_blind_append


@dataclass(frozen=True, slots=True)
class Winner:
    """The commit that won the version, as input of the conflict rules. Paths are canonical.

    `adds` and `removes` map files to their partition values. `read_version` is its writer's read version, if recorded.
    `orders_rows` is true for a change of the row order (ZORDER BY).
    `only_raises_identity` is true for metadata that only raise high-water marks of identity columns,
    `only_enables_row_tracking` for metadata that only enable row tracking once all files have row ids.
    """

    version: int
    operation: str
    is_blind_append: bool = False
    writes: TableWrites = TableWrites()
    only_raises_identity: bool = False
    only_enables_row_tracking: bool = False
    adds: Mapping[str, PartitionValues] = field(default_factory=dict)
    removes: Mapping[str, PartitionValues] = field(default_factory=dict)
    read_version: int | None = None
    orders_rows: bool = False


def table_conflict(attempt: Attempt, winner: Winner) -> errors.ConcurrentModificationError | None:
    """The error by the rules on protocol, metadata, applications and domains; None if none of them is broken."""
    return _first(_TABLE_RULES, attempt, winner)


def file_conflict(attempt: Attempt, winner: Winner) -> errors.ConcurrentModificationError | None:
    """The error by the rules on files that were added and removed; None if none of them is broken."""
    return _first(_FILE_RULES, attempt, winner)


_Rule = Callable[[Attempt, Winner], "errors.ConcurrentModificationError | None"]


def _first(rules: Iterable[_Rule], attempt: Attempt, winner: Winner) -> errors.ConcurrentModificationError | None:
    found = (rule(attempt, winner) for rule in rules)
    return next((error for error in found if error is not None), None)


def _protocol(attempt: Attempt, winner: Winner) -> errors.ConcurrentModificationError | None:
    if attempt.version == 0:
        return errors.ProtocolChangedError(attempt.table, winner.version, winner.operation, _EMPTY_FOLDER)
    if winner.writes.protocol:
        return errors.ProtocolChangedError(attempt.table, winner.version, winner.operation)
    return None


def _metadata(attempt: Attempt, winner: Winner) -> errors.ConcurrentModificationError | None:
    # These metadata leave columns and constraints as the attempt has read them. Metadata of the attempt would overwrite
    # them, though.
    harmless = winner.only_raises_identity or winner.only_enables_row_tracking
    if not winner.writes.metadata or (harmless and not attempt.writes.metadata):
        return None
    return errors.MetadataChangedError(attempt.table, winner.version, winner.operation)


def _large(attempt: Attempt, winner: Winner) -> errors.ConcurrentModificationError | None:
    # RESTORE and the like replace all rows, others remove files without a recorded scan: the read set is then too small
    # for the rules on files, which would miss conflicts.
    if attempt.needs_next_version:
        return errors.ConcurrentWriteError(attempt.table, winner.version, winner.operation)
    return None


def _transactions(attempt: Attempt, winner: Winner) -> errors.ConcurrentModificationError | None:
    # The list of COPY INTO is written anew on top of the winner's, or found to have the same files.
    shared = (winner.writes.app_ids & (attempt.reads.app_ids | attempt.writes.app_ids)) - {COPY_INTO}
    if shared:
        subject = f"application id {min(shared)}"
        return errors.ConcurrentTransactionError(attempt.table, winner.version, winner.operation, subject=subject)
    # Row ids are given out anew on top of the winner's.
    shared = (winner.writes.domains & attempt.writes.domains) - {"delta.rowTracking"}
    if shared:
        subject = f"metadata domain {min(shared)}"
        return errors.ConcurrentTransactionError(attempt.table, winner.version, winner.operation, subject=subject)
    return None


def _appends(attempt: Attempt, winner: Winner) -> errors.ConcurrentModificationError | None:
    if attempt.ignores(winner):
        return None
    met = next((values for values in winner.adds.values() if attempt.reads.meets(values)), None)
    if met is None:
        return None
    whole, plain, hinted = errors.WholeTableAppendError, errors.ConcurrentAppendError, errors.PartitionAppendError
    return _at(attempt, winner, met, whole if attempt.reads.whole_table else hinted if met else plain)


def _deleted_reads(attempt: Attempt, winner: Winner) -> errors.ConcurrentModificationError | None:
    whole = attempt.reads.whole_table
    met = next((values for path, values in winner.removes.items() if whole or path in attempt.reads.files), None)
    if met is None:
        return None
    plain, hinted = errors.ConcurrentDeleteReadError, errors.PartitionDeleteReadError
    return _at(attempt, winner, met, errors.WholeTableDeleteReadError if whole else hinted if met else plain)


def _deleted_twice(attempt: Attempt, winner: Winner) -> errors.ConcurrentModificationError | None:
    # For removed files that no scan was planned over; the rule on reads comes first and finds the others.
    met = next((values for path, values in winner.removes.items() if path in attempt.removes), None)
    if met is None:
        return None
    return _at(attempt, winner, met, errors.PartitionDeleteDeleteError if met else errors.ConcurrentDeleteDeleteError)


_FilesError = type[
    "errors.ConcurrentAppendError | errors.ConcurrentDeleteReadError | errors.ConcurrentDeleteDeleteError"
]


def _at(
    attempt: Attempt, winner: Winner, values: PartitionValues, error: _FilesError
) -> errors.ConcurrentModificationError:
    whole = error in {errors.WholeTableAppendError, errors.WholeTableDeleteReadError}
    partition = f"{', partition ' if whole else ''}{partition_text(values)}" if values else ""
    return error(attempt.table, winner.version, winner.operation, attempt.advice, partition)


def partition_text(values: PartitionValues) -> str:
    """A partition in a message: [p=1, q=null]."""
    return f"[{', '.join(f'{key}={_text(value)}' for key, value in values.items())}]"


def _text(value: str | None) -> str:
    return "null" if value is None else value


_EMPTY_FOLDER = "Several writers wrote to an empty folder: create the table before they start."

_TABLE_RULES: tuple[_Rule, ...] = (_protocol, _metadata, _large, _transactions)
_FILE_RULES: tuple[_Rule, ...] = (_appends, _deleted_reads, _deleted_twice)


@dataclass(frozen=True, slots=True)
class SkippedAppend:
    """Rows that a blind append has added and that WriteSerializable lets a transaction ignore."""

    version: int
    new: Mapping[str, Json]


class Rebase:
    """The file actions of one transaction on top of winners, in version order, by the rules for whole files.

    With `strict` a transaction that was put before a blind append must not be put after a reader of that append: three
    writers could else go round in a circle.
    """

    def __init__(self, strict: bool = True, actions: Sequence[Action] = ()) -> None:
        self._strict, self._actions = strict, actions
        self._skipped: list[SkippedAppend] = []

    def expect(self, changes: Sequence[FileChanges]) -> None:
        """Announces winners before `onto` is called for each, so that work which they share is done once."""

    def onto(self, attempt: Attempt, winner: Winner, files: FileChanges) -> errors.ConcurrentModificationError | None:
        """Puts the transaction on top of a winner, or gives the error that it must end with because that cannot be."""
        # Files that a winner has only moved are among its adds and removes: without row indexes to carry over, actions
        # of the attempt name files that are no longer live.
        return self.closes_circle(attempt, winner, files) or file_conflict(attempt, winner)

    def actions(self) -> Sequence[Action]:
        """The actions, besides the fixed ones, that follow from the winners so far."""
        return self._actions

    @property
    def is_void(self) -> bool:
        """Whether the winners have left nothing to commit."""
        return False

    @property
    def metrics(self) -> Mapping[str, object] | None:
        """The operation's metrics, where they depend on the winners."""
        return None

    def preceding_actions(self) -> Sequence[Action]:
        """The actions of a commit that must come just before the transaction's own; empty for none."""
        return ()

    def confirm_preceding(self) -> None:
        """Takes note that `preceding_actions` has been committed."""

    def discard(self) -> None:
        """Removes files that `actions` has written, when no commit comes of it."""

    def selects(self, attempt: Attempt, new: Mapping[str, Json]) -> bool:
        """Whether the transaction would have had to look at rows of these files."""
        return any(attempt.reads.meets(add.get("partitionValues") or {}) for add in new.values())

    def closes_circle(
        self, attempt: Attempt, winner: Winner, files: FileChanges
    ) -> errors.ConcurrentModificationError | None:
        """The error for a winner that has read what this transaction, put before it, has ignored."""
        if not self._ignores_appends(attempt):
            return None
        if winner.is_blind_append:
            # To ignore the append puts this transaction before it, an order that later winners must not break.
            if files.new:
                self._skipped.append(SkippedAppend(winner.version, files.new))
            return None
        # A move of rows gives the same table before and after the transaction, so it fixes no order.
        if not files.changes_rows:
            return None
        for append in self._appends_read_by(winner):
            if self.selects(attempt, append.new):
                return errors.ConcurrentAppendError(attempt.table, winner.version, winner.operation, attempt.advice)
            # The answer stays the same for every later reader.
            self._skipped.remove(append)
        return None

    def _ignores_appends(self, attempt: Attempt) -> bool:
        """Whether the transaction may go before blind appends whose rows it would have read."""
        lenient = attempt.level is IsolationLevel.WRITE_SERIALIZABLE and not attempt.writes.metadata
        return self._strict and lenient and not attempt.is_blind_append

    def _appends_read_by(self, winner: Winner) -> list[SkippedAppend]:
        """The ignored appends that were there when the winner's writer read the table."""
        # A writer that does not say what it has read may have read all that was there.
        read = winner.version - 1 if winner.read_version is None else winner.read_version
        return [append for append in self._skipped if append.version <= read]
