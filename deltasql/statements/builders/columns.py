"""Columns in ALTER TABLE and CREATE TABLE, with their options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from deltasql.schema.text import declared_text, plain_type
from deltasql.schema.types import DataType, with_default_collation
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds
from deltasql.sql.parser.rules.names import Clause, collect
from deltasql.statements.nodes.columns import (
    AddedColumn,
    Alteration,
    AlterColumns,
    ColumnChange,
    Commented,
    Defaulted,
    Moved,
    Nullability,
    Retyped,
    Synchronized,
)


@builds("added_column")
def _added_column(children: list[Any], tree: Tree, text: str) -> AddedColumn:
    path, data_type, *options = children
    values = collect(options, tree.children[2:], text)
    values.update(values.pop("position", {}))
    return AddedColumn(path, plain_type(data_type), declared_text(data_type), **values)


@builds("not_null_option")
def _not_null(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("nullable", False)


@builds("default_option")
def _default(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("default", children[0])


@builds("comment_option")
def _comment(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("comment", children[0])


@builds("first_option")
def _first(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("position", {"first": True})


@builds("after_option")
def _after(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("position", {"after": children[0]})


@builds("column_change")
def _column_change(children: list[Any], tree: Tree, text: str) -> ColumnChange:
    path, change = children
    return ColumnChange(path, _alterations(collect([change], tree.children[1:], text)))


@builds("change_column")
def _change_column(children: list[Any], tree: Tree, text: str) -> AlterColumns:
    """CHANGE COLUMN, Hive's form: all properties of a column at once."""
    table, path, name, data_type, *options = children
    retyped = _retyped(data_type)
    values = {"type": retyped, **collect(options, tree.children[4:], text)}
    return AlterColumns(table, (ColumnChange(path, _alterations(values), name),))


@builds("type_option")
def _type(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("type", _retyped(children[0]))


def _retyped(declared: DataType) -> Retyped:
    """The default collation of a table is for new columns: STRING is STRING COLLATE UTF8_BINARY here."""
    kind = with_default_collation(declared, None)
    return Retyped(plain_type(kind), declared_text(kind))


@builds("set_not_null_option", "drop_not_null_option")
def _nullability(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("nullable", tree.name == "drop_not_null_option")


@builds("drop_default_option")
def _drop_default(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("drop_default", True)


@builds("sync_identity_option")
def _sync_identity(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("sync_identity", True)


_ALTERATIONS: dict[str, Callable[[Any], Alteration]] = {
    "sync_identity": lambda _: Synchronized(),
    "type": lambda retyped: retyped,
    "comment": Commented,
    "position": lambda place: Moved(**place),
    "nullable": Nullability,
    "default": Defaulted,
    "drop_default": lambda _: Defaulted(None),
}
"""The alteration for each clause, in the order in which alterations are made."""


def _alterations(values: dict[str, Any]) -> tuple[Alteration, ...]:
    return tuple(alteration(values[key]) for key, alteration in _ALTERATIONS.items() if key in values)
