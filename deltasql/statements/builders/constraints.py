"""Keys of tables and of columns."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

from deltasql.base.errors.statements.constraints import UniqueConstraintError
from deltasql.plan.base import ColumnPath
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds, caret
from deltasql.statements.nodes.constraints import KeyConstraint, KeyOption, KeyReferences


class _Definition(NamedTuple):
    columns: tuple[ColumnPath, ...]
    timeseries: tuple[ColumnPath, ...] = ()
    references: KeyReferences | None = None


@builds("key_column")
def _key_column(children: list[Any], tree: Tree, text: str) -> tuple[ColumnPath, bool]:
    column, timeseries = children
    return column, timeseries


@builds("primary_key")
def _primary_key(children: list[Any], tree: Tree, text: str) -> _Definition:
    columns: tuple[tuple[ColumnPath, bool], ...] = children[0]
    return _Definition(tuple(column for column, _ in columns), tuple(column for column, marked in columns if marked))


@builds("foreign_key")
def _foreign_key(children: list[Any], tree: Tree, text: str) -> _Definition:
    columns, references = children
    return _Definition(columns, references=references)


@builds("unique_key")
def _unique(children: list[Any], tree: Tree, text: str) -> NoReturn:
    raise UniqueConstraintError().at(caret(tree, text))


@builds("table_key")
def _table_key(children: list[Any], tree: Tree, text: str) -> KeyConstraint:
    name, definition, options = children
    columns, timeseries, references = definition
    return KeyConstraint(name, columns, timeseries, references, options, tree.start, tree.children[1].end)


@builds("column_primary_key", "column_foreign_key")
def _column_key(children: list[Any], tree: Tree, text: str) -> KeyConstraint:
    """Its column is the one that it stands behind."""
    name, *references = children
    return KeyConstraint(name, (), (), references[0] if references else None, (), tree.start, tree.end)


@builds("key_option")
def _key_option(children: list[Any], tree: Tree, text: str) -> KeyOption:
    return KeyOption(" ".join(children).upper(), tree.start, tree.end)
