"""Tags of tables, views, columns, schemas and catalogs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from deltasql.plan.base import ColumnPath, LogicalPlan, TableName


class Tagged(Enum):
    """The kind of object that a tag is set on."""

    TABLE = "TABLE"
    VIEW = "VIEW"
    SCHEMA = "SCHEMA"
    CATALOG = "CATALOG"
    COLUMN = "COLUMN"


@dataclass(frozen=True, slots=True)
class TagKey:
    """The key of a tag, and its span in the statement."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NewTag:
    """key [= value]: a key alone has the value ''"""

    key: TagKey
    value: str


@dataclass(frozen=True, slots=True)
class SetTags(LogicalPlan):
    """ALTER {TABLE | VIEW | SCHEMA | CATALOG} t [ALTER COLUMN c] SET TAGS ('key' = 'value', …)

    and SET TAG ON {TABLE | VIEW | SCHEMA | CATALOG | COLUMN} t key [= value].
    `name` is the table, view, schema or catalog, `column` None but for a column; of SET TAG ON COLUMN t.c, `column` is
    the whole and `name` None. A `single` tag must be new.
    """

    kind: Tagged
    name: TableName | None
    column: ColumnPath | None
    tags: tuple[NewTag, ...]
    single: bool


@dataclass(frozen=True, slots=True)
class UnsetTags(LogicalPlan):
    """ALTER {TABLE | VIEW | SCHEMA | CATALOG} t [ALTER COLUMN c] UNSET TAGS ('key', …)

    and UNSET TAG ON {TABLE | VIEW | SCHEMA | CATALOG | COLUMN} t key.
    `name` and `column` are those of SetTags. A `single` tag must be there.
    """

    kind: Tagged
    name: TableName | None
    column: ColumnPath | None
    keys: tuple[TagKey, ...]
    single: bool
