"""Checks whether the files of a scan exist, before Spark reads them: its own errors differ, or come after retries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deltasql.errors.log import (
    DataFileNotFoundError,
    SourceFileNotFoundError,
    UnreadableDataFileError,
    VacuumedFileError,
)
from deltasql.log.actions.actions import Json
from deltasql.log.storage.local_files import require_regular
from deltasql.log.storage.locations import is_local, local_path
from deltasql.plan.operators import Scan


def readable_files(operator: Scan, paths: Sequence[str], *, may_be_missing: bool) -> list[str]:
    """The data files, without missing ones if they `may_be_missing`, as a setting of Spark allows.

    Raises DataFileNotFoundError, UnreadableDataFileError for data files on the local disk. An empty file is damaged:
    Spark would pass over it, and its rows be missing from the answer.
    """
    readable = [path for path in paths if not is_local(path) or _is_readable(path)]
    if len(readable) < len(paths) and not (may_be_missing and readable):
        present = set(readable)
        raise missing_file(operator, next(path for path in paths if path not in present))
    return readable


def _is_readable(path: str) -> bool:
    """False for a file that is gone. Raises UnreadableDataFileError."""
    try:
        if require_regular(local_path(path)) == 0:
            raise UnreadableDataFileError(path, "it is empty")
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UnreadableDataFileError(path, error.strerror or str(error)) from None
    return True


def missing_file(operator: Scan, path: str) -> DataFileNotFoundError:
    table = operator.table
    kind = DataFileNotFoundError if path.startswith(f"{table.location}/") else SourceFileNotFoundError
    return (VacuumedFileError if table.asked else kind)("data file", path, table.name, table.version)


def missing_vector(operator: Scan, vector: Mapping[str, Json]) -> DataFileNotFoundError:
    from deltasql.log.reading.missing_files import vector_location

    location = vector_location(dict(vector), operator.table.location) or ""
    kind = VacuumedFileError if operator.table.asked else DataFileNotFoundError
    return kind("deletion vector file", location, operator.table.name, operator.table.version)
