"""What interrupted statements leave below a table's location, and what of it is in nobody's way."""

from __future__ import annotations

import re

from deltasql.log.storage.paths import LOG

STAGED_FOLDER = re.compile(r"[0-9a-f]{32}")
"""The name of the folder of one statement's new files."""
_WRITTEN = ("part-", "deletion_vector_", "_", ".")


def left_behind(path: str) -> bool:
    """Whether an object of this path below a table's location is in nobody's way: hidden files of the operating system,
    a log without a commit, and what a statement has staged or copied, which is still at work or was interrupted.

    Of two at work one will commit, and VACUUM of the table that comes of it removes what was left.
    """
    first, _, rest = path.partition("/")
    name = path.rpartition("/")[2]
    if first.startswith("."):
        return True
    if first == LOG:
        return rest.startswith(".")
    return bool(rest) and STAGED_FOLDER.fullmatch(first) is not None and name.startswith(_WRITTEN)
