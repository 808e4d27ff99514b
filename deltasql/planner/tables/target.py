"""Where the table of a CREATE statement lies or will lie, and what is there now."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deltasql.errors.statements.table import (
    AmbiguousLocationError,
    ExternalTableWithoutLogError,
    ExternalTableWithoutSchemaError,
    LocationMismatchError,
    NonEmptyLocationError,
    NotADeltaProviderError,
)
from deltasql.log.storage.paths import LOG, is_local, table_location
from deltasql.planner.catalog_changes import Registration

if TYPE_CHECKING:
    from deltasql.log.actions.actions import Metadata
    from deltasql.log.replay.delta_log import DeltaLog
    from deltasql.log.replay.snapshot import Snapshot
    from deltasql.plan.base import TableName
    from deltasql.planner.context import Context


# The directory of one statement's new files, and what it and Spark call them.
_STAGED = re.compile(r"[0-9a-f]{32}")
_WRITTEN = ("part-", "_", ".")


@dataclass(frozen=True, slots=True)
class Target:
    """The table that CREATE makes or replaces. `snapshot` is what is at the place now, `known` its catalog entry."""

    name: TableName
    log: DeltaLog
    snapshot: Snapshot | None
    known: bool
    managed: bool

    @property
    def exists(self) -> bool:
        return self.known or (self.name.path is not None and self.snapshot is not None)


def target_of(name: TableName, location: str | None, context: Context, *, columns_known: bool) -> Target:
    """The table called `name`, with the LOCATION of the statement if it has one.

    `columns_known`: the statement itself says what the columns are. Raises AmbiguousLocationError,
    LocationMismatchError, NonEmptyLocationError, ExternalTableWithoutLogError, ExternalTableWithoutSchemaError,
    SchemaNotFoundError.
    """
    if name.path is not None:
        return _path_target(name, name.path, location, context, columns_known)
    entry = context.catalog.resolve(name.parts)
    if entry is not None:
        if location is not None and table_location(location) != table_location(entry.location):
            raise LocationMismatchError(table=str(name), location=location, existing=entry.location)
        log = context.logs(entry.location, str(name))
        return Target(name, log, log.snapshot() if log.exists() else None, known=True, managed=entry.managed)
    return _new_target(name, location, context, columns_known)


def _new_target(name: TableName, location: str | None, context: Context, columns_known: bool) -> Target:
    """A name that the catalog does not have yet."""
    place = location or context.catalog.managed_location(name.parts)
    log = context.logs(place, str(name))
    snapshot = log.snapshot() if log.exists() else None
    if location is None and (snapshot is not None or _has_files(place)):
        raise NonEmptyLocationError(location=place)
    if snapshot is None and location is not None:
        _refuse_useless_place(location, columns_known)
    return Target(name, log, snapshot, known=False, managed=location is None)


def _path_target(name: TableName, path: str, location: str | None, context: Context, columns_known: bool) -> Target:
    if location is not None and table_location(location) != table_location(path):
        raise AmbiguousLocationError(table=str(name), location=location)
    log = context.logs(path, str(name))
    snapshot = log.snapshot() if log.exists() else None
    if snapshot is None:
        _refuse_useless_place(path, columns_known)
    return Target(name, log, snapshot, known=False, managed=False)


def registration(target: Target) -> Registration | None:
    """The name that the catalog has to learn; None for a path, and for a name that it knows."""
    if target.known or target.name.path is not None:
        return None
    return Registration(target.name.parts, target.log.location, target.managed)


def refuse_provider(provider: str | None, table: TableName) -> None:
    """Raises NotADeltaProviderError for USING of another format."""
    if provider is not None and provider.lower() != "delta":
        raise NotADeltaProviderError(provider=provider, table=str(table))


def creation_parameters(metadata: Metadata, *, managed: bool, clustering: str = "[]") -> dict[str, Any]:
    """What the history tells of a CREATE or REPLACE; `clustering` is the JSON list of the columns."""
    return {
        "partitionBy": list(metadata.partition_columns),
        "clusterBy": clustering,
        "description": metadata.description,
        "isManaged": str(managed).lower(),
        "properties": dict(metadata.configuration),
    }


def _refuse_useless_place(location: str, columns_known: bool) -> None:
    """A place without a log must be empty, and it gives no columns.

    Raises NonEmptyLocationError, ExternalTableWithoutLogError, ExternalTableWithoutSchemaError.
    """
    if _has_files(location):
        raise (NonEmptyLocationError if columns_known else ExternalTableWithoutLogError)(location=location)
    if not columns_known:
        raise ExternalTableWithoutSchemaError(location=location)


def _has_files(location: str) -> bool:
    """Whether a local directory holds anything but what `_is_left` tells."""
    place = Path(table_location(location))
    return is_local(location) and place.is_dir() and not all(map(_is_left, place.iterdir()))


def _is_left(item: Path) -> bool:
    """Whether this is in nobody's way: hidden files of the operating system, a log without a commit, and rows that a
    statement has staged, which is still at work or was interrupted. Of two at work one will commit, and VACUUM of the
    table that comes of it removes what was left.
    """
    if item.name.startswith("."):
        return True
    if item.is_symlink() or not item.is_dir():
        return False
    if item.name == LOG:
        return all(file.name.startswith(".") for file in item.iterdir())
    files = (path for path in item.rglob("*") if not path.is_dir())
    return _STAGED.fullmatch(item.name) is not None and all(file.name.startswith(_WRITTEN) for file in files)
