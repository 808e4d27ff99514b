"""Refusals about volumes and the files in them."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "VOLUME_NOT_FOUND",
    "42704",
    "There is no volume {volume}. {advice}",
    remedy="Check the spelling with SHOW VOLUMES, or run CREATE VOLUME.",
)
class VolumeNotFoundError(DeltaSqlError):
    """A statement or a path names a volume that the schema does not have; `similar` are the closest names."""

    volume: str
    advice: str
    similar: tuple[str, ...] = ()


@condition(
    "VOLUME_ALREADY_EXISTS", "42710", "Volume {volume} exists already. Choose another name or add IF NOT EXISTS."
)
class VolumeAlreadyExistsError(DeltaSqlError):
    """CREATE VOLUME, or RENAME TO, of a name that a volume has."""

    volume: str


@condition(
    "INVALID_VOLUME_PATH",
    "42K03",
    "{path} is no path in a volume: {reason}. Such paths are written /Volumes/catalog/schema/volume/folder/file.",
    remedy="Write /Volumes/catalog/schema/volume/ and the path of a file below it.",
)
class VolumePathError(DeltaSqlError):
    """A path below /Volumes that names no volume, or leads out of its volume; or a file that must be in a volume."""

    path: str
    reason: str


@condition(
    "VOLUME_CLAUSE_NOT_ALLOWED",
    "42601",
    "{clause}: {reason}.",
    remedy="CREATE EXTERNAL VOLUME v LOCATION 'path', or CREATE VOLUME v without a location.",
)
class VolumeClauseError(DeltaSqlError):
    """CREATE VOLUME with EXTERNAL and without LOCATION or the other way round; RENAME TO another schema."""

    clause: str
    reason: str


@condition(
    "FILE_NOT_FOUND", "42K03", "There is no file {path}. LIST shows the files of a folder.", remedy="Check the path."
)
class VolumeFileNotFoundError(DeltaSqlError):
    """LIST, GET or REMOVE of a path, or PUT of a local file, that does not exist."""

    path: str


@condition(
    "FILE_ALREADY_EXISTS",
    "42710",
    "{path} exists already. Add OVERWRITE to replace it.",
    remedy="Add OVERWRITE, or choose another name.",
)
class VolumeFileExistsError(DeltaSqlError):
    """PUT onto a file that exists."""

    path: str


@condition(
    "LOCAL_FILE_NOT_ALLOWED",
    "42501",
    "{statement} may not use the local file {path}: {reason}.",
    remedy="Name the folders with files for PUT and GET when the session is opened: staging_allowed_local_path.",
)
class LocalFileError(DeltaSqlError):
    """PUT or GET of a file of this machine outside of the folders that the session allows."""

    statement: str
    path: str
    reason: str
