"""SHOW COLUMNS and EXPLAIN, whose nodes have more fields than their rules have children."""

from __future__ import annotations

from typing import Any

from deltasql.plan.base import TableName
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds
from deltasql.statements.nodes.inspect import Explain, ShowColumns


@builds("show_columns")
def _show_columns(children: list[Any], tree: Tree, text: str) -> ShowColumns:
    """The schema given apart comes before the table's own name, in place of the schema that it names."""
    table, schema = children
    if schema is None:
        return ShowColumns(table)
    return ShowColumns(TableName((*schema.parts, table.parts[-1]), table.start, schema.end))


@builds("explain_mode")
def _mode(children: list[Any], tree: Tree, text: str) -> str:
    return str(children[0]).upper()


@builds("explain")
def _explain(children: list[Any], tree: Tree, text: str) -> Explain:
    mode, statement = children
    return Explain(mode, statement, tree.children[1].start)
