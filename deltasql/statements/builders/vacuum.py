"""VACUUM: its clauses come in any order."""

from __future__ import annotations

from typing import Any

from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.plan.base import SqlText
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds, caret, sql_text
from deltasql.sql.parser.rules.names import Clause, collect
from deltasql.statements.nodes.vacuum import Vacuum

_NOT_LITE = {
    "full": "LITE finds the files in the log, FULL in the table's folder.",
    "inventory": "LITE finds the files in the log, USING INVENTORY in a table.",
}


@builds("vacuum")
def _vacuum(children: list[Any], tree: Tree, text: str) -> Vacuum:
    table, *clauses = children
    values = collect(clauses, tree.children[1:], text)
    for other, reason in _NOT_LITE.items():
        if "lite" in values and other in values:
            raise ParseSyntaxError(f"{reason} Leave out one of them.", "LITE").at(caret(tree, text))
    return Vacuum(
        table,
        True if "lite" in values else False if "full" in values else None,
        values.get("inventory"),
        values.get("retain_hours"),
        values.get("dry_run", False),
    )


@builds("hours")
def _hours(children: list[Any], tree: Tree, text: str) -> SqlText:
    return sql_text(tree, text)


@builds("retain_clause")
def _retain(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("retain_hours", children[0])


@builds("dry_run_clause")
def _dry_run(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("dry_run", True)


@builds("lite_clause", "full_clause")
def _mode(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause(tree.name.removesuffix("_clause"), True)


@builds("inventory_clause")
def _inventory(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("inventory", sql_text(tree.children[0], text))
