"""Builds the text of a commit, including commitInfo, anew for every version that a transaction attempts.

Source: Delta protocol, Commit Provenance Information. The actions of a commit are checked by the protocol's rules
before it is written. Source: Delta protocol, Actions.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from deltasql.base import __version__, errors, pa, shown_pairs
from deltasql.log import operations
from deltasql.log.actions.actions import (
    Action,
    AddCDCFile,
    AddFile,
    CommitInfo,
    DomainMetadata,
    Metadata,
    RemoveFile,
    SetTransaction,
)
from deltasql.log.actions.commit_file import BIG, CommitFile, encode_actions, parse_commit
from deltasql.log.commit.conflict import Attempt, IsolationLevel
from deltasql.log.configuration.properties import has_commit_timestamps, partition_keys, with_enablement
from deltasql.log.configuration.row_ids import PRESERVED_TAG, RowNumbering, check_files, still_to_number, touched_files
from deltasql.log.operations import Operation
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import Snapshot
from deltasql.log.storage.listing import canonical, commit_path
from deltasql.log.storage.log_store import LogStore
from deltasql.log.table_properties import APPEND_ONLY, ISOLATION_LEVEL, TableProperties
from deltasql.schema import with_table_version

_Action = TypeVar("_Action")


def of_kind(actions: Iterable[object], kind: type[_Action]) -> list[_Action]:
    """The actions of one class."""
    return [action for action in actions if isinstance(action, kind)]


def split_adds(actions: Iterable[Action]) -> tuple[list[AddFile], list[Action]]:
    """The actions in two lists: the adds, which may be very many, and all others."""
    adds: list[AddFile] = []
    others: list[Action] = []
    for action in actions:
        if type(action) is AddFile:
            adds.append(action)
        else:
            others.append(action)
    return adds, others


def check_commit(
    actions: Sequence[Action],
    protocol: Protocol,
    metadata: Metadata,
    table: str,
    root: str,
    added: pa.Table | None = None,
) -> None:
    """Raises an error for the first rule that a commit breaks; `protocol` and `metadata` are those after the commit.

    `added` are further add actions, of schema `file_tables.ADD`. `root` is the table's decoded location.
    Raises DuplicateActionsError, DuplicateDomainError, DomainMetadataNotSupportedError, InvalidCommitError,
    AppendOnlyError, and what `iceberg_compat.check_files` raises.
    """
    adds, others = split_adds(actions)
    for kind, name in ((Protocol, "protocol"), (Metadata, "metaData")):
        if len(of_kind(others, kind)) > 1:
            raise errors.DuplicateActionsError(table, name, "action", "a commit has at most one")
    _check_transactions(of_kind(others, SetTransaction), table)
    _check_domains(of_kind(others, DomainMetadata), protocol, table)
    removes = of_kind(others, RemoveFile)
    paths = _check_paths(adds, removes, table, root)
    keys = partition_keys(metadata)
    _check_partition_values(adds, keys, table)
    notable = adds
    if added is not None:
        from deltasql.log.commit.add_table_rules import check_partition_values, check_table_paths, notable_adds

        check_table_paths(added, *paths, table, root)
        check_partition_values(added, keys, table)
        notable = [*adds, *notable_adds(added, metadata.configuration)]
    _check_vectors(notable, protocol, table)
    check_files(notable, metadata.configuration, table)
    if metadata.properties.switches_on(APPEND_ONLY) and any(remove.data_change for remove in removes):
        raise errors.AppendOnlyError(table)


def _check_transactions(transactions: Sequence[SetTransaction], table: str) -> None:
    seen: dict[str, int] = {}
    for action in transactions:
        if seen.setdefault(action.app_id, action.version) != action.version:
            raise errors.DuplicateActionsError(table, "txn", action.app_id, "its versions differ")


def _check_domains(domains: Sequence[DomainMetadata], protocol: Protocol, table: str) -> None:
    seen: set[str] = set()
    for action in domains:
        if action.domain in seen:
            raise errors.DuplicateDomainError(table, action.domain)
        if "domainMetadata" not in protocol.features:
            raise errors.DomainMetadataNotSupportedError(table, action.domain)
        seen.add(action.domain)


def _check_paths(
    adds: Sequence[AddFile], removes: Sequence[RemoveFile], table: str, root: str
) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Deletion vector ids, or None, by canonical path: of the added files, and of the removed files."""
    added: dict[str, str | None] = {}
    for add in adds:
        path = canonical(add.path, root)
        if path in added:
            raise errors.DuplicateActionsError(table, "add", add.path, "a commit adds a path once")
        added[path] = _vector_id(add)
    removed: dict[str, str | None] = {}
    for remove in removes:
        path = canonical(remove.path, root)
        if path in removed:
            raise errors.DuplicateActionsError(table, "remove", remove.path, "a commit removes a path once")
        removed[path] = _vector_id(remove)
        if path in added and added[path] == removed[path]:
            raise errors.DuplicateActionsError(
                table, "add and remove", remove.path, "both have the same deletion vector"
            )
    return added, removed


