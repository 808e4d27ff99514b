"""Statements about volumes, and about the files in them."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.plan.base import LogicalPlan, TableName


@dataclass(frozen=True, slots=True)
class FilePath:
    """The path of a file or folder as the user wrote it, and its place in the statement."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CreateVolume(LogicalPlan):
    """CREATE [EXTERNAL] VOLUME [IF NOT EXISTS] v [LOCATION 'path'] [COMMENT 'text']"""

    external: bool
    if_not_exists: bool
    volume: TableName
    location: str | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class DropVolume(LogicalPlan):
    """DROP VOLUME [IF EXISTS] v"""

    if_exists: bool
    volume: TableName


@dataclass(frozen=True, slots=True)
class RenameVolume(LogicalPlan):
    """ALTER VOLUME v RENAME TO w"""

    volume: TableName
    new_name: TableName


@dataclass(frozen=True, slots=True)
class DescribeVolume(LogicalPlan):
    """{DESCRIBE | DESC} VOLUME v"""

    volume: TableName


@dataclass(frozen=True, slots=True)
class CommentOnVolume(LogicalPlan):
    """COMMENT ON VOLUME v IS {'text' | NULL}"""

    volume: TableName
    comment: str | None


@dataclass(frozen=True, slots=True)
class ShowVolumes(LogicalPlan):
    """SHOW VOLUMES [{IN | FROM} schema] [[LIKE] 'pattern']"""

    schema: TableName | None
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ListFiles(LogicalPlan):
    """LIST 'path' [LIMIT n]"""

    folder: FilePath
    limit: int | None


@dataclass(frozen=True, slots=True)
class PutFile(LogicalPlan):
    """PUT 'local file' INTO 'path' [OVERWRITE]"""

    local: FilePath
    target: FilePath
    overwrite: bool


@dataclass(frozen=True, slots=True)
class GetFile(LogicalPlan):
    """GET 'path' TO 'local file'"""

    source: FilePath
    local: FilePath


@dataclass(frozen=True, slots=True)
class RemoveFromVolume(LogicalPlan):
    """REMOVE 'path'"""

    source: FilePath
