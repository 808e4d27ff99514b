"""Catalogs and schemas that a statement needs for what it creates, and that do not exist yet."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.base.settings.session_settings import AUTO_CREATE
from deltasql.catalog.information import INFORMATION_SCHEMA, SYSTEM
from deltasql.plan.base import LogicalPlan, TableName
from deltasql.planner.catalog_changes import CatalogChange, CatalogCreation, SchemaCreation
from deltasql.planner.context import Context
from deltasql.statements.nodes.clone import CloneTable
from deltasql.statements.nodes.frames import CreateForFrame, WriteFrame, WriteMode
from deltasql.statements.nodes.function import CreateFunction
from deltasql.statements.nodes.table import (
    CreateSchema,
    CreateTable,
    CreateTableLike,
    RenameTable,
    UseCatalog,
    UseSchema,
)
from deltasql.statements.nodes.view import CreateView, ViewScope


def new_namespaces(statement: LogicalPlan, context: Context) -> Iterator[CatalogChange]:
    """Creation of the catalog and the schema of what `statement` creates; nothing unless AUTO_CREATE is set."""
    if not context.setting(AUTO_CREATE):
        return
    namespace = _namespace(statement, context)
    if namespace is None or SYSTEM in namespace[:1] or INFORMATION_SCHEMA in namespace[1:]:
        return
    catalog, *schemas = namespace
    if catalog not in context.catalog.catalogs():
        yield CatalogCreation(catalog, None, None, if_not_exists=True)
    for schema in schemas:
        if context.catalog.has_schema((catalog, schema)):
            return
        yield SchemaCreation((catalog, schema), None, None, if_not_exists=True)


def _namespace(statement: LogicalPlan, context: Context) -> tuple[str, ...] | None:
    """The catalog, or the catalog and the schema, in lower case; None for a statement that creates nothing in one."""
    catalog = context.catalog.current_catalog
    match statement:
        case UseCatalog(name):
            return (name.lower(),)
        case CreateSchema(schema=schema) if len(schema.parts) == 2:
            return (schema.parts[0].lower(),)
        case UseSchema(schema) if len(schema.parts) <= 2:
            parts = tuple(part.lower() for part in schema.parts)
            # A name of one part may be that of a catalog.
            return parts if len(parts) == 2 or parts[0] in context.catalog.catalogs() else (catalog, *parts)
    created = _created(statement)
    if created is None or created.path is not None or len(created.parts) > 3:
        return None
    return context.catalog.full_name(created.parts)[:2]


def _created(statement: LogicalPlan) -> TableName | None:
    """The table, view or function that a statement creates, or to which it gives a new name."""
    match statement:
        case CreateForFrame(write):
            return write.table
        case WriteFrame(table=table, mode=mode, must_exist=False) if mode is not WriteMode.REPLACE:
            return table
        case CreateTable(table=table, mode=mode) | CloneTable(table=table, mode=mode) if mode != "replace":
            return table
        case CreateTableLike(table=table):
            return table
        case CreateView(view=view, scope=ViewScope.PERMANENT):
            return view
        case CreateFunction(function=function, temporary=False):
            return function
        case RenameTable(name=name) if len(name.parts) > 1:
            return name
        case _:
            return None