def _check_partition_values(adds: Sequence[AddFile], keys: Sequence[str], table: str) -> None:
    expected = set(keys)
    for add in adds:
        if add.partition_values.keys() != expected:
            raise errors.InvalidCommitError(
                table,
                f"the partition values of {add.path} are for {sorted(add.partition_values)}, not {sorted(expected)}",
            )


def _check_vectors(adds: Sequence[AddFile], protocol: Protocol, table: str) -> None:
    supported = "deletionVectors" in protocol.features
    for add in adds:
        if add.deletion_vector is not None:
            _check_vector(add, add.deletion_vector.cardinality, supported, table)


def _check_vector(add: AddFile, cardinality: int, supported: bool, table: str) -> None:
    if not supported:
        raise errors.InvalidCommitError(
            table, f"{add.path} has a deletion vector, and the protocol lacks deletionVectors"
        )
    if cardinality <= 0:
        raise errors.InvalidCommitError(table, f"the deletion vector of {add.path} is empty")
    if add.stats is None or '"numRecords"' not in add.stats:
        raise errors.InvalidCommitError(table, f"{add.path} has a deletion vector and no numRecords in its statistics")


def _vector_id(action: AddFile | RemoveFile) -> str | None:
    return None if action.deletion_vector is None else action.deletion_vector.unique_id


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """Inputs of a commit that are equal in all its attempts; `protocol` and `metadata` are those after the commit.

    `read` is the snapshot that the transaction read, None for a new table. `numbering` is None where files get no row
    ids, `blind_append` None where it follows from the read set. `added` are adds of schema `file_tables.ADD`, in
    addition to the actions of each attempt.
    """

    read: Snapshot | None
    provenance: Provenance
    protocol: Protocol
    metadata: Metadata
    attempt: Attempt
    location: str
    transaction_id: str
    numbering: RowNumbering | None = None
    blind_append: bool | None = None
    added: pa.Table | None = None

    @property
    def states_anew(self) -> bool:
        """Whether the operation only restates existing files."""
        return self.provenance.operation.restates_files

    @property
    def is_blind_append(self) -> bool:
        """The value of `isBlindAppend` in commitInfo."""
        if self.blind_append is not None:
            return self.blind_append
        # A backfill looks at every file that it states anew, and no file of its is new; a clone reads its source.
        return self.attempt.is_blind_append and not (self.states_anew or self.provenance.operation.replaces_all)

    def check(self, actions: Sequence[Action]) -> None:
        """Raises the errors of `check_commit` for actions that the protocol forbids."""
        check_commit(actions, self.protocol, self.metadata, self.attempt.table, self.location, self.added)


@dataclass(frozen=True, slots=True)
class CommitText:
    """A commit as written: `data` is its text, `actions` and `added` are the actions after commitInfo."""

    version: int
    actions: Sequence[Action]
    data: bytes
    added: pa.Table | None = None

    def parsed(self, table: str) -> CommitFile:
        """The commit as read from the log; the file actions of a big one are not parsed from `data`."""
        path = commit_path(self.version)
        if len(self.data) < BIG:
            return parse_commit(self.data, self.version, path, table)

        from deltasql.log.actions.file_tables import ADD, REMOVE, from_files

        info = self.data[: self.data.index(b"\n") + 1]
        adds, others = split_adds(self.actions)
        small = encode_actions(action for action in others if not isinstance(action, RemoveFile))
        commit = parse_commit(info + small, self.version, path, table)
        tables = [from_files(adds, ADD), *([] if self.added is None else [self.added])]
        commit.tables = (pa.concat_tables(tables), from_files(of_kind(others, RemoveFile), REMOVE))
        return commit


