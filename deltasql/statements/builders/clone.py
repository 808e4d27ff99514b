"""CREATE and REPLACE TABLE … CLONE."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.plan.base import TableName, Temporal
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds, caret
from deltasql.sql.parser.rules.names import Clause, collect
from deltasql.statements.nodes.clone import CloneTable


@builds("clone_table")
def _clone_table(children: list[Any], tree: Tree, text: str) -> CloneTable:
    mode, external, if_not_exists, table, shallow, source, *rest = children
    if external:
        reason = "A clone with a LOCATION is external without the word. Leave it out."
        raise ParseSyntaxError(reason, "EXTERNAL").at(caret(tree.children[1], text))
    if if_not_exists and mode != "create":
        reason = "A table is created IF NOT EXISTS or replaced, not both. Leave out one of them."
        raise ParseSyntaxError(reason, "IF NOT EXISTS").at(caret(tree.children[2], text))
    if rest and isinstance(rest[0], Temporal):
        source = _at(source, rest[0], tree, text)
    clauses = [item for item in rest if isinstance(item, Clause)]
    values = collect(clauses, tree.children[len(tree.children) - len(clauses) :], text)
    return CloneTable(mode, if_not_exists, table, shallow, source, values.get("location"), values.get("properties", ()))


def _at(source: TableName, temporal: Temporal, tree: Tree, text: str) -> TableName:
    """The source with the version after its name. Raises ParseSyntaxError for a name that has one already."""
    if source.temporal is not None:
        reason = "The version of a table is given twice: after @ and with AS OF."
        raise ParseSyntaxError(reason, str(source)).at(caret(tree.children[5], text))
    return replace(source, temporal=temporal)
