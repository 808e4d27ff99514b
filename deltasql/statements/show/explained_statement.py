"""A statement's node as EXPLAIN shows it: one field a line, in words of SQL.

The section of EXPLAIN on concurrent commits that would conflict with a change. The rules are in `log.commit`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from deltasql.base.errors.base import counted
from deltasql.log.actions.actions import Metadata
from deltasql.log.commit.conflict import IsolationLevel
from deltasql.log.properties.property_registry import ISOLATION_LEVEL
from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName, quote
from deltasql.plan.operators import Reads
from deltasql.planner.changes import LayoutChange, RowChange, TableChange
from deltasql.schema.text import type_text
from deltasql.schema.types import ArrayType, DecimalType, MapType, PrimitiveType, StructType
from deltasql.statements.nodes.columns import AddedColumn
from deltasql.statements.nodes.insert import PartitionValue, ReplaceWhere
from deltasql.statements.nodes.merge import (
    DeleteAction,
    InsertAction,
    InsertStarAction,
    MergeAction,
    MergeClause,
    UpdateAction,
    UpdateStarAction,
)
from deltasql.statements.nodes.table import ColumnDefinition, PartitionColumn
from deltasql.statements.nodes.update import Assignment

TextOf = Callable[[SqlText], str]
"""Gives the text of a part of the statement."""


def logical_lines(node: LogicalPlan, text_of: TextOf) -> list[str]:
    """The statement's node, one field a line, and one line for each clause of MERGE."""
    lines = [type(node).__name__]
    for item in fields(node):  # type: ignore[arg-type]
        value = getattr(node, item.name)
        if value in (None, (), False) or item.name in {"start", "end"}:
            continue
        if isinstance(value, tuple) and isinstance(value[0], MergeClause):
            lines += [f"  {shown(clause, text_of)}" for clause in value]
            continue
        lines.append(f"  {item.name}: {shown(value, text_of)}")
    return lines


def shown(value: Any, text_of: TextOf) -> str:
    """A field's value in the words of the statement."""
    match value:
        case SqlText():
            return " ".join(text_of(value).split())
        case TableName() | ColumnPath():
            return str(value)
        case PrimitiveType() | DecimalType() | ArrayType() | MapType() | StructType():
            return type_text(value)
        case (str(key), str(text)):
            # As it is: what must not be told is looked for in the whole.
            return f"{key} = '{text}'"
        case tuple():
            return f"[{', '.join(shown(item, text_of) for item in value)}]"
        case _ if is_dataclass(value):
            return _part(value, text_of)
        case _:
            return str(getattr(value, "value", value))


def _part(value: Any, text_of: TextOf) -> str:
    """A part of a statement that is a record of its own."""
    match value:
        case Assignment(target, assigned):
            return f"{target} = {_or_default(assigned, text_of)}"
        case PartitionValue(column, constant):
            return str(column) if constant is None else f"{column} = {shown(constant, text_of)}"
        case ReplaceWhere(predicate):
            return f"where {shown(predicate, text_of)}"
        case MergeClause(kind, condition, action):
            when = kind.value if condition is None else f"{kind.value} AND {shown(condition, text_of)}"
            return f"{when} THEN {_action(action, text_of)}"
        case AddedColumn() | ColumnDefinition():
            return " ".join(_column(value, text_of))
        case PartitionColumn(name=name, type=kind):
            return quote(name) if kind is None else f"{quote(name)} {type_text(kind)}"
        case _:
            return _record(value, text_of)


def _record(value: Any, text_of: TextOf) -> str:
    """A record that has no words of its own."""
    inner = ", ".join(
        f"{item.name}={shown(getattr(value, item.name), text_of)}"
        for item in fields(value)
        if item.name not in {"start", "end", "type_text"} and getattr(value, item.name) not in (None, ())
    )
    return f"{type(value).__name__}({inner})"


def _or_default(value: SqlText | None, text_of: TextOf) -> str:
    return "DEFAULT" if value is None else shown(value, text_of)


def _action(action: MergeAction, text_of: TextOf) -> str:
    match action:
        case DeleteAction():
            return "DELETE"
        case UpdateAction(assignments):
            return f"UPDATE SET {', '.join(shown(item, text_of) for item in assignments)}"
        case UpdateStarAction(excluded):
            return f"UPDATE SET *{_except(excluded)}"
        case InsertStarAction(excluded):
            return f"INSERT *{_except(excluded)}"
        case InsertAction(columns, values):
            names, new_values = ", ".join(map(str, columns)), ", ".join(_or_default(item, text_of) for item in values)
            return f"INSERT ({names}) VALUES ({new_values})"


def _except(columns: tuple[ColumnPath, ...]) -> str:
    return f" EXCEPT ({', '.join(map(str, columns))})" if columns else ""


def _column(column: AddedColumn | ColumnDefinition, text_of: TextOf) -> Iterator[str]:
    yield str(column.path) if isinstance(column, AddedColumn) else quote(column.name)
    yield " ".join(column.type_text.split()) or type_text(column.type)
    if not column.nullable:
        yield "NOT NULL"
    if column.default is not None:
        yield f"DEFAULT {shown(column.default, text_of)}"
    if isinstance(column, ColumnDefinition):
        if column.generated is not None:
            yield f"GENERATED ALWAYS AS ({shown(column.generated, text_of)})"
        if column.identity is not None:
            yield "GENERATED AS IDENTITY"
    if column.comment is not None:
        yield f"COMMENT '{column.comment}'"
    if isinstance(column, AddedColumn):
        if column.first:
            yield "FIRST"
        if column.after is not None:
            yield f"AFTER {quote(column.after)}"


def conflict_lines(change: TableChange | RowChange | LayoutChange) -> list[str]:
    """The read set of the change, and the concurrent commits that conflict with it; none for a new table."""
    snapshot = change.commit.snapshot
    if snapshot is None:
        return []
    return [
        "== Conflicts ==",
        *_read(change.commit.reads, snapshot.version),
        *_judged(change, snapshot.properties[ISOLATION_LEVEL]),
    ]


def _read(reads: Reads | None, version: int) -> Iterator[str]:
    if reads is None:
        yield "read: no rows"
        return
    files = counted(len(reads.files), "files")
    predicate = " ".join((reads.predicate or "").split())
    where = f" where {predicate}" if predicate not in {"", "TRUE"} and not reads.whole_table else ""
    yield f"read: {'the whole table' if reads.whole_table else files} of version {version}{where}"


def _judged(change: TableChange | RowChange | LayoutChange, level: str) -> Iterator[str]:
    yield "conflicts with: changes of schema, properties or features"
    if change.commit.reads is None:
        return
    if isinstance(change, LayoutChange):
        yield "conflicts with: removals of these files, as far as their rows cannot be moved after"
        return
    by_rows = isinstance(change, RowChange) and change.rows.probe is not None
    touched = "changes of the same rows" if by_rows else "removals of these files"
    # Whoever writes new metadata has looked at all rows, whatever the level.
    writes_metadata = any(isinstance(action, Metadata) for action in change.commit.actions)
    lenient = level == IsolationLevel.WRITE_SERIALIZABLE.value and not writes_metadata
    appends = f"appends alone do not conflict ({level})" if lenient else "appends too"
    yield f"conflicts with: {touched}, and new rows that it should have read; {appends}"
    if isinstance(change, RowChange) and change.rows.advice:
        yield f"note: {change.rows.advice}"
