"""CACHE and ANALYZE TABLE."""

from __future__ import annotations

from typing import Any

from deltasql.plan.base import ColumnPath
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds
from deltasql.statements.nodes.upkeep import AnalyzeTable, CacheTable


@builds("cache_table")
def _cache_table(children: list[Any], tree: Tree, text: str) -> CacheTable:
    return CacheTable(children[0], children[-1])


@builds("analyze_table")
def _analyze_table(children: list[Any], tree: Tree, text: str) -> AnalyzeTable:
    table, *_, delta, columns = children
    return AnalyzeTable(table, delta, tuple(item for item in columns if isinstance(item, ColumnPath)))
