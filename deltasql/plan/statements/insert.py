"""INSERT INTO and INSERT OVERWRITE."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName


@dataclass(frozen=True, slots=True)
class PartitionValue:
    """p = constant of a PARTITION clause; `value` is None for the dynamic form `PARTITION (p)`."""

    column: ColumnPath
    value: SqlText | None


@dataclass(frozen=True, slots=True)
class Insert(LogicalPlan):
    """[WITH ctes] INSERT [WITH SCHEMA EVOLUTION] {INTO | OVERWRITE} [TABLE] t [PARTITION (…)] [(columns) | BY NAME]
    [REPLACE WHERE predicate] query

    `ctes` is the text from WITH up to INSERT. `columns` is None without a list.
    """

    ctes: SqlText | None
    schema_evolution: bool
    overwrite: bool
    table: TableName
    partition: tuple[PartitionValue, ...]
    columns: tuple[ColumnPath, ...] | None
    by_name: bool
    replace_where: SqlText | None
    query: SqlText
