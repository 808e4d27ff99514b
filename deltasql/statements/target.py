"""The target of a CREATE TABLE: its location, the existing table or view, and its registration in the catalog.

Also the entry of a refreshed table that a statement must name. Row filters and column masks that the statement
declares are part of the registration.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from deltasql.base import DeltaSqlError, errors, session_settings
from deltasql.catalog import TABLE, UNGOVERNED, Governance, Refreshed, Subject, TableEntry
from deltasql.log import CATALOG_MANAGED, DeltaLog, Metadata, Snapshot, table_location, without_deltasql_properties
from deltasql.plan import TableName
from deltasql.planner import Context, GovernanceChange, Registration
from deltasql.schema import StructType
from deltasql.statements.grants import declared_policies, refuse_lost_columns
from deltasql.statements.table import CreateTable

MANAGED_SCHEMA = "deltasql.catalogManaged"
"""The property of a schema whose new tables the catalog manages."""
_LOOKS, _PAUSE = 25, 0.02
"""How often, and after how many seconds each time, a name is looked up that another session is about to add."""


@dataclass(frozen=True, slots=True)
class Target:
    """The table that CREATE creates or replaces: `snapshot` is the existing one; `in_catalog`: its name exists.

    `shallow_clone` is true for an existing one whose name is recorded as that of a shallow clone.
    """

    name: TableName
    log: DeltaLog
    snapshot: Snapshot | None
    in_catalog: bool
    managed: bool
    shallow_clone: bool = False

    @property
    def exists(self) -> bool:
        return self.in_catalog or (self.name.path is not None and self.snapshot is not None)


def target_of(name: TableName, location: str | None, context: Context, *, defines_columns: bool) -> Target:
    """The table called `name`, with the LOCATION of the statement if it has one.

    `defines_columns`: the statement itself defines the columns. Raises AmbiguousLocationError, LocationMismatchError,
    NonEmptyLocationError, ExternalTableWithoutLogError, ExternalTableWithoutSchemaError, SchemaNotFoundError.
    """
    location = None if location is None else context.catalog.located(location)
    if name.path is not None:
        return _path_target(name, context.catalog.located(name.path), location, context, defines_columns)
    entry = context.catalog.resolve(name.parts)
    if entry is not None:
        if entry.source is not None:
            raise context.delta_only(name, entry)
        if location is not None and table_location(location) != table_location(entry.location):
            raise errors.LocationMismatchError(table=str(name), location=location, existing=entry.location)
        log = context.logs(entry.location, str(name))
        clone = entry.governance.shallow_clone
        return Target(name, log, _latest(log), in_catalog=True, managed=entry.managed, shallow_clone=clone)
    return _new_target(name, location, context, defines_columns)


def _new_target(name: TableName, location: str | None, context: Context, defines_columns: bool) -> Target:
    """The target for a name that the catalog does not have yet."""
    context.catalog.refuse_information(name.parts)
    path = location or context.catalog.managed_location(name.parts)
    external = context.catalog.external.store(context.catalog.full_name(name.parts)[0])
    if location is not None and external is not None:
        external.announce(location)
    log = context.logs(path, str(name))
    snapshot = _latest(log)
    if location is None and (snapshot is not None or not log.store.is_vacant()):
        if _appears(name, context):
            return target_of(name, location, context, defines_columns=defines_columns)
        raise errors.NonEmptyLocationError(location=path)
    if snapshot is None and location is not None:
        _check_new_location(log, location, defines_columns)
    return Target(name, log, snapshot, in_catalog=False, managed=location is None)


def _appears(name: TableName, context: Context) -> bool:
    """Whether another session, which has written the table's log already, adds its name to the catalog just now."""
    for _ in range(_LOOKS):
        if context.catalog.resolve_again(name.parts) is not None:
            return True
        time.sleep(_PAUSE)
    return False


