"""Rows about recorded privileges, row filters and column masks. Nobody is recorded as the grantor: it is empty."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.catalog.entries import Entry, TableEntry
from deltasql.catalog.governance import Governance, arguments_text
from deltasql.planner.information.inventory import Inventory
from deltasql.planner.information.relations import TABLE_PARTS, Row, named

_SCHEMA_PARTS = ("catalog_name", "schema_name")
_ROUTINE_PARTS = ("specific_catalog", "specific_schema", "specific_name")


def catalog_privilege_rows(inventory: Inventory) -> Iterator[Row]:
    for name in inventory.catalogs("catalog_name"):
        entry = inventory.context.catalog.catalog(name)
        yield from _grants({"catalog_name": name}, entry.governance)


def schema_privilege_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.schemas(_SCHEMA_PARTS):
        names = {"catalog_name": entry.catalog, "schema_name": entry.name}
        yield from _grants(names, entry.governance)
        yield from _grants(names, _of_catalog(inventory, entry.catalog), "CATALOG")


def table_privilege_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.entries(TABLE_PARTS):
        yield from _inherited(named(entry), entry.parts, entry.governance, inventory)


def routine_privilege_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in inventory.functions(_ROUTINE_PARTS):
        names = dict(zip(_ROUTINE_PARTS, entry.parts, strict=True))
        names |= dict(zip(("routine_catalog", "routine_schema", "routine_name"), entry.parts, strict=True))
        yield from _inherited(names, entry.parts, entry.governance, inventory)


def row_filter_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in _tables(inventory):
        policy = entry.governance.row_filter
        if policy is not None:
            function = dict(zip(("filter_catalog", "filter_schema", "filter_name"), policy.function, strict=True))
            yield {**named(entry), **function, "target_columns": arguments_text(policy)}


def column_mask_rows(inventory: Inventory) -> Iterator[Row]:
    for entry in _tables(inventory):
        for column, policy in entry.governance.masks.items():
            function = dict(zip(("mask_catalog", "mask_schema", "mask_name"), policy.function, strict=True))
            using = arguments_text(policy) or None
            yield {**named(entry), "column_name": column, **function, "using_columns": using}


def _tables(inventory: Inventory) -> Iterator[Entry]:
    return (entry for entry in inventory.entries(TABLE_PARTS) if isinstance(entry, TableEntry))


def _inherited(names: Row, parts: tuple[str, str, str], governance: Governance, inventory: Inventory) -> Iterator[Row]:
    """The privileges on an object, and those on its schema and its catalog."""
    yield from _grants(names, governance)
    schema = inventory.context.catalog.schema(parts[:2])
    yield from _grants(names, schema.governance, "SCHEMA")
    yield from _grants(names, _of_catalog(inventory, parts[0]), "CATALOG")


def _of_catalog(inventory: Inventory, name: str) -> Governance:
    return inventory.context.catalog.catalog(name).governance


def _grants(names: Row, governance: Governance, inherited_from: str = "NONE") -> Iterator[Row]:
    common = {"grantor": "", "is_grantable": "NO", "inherited_from": inherited_from}
    for grantee, privileges in governance.grants.items():
        for privilege in privileges:
            yield {**names, **common, "grantee": grantee, "privilege_type": privilege.replace(" ", "_")}
