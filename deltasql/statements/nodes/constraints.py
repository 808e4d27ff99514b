"""ALTER TABLE … constraints; keys as CREATE TABLE and ALTER TABLE declare them."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName


@dataclass(frozen=True, slots=True)
class AddConstraint(LogicalPlan):
    """ALTER TABLE t ADD CONSTRAINT name CHECK (condition) [ENFORCED]"""

    table: TableName
    name: str
    condition: SqlText


@dataclass(frozen=True, slots=True)
class KeyOption:
    """NOT ENFORCED, RELY, MATCH FULL …: its words in capitals, and where they stand"""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class KeyReferences:
    """REFERENCES t [(columns)]: no columns stand for the primary key of t"""

    table: TableName
    columns: tuple[ColumnPath, ...] | None


@dataclass(frozen=True, slots=True)
class KeyConstraint:
    """[CONSTRAINT name] {PRIMARY KEY (a [TIMESERIES], …) | FOREIGN KEY (a, …) REFERENCES t [(b, …)]} {options}

    The one with `references` is a foreign key. `start` and `end` are those of the whole without its options.
    """

    name: str | None
    columns: tuple[ColumnPath, ...]
    timeseries: tuple[ColumnPath, ...]
    references: KeyReferences | None
    options: tuple[KeyOption, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AddKey(LogicalPlan):
    """ALTER TABLE t ADD [CONSTRAINT name] {PRIMARY KEY (columns) | FOREIGN KEY (columns) REFERENCES t2} {options}"""

    table: TableName
    key: KeyConstraint


@dataclass(frozen=True, slots=True)
class DropConstraint(LogicalPlan):
    """ALTER TABLE t DROP CONSTRAINT [IF EXISTS] name [RESTRICT | CASCADE]"""

    table: TableName
    if_exists: bool
    name: str
    cascade: bool


@dataclass(frozen=True, slots=True)
class DropPrimaryKey(LogicalPlan):
    """ALTER TABLE t DROP PRIMARY KEY [IF EXISTS] [RESTRICT | CASCADE]"""

    table: TableName
    if_exists: bool
    cascade: bool


@dataclass(frozen=True, slots=True)
class DropForeignKey(LogicalPlan):
    """ALTER TABLE t DROP FOREIGN KEY [IF EXISTS] (columns)"""

    table: TableName
    if_exists: bool
    columns: tuple[ColumnPath, ...]
