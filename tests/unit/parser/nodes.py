"""Parts of nodes as they stand in a text: what tests of the parser expect."""

from __future__ import annotations

from deltasql.plan.base import ColumnPath, SqlText, TableName, Temporal
from deltasql.sql.parser import parse
from deltasql.statements.merge import (
    Merge,
)
from deltasql.statements.table import (
    CreateTable,
)


def table(sql: str, name: str, **more: Temporal) -> TableName:
    start = sql.index(name)
    return TableName(tuple(part.strip("`") for part in name.split(".")), start, start + len(name), **more)


def path(sql: str, name: str, after: int = 0) -> ColumnPath:
    start = sql.index(name, after)
    return ColumnPath(tuple(name.split(".")), start, start + len(name))


def run(sql: str, text: str) -> SqlText:
    return SqlText(text, sql.rindex(text))


def create(sql: str) -> CreateTable:
    node = parse(sql)
    assert isinstance(node, CreateTable)
    return node


def merge(sql: str) -> Merge:
    node = parse(sql)
    assert isinstance(node, Merge)
    return node
