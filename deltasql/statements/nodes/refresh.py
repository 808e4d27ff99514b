"""Statements about materialized views and streaming tables: tables that are filled by refreshing them."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.catalog.definitions import Refreshed
from deltasql.plan.base import LogicalPlan, SqlText, TableName
from deltasql.statements.nodes.table import CreateTable
from deltasql.statements.nodes.view import ViewColumn


@dataclass(frozen=True, slots=True)
class Expectation:
    """CONSTRAINT name EXPECT (condition) [ON VIOLATION {FAIL UPDATE | DROP ROW}]

    `condition` has its parentheses; `action` is FAIL UPDATE, DROP ROW, or None where rows that violate it stay.
    """

    name: str
    condition: SqlText
    action: str | None


@dataclass(frozen=True, slots=True)
class CreateRefreshed(LogicalPlan):
    """CREATE [OR {REPLACE | REFRESH}] {MATERIALIZED VIEW | STREAMING TABLE} [IF NOT EXISTS] t [(columns)] … AS query

    `create` has the name, the constraints and the clauses of CREATE TABLE, and the columns if they have types;
    `columns` are their names and comments. `mode` is create, replace or refresh.
    """

    kind: Refreshed
    mode: str
    if_not_exists: bool
    create: CreateTable
    query: SqlText
    columns: tuple[ViewColumn, ...] = ()
    schedule: str | None = None
    expectations: tuple[Expectation, ...] = ()


@dataclass(frozen=True, slots=True)
class RefreshData(LogicalPlan):
    """REFRESH {MATERIALIZED VIEW | STREAMING TABLE} t [FULL] [SYNC | ASYNC]"""

    kind: Refreshed
    table: TableName
    full: bool
    asynchronous: bool


@dataclass(frozen=True, slots=True)
class DropRefreshed(LogicalPlan):
    """DROP {MATERIALIZED VIEW | STREAMING TABLE} [IF EXISTS] t"""

    kind: Refreshed
    if_exists: bool
    table: TableName


@dataclass(frozen=True, slots=True)
class SetSchedule(LogicalPlan):
    """ALTER {MATERIALIZED VIEW | STREAMING TABLE} t {{ADD | ALTER | SET} SCHEDULE … | DROP SCHEDULE}"""

    kind: Refreshed
    table: TableName
    schedule: str | None


@dataclass(frozen=True, slots=True)
class AlterRefreshed(LogicalPlan):
    """ALTER {MATERIALIZED VIEW | STREAMING TABLE} t {[UN]SET TBLPROPERTIES (…) | RENAME TO u}

    and the other changes that ALTER TABLE has: comments, tags and masks of columns, tags, CLUSTER BY, ROW FILTER, OWNER
    TO; COMMENT ON {MATERIALIZED VIEW | STREAMING TABLE} t IS text.

    `change` is the same statement about a table.
    """

    kind: Refreshed
    table: TableName
    change: LogicalPlan
