"""Statements about catalogs: the first part of a name of three."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, TableName


@dataclass(frozen=True, slots=True)
class CreateCatalog(LogicalPlan):
    """CREATE CATALOG [IF NOT EXISTS] c [COMMENT 'text'] [MANAGED LOCATION 'path']"""

    if_not_exists: bool
    catalog: TableName
    comment: str | None
    location: str | None


@dataclass(frozen=True, slots=True)
class DropCatalog(LogicalPlan):
    """DROP CATALOG [IF EXISTS] c [RESTRICT | CASCADE]"""

    if_exists: bool
    catalog: TableName
    cascade: bool


@dataclass(frozen=True, slots=True)
class DescribeCatalog(LogicalPlan):
    """{DESCRIBE | DESC} CATALOG [EXTENDED] c"""

    extended: bool
    catalog: TableName


@dataclass(frozen=True, slots=True)
class CommentOnCatalog(LogicalPlan):
    """COMMENT ON CATALOG c IS {'text' | NULL}"""

    catalog: TableName
    comment: str | None
