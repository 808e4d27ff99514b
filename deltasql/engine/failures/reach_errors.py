"""Files that Spark does not get at and this process does: its executors have another disk, or are another user's."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

from deltasql.engine.failures.write_errors import Failure
from deltasql.errors.engine import FilesNotSharedError
from deltasql.log.storage.locations import is_local, local_path

_NOT_READ = re.compile(r"(?:[Ee]rror while reading file|Path does not exist:) (file:[^\n]*?)\.(?: |$)", re.MULTILINE)
_NOT_WRITTEN = re.compile(r"Mkdirs failed to create (file:[^\n]*?)(?: \(exists=|$)", re.MULTILINE)
_NO_WAY = re.compile(r"FileNotFoundException|AccessControlException|Permission denied")


def unreached_error(failure: Failure) -> FilesNotSharedError | None:
    """The error for a local file that Spark has not found or may not read, or a folder that it cannot make.

    None where this process cannot do so either.
    """
    if failure.condition == "PATH_NOT_FOUND" or (
        failure.condition.startswith("FAILED_READ_FILE")
        and (failure.condition.endswith(".FILE_NOT_EXIST") or _NO_WAY.search(failure.text))
    ):
        found = _NOT_READ.search(failure.text)
        named = failure.parameters.get("path") or (found[1] if found else "")
        # Spark writes one of the two conditions with a URI, and the other with a path.
        readable = next((path for path in (local_path(named), unquote(local_path(named))) if _reads(path)), None)
        return FilesNotSharedError("read", readable) if is_local(named) and readable else None
    unmade = _NOT_WRITTEN.search(failure.text)
    if unmade is not None and _makes(Path(local_path(unmade[1]))):
        return FilesNotSharedError("write", local_path(unmade[1]).partition("/_temporary/")[0])
    return None


def _reads(path: str) -> bool:
    return os.access(path, os.R_OK)


def _makes(folder: Path) -> bool:
    """Whether this process can make a folder."""
    above = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return above.is_dir() and os.access(above, os.W_OK | os.X_OK)
