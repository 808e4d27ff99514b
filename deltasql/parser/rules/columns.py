"""Columns in ALTER TABLE and CREATE TABLE, with their options."""

from __future__ import annotations

from typing import Any

from deltasql.parser.automaton import Tree
from deltasql.parser.build import builds
from deltasql.parser.rules.options import Clause, collect
from deltasql.plan.columns import AddedColumn


@builds("added_column")
def _added_column(children: list[Any], tree: Tree, text: str) -> AddedColumn:
    path, data_type, *options = children
    written = tree.children[1]
    values = collect(options, tree.children[2:], text)
    values.update(values.pop("position", {}))
    return AddedColumn(path, data_type, text[written.start : written.end], **values)


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
