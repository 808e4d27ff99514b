"""Effects of catalog and view changes: on names, and on the files of managed tables, which DROP removes."""

from __future__ import annotations

from contextlib import suppress

from deltasql.base.errors.catalog import TableAlreadyExistsError
from deltasql.base.errors.statements.function import FunctionAlreadyExistsError
from deltasql.base.errors.statements.governance import SecurableNotFoundError
from deltasql.base.errors.statements.view import CatalogNameTakenError, ViewAlreadyExistsError, ViewNotFoundError
from deltasql.base.errors.statements.volume import VolumeFileExistsError, VolumeFileNotFoundError, VolumeNotFoundError
from deltasql.catalog import Catalog
from deltasql.catalog.entries import TableEntry, sql_name
from deltasql.log.storage.stores import Stores
from deltasql.plan.base import quote
from deltasql.planner.catalog_changes import (
    CatalogChange,
    CatalogChoice,
    CatalogComment,
    CatalogCreation,
    CatalogProperties,
    CatalogRemoval,
    FunctionChange,
    FunctionDefining,
    GovernanceChange,
    Redefinition,
    Registration,
    Relocation,
    RenameChange,
    SchemaChoice,
    SchemaComment,
    SchemaCreation,
    SchemaProperties,
    SchemaRemoval,
    SecurableChange,
    SecurableCreation,
    SourceDefining,
    TemporaryFunction,
    Unregistration,
    View,
    ViewChange,
    ViewDefining,
    ViewRemoval,
    VolumeComment,
    VolumeCreation,
    VolumeRemoval,
    VolumeRenaming,
)
from deltasql.planner.changes import FileTransfer


def change_catalog(change: CatalogChange, catalog: Catalog, stores: Stores) -> None:
    """Applies a change of the catalog; nothing is changed if it raises. `stores` give access to managed tables."""
    match change:
        case Registration():
            _register(change, catalog)
        case Redefinition(parts, definition):
            catalog.define(parts, definition)
        case SourceDefining(parts, redefine):
            catalog.change_source(parts, redefine)
        case Unregistration(parts):
            _remove_files(catalog.unregister(parts), catalog, stores)
        case RenameChange(parts, new_parts):
            catalog.rename(parts, new_parts)
        case Relocation(parts, location):
            catalog.set_location(parts, location)
        case SchemaComment() | SchemaCreation() | SchemaProperties() | SchemaRemoval() | SchemaChoice():
            _change_schemas(change, catalog, stores)
        case CatalogChoice() | CatalogCreation() | CatalogComment() | CatalogProperties() | CatalogRemoval():
            _change_catalogs(change, catalog, stores)
        case VolumeCreation() | VolumeRemoval() | VolumeRenaming() | VolumeComment():
            _change_volumes(change, catalog, stores)
        case GovernanceChange() | SecurableCreation() | SecurableChange():
            _change_records(change, catalog)
        case _:
            _change_definitions(change, catalog)


def _register(change: Registration, catalog: Catalog) -> None:
    try:
        catalog.register(change.parts, change.location, change.managed, change.source, change.refreshed)
    except TableAlreadyExistsError:
        # Another process was first.
        if not change.if_not_exists:
            raise


def _change_schemas(change: CatalogChange, catalog: Catalog, stores: Stores) -> None:
    match change:
        case SchemaComment(name, comment):
            catalog.comment_on_schema(name, comment)
        case SchemaCreation(name, comment, location, if_not_exists, properties):
            catalog.create_schema(name, comment, location, if_not_exists, dict(properties))
        case SchemaProperties(name, added, removed):
            catalog.change_schema_properties(name, dict(added), removed)
        case SchemaRemoval(name, cascade, if_exists):
            for entry in catalog.drop_schema(name, cascade, if_exists):
                _remove_files(entry, catalog, stores)
        case SchemaChoice(name):
            catalog.use(name)