class CommitWriter:
    """Builds the text of one commit, anew for every version that is attempted."""

    def __init__(self, plan: CommitPlan, store: LogStore) -> None:
        self.plan, self._store = plan, store

    def text(
        self,
        actions: Sequence[Action],
        version: int,
        winners: Sequence[CommitFile],
        metrics: Mapping[str, object] | None = None,
    ) -> CommitText:
        """The commit of `version` on top of `winners`, with its timestamp, row ids and versions of type changes.

        `metrics` replace those of the operation. Raises the errors of `check_commit` where actions that were rebased on
        the winners break the protocol.
        """
        plan = self.plan
        provenance = self._provenance(winners)
        if metrics is not None:
            provenance = replace(provenance, metrics=metrics)
        data_change = changes_data(actions, plan.added)
        info = self._info(provenance, data_change, winners, plan.attempt.level, plan.transaction_id)
        final, added = [self._dated(action, version, info.in_commit_timestamp) for action in actions], plan.added
        if plan.states_anew and winners:
            final, added = self._still_to_number(final, winners)
        if plan.numbering is not None:
            final, added = plan.numbering.numbered(final, version, winners, added)
        if winners:
            # Actions that follow from what others committed are new.
            plan.check(actions)
        return CommitText(version, final, _encoded([info, *final], added), added)

    def _still_to_number(
        self, actions: Sequence[Action], winners: Sequence[CommitFile]
    ) -> tuple[list[Action], pa.Table | None]:
        """Actions and adds of a row id backfill without the files that winners have removed or restated."""
        root, added = self.plan.location, self.plan.added
        touched = touched_files(winners, self.plan.attempt.table, root)
        if added is not None:
            from deltasql.log.actions.file_tables import without_files

            added = without_files(added, touched, root)
        return still_to_number(actions, touched, root), added

    def undo_text(self, actions: Sequence[Action], version: int, winners: Sequence[CommitFile]) -> CommitText:
        """The commit, with its own transaction id, that reverts moves of rows before the transaction's commit."""
        self.plan.check(actions)
        changes = changes_data(actions)
        info = self._info(
            Provenance(operations.UNDO_OPTIMIZE, {}), changes, winners, IsolationLevel.SNAPSHOT, str(uuid.uuid4())
        )
        return CommitText(version, actions, encode_actions([info, *actions]))

    def _info(
        self,
        provenance: Provenance,
        data_change: bool,
        winners: Sequence[CommitFile],
        level: IsolationLevel,
        transaction_id: str,
    ) -> CommitInfo:
        plan = self.plan
        now = int(time.time() * 1000)
        timestamp = self._next_timestamp(now, winners) if has_commit_timestamps(plan.metadata) else None
        return build_commit_info(
            provenance,
            data_change=data_change,
            timestamp_ms=timestamp or now,
            in_commit_timestamp=timestamp,
            read_version=None if plan.read is None else plan.read.version,
            level=level,
            blind_append=plan.is_blind_append and level is plan.attempt.level,
            transaction_id=transaction_id,
        )

    def _provenance(self, winners: Sequence[CommitFile]) -> Provenance:
        """The provenance, tagged as losing row ids if a winner enabled row tracking and this commit removes files."""
        provenance = self.plan.provenance
        late = any(winner.info is not None and winner.info.only_enables_row_tracking for winner in winners)
        if not (late and self.plan.attempt.removes):
            return provenance
        return replace(provenance, tags={**(provenance.tags or {}), PRESERVED_TAG: "false"})

    def _dated(self, action: Action, version: int, timestamp_ms: int | None) -> Action:
        """Metadata with the table properties and schema fields that depend on `version`; other actions unchanged."""
        if not isinstance(action, Metadata):
            return action
        read = self.plan.read
        if timestamp_ms is not None and read is not None and not has_commit_timestamps(read.metadata):
            action = with_enablement(action, version, timestamp_ms)
        if dates_type_changes(self.plan.protocol):
            action = replace(action, schema=with_table_version(action.schema, version))
        return action

    def _next_timestamp(self, now: int, winners: Sequence[CommitFile]) -> int:
        """The in-commit timestamp in ms: `now`, but later than that of the previous commit."""
        previous = self._time_of(winners[-1]) if winners else None
        if previous is None and self.plan.read is not None:
            previous = self.plan.read.timestamp_ms
        return now if previous is None else max(now, previous + 1)

    def _time_of(self, winner: CommitFile) -> int | None:
        """Time of a winner in ms: its in-commit timestamp or its file's modification time; None if the file is gone."""
        info = winner.info
        if info is not None and info.in_commit_timestamp is not None:
            return info.in_commit_timestamp
        try:
            return self._store.head(winner.path).modified
        except FileNotFoundError:
            return None


