"""Files that Spark does not get at and this process does: its executors have another disk, or are another user's."""

from __future__ import annotations

import re
from urllib.parse import unquote

from deltasql.engines.spark.failures.write_errors import Failure
from deltasql.errors.engine import FilesNotSharedError
from deltasql.log.storage.local_files import may_make, may_read
from deltasql.log.storage.locations import is_local, local_path

_NOT_READ = re.compile(r"(?:[Ee]rror while reading file|Path does not exist:) (file:[^\n]*?)\.(?: |$)", re.MULTILINE)
_NOT_WRITTEN = re.compile(r"Mkdirs failed to create (file:[^\n]*?)(?: \(exists=|$)", re.MULTILINE)
_NO_WAY = re.compile(r"FileNotFoundException|AccessControlException|Permission denied")


def unreached_error(failure: Failure) -> FilesNotSharedError | None:
    """The error for a local file that Spark has not found or may not read, or a folder that it cannot make.

    None where this process cannot do so either.
    """
    if _is_unread(failure):
        path = _readable(failure)
        return FilesNotSharedError("read", path) if path else None
    unmade = _NOT_WRITTEN.search(failure.text)
    if unmade is not None and may_make(local_path(unmade[1])):
        return FilesNotSharedError("write", local_path(unmade[1]).partition("/_temporary/")[0])
    return None


def _is_unread(failure: Failure) -> bool:
    if failure.condition in {"PATH_NOT_FOUND", "FAILED_READ_FILE.FILE_NOT_EXIST"}:
        return True
    return failure.condition.startswith("FAILED_READ_FILE") and _NO_WAY.search(failure.text) is not None


def _readable(failure: Failure) -> str | None:
    """The local file that Spark speaks of, if this process may read it."""
    match = _NOT_READ.search(failure.text)
    named = failure.parameters.get("path") or (match[1] if match else "")
    if not is_local(named):
        return None
    # Spark writes one of the two conditions with a URI, and the other with a path.
    return next((path for path in (local_path(named), unquote(local_path(named))) if may_read(path)), None)