def _latest(log: DeltaLog) -> Snapshot | None:
    """The latest snapshot of a log; None where the location has no table."""
    try:
        return log.snapshot() if log.exists() else None
    except errors.NotADeltaTableError:
        return None


def _path_target(name: TableName, path: str, location: str | None, context: Context, defines_columns: bool) -> Target:
    if location is not None and table_location(location) != table_location(path):
        raise errors.AmbiguousLocationError(table=str(name), location=location)
    log = context.logs(path, str(name))
    snapshot = _latest(log)
    if snapshot is None:
        _check_new_location(log, path, defines_columns)
    return Target(name, log, snapshot, in_catalog=False, managed=False)


def is_of_view(name: TableName, mode: str, context: Context, *, if_not_exists: bool) -> bool:
    """Whether CREATE TABLE has nothing to do: a view, or a table of another format than Delta, has the name, and IF NOT
    EXISTS is given.

    Raises TableAlreadyExistsError, and WriteIntoViewError where the table was to replace it.
    """
    view = context.catalog.view(name.parts) if name.path is None and len(name.parts) <= 3 else None
    if view is None and mode == "create" and context.foreign(name) is not None:
        if not if_not_exists:
            raise errors.TableAlreadyExistsError(table=str(name))
        return True
    if view is None:
        return False
    if view.is_built_in and not if_not_exists:
        context.catalog.refuse_information(name.parts)
    if mode != "create":
        raise errors.WriteIntoViewError(view=str(name))
    if not if_not_exists:
        raise errors.TableAlreadyExistsError(table=str(name))
    return True


def registration(
    target: Target, policies: Governance = UNGOVERNED, *, shallow_clone: bool = False
) -> Registration | None:
    """The name to add to the catalog, with row filter and masks; None for a path, and for a registered table that
    exists and gets no other records.

    A name without a table may be dropped by another process before there is one.
    """
    exists = target.in_catalog and target.snapshot is not None
    if target.name.path is not None or (exists and policies.is_empty and shallow_clone == target.shallow_clone):
        return None
    records = replace(policies, shallow_clone=shallow_clone)
    return Registration(target.name.parts, target.log.location, target.managed, governance=records)


def refuse_provider(provider: str | None, table: TableName) -> None:
    """Raises NotADeltaProviderError for USING of another format."""
    if provider is not None and provider.lower() != "delta":
        raise errors.NotADeltaProviderError(provider=provider, table=str(table))


def property_defaults(target: Target, context: Context) -> Mapping[str, str]:
    """The properties of new tables, keys without `delta.`: of the session, and of the schema for a new name."""
    of_session = context.settings.with_prefix(session_settings.PROPERTY_DEFAULTS)
    if target.name.path is not None or target.in_catalog:
        return of_session
    key = context.catalog.full_name(target.name.parts)
    if context.catalog.external.type_of(key[0]) is not None:
        return of_session
    schema = context.catalog.schema(key[:2])
    if schema.properties.get(MANAGED_SCHEMA, "").strip().lower() != "true":
        return of_session
    return {f"feature.{CATALOG_MANAGED}": "supported", **of_session}


def required_properties(target: Target, context: Context) -> Mapping[str, str]:
    """The properties without which an external catalog takes no table at a location that it has chosen.

    A table that is replaced has them already.
    """
    if target.snapshot is not None:
        manager = context.catalog.external.manager(target.log.location)
        return {} if manager is None else manager.lasting_properties(target.snapshot.configuration)
    if target.in_catalog or target.name.path is not None or not target.managed:
        return {}
    key = context.catalog.full_name(target.name.parts)
    external = context.catalog.external.store(key[0])
    return {} if external is None else external.required_properties(key)


def creation_parameters(metadata: Metadata, *, managed: bool, clustering: str = "[]") -> dict[str, Any]:
    """The operation parameters of a CREATE or REPLACE; `clustering` is the JSON list of the columns."""
    return {
        "partitionBy": list(metadata.partition_columns),
        "clusterBy": clustering,
        "description": metadata.description,
        "isManaged": str(managed).lower(),
        "properties": without_deltasql_properties(metadata.configuration),
    }