def _change_catalogs(change: CatalogChange, catalog: Catalog, stores: Stores) -> None:
    match change:
        case CatalogChoice(name):
            catalog.use_catalog(name)
        case CatalogCreation(name, comment, location, if_not_exists, properties):
            catalog.create_catalog(name, if_not_exists, comment, location, dict(properties))
        case CatalogProperties(name, added, removed):
            catalog.change_catalog_properties(name, dict(added), removed)
        case CatalogComment(name, comment):
            catalog.comment_on_catalog(name, comment)
        case CatalogRemoval(name, cascade, if_exists):
            for entry in catalog.drop_catalog(name, cascade, if_exists):
                _remove_files(entry, catalog, stores)


def _change_volumes(change: CatalogChange, catalog: Catalog, stores: Stores) -> None:
    match change:
        case VolumeCreation(parts, comment, location, if_not_exists):
            catalog.create_volume(parts, comment, location, if_not_exists)
        case VolumeRemoval(parts, if_exists):
            with suppress(*([VolumeNotFoundError] if if_exists else [])):
                _remove_files(catalog.drop_volume(parts).as_table, catalog, stores)
        case VolumeRenaming(parts, new_name):
            catalog.rename_volume(parts, new_name)
        case VolumeComment(parts, comment):
            catalog.comment_on_volume(parts, comment)


def _change_records(change: CatalogChange, catalog: Catalog) -> None:
    """Applies a change of records of governance, or of a securable without data."""
    match change:
        case GovernanceChange(subject, edit):
            catalog.change_governance(subject, edit)
        case SecurableCreation(securable, if_not_exists):
            catalog.create_securable(securable, if_not_exists)
        case SecurableChange(kind, name, edit_securable, if_exists):
            try:
                catalog.change_securable(kind, name, edit_securable)
            except SecurableNotFoundError:
                if not if_exists:
                    raise


def _change_definitions(change: CatalogChange, catalog: Catalog) -> None:
    """Applies a change of definitions stored in the catalog: of views and functions."""
    match change:
        case ViewDefining(parts, define, if_not_exists):
            try:
                catalog.change_view(parts, define)
            except CatalogNameTakenError:
                if not if_not_exists:
                    raise
        case ViewRemoval(parts, if_exists):
            if not catalog.drop_view(parts) and not if_exists:
                raise ViewNotFoundError(view=sql_name(parts))
        case FunctionDefining(parts, define_function, if_not_exists):
            try:
                catalog.change_function(parts, define_function)
            except FunctionAlreadyExistsError:
                if not if_not_exists:
                    raise
        case _:
            raise AssertionError(f"no effect of {type(change).__name__}")


def change_views(change: ViewChange, views: dict[str, View]) -> None:
    """Applies a change to temporary `views`, by key. Raises ViewAlreadyExistsError, ViewNotFoundError."""
    if change.view is None:
        if views.pop(change.name, None) is None and not change.if_exists:
            raise ViewNotFoundError(view=quote(change.name))
        return
    if change.name in views and not change.or_replace:
        raise ViewAlreadyExistsError(view=quote(change.name))
    views[change.name] = change.view
    if change.renamed is not None:
        del views[change.renamed]


def change_functions(change: FunctionChange, functions: dict[str, TemporaryFunction]) -> None:
    """Applies a change to the session's temporary functions."""
    if change.function is None:
        functions.pop(change.name, None)
    else:
        functions[change.name] = change.function


def _remove_files(entry: TableEntry, catalog: Catalog, stores: Stores) -> None:
    """Deletes all files of a managed table; an external table's files stay."""
    if entry.managed:
        catalog.commits.forget(entry.location)
        stores.open(entry.location).delete_below()


def transfer_file(transfer: FileTransfer, stores: Stores) -> None:
    """Makes a transfer; a target is there as a whole or not at all.

    Raises VolumeFileNotFoundError for a source that is gone by now, VolumeFileExistsError, StorageError.
    """
    source, name = stores.of_file(transfer.source)
    if transfer.target is None:
        source.delete([name])
        return
    target, target_name = stores.of_file(transfer.target)
    try:
        data = source.read(name)
    except FileNotFoundError:
        raise VolumeFileNotFoundError(transfer.source) from None
    if transfer.overwrite:
        target.overwrite(target_name, data)
    elif not target.put_if_absent(target_name, data):
        raise VolumeFileExistsError(transfer.shown)
