"""Leftovers of interrupted statements below a table's location, which a new table may ignore."""

from __future__ import annotations

import re

from deltasql.log.storage.paths import LOG

STAGED_FOLDER = re.compile(r"[0-9a-f]{32}")
"""The name of the folder of one statement's new files."""
_WRITTEN = ("part-", "deletion_vector_", "_", ".")


def left_behind(path: str) -> bool:
    """Whether a new table may ignore an object of this path below its location.

    True for hidden files of the operating system, a log without a commit, and files that a running or interrupted
    statement has staged or copied. Of two running statements one will commit, and VACUUM of the resulting table removes
    the leftovers.
    """
    first, _, rest = path.partition("/")
    name = path.rpartition("/")[2]
    if first.startswith("."):
        return True
    if first == LOG:
        return rest.startswith(".")
    return bool(rest) and STAGED_FOLDER.fullmatch(first) is not None and name.startswith(_WRITTEN)
