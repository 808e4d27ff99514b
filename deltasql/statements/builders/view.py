"""CREATE and ALTER VIEW."""

from __future__ import annotations

from typing import Any

from deltasql.base.errors.statements.view import IfNotExistsAndReplaceError
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds, caret, sql_text
from deltasql.sql.parser.rules.names import Clause, collect
from deltasql.statements.nodes.query import SparkStatement
from deltasql.statements.nodes.view import CreateView, ViewColumn, ViewScope


@builds("global_view", "temporary_view", "permanent_view")
def _scope(children: list[Any], tree: Tree, text: str) -> ViewScope:
    return {
        "global_view": ViewScope.GLOBAL,
        "temporary_view": ViewScope.TEMPORARY,
        "permanent_view": ViewScope.PERMANENT,
    }[tree.name]


@builds("view_column")
def _column(children: list[Any], tree: Tree, text: str) -> ViewColumn:
    name, *kind, comment = children
    return ViewColumn(name, comment, typed=bool(kind))


@builds("view_comment")
def _comment(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("comment", children[0])


@builds("view_properties")
def _properties(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("properties", children[0])


@builds("view_mode")
def _mode(children: list[Any], tree: Tree, text: str) -> str:
    """BINDING, COMPENSATION, TYPE EVOLUTION or EVOLUTION."""
    return " ".join(word.upper() for word in children[2:])


@builds("view_mode_clause")
def _mode_clause(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("mode", children[0])


@builds("create_view")
def _create_view(children: list[Any], tree: Tree, text: str) -> CreateView:
    mode, scope, if_not_exists, view, columns, *clauses, query = children
    _refuse_mode(mode, scope, if_not_exists, tree, text)
    values = collect(clauses, tree.children[5:-1], text)
    for index, column in enumerate(columns or ()):
        if column.typed:
            reason = f"The columns of a view have the types that its query gives them. Write ({column.name}, …)."
            raise ParseSyntaxError(reason, column.name).at(caret(tree.children[4].children[index], text))
    return CreateView(mode != "create", scope, if_not_exists, view, columns or (), query, **values)


def _refuse_mode(mode: str, scope: ViewScope, if_not_exists: bool, tree: Tree, text: str) -> None:
    if mode == "replace":
        reason = "Views are replaced by CREATE OR REPLACE VIEW."
        raise ParseSyntaxError(reason, "REPLACE").at(caret(tree.children[0], text))
    if if_not_exists and scope is not ViewScope.PERMANENT:
        reason = "IF NOT EXISTS is not for temporary views. Write CREATE OR REPLACE TEMPORARY VIEW."
        raise ParseSyntaxError(reason, "IF NOT EXISTS").at(caret(tree.children[2], text))
    if if_not_exists and mode != "create":
        raise IfNotExistsAndReplaceError().at(caret(tree.children[2], text))


@builds("create_source_view")
def _create_source_view(children: list[Any], tree: Tree, text: str) -> SparkStatement:
    """A view of files of another format is Spark's, as long as it is temporary."""
    mode, scope, if_not_exists, view, *_ = children
    if scope is ViewScope.PERMANENT:
        reason = f"Files of a format have temporary views only. Write CREATE VIEW {view} AS SELECT * FROM csv.`/path`."
        raise ParseSyntaxError(reason, "USING").at(caret(tree.children[-1], text))
    _refuse_mode(mode, scope, if_not_exists, tree, text)
    return SparkStatement(sql_text(tree, text))
