"""Views."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from deltasql.plan.base import LogicalPlan, SqlText, TableName


class ViewScope(Enum):
    """The visibility of a view: a session, all sessions of the process on one warehouse, or the catalog."""

    TEMPORARY = "TEMPORARY"
    GLOBAL = "GLOBAL TEMPORARY"
    PERMANENT = "PERMANENT"


@dataclass(frozen=True, slots=True)
class ViewColumn:
    """name [COMMENT 'text']; `typed` says that a type follows the name, which only a view USING a format has."""

    name: str
    comment: str | None = None
    typed: bool = False


@dataclass(frozen=True, slots=True)
class CreateView(LogicalPlan):
    """CREATE [OR REPLACE] [[GLOBAL] TEMPORARY] VIEW [IF NOT EXISTS] v [(column [COMMENT 'text'], …)] [COMMENT 'text']
    [TBLPROPERTIES (…)] [WITH SCHEMA {BINDING | COMPENSATION | [TYPE] EVOLUTION}] AS query
    """

    or_replace: bool
    scope: ViewScope
    if_not_exists: bool
    view: TableName
    columns: tuple[ViewColumn, ...]
    query: SqlText
    comment: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    mode: str | None = None


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
class SetViewProperties(LogicalPlan):
    """ALTER VIEW v SET TBLPROPERTIES (key = value, …)"""

    view: TableName
    properties: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class UnsetViewProperties(LogicalPlan):
    """ALTER VIEW v UNSET TBLPROPERTIES [IF EXISTS] (key, …)"""

    view: TableName
    if_exists: bool
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetViewMode(LogicalPlan):
    """ALTER VIEW v WITH SCHEMA {BINDING | COMPENSATION | [TYPE] EVOLUTION}"""

    view: TableName
    mode: str
