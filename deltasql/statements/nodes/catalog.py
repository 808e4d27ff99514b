"""Statements about catalogs: the first part of a name of three."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, TableName


@dataclass(frozen=True, slots=True)
class CreateCatalog(LogicalPlan):
    """CREATE CATALOG [IF NOT EXISTS] c [COMMENT 'text'] [MANAGED LOCATION 'path']

    [WITH DBPROPERTIES (k = v, …)] [OPTIONS (k = v, …)]. Options are properties called `option.k`.
    """

    if_not_exists: bool
    catalog: TableName
    comment: str | None
    location: str | None
    properties: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SetCatalogProperties(LogicalPlan):
    """ALTER CATALOG c {SET DBPROPERTIES | [SET] OPTIONS} (k = v, …)"""

    catalog: TableName
    properties: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class UnsetCatalogProperties(LogicalPlan):
    """ALTER CATALOG c UNSET {DBPROPERTIES | OPTIONS} [IF EXISTS] (k, …)"""

    catalog: TableName
    if_exists: bool
    keys: tuple[str, ...]


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
