"""MERGE: its source, and its clauses with their places."""

from __future__ import annotations

from typing import Any

from deltasql.base.errors.base import counted
from deltasql.base.errors.statements.merge import MergeMissingWhenError
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.plan.base import SqlText, TableName
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds, caret, sql_text
from deltasql.statements.nodes.merge import ClauseKind, InsertAction, Merge, MergeClause


@builds("merge")
def _merge(children: list[Any], tree: Tree, text: str) -> Merge:
    ctes, evolution, table, alias, (source, source_table), source_alias, condition, clauses = children
    if not clauses:
        raise MergeMissingWhenError(str(table)).at(caret(tree, text))
    return Merge(ctes, evolution, table, alias, source, source_table, source_alias, condition, clauses)


@builds("source_table")
def _source_table(children: list[Any], tree: Tree, text: str) -> tuple[SqlText, TableName]:
    name, *temporal = children
    if temporal and name.temporal:
        reason = "The version of a table is given twice: after @ and with AS OF."
        raise ParseSyntaxError(reason, text[tree.start : tree.end]).at(caret(tree, text))
    table = TableName(name.parts, name.start, name.end, temporal[0]) if temporal else name
    return sql_text(tree, text), table


@builds("source_query")
def _source_query(children: list[Any], tree: Tree, text: str) -> tuple[SqlText, None]:
    return children[0], None


@builds("source_function")
def _source_function(children: list[Any], tree: Tree, text: str) -> tuple[SqlText, None]:
    """A table function, such as read_files('path'), as the query of its rows."""
    before = "(SELECT * FROM "
    return SqlText(f"{before}{text[tree.start : tree.end]})", tree.start - len(before)), None


@builds(*(kind.name.lower() for kind in ClauseKind))
def _clause(children: list[Any], tree: Tree, text: str) -> MergeClause:
    condition, action = children
    return MergeClause(ClauseKind[tree.name.upper()], condition, action, tree.start, tree.end)


@builds("insert_action")
def _insert(children: list[Any], tree: Tree, text: str) -> InsertAction:
    columns, values = children
    if len(columns) != len(values):
        reason = f"INSERT lists {counted(len(columns), 'columns')} but {counted(len(values), 'values')}."
        raise ParseSyntaxError(reason, "VALUES").at(caret(tree, text))
    return InsertAction(columns, values)
