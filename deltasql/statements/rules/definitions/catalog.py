"""CREATE, ALTER, DROP, DESCRIBE and COMMENT ON of catalogs."""

from __future__ import annotations

from datetime import datetime, timezone

from deltasql.base.errors.catalog import TooManyNamePartsError
from deltasql.plan.base import TableName
from deltasql.planner.catalog_changes import CatalogComment, CatalogCreation, CatalogProperties, CatalogRemoval
from deltasql.planner.changes import Answer, Plan
from deltasql.planner.context import Context, plan
from deltasql.statements.nodes.catalog import (
    CommentOnCatalog,
    CreateCatalog,
    DescribeCatalog,
    DropCatalog,
    SetCatalogProperties,
    UnsetCatalogProperties,
)
from deltasql.statements.rules.describe.describe import INFO
from deltasql.statements.show.detail_rows import property_rows


@plan.register
def _(statement: CreateCatalog, context: Context) -> Plan:
    name = _catalog_name(statement.catalog, context)
    placed = (statement.comment, statement.location, statement.if_not_exists)
    return CatalogCreation(name, *placed, statement.properties)


@plan.register
def _(statement: SetCatalogProperties, context: Context) -> Plan:
    return CatalogProperties(_existing_name(statement.catalog, context), added=statement.properties)


@plan.register
def _(statement: UnsetCatalogProperties, context: Context) -> Plan:
    """A key that is not set is ignored, as for schemas."""
    return CatalogProperties(_existing_name(statement.catalog, context), removed=statement.keys)


@plan.register
def _(statement: DropCatalog, context: Context) -> Plan:
    """A missing catalog is an error without IF EXISTS, raised by the planner for the caret."""
    if not statement.if_exists:
        _existing_name(statement.catalog, context)
    return CatalogRemoval(_catalog_name(statement.catalog, context), statement.cascade, statement.if_exists)


@plan.register
def _(statement: DescribeCatalog, context: Context) -> Plan:
    entry = context.catalog.catalog(_existing_name(statement.catalog, context))
    rows = [("Catalog Name", entry.name), ("Comment", entry.comment or "")]
    external = context.catalog.external.type_of(entry.name)
    if external is not None:
        rows.append(("Catalog Type", external))
    if statement.extended:
        created = datetime.fromtimestamp(entry.created_at / 1000, timezone.utc)
        rows += [("Location", entry.location), ("Created At", created.isoformat(sep=" ", timespec="seconds"))]
        rows += property_rows(entry.properties)
    if entry.governance.owner is not None:
        rows.append(("Owner", entry.governance.owner))
    return Answer(INFO, tuple(rows))


@plan.register
def _(statement: CommentOnCatalog, context: Context) -> Plan:
    return CatalogComment(_existing_name(statement.catalog, context), statement.comment)


def _catalog_name(name: TableName, context: Context) -> str:
    """The one part of a catalog's name. Raises TooManyNamePartsError, at the name."""
    context.refuse_version(name)
    if name.path is not None or len(name.parts) != 1:
        raise TooManyNamePartsError(name=str(name)).at(context.caret(name.start, name.end))
    return name.parts[0]


def _existing_name(name: TableName, context: Context) -> str:
    """As `_catalog_name`, of a catalog that exists. Raises CatalogNotFoundError, at the name."""
    _catalog_name(name, context)
    return context.require_catalog(name)
