"""Statements about materialized views and streaming tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from deltasql.base.errors.base import Caret
from deltasql.base.errors.statements.refused import DefaultCollationError
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.catalog.definitions import Refreshed
from deltasql.plan.base import quote
from deltasql.schema.types import BINARY_COLLATION
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds, caret
from deltasql.sql.parser.rules.names import Clause, collect
from deltasql.sql.tokens import tokenize
from deltasql.statements.nodes.columns import AlterColumns, ColumnChange, Commented
from deltasql.statements.nodes.constraints import KeyConstraint
from deltasql.statements.nodes.governance import SecurableName, SetMask, SetOwner, SetRowFilter
from deltasql.statements.nodes.properties import CommentOnTable, SetTableProperties, UnsetTableProperties
from deltasql.statements.nodes.refresh import AlterRefreshed, CreateRefreshed, Expectation, SetSchedule
from deltasql.statements.nodes.table import AlterClustering, CheckConstraint, ColumnDefinition, CreateTable, RenameTable
from deltasql.statements.nodes.tags import SetTags, Tagged, UnsetTags
from deltasql.statements.nodes.view import ViewColumn

_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_MOST_PERIODS = {"hour": 72, "day": 31, "week": 8}


@builds("materialized_view", "streaming_table")
def _kind(children: list[Any], tree: Tree, text: str) -> Refreshed:
    return Refreshed(tree.name.replace("_", " ").upper())


@builds("refreshed_mode")
def _mode(children: list[Any], tree: Tree, text: str) -> str:
    return str(children[-1]).lower()


@builds("refreshed_element_list")
def _elements(children: list[Any], tree: Tree, text: str) -> tuple[Any, ...]:
    return tuple(children)


@builds("refreshed_column")
def _column(children: list[Any], tree: Tree, text: str) -> ViewColumn:
    name, comment = children
    return ViewColumn(name, comment)


@builds("fail_update", "drop_row")
def _violation(children: list[Any], tree: Tree, text: str) -> str:
    return tree.name.replace("_", " ").upper()


@builds("expectation")
def _expectation(children: list[Any], tree: Tree, text: str) -> Expectation:
    return Expectation(*children)


@builds("trigger_interval")
def _interval(children: list[Any], tree: Tree, text: str) -> None:
    """Raises ParseSyntaxError for an interval below a minute, and for what is no interval."""
    words = " ".join(str(child) for child in children).lower().split()
    numbers, units = words[::2], [word.removesuffix("s") for word in words[1::2]]
    if len(numbers) != len(units) or not all(map(str.isdecimal, numbers)) or not _SECONDS.keys() >= set(units):
        reason = "Write a number and a unit, as in INTERVAL 1 HOUR."
    elif sum(int(number) * _SECONDS[unit] for number, unit in zip(numbers, units, strict=True)) < 60:
        reason = "The interval of AT MOST EVERY is one minute or more."
    else:
        return
    raise ParseSyntaxError(reason, text[tree.start : tree.end]).at(caret(tree, text))


def _check_every(number: int, unit: str, tree: Tree, text: str) -> None:
    """Raises ParseSyntaxError for a period that no schedule has. Source: Databricks."""
    most = _MOST_PERIODS.get(unit.lower().removesuffix("s"))
    if most is None or not 1 <= number <= most:
        reason = "A schedule is EVERY 1 to 72 HOURS, 1 to 31 DAYS, or 1 to 8 WEEKS. CRON has all other times."
        raise ParseSyntaxError(reason, f"EVERY {number} {unit}").at(caret(tree, text))


@builds("schedule_clause")
def _schedule(children: list[Any], tree: Tree, text: str) -> Clause:
    if children and isinstance(children[0], int):
        _check_every(children[0], children[1], tree, text)
    # Without comments, which could hide what follows them on one line.
    return Clause("schedule", " ".join(token.text for token in tokenize(text[tree.start : tree.end])))


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
    _refuse(values, kind, tree, text)
    columns, declared = _columns(elements or (), tree, text)
    expectations = tuple(item for item in elements or () if isinstance(item, Expectation))
    create = CreateTable(
        "create_or_replace" if mode == "replace" else "create",
        False,
        False,
        table,
        declared,
        None,
        values.get("partitioned_by", ()),
        values.get("cluster_by"),
        None,
        values.get("comment"),
        values.get("properties", ()),
        query,
        tuple(_constraints(elements or ())),
        (),
        values.get("row_filter"),
    )
    return CreateRefreshed(kind, mode, if_not_exists, create, query, columns, values.get("schedule"), expectations)


def _columns(
    elements: tuple[Any, ...], tree: Tree, text: str
) -> tuple[tuple[ViewColumn, ...], tuple[ColumnDefinition, ...] | None]:
    """The columns of a list by name and comment, and as they are declared: None where they have no types.

    Raises ParseSyntaxError for a list that has both, and for clauses that define values.
    """
    declared = tuple(item for item in elements if isinstance(item, ColumnDefinition))
    bare = tuple(item for item in elements if isinstance(item, ViewColumn))
    if declared and bare:
        reason = f"Either all columns have a type here, or none has. Give {quote(bare[0].name)} a type."
        raise ParseSyntaxError(reason, bare[0].name).at(caret(tree.children[4], text))
    if not declared:
        _refuse_keys(elements, text)
    for column in declared:
        _refuse_values(column, text)
    return bare or tuple(ViewColumn(item.name, item.comment) for item in declared), declared or None


def _refuse_keys(elements: tuple[Any, ...], text: str) -> None:
    for key in elements:
        if isinstance(key, KeyConstraint) and key.references is None:
            reason = "Columns of a primary key are NOT NULL. Give all columns types, as in (id INT NOT NULL, …)."
            raise ParseSyntaxError(reason, "PRIMARY KEY").at(Caret(text, key.start, key.end))


def _refuse_values(column: ColumnDefinition, text: str) -> None:
    for word, value in (("DEFAULT", column.default), ("GENERATED", column.generated or column.identity)):
        if value is not None:
            reason = f"The values of {quote(column.name)} come from the query. Leave {word} out."
            raise ParseSyntaxError(reason, word).at(Caret(text, column.start, column.end))


def _constraints(elements: tuple[Any, ...]) -> Iterator[CheckConstraint | KeyConstraint]:
    """Those of the list and of its columns, and those that expectations with FAIL UPDATE are."""
    for item in elements:
        if isinstance(item, ColumnDefinition):
            yield from item.constraints
        elif isinstance(item, CheckConstraint | KeyConstraint):
            yield item
        elif isinstance(item, Expectation) and item.action == "FAIL UPDATE":
            yield CheckConstraint(item.name, item.condition)


def _refuse(values: dict[str, Any], kind: Refreshed, tree: Tree, text: str) -> None:
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


@builds("cluster_refreshed")
def _cluster(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, cluster_by = children
    return AlterRefreshed(kind, table, AlterClustering(table, cluster_by))


@builds("comment_refreshed_column")
def _comment(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, column, comment = children
    return AlterRefreshed(kind, table, AlterColumns(table, (ColumnChange(column, (Commented(comment),)),)))


@builds("set_refreshed_mask", "drop_refreshed_mask")
def _mask(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, column, *mask = children
    return AlterRefreshed(kind, table, SetMask(table, column, mask[0] if mask else None))


@builds("set_refreshed_filter", "drop_refreshed_filter")
def _row_filter(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, *row_filter = children
    return AlterRefreshed(kind, table, SetRowFilter(table, row_filter[0] if row_filter else None))


@builds("set_refreshed_tags", "unset_refreshed_tags", "set_refreshed_column_tags", "unset_refreshed_column_tags")
def _tags(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, *column, tags = children
    change = SetTags if tree.name.startswith("set") else UnsetTags
    tagged = Tagged.COLUMN if column else Tagged.TABLE
    return AlterRefreshed(kind, table, change(tagged, table, column[0] if column else None, tags, False))


@builds("comment_on_refreshed")
def _comment_on(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, comment = children
    return AlterRefreshed(kind, table, CommentOnTable(table, comment))


@builds("set_refreshed_owner")
def _owner(children: list[Any], tree: Tree, text: str) -> AlterRefreshed:
    kind, table, principal = children
    return AlterRefreshed(kind, table, SetOwner(SecurableName("TABLE", table, table.start, table.end), principal))