def _encoded(actions: Sequence[Action], added: pa.Table | None) -> bytes:
    text = encode_actions(actions)
    if added is None:
        return text
    from deltasql.log.actions.file_tables import encode_adds

    return encode_adds(added, text)


def dates_type_changes(protocol: Protocol) -> bool:
    """Whether type changes are recorded with their table version, as in the preview of type widening."""
    return "typeWidening-preview" in protocol.features and "typeWidening" not in protocol.features


@dataclass(frozen=True, slots=True)
class Provenance:
    """The statement behind a commit, for the history. `metrics` and `parameters` by name, in the order of the text."""

    operation: Operation
    parameters: Mapping[str, object]
    metrics: Mapping[str, object] | None = None
    user_metadata: str | None = None
    engine_info: str | None = None
    tags: Mapping[str, str] | None = None


def build_commit_info(
    provenance: Provenance,
    *,
    data_change: bool,
    timestamp_ms: int,
    in_commit_timestamp: int | None,
    read_version: int | None,
    level: IsolationLevel,
    blind_append: bool,
    transaction_id: str,
) -> CommitInfo:
    """The first action of a commit, its fields in Delta's order; what does not apply is absent."""
    values: dict[str, Any] = {
        "inCommitTimestamp": in_commit_timestamp,
        "timestamp": timestamp_ms,
        "operation": provenance.operation.name,
        "operationParameters": {
            key: _parameter(value) for key, value in shown_parameters(provenance.parameters).items()
        },
        "readVersion": read_version,
        "isolationLevel": level.value,
        "isBlindAppend": blind_append,
        "dataChange": data_change,
        "operationMetrics": {key: str(value) for key, value in (provenance.metrics or {}).items()},
        "userMetadata": provenance.user_metadata,
        "tags": dict(provenance.tags) if provenance.tags else None,
        "engineInfo": provenance.engine_info or f"deltasql/{__version__}",
        "txnId": transaction_id,
    }
    return CommitInfo({key: value for key, value in values.items() if value is not None})


def changes_data(actions: Sequence[Action], added: pa.Table | None = None) -> bool:
    """Whether a file action changes rows, and does not just arrange them anew; `added`: adds as `file_tables.ADD`."""
    if any(isinstance(action, (AddFile, RemoveFile)) and action.data_change for action in actions):
        return True
    return added is not None and True in added["dataChange"].unique().to_pylist()


def effective_level(
    table_level: IsolationLevel, operation: Operation, actions: Sequence[Action], *, data_change: bool
) -> IsolationLevel:
    """The isolation level that a commit needs: it is lower where no row changes, as `data_change` says."""
    only_files = all(isinstance(action, (AddFile, RemoveFile, AddCDCFile)) for action in actions)
    if not only_files or data_change:
        return table_level
    if table_level is IsolationLevel.SERIALIZABLE or not operation.changes_data:
        return IsolationLevel.SNAPSHOT
    return table_level


def table_level(configuration: Mapping[str, str]) -> IsolationLevel:
    """The isolation level that a table asks for; WriteSerializable by default. Raises IsolationLevelError."""
    return IsolationLevel(TableProperties(configuration)[ISOLATION_LEVEL])


def shown_parameters(parameters: Mapping[str, object]) -> dict[str, object]:
    """The parameters of an operation without secrets, as the history may have them."""
    return {
        key: shown_pairs(value) if key == "properties" and isinstance(value, Mapping) else value
        for key, value in parameters.items()
    }


def _parameter(value: object) -> object:
    """Scalars as they are; anything deeper is a JSON document inside a string."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return json.dumps(value, separators=(",", ":"))
