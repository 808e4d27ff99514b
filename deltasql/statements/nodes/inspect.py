"""DESCRIBE, SHOW and EXPLAIN."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, TableName
from deltasql.statements.nodes.insert import PartitionValue


@dataclass(frozen=True, slots=True)
class DescribeTable(LogicalPlan):
    """{DESCRIBE | DESC} [TABLE] [EXTENDED | FORMATTED] t [PARTITION (column = value, …)] [column] [AS JSON]"""

    extended: bool
    table: TableName
    partition: tuple[PartitionValue, ...]
    column: ColumnPath | None
    as_json: bool


@dataclass(frozen=True, slots=True)
class DescribeDetail(LogicalPlan):
    """{DESCRIBE | DESC} DETAIL {t | 'path'}"""

    table: TableName


@dataclass(frozen=True, slots=True)
class DescribeHistory(LogicalPlan):
    """{DESCRIBE | DESC} HISTORY {t | 'path'} [LIMIT n]"""

    table: TableName
    limit: int | None


@dataclass(frozen=True, slots=True)
class DescribeSchema(LogicalPlan):
    """{DESCRIBE | DESC} {SCHEMA | DATABASE} [EXTENDED] s"""

    extended: bool
    schema: TableName


@dataclass(frozen=True, slots=True)
class ShowTables(LogicalPlan):
    """SHOW TABLES [{IN | FROM} s] [[LIKE] 'pattern']"""

    schema: TableName | None
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowTableExtended(LogicalPlan):
    """SHOW TABLE EXTENDED [{IN | FROM} s] [[LIKE] 'pattern'] [PARTITION (column = value, …)]"""

    schema: TableName | None
    pattern: str | None
    partition: tuple[PartitionValue, ...]


@dataclass(frozen=True, slots=True)
class ShowViews(LogicalPlan):
    """SHOW VIEWS [{IN | FROM} s] [[LIKE] 'pattern']"""

    schema: TableName | None
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowSchemas(LogicalPlan):
    """SHOW {SCHEMAS | DATABASES} [{IN | FROM} c] [[LIKE] 'pattern']; the catalog is written like a table's name"""

    catalog: TableName | None
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowCurrentSchema(LogicalPlan):
    """SHOW CURRENT {NAMESPACE | SCHEMA | DATABASE}"""


@dataclass(frozen=True, slots=True)
class ShowCatalogs(LogicalPlan):
    """SHOW CATALOGS [[LIKE] 'pattern']"""

    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowColumns(LogicalPlan):
    """SHOW COLUMNS {IN | FROM} t [{IN | FROM} s]; the schema is already joined to the table's name"""

    table: TableName


@dataclass(frozen=True, slots=True)
class ShowTableProperties(LogicalPlan):
    """SHOW TBLPROPERTIES t [(key)]"""

    table: TableName
    key: str | None


@dataclass(frozen=True, slots=True)
class ShowCreateTable(LogicalPlan):
    """SHOW CREATE TABLE t"""

    table: TableName


@dataclass(frozen=True, slots=True)
class ShowPartitions(LogicalPlan):
    """SHOW PARTITIONS t [PARTITION (column = value, …)]"""

    table: TableName
    partition: tuple[PartitionValue, ...]


@dataclass(frozen=True, slots=True)
class Explain(LogicalPlan):
    """EXPLAIN [EXTENDED | FORMATTED | CODEGEN | COST | ANALYZE] statement, whose own text is that from `start` on"""

    mode: str | None
    statement: LogicalPlan
    start: int
