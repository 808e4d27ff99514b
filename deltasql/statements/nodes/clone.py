"""CREATE and REPLACE TABLE … CLONE: a table of the rows of another one."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, TableName


@dataclass(frozen=True, slots=True)
class CloneTable(LogicalPlan):
    """CREATE [OR REPLACE] TABLE [IF NOT EXISTS] t [SHALLOW | DEEP] CLONE source [version] [clauses]

    A clause is TBLPROPERTIES (…) or LOCATION 'path', for the clone. `mode` is create, create_or_replace or replace.
    `source` says which of its versions is cloned.
    """

    mode: str
    if_not_exists: bool
    table: TableName
    shallow: bool
    source: TableName
    location: str | None
    properties: tuple[tuple[str, str], ...]
