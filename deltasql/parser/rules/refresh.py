"""Statements about materialized views and streaming tables."""

from __future__ import annotations

from typing import Any

from deltasql.errors.statements.refused import DefaultCollationError
from deltasql.errors.syntax import ParseSyntaxError
from deltasql.parser.automaton import Tree
from deltasql.parser.build import builds, caret
from deltasql.parser.rules.options import Clause, collect
from deltasql.plan.statements.properties import SetTableProperties, UnsetTableProperties
from deltasql.plan.statements.refresh import AlterRefreshed, CreateRefreshed, Refreshed, SetSchedule
from deltasql.plan.statements.table import CreateTable, RenameTable
from deltasql.plan.statements.view import ViewColumn
from deltasql.schema.types import BINARY_COLLATION


@builds("materialized_view", "streaming_table")
def _kind(children: list[Any], tree: Tree, text: str) -> Refreshed:
    return Refreshed(tree.name.replace("_", " ").upper())


@builds("refreshed_mode")
def _mode(children: list[Any], tree: Tree, text: str) -> str:
    return str(children[-1]).lower()


@builds("refreshed_element_list")
def _elements(children: list[Any], tree: Tree, text: str) -> tuple[Any, ...]:
    return tuple(children)


@builds("schedule_clause")
def _schedule(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("schedule", " ".join(text[tree.start : tree.end].split()))


@builds("create_refreshed")
def _create(children: list[Any], tree: Tree, text: str) -> CreateRefreshed:
    mode, kind, if_not_exists, table, elements, *clauses, query = children
    wanted = "refresh" if kind is Refreshed.STREAMING_TABLE else "replace"
    if mode not in {"create", wanted}:
        reason = f"A {kind.value.lower()} is created by CREATE [OR {wanted.upper()}] {kind.value}."
        raise ParseSyntaxError(reason, mode.upper()).at(caret(tree.children[0], text))
    if if_not_exists and mode == "replace":
        reason = "A view is created IF NOT EXISTS or replaced, not both. Leave out one of them."
        raise ParseSyntaxError(reason, "IF NOT EXISTS").at(caret(tree.children[2], text))
    values = collect(clauses, tree.children[5:-1], text)
    columns = tuple(item for item in elements or () if isinstance(item, ViewColumn))
    _refuse(values, columns, kind, tree, text)
    create = CreateTable(
        "create_or_replace" if mode == "replace" else "create",
        False,
        False,
        table,
        None,
        None,
        values.get("partitioned_by", ()),
        values.get("cluster_by"),
        None,
        values.get("comment"),
        values.get("properties", ()),
        query,
        tuple(item for item in elements or () if not isinstance(item, ViewColumn)),
        (),
        values.get("row_filter"),
    )
    return CreateRefreshed(kind, mode, if_not_exists, create, query, columns, values.get("schedule"))


def _refuse(values: dict[str, Any], columns: tuple[ViewColumn, ...], kind: Refreshed, tree: Tree, text: str) -> None:
    """Raises ParseSyntaxError for clauses that only tables have."""
    for field, word in (("location", "LOCATION"), ("options", "OPTIONS")):
        if field in values:
            reason = f"The files of a {kind.value.lower()} lie below its schema. Leave {word} out."
            raise ParseSyntaxError(reason, word).at(caret(tree.children[3], text))
    collation = values.get("collation", BINARY_COLLATION)
    if collation != BINARY_COLLATION:
        raise DefaultCollationError(collation).at(caret(tree.children[3], text))
    if str(values.get("provider") or "delta").lower() != "delta":
        raise ParseSyntaxError(f"A {kind.value.lower()} is a Delta table. Leave USING out.", "USING").at(
            caret(tree.children[3], text)
        )
    if any(column.typed for column in columns):
        reason = "Columns have the types of the query. Leave the types out, or write CAST in the query."
        raise ParseSyntaxError(reason, columns[0].name).at(caret(tree.children[4], text))


@builds("set_schedule")
def _set_schedule(children: list[Any], tree: Tree, text: str) -> SetSchedule:
    kind, table, schedule = children
    return SetSchedule(kind, table, None if schedule is None else schedule.value)


@builds("set_refreshed_properties")
def _set_properties(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, properties = children
    return AlterRefreshed(kind, table, SetTableProperties(table, properties))


@builds("unset_refreshed_properties")
def _unset_properties(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, if_exists, keys = children
    return AlterRefreshed(kind, table, UnsetTableProperties(table, if_exists, keys))


@builds("rename_refreshed")
def _rename(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, name = children
    return AlterRefreshed(kind, table, RenameTable(table, name))
