"""MERGE INTO."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias, Union

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName
from deltasql.statements.nodes.update import Assignment


class ClauseKind(Enum):
    """Which rows a WHEN clause sees."""

    MATCHED = "WHEN MATCHED"
    NOT_MATCHED = "WHEN NOT MATCHED"
    NOT_MATCHED_BY_SOURCE = "WHEN NOT MATCHED BY SOURCE"


@dataclass(frozen=True, slots=True)
class DeleteAction:
    """THEN DELETE"""


@dataclass(frozen=True, slots=True)
class UpdateAction:
    """THEN UPDATE SET path = expr, …"""

    assignments: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class UpdateStarAction:
    """THEN UPDATE SET * [EXCEPT (path, …)]"""

    excluded: tuple[ColumnPath, ...]


@dataclass(frozen=True, slots=True)
class InsertAction:
    """THEN INSERT (column, …) VALUES ({expr | DEFAULT}, …); a None value is DEFAULT"""

    columns: tuple[ColumnPath, ...]
    values: tuple[SqlText | None, ...]


@dataclass(frozen=True, slots=True)
class InsertStarAction:
    """THEN INSERT * [EXCEPT (path, …)]"""

    excluded: tuple[ColumnPath, ...]


MergeAction: TypeAlias = Union[DeleteAction, UpdateAction, UpdateStarAction, InsertAction, InsertStarAction]


@dataclass(frozen=True, slots=True)
class MergeClause:
    """WHEN … [AND condition] THEN action; `start`/`end` span the clause in the statement."""

    kind: ClauseKind
    condition: SqlText | None
    action: MergeAction
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Merge(LogicalPlan):
    """[WITH ctes] MERGE [WITH SCHEMA EVOLUTION] INTO t [[AS] alias] USING {table | (query)} [[AS] alias] ON condition
    WHEN …

    `source` is the text of the table name (with its temporal clause) or of the query with its parentheses;
    `source_table` is set when it is a name.
    """

    ctes: SqlText | None
    schema_evolution: bool
    table: TableName
    alias: str | None
    source: SqlText
    source_table: TableName | None
    source_alias: str | None
    condition: SqlText
    clauses: tuple[MergeClause, ...]
