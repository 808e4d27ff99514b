"""COPY INTO."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import ColumnPath, LogicalPlan, SqlText, TableName


@dataclass(frozen=True, slots=True)
class CopySource:
    """'location' [WITH (CREDENTIAL (key = value, …))], alone or behind the FROM of a query.

    `before` and `after` are what stands around it in the query; None where there is no query. `start` and `end` are the
    place of the location.
    """

    location: str
    start: int
    end: int
    before: SqlText | None = None
    after: SqlText | None = None
    credential: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """How many rows VALIDATE looks at; None: all."""

    rows: int | None


@dataclass(frozen=True, slots=True)
class FilePattern:
    """PATTERN = 'glob', or FILES = ('name', …): one of the two; paths are relative to the source."""

    glob: str | None
    names: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CopyInto(LogicalPlan):
    """COPY INTO t [BY POSITION | (columns)] FROM {'source' [WITH (CREDENTIAL (…))] | (SELECT … FROM 'source')}
    FILEFORMAT = format [VALIDATE [ALL | n ROWS]] [FILES = (…) | PATTERN = 'glob'] [FORMAT_OPTIONS (…)]
    [COPY_OPTIONS (…)]

    `columns` is None without a list. `format` is in lower case, `options` are those of FORMAT_OPTIONS.
    """

    table: TableName
    columns: tuple[ColumnPath, ...] | None
    by_position: bool
    source: CopySource
    format: SqlText
    validate: Sample | None = None
    chosen: FilePattern | None = None
    options: tuple[tuple[str, str], ...] = ()
    copy_options: tuple[tuple[str, str], ...] = ()
