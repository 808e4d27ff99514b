"""INSERT INTO and INSERT OVERWRITE, one or several from one source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, Union

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName


@dataclass(frozen=True, slots=True)
class PartitionValue:
    """p = constant of a PARTITION clause; `value` is None for the dynamic form `PARTITION (p)`."""

    column: ColumnPath
    value: SqlText | None


@dataclass(frozen=True, slots=True)
class ReplaceWhere:
    """REPLACE WHERE predicate: rows that satisfy it are replaced by the query's, which must satisfy it, too."""

    predicate: SqlText


@dataclass(frozen=True, slots=True)
class ReplaceUsing:
    """REPLACE USING (columns): rows that agree in all `columns` with one of the query's are replaced."""

    columns: tuple[ColumnPath, ...]


@dataclass(frozen=True, slots=True)
class ReplaceOn:
    """REPLACE ON condition (query) [AS source_alias]: rows for which it is TRUE with a query's row are replaced."""

    condition: SqlText
    source_alias: str | None = None


Replaces: TypeAlias = Union[ReplaceWhere, ReplaceUsing, ReplaceOn]


@dataclass(frozen=True, slots=True)
class Insert(LogicalPlan):
    """[WITH ctes] INSERT [WITH SCHEMA EVOLUTION] {INTO | OVERWRITE} [TABLE] t [[AS] alias] [PARTITION (…)]
    [(columns) | BY NAME] [REPLACE WHERE predicate | REPLACE USING (columns) | REPLACE ON condition] query

    `ctes` is what stands before INSERT and belongs to its query: the text from WITH, or from the FROM of several
    inserts, up to INSERT. `alias` is a name of one part. `columns` is None without a list.
    """

    ctes: SqlText | None
    schema_evolution: bool
    overwrite: bool
    table: TableName
    alias: ColumnPath | None
    partition: tuple[PartitionValue, ...]
    columns: tuple[ColumnPath, ...] | None
    by_name: bool
    replaces: Replaces | None
    query: SqlText

    @property
    def predicate(self) -> SqlText | None:
        """The predicate of REPLACE WHERE, or None."""
        return self.replaces.predicate if isinstance(self.replaces, ReplaceWhere) else None


@dataclass(frozen=True, slots=True)
class MultiInsert(LogicalPlan):
    """[WITH ctes] FROM s INSERT INTO a SELECT … INSERT INTO b SELECT …

    The `ctes` of each reach to the end of the FROM clause.
    """

    inserts: tuple[Insert, ...]
