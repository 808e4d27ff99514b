"""Protocol rules for the actions of one commit, checked before it is written. Source: Delta protocol, Actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from deltasql.base.errors.log import (
    DomainMetadataNotSupportedError,
    DuplicateActionsError,
    DuplicateDomainError,
    InvalidCommitError,
)
from deltasql.base.errors.write import AppendOnlyError
from deltasql.base.lazy import pa
from deltasql.log.actions.actions import Action, AddFile, DomainMetadata, Metadata, RemoveFile, SetTransaction
from deltasql.log.configuration.iceberg_compat import check_files
from deltasql.log.configuration.properties import partition_keys
from deltasql.log.properties.property_registry import APPEND_ONLY
from deltasql.log.protocol.protocol import Protocol
from deltasql.log.storage.locations import canonical

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
            raise DuplicateActionsError(table, name, "action", "a commit has at most one")
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
        raise AppendOnlyError(table)


def _check_transactions(transactions: Sequence[SetTransaction], table: str) -> None:
    seen: dict[str, int] = {}
    for action in transactions:
        if seen.setdefault(action.app_id, action.version) != action.version:
            raise DuplicateActionsError(table, "txn", action.app_id, "its versions differ")


def _check_domains(domains: Sequence[DomainMetadata], protocol: Protocol, table: str) -> None:
    seen: set[str] = set()
    for action in domains:
        if action.domain in seen:
            raise DuplicateDomainError(table, action.domain)
        if "domainMetadata" not in protocol.features:
            raise DomainMetadataNotSupportedError(table, action.domain)
        seen.add(action.domain)


def _check_paths(
    adds: Sequence[AddFile], removes: Sequence[RemoveFile], table: str, root: str
) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Deletion vector ids, or None, by canonical path: of the added files, and of the removed files."""
    added: dict[str, str | None] = {}
    for add in adds:
        path = canonical(add.path, root)
        if path in added:
            raise DuplicateActionsError(table, "add", add.path, "a commit adds a path once")
        added[path] = _vector_id(add)
    removed: dict[str, str | None] = {}
    for remove in removes:
        path = canonical(remove.path, root)
        if path in removed:
            raise DuplicateActionsError(table, "remove", remove.path, "a commit removes a path once")
        removed[path] = _vector_id(remove)
        if path in added and added[path] == removed[path]:
            raise DuplicateActionsError(table, "add and remove", remove.path, "both have the same deletion vector")
    return added, removed


def _check_partition_values(adds: Sequence[AddFile], keys: Sequence[str], table: str) -> None:
    expected = set(keys)
    for add in adds:
        if add.partition_values.keys() != expected:
            raise InvalidCommitError(
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
        raise InvalidCommitError(table, f"{add.path} has a deletion vector, and the protocol lacks deletionVectors")
    if cardinality <= 0:
        raise InvalidCommitError(table, f"the deletion vector of {add.path} is empty")
    if add.stats is None or '"numRecords"' not in add.stats:
        raise InvalidCommitError(table, f"{add.path} has a deletion vector and no numRecords in its statistics")


def _vector_id(action: AddFile | RemoveFile) -> str | None:
    return None if action.deletion_vector is None else action.deletion_vector.unique_id
