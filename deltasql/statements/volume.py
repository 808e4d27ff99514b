"""CREATE, ALTER, DROP, DESCRIBE and SHOW of volumes; LIST, PUT, GET and REMOVE of files. Source: Databricks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from deltasql.base import DeltaSqlError, errors
from deltasql.log import Entry, folder_and_name
from deltasql.plan import LogicalPlan, TableName
from deltasql.planner import (
    Answer,
    Context,
    FileTransfer,
    Plan,
    VolumeComment,
    VolumeCreation,
    VolumeRemoval,
    VolumeRenaming,
    plan,
)
from deltasql.schema import LONG, STRING, StructField, StructType
from deltasql.sql import Clause, Tree, builds, caret, collect


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

    def created(self) -> TableName | None:
        return self.volume


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

    reads_only: ClassVar[bool] = True

    volume: TableName


@dataclass(frozen=True, slots=True)
class CommentOnVolume(LogicalPlan):
    """COMMENT ON VOLUME v IS {'text' | NULL}"""

    volume: TableName
    comment: str | None


@dataclass(frozen=True, slots=True)
class ShowVolumes(LogicalPlan):
    """SHOW VOLUMES [{IN | FROM} schema] [[LIKE] 'pattern']"""

    reads_only: ClassVar[bool] = True

    schema: TableName | None
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ListFiles(LogicalPlan):
    """LIST 'path' [LIMIT n]"""

    reads_only: ClassVar[bool] = True

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


@builds("create_volume")
def _create_volume(children: list[Any], tree: Tree, text: str) -> CreateVolume:
    mode, external, if_not_exists, volume, *clauses = children
    if mode != "create":
        reason = "A volume is not replaced: DROP VOLUME removes one."
        raise errors.ParseSyntaxError(reason, "OR REPLACE").at(caret(tree.children[0], text))
    return CreateVolume(external, if_not_exists, volume, **collect(clauses, tree.children[4:], text))


@builds("volume_location", "volume_comment")
def _clause(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause(tree.name.removeprefix("volume_"), children[0])


@builds("file_path")
def _file_path(children: list[Any], tree: Tree, text: str) -> FilePath:
    return FilePath(children[0], tree.start, tree.end)


_SHOWN = StructType((StructField("database", STRING), StructField("volume_name", STRING)))
_DESCRIBED = StructType(
    tuple(
        StructField(name, STRING)
        for name in ("name", "catalog", "database", "owner", "storage_location", "volume_type", "comment")
    )
)
_LISTED = StructType(
    (
        StructField("path", STRING),
        StructField("name", STRING),
        StructField("size", LONG),
        StructField("modification_time", LONG),
    )
)

_LEADS_OUT = "a symbolic link leads out of the volume"


@plan.register
def plan_create_volume(statement: CreateVolume, context: Context) -> Plan:
    name = statement.volume
    caret = context.caret(name.start, name.end)
    if statement.external and statement.location is None:
        raise errors.VolumeClauseError("CREATE EXTERNAL VOLUME", "it needs a LOCATION").at(caret)
    if statement.location is not None and not statement.external:
        raise errors.VolumeClauseError("CREATE VOLUME … LOCATION", "a volume at a location of its own is EXTERNAL").at(
            caret
        )
    _full_name(name, context)
    location = None if statement.location is None else context.catalog.located(statement.location)
    if location is not None:
        # A place that no storage opens is refused before it has a name.
        context.analyst.stores.open(location)
    return VolumeCreation(name.parts, statement.comment, location, statement.if_not_exists)


@plan.register
def plan_drop_volume(statement: DropVolume, context: Context) -> Plan:
    name = statement.volume
    _full_name(name, context)
    try:
        context.catalog.volume(name.parts)
    except errors.VolumeNotFoundError as error:
        if statement.if_exists:
            return Answer()
        raise error.at(context.caret(name.start, name.end)) from None
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None
    return VolumeRemoval(name.parts, statement.if_exists)


@plan.register
def plan_rename_volume(statement: RenameVolume, context: Context) -> Plan:
    old, new = statement.volume, statement.new_name
    _require(old, context)
    if len(new.parts) > 1 and _full_name(new, context)[:2] != _full_name(old, context)[:2]:
        error = errors.VolumeClauseError("ALTER VOLUME … RENAME TO", "the new name is in another schema")
        raise error.at(context.caret(new.start, new.end))
    return VolumeRenaming(old.parts, new.parts[-1])


@plan.register
def plan_comment_on_volume(statement: CommentOnVolume, context: Context) -> Plan:
    _require(statement.volume, context)
    return VolumeComment(statement.volume.parts, statement.comment)


@plan.register
def plan_describe_volume(statement: DescribeVolume, context: Context) -> Plan:
    _require(statement.volume, context)
    entry = context.catalog.volume(statement.volume.parts)
    kind = "MANAGED" if entry.managed else "EXTERNAL"
    owner = entry.governance.owner
    return Answer(_DESCRIBED, ((entry.name, entry.catalog, entry.schema, owner, entry.location, kind, entry.comment),))


@plan.register
def plan_show_volumes(statement: ShowVolumes, context: Context) -> Plan:
    schema = None if statement.schema is None else statement.schema.parts
    try:
        found = context.catalog.volumes(schema, statement.pattern)
    except DeltaSqlError as error:
        place = statement.schema
        raise error.at(context.caret(place.start, place.end) if place else None) from None
    return Answer(_SHOWN, tuple((entry.schema, entry.name) for entry in found))


def _full_name(name: TableName, context: Context) -> tuple[str, str, str]:
    try:
        return context.catalog.full_name(name.parts)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None


def _require(name: TableName, context: Context) -> None:
    """Raises VolumeNotFoundError, at the name."""
    try:
        context.catalog.volume(name.parts)
    except DeltaSqlError as error:
        raise error.at(context.caret(name.start, name.end)) from None


# Files


@plan.register
def plan_list_files(statement: ListFiles, context: Context) -> Plan:
    """The files and folders directly in a folder; of a file its own row."""
    rows = sorted(_listed(statement.folder, context))
    return Answer(_LISTED, tuple(rows if statement.limit is None else rows[: statement.limit]))


@plan.register
def plan_put_file(statement: PutFile, context: Context) -> Plan:
    local = _allowed_local("PUT", statement.local, context)
    target = _in_volume(statement.target, context)
    _require_file(statement.local, local, context)
    if not statement.overwrite and _file(target, context) is not None:
        path = statement.target
        raise errors.VolumeFileExistsError(path.path).at(context.caret(path.start, path.end))
    return FileTransfer(local, target, statement.overwrite, statement.target.path)


@plan.register
def plan_get_file(statement: GetFile, context: Context) -> Plan:
    source = _in_volume(statement.source, context)
    local = _allowed_local("GET", statement.local, context)
    _require_file(statement.source, source, context)
    return FileTransfer(source, local, True, statement.local.path)


@plan.register
def plan_remove_from_volume(statement: RemoveFromVolume, context: Context) -> Plan:
    source = _in_volume(statement.source, context)
    _require_file(statement.source, source, context)
    return FileTransfer(source, None, True, statement.source.path)


def _listed(folder: FilePath, context: Context) -> Iterator[tuple[str, str, int | None, int | None]]:
    """The rows of LIST. Raises VolumeFileNotFoundError."""
    location, shown = _located(folder, context), folder.path.rstrip("/")
    if context.catalog.leads_out(folder.path):
        raise errors.VolumePathError(folder.path, _LEADS_OUT).at(context.caret(folder.start, folder.end))
    store = context.analyst.stores.open(location)
    entries, folders = store.list_below(""), set[str]()
    for entry in entries:
        name, slash, _ = entry.path.partition("/")
        if not slash:
            yield f"{shown}/{name}", name, entry.size, entry.modified
        elif name not in folders:
            folders.add(name)
            yield f"{shown}/{name}/", f"{name}/", None, None
    if entries or context.catalog.is_volume(folder.path):
        return
    found = _file(location, context)
    if found is None:
        raise errors.VolumeFileNotFoundError(folder.path).at(context.caret(folder.start, folder.end))
    yield shown, found.name, found.size, found.modified


def _located(path: FilePath, context: Context) -> str:
    try:
        return context.catalog.located(path.path)
    except DeltaSqlError as error:
        raise error.at(context.caret(path.start, path.end)) from None


def _in_volume(path: FilePath, context: Context) -> str:
    """The place of a file in a volume. Raises VolumePathError for any other path."""
    location = _located(path, context)
    reason = None
    if location == path.path:
        reason = "PUT, GET and REMOVE are for files in volumes"
    elif path.path.endswith("/"):
        reason = "it names a folder"
    elif context.catalog.is_volume(path.path):
        reason = "it names the volume itself"
    elif context.catalog.leads_out(path.path):
        reason = _LEADS_OUT
    if reason is not None:
        raise errors.VolumePathError(path.path, reason).at(context.caret(path.start, path.end))
    return location


def _file(location: str, context: Context) -> Entry | None:
    """The file at an absolute location; None where there is none, or a folder."""
    folder, name = folder_and_name(location)
    store = context.analyst.stores.open(folder)
    return None if store.shared is None and store.has_below(name) else store.find(name)


def _require_file(path: FilePath, location: str, context: Context) -> None:
    if _file(location, context) is None:
        raise errors.VolumeFileNotFoundError(path.path).at(context.caret(path.start, path.end))


def _allowed_local(statement: str, path: FilePath, context: Context) -> str:
    """The absolute path of a local file. Raises LocalFileError for one that the session does not allow."""
    location = context.catalog.absolute(path.path)
    reason = "it is no path of this machine" if not location.startswith("/") else None
    reason = reason or context.analyst.stores.refusal_of_local(location)
    if reason is not None:
        raise errors.LocalFileError(statement, path.path, reason).at(context.caret(path.start, path.end))
    return location
