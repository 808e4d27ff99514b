"""CREATE, REPLACE and DROP of tables and schemas."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName
from deltasql.schema.types import DataType
from deltasql.statements.nodes.constraints import KeyConstraint
from deltasql.statements.nodes.governance import ColumnMask, RowFilterClause


@dataclass(frozen=True, slots=True)
class CheckConstraint:
    """[CONSTRAINT name] CHECK (condition) [ENFORCED], in a list or behind a column; with its parentheses."""

    name: str | None
    condition: SqlText


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """name type [NOT NULL] [COMMENT 'text'] [DEFAULT expr] [GENERATED ALWAYS AS (expr)] …

    `type_text` is the type as it was declared: in `type` CHAR(n) and VARCHAR(n) are strings.
    """

    name: str
    type: DataType
    type_text: str
    start: int
    end: int
    nullable: bool = True
    comment: str | None = None
    default: SqlText | None = None
    generated: SqlText | None = None
    identity: IdentitySpec | None = None
    constraints: tuple[CheckConstraint | KeyConstraint, ...] = ()
    mask: ColumnMask | None = None


@dataclass(frozen=True, slots=True)
class IdentitySpec:
    """GENERATED {ALWAYS | BY DEFAULT} AS IDENTITY [(START WITH n INCREMENT BY n)]"""

    always: bool
    start: int = 1
    step: int = 1


@dataclass(frozen=True, slots=True)
class PartitionColumn:
    """PARTITIONED BY (name [type [COMMENT text]]): with a type, as it was declared, it declares the column as well."""

    name: str
    type: DataType | None = None
    comment: str | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class ClusterBy:
    """CLUSTER BY {(columns) | NONE | AUTO}: no columns for the last two"""

    columns: tuple[ColumnPath, ...]
    auto: bool = False


DEFAULT_COLLATION = "collation"
"""The table property for the collation of new columns. Source: Spark's reserved properties."""


@dataclass(frozen=True, slots=True)
class CreateTable(LogicalPlan):
    """CREATE [OR REPLACE] [EXTERNAL] TABLE [IF NOT EXISTS] t [(columns)] [USING format] {clauses} [[AS] query]

    and REPLACE TABLE.

    `mode` is "create", "create_or_replace" or "replace". `columns` is None when no list was written; `constraints` are
    those of the list and of its columns.
    `cluster_by` is None without the clause.
    """

    mode: str
    external: bool
    if_not_exists: bool
    table: TableName
    columns: tuple[ColumnDefinition, ...] | None
    provider: str | None
    partitioned_by: tuple[PartitionColumn, ...]
    cluster_by: ClusterBy | None
    location: str | None
    comment: str | None
    properties: tuple[tuple[str, str], ...]
    query: SqlText | None
    constraints: tuple[CheckConstraint | KeyConstraint, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    row_filter: RowFilterClause | None = None

    @property
    def stored_properties(self) -> tuple[tuple[str, str], ...]:
        """The properties of a Delta table: options are stored as Spark does, by their key and behind `option.`."""
        pairs = (((key, value), (f"option.{key}", value)) for key, value in self.options)
        return (*chain.from_iterable(pairs), *self.properties)


@dataclass(frozen=True, slots=True)
class CreateTableLike(LogicalPlan):
    """CREATE TABLE [IF NOT EXISTS] t LIKE source [USING DELTA] [LOCATION 'path'] [TBLPROPERTIES (key = value, …)]"""

    if_not_exists: bool
    table: TableName
    source: TableName
    provider: str | None
    location: str | None
    properties: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class DropTable(LogicalPlan):
    """DROP TABLE [IF EXISTS] t [PURGE]"""

    if_exists: bool
    table: TableName


@dataclass(frozen=True, slots=True)
class RenameTable(LogicalPlan):
    """ALTER TABLE t RENAME TO name"""

    table: TableName
    name: TableName


@dataclass(frozen=True, slots=True)
class SetTableLocation(LogicalPlan):
    """ALTER TABLE t SET LOCATION 'path'"""

    table: TableName
    location: str


@dataclass(frozen=True, slots=True)
class TruncateTable(LogicalPlan):
    """TRUNCATE TABLE t"""

    table: TableName


@dataclass(frozen=True, slots=True)
class AlterClustering(LogicalPlan):
    """ALTER TABLE t CLUSTER BY {(columns) | NONE | AUTO}"""

    table: TableName
    cluster_by: ClusterBy


@dataclass(frozen=True, slots=True)
class CreateSchema(LogicalPlan):
    """CREATE {SCHEMA | DATABASE} [IF NOT EXISTS] s [COMMENT 'text'] [LOCATION 'path']

    [WITH DBPROPERTIES (key = value, …)]
    """

    if_not_exists: bool
    schema: TableName
    comment: str | None
    location: str | None
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SetSchemaProperties(LogicalPlan):
    """ALTER {SCHEMA | DATABASE} s SET DBPROPERTIES (key = value, …)"""

    schema: TableName
    properties: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class UnsetSchemaProperties(LogicalPlan):
    """ALTER {SCHEMA | DATABASE} s UNSET DBPROPERTIES [IF EXISTS] (key, …)"""

    schema: TableName
    if_exists: bool
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DropSchema(LogicalPlan):
    """DROP {SCHEMA | DATABASE} [IF EXISTS] s [RESTRICT | CASCADE]"""

    if_exists: bool
    schema: TableName
    cascade: bool


@dataclass(frozen=True, slots=True)
class UseSchema(LogicalPlan):
    """USE [SCHEMA | DATABASE] s"""

    schema: TableName


@dataclass(frozen=True, slots=True)
class UseCatalog(LogicalPlan):
    """{USE | SET} CATALOG c"""

    catalog: str
