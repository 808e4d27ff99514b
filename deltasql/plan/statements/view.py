"""Views."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from deltasql.plan.base import LogicalPlan, SqlText, TableName


class ViewScope(Enum):
    """Who sees a view: a session, all sessions of the process on one warehouse, everybody."""

    TEMPORARY = "TEMPORARY"
    GLOBAL = "GLOBAL TEMPORARY"
    PERMANENT = "PERMANENT"


@dataclass(frozen=True, slots=True)
class ViewColumn:
    """name [COMMENT 'text']; `typed` says that a type stands there too, which only a view USING a format has."""

    name: str
    comment: str | None = None
    typed: bool = False


@dataclass(frozen=True, slots=True)
class CreateView(LogicalPlan):
    """CREATE [OR REPLACE] [[GLOBAL] TEMPORARY] VIEW v [(column [COMMENT 'text'], …)] [COMMENT 'text'] AS query"""

    or_replace: bool
    scope: ViewScope
    if_not_exists: bool
    view: TableName
    columns: tuple[ViewColumn, ...]
    has_properties: bool
    query: SqlText


@dataclass(frozen=True, slots=True)
class DropView(LogicalPlan):
    """DROP VIEW [IF EXISTS] v"""

    if_exists: bool
    view: TableName


@dataclass(frozen=True, slots=True)
class AlterView(LogicalPlan):
    """ALTER VIEW v [AS] query"""

    view: TableName
    query: SqlText


@dataclass(frozen=True, slots=True)
class RenameView(LogicalPlan):
    """ALTER VIEW v RENAME TO w"""

    view: TableName
    new_name: TableName


@dataclass(frozen=True, slots=True)
class AlterViewOptions(LogicalPlan):
    """ALTER VIEW v {SET TBLPROPERTIES (…) | UNSET TBLPROPERTIES (…) | WITH SCHEMA …}"""

    view: TableName
    clause: str