def _check_new_location(log: DeltaLog, location: str, defines_columns: bool) -> None:
    """A location without a log must be empty, and the statement must define the columns.

    Raises NonEmptyLocationError, ExternalTableWithoutLogError, ExternalTableWithoutSchemaError.
    """
    if not log.store.is_vacant():
        raise (errors.NonEmptyLocationError if defines_columns else errors.ExternalTableWithoutLogError)(
            location=location
        )
    if not defines_columns:
        raise errors.ExternalTableWithoutSchemaError(location=location)


def governed_registration(
    statement: CreateTable, target: Target, schema: StructType, context: Context
) -> Registration | None:
    """The name of the table with its row filter and masks. A replaced table keeps those that it has, if the statement
    declares none.

    Raises PolicyColumnError for a column that they need, and UnsupportedSecurableError for a table without a name.
    """
    table = statement.table
    policies = _policies(statement, schema, context)
    if not policies.is_empty and table.path is not None:
        error = errors.UnsupportedSecurableError(str(table), "Give the table a name: CREATE TABLE … LOCATION '/path'.")
        raise error.at(context.caret(table.start, table.end))
    if (
        not policies.is_empty
        and context.catalog.external.type_of(context.catalog.full_name(table.parts)[0]) is not None
    ):
        error = errors.UnsupportedSecurableError(
            str(table), "Its catalog is external: run the statement on its server."
        )
        raise error.at(context.caret(table.start, table.end))
    if policies.is_empty and target.snapshot is not None:
        refuse_lost_columns(schema, table, target.snapshot.location, context)
    return registration(target, policies)


def policies_of_existing(statement: CreateTable, entry: TableEntry, context: Context) -> GovernanceChange | None:
    """The row filter and masks of a statement for a table that exists, which keeps its others; None without any."""
    declared = _policies(statement, context.snapshot(statement.table).schema, context)
    if declared.is_empty:
        return None

    def change(found: Governance) -> Governance:
        for column, mask in declared.masks.items():
            found = found.masked(column, mask)
        return found if declared.row_filter is None else replace(found, row_filter=declared.row_filter)

    return GovernanceChange(Subject(TABLE, entry.parts), change)


def _policies(statement: CreateTable, schema: StructType, context: Context) -> Governance:
    masks = [(column.name, column.mask) for column in statement.columns or () if column.mask is not None]
    return declared_policies(statement.row_filter, masks, schema, statement.table, context)


def require_kind(words: str, kind: Refreshed, name: TableName, context: Context) -> TableEntry:
    """The entry of a table of this kind. Raises TableNotFoundError, WrongObjectError, at the name."""
    context.refuse_version(name)
    context.refuse_information(name)
    if context.is_view(name):
        raise wrong_object(words, kind, name, "view", context)
    entry = None if name.path is not None else context.catalog.resolve(name.parts)
    if entry is None:
        context.location(name)
        raise wrong_object(words, kind, name, "table", context)
    if entry.refreshed is None or entry.refreshed.kind is not kind:
        found = "table" if entry.refreshed is None else entry.refreshed.kind.value.lower()
        raise wrong_object(words, kind, name, found, context)
    return entry


def wrong_object(words: str, kind: Refreshed, name: TableName, found: str, context: Context) -> DeltaSqlError:
    """The error of a statement on an object of another kind, which `found` names."""
    verb = "COMMENT ON" if words.startswith("COMMENT ON") else words.split(maxsplit=1)[0]
    is_of_rows = verb in {"REFRESH", "AUTO"} or words == "CREATE FLOW"
    advice = f"CREATE {kind.value} under another name" if is_of_rows else f"{verb} {found.upper()} {name}"
    error = errors.WrongObjectError(words, kind.value.lower(), str(name), found, advice)
    return error.at(context.caret(name.start, name.end))
