"""CREATE and ALTER CATALOG."""

from __future__ import annotations

from typing import Any

from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds
from deltasql.sql.parser.rules.names import Clause, collect
from deltasql.statements.nodes.catalog import CreateCatalog, SetCatalogProperties, UnsetCatalogProperties

_OPTION = "option."
"""The prefix that options have among properties, as those of tables have in Spark."""


@builds("create_catalog")
def _create_catalog(children: list[Any], tree: Tree, text: str) -> CreateCatalog:
    if_not_exists, catalog, *clauses = children
    values = collect(clauses, tree.children[2:], text)
    properties = (*values.get("properties", ()), *_options(values.get("options", ())))
    return CreateCatalog(if_not_exists, catalog, values.get("comment"), values.get("location"), properties)


@builds("catalog_comment", "catalog_location", "catalog_properties", "catalog_options")
def _clause(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause(tree.name.removeprefix("catalog_"), children[0])


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
