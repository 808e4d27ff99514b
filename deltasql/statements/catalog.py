"""CREATE, ALTER, DROP, DESCRIBE and COMMENT ON CATALOG; a catalog is the first part of a name of three."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, ClassVar

from deltasql.base import errors
from deltasql.catalog import SYSTEM
from deltasql.plan import Alone, LogicalPlan, TableName, make_note
from deltasql.planner import (
    Answer,
    CatalogComment,
    CatalogCreation,
    CatalogProperties,
    CatalogRemoval,
    Context,
    Plan,
    plan,
)
from deltasql.sql import Clause, Tree, builds, collect
from deltasql.statements.describe import INFO, property_rows
from deltasql.statements.table import DEFAULT_COLLATION, with_collation


@dataclass(frozen=True, slots=True)
class CreateCatalog(LogicalPlan):
    """CREATE CATALOG [IF NOT EXISTS] c [COMMENT 'text'] [MANAGED LOCATION 'path'] [USING SHARE provider.share]

    [WITH DBPROPERTIES (k = v, …)] [OPTIONS (k = v, …)] [DEFAULT COLLATION name]; CREATE FOREIGN CATALOG c USING
    CONNECTION name. Options are properties called `option.k`, and share or connection is the property of that name.
    """

    alone: ClassVar[tuple[str, Alone] | None] = ("CREATE CATALOG", Alone.CATALOG)

    if_not_exists: bool
    catalog: TableName
    comment: str | None
    location: str | None
    properties: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SetCatalogProperties(LogicalPlan):
    """ALTER CATALOG c {SET DBPROPERTIES | [SET] OPTIONS} (k = v, …)"""

    alone: ClassVar[tuple[str, Alone] | None] = ("ALTER CATALOG", Alone.CATALOG)

    catalog: TableName
    properties: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class UnsetCatalogProperties(LogicalPlan):
    """ALTER CATALOG c UNSET {DBPROPERTIES | OPTIONS} [IF EXISTS] (k, …)"""

    alone: ClassVar[tuple[str, Alone] | None] = ("ALTER CATALOG", Alone.CATALOG)

    catalog: TableName
    if_exists: bool
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DropCatalog(LogicalPlan):
    """DROP CATALOG [IF EXISTS] c [RESTRICT | CASCADE]"""

    alone: ClassVar[tuple[str, Alone] | None] = ("DROP CATALOG", Alone.CATALOG)

    if_exists: bool
    catalog: TableName
    cascade: bool


@dataclass(frozen=True, slots=True)
class DescribeCatalog(LogicalPlan):
    """{DESCRIBE | DESC} CATALOG [EXTENDED] c"""

    reads_only: ClassVar[bool] = True

    extended: bool
    catalog: TableName


@dataclass(frozen=True, slots=True)
class CommentOnCatalog(LogicalPlan):
    """COMMENT ON CATALOG c IS {'text' | NULL}"""

    alone: ClassVar[tuple[str, Alone] | None] = ("COMMENT ON CATALOG", Alone.CATALOG)

    catalog: TableName
    comment: str | None


_OPTION = "option."
"""The prefix that options have among properties, as those of tables have in Spark."""


@builds("create_catalog")
def _create_catalog(children: list[Any], tree: Tree, text: str) -> CreateCatalog:
    if_not_exists, catalog, *clauses = children
    values = collect(clauses, tree.children[2:], text)
    return _created(if_not_exists, catalog, values, ())


@builds("create_foreign_catalog")
def _create_foreign_catalog(children: list[Any], tree: Tree, text: str) -> CreateCatalog:
    if_not_exists, catalog, connection, *clauses = children
    return _created(if_not_exists, catalog, collect(clauses, tree.children[3:], text), (("connection", connection),))


def _created(
    if_not_exists: bool, catalog: TableName, values: dict[str, Any], foreign: tuple[tuple[str, str], ...]
) -> CreateCatalog:
    if "share" in values:
        foreign = (*foreign, ("share", str(values["share"])))
    properties = (*with_collation(values), *foreign, *_options(values.get("options", ())))
    return CreateCatalog(if_not_exists, catalog, values.get("comment"), values.get("location"), properties)


@builds(*(f"catalog_{name}" for name in ("comment", "location", "properties", "options", "share", "collation")))
def _clause(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause(tree.name.removeprefix("catalog_"), children[0])


@builds("set_catalog_collation")
def _set_collation(children: list[Any], tree: Tree, text: str) -> SetCatalogProperties:
    """ALTER CATALOG … DEFAULT COLLATION: a property, for schemas that are created later."""
    catalog, collation = children
    return SetCatalogProperties(catalog, ((DEFAULT_COLLATION, collation),))


@builds("set_catalog_options")
def _set_options(children: list[Any], tree: Tree, text: str) -> SetCatalogProperties:
    catalog, options = children
    return SetCatalogProperties(catalog, _options(options))


@builds("unset_catalog_options")
def _unset_options(children: list[Any], tree: Tree, text: str) -> UnsetCatalogProperties:
    catalog, if_exists, keys = children
    return UnsetCatalogProperties(catalog, if_exists, tuple(f"{_OPTION}{key}" for key in keys))


def _options(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((f"{_OPTION}{key}", value) for key, value in pairs)


@plan.register
def plan_create_catalog(statement: CreateCatalog, context: Context) -> Plan:
    name = _catalog_name(statement.catalog, context)
    if name.lower() == SYSTEM:
        # The first statement that creates something in it makes it.
        raise errors.InformationSchemaReadOnlyError(name=SYSTEM)
    for key in {"connection", "share"}.intersection(dict(statement.properties)):
        make_note(
            f"CREATE CATALOG: its {key} is recorded. The catalog is empty: nothing is read from it.", is_warning=False
        )
    placed = (statement.comment, statement.location, statement.if_not_exists)
    return CatalogCreation(name, *placed, statement.properties)


@plan.register
def plan_set_catalog_properties(statement: SetCatalogProperties, context: Context) -> Plan:
    return CatalogProperties(_existing_name(statement.catalog, context), added=statement.properties)


@plan.register
def plan_unset_catalog_properties(statement: UnsetCatalogProperties, context: Context) -> Plan:
    """A key that is not set is ignored, as for schemas."""
    return CatalogProperties(_existing_name(statement.catalog, context), removed=statement.keys)


@plan.register
def plan_drop_catalog(statement: DropCatalog, context: Context) -> Plan:
    """A missing catalog is an error without IF EXISTS, raised by the planner for the caret."""
    if not statement.if_exists:
        _existing_name(statement.catalog, context)
    return CatalogRemoval(_catalog_name(statement.catalog, context), statement.cascade, statement.if_exists)


@plan.register
def plan_describe_catalog(statement: DescribeCatalog, context: Context) -> Plan:
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
def plan_comment_on_catalog(statement: CommentOnCatalog, context: Context) -> Plan:
    return CatalogComment(_existing_name(statement.catalog, context), statement.comment)


def _catalog_name(name: TableName, context: Context) -> str:
    """The one part of a catalog's name. Raises TooManyNamePartsError, at the name."""
    context.refuse_version(name)
    if name.path is not None or len(name.parts) != 1:
        raise errors.TooManyNamePartsError(name=str(name)).at(context.caret(name.start, name.end))
    return name.parts[0]


def _existing_name(name: TableName, context: Context) -> str:
    """As `_catalog_name`, of a catalog that exists. Raises CatalogNotFoundError, at the name."""
    _catalog_name(name, context)
    return context.require_catalog(name)
