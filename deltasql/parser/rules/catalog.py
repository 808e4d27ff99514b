"""CREATE CATALOG."""

from __future__ import annotations

from typing import Any

from deltasql.parser.automaton import Tree
from deltasql.parser.build import builds
from deltasql.parser.rules.options import Clause, collect
from deltasql.plan.statements.catalog import CreateCatalog


@builds("create_catalog")
def _create_catalog(children: list[Any], tree: Tree, text: str) -> CreateCatalog:
    if_not_exists, catalog, *clauses = children
    values = collect(clauses, tree.children[2:], text)
    return CreateCatalog(if_not_exists, catalog, values.get("comment"), values.get("location"))


@builds("catalog_comment", "catalog_location")
def _clause(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause(tree.name.removeprefix("catalog_"), children[0])
