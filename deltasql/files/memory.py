"""The memory limit for rows and files that this process reads for one statement."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.settings.session_settings import MEMORY_LIMIT
from deltasql.files.facts import SessionFacts
from deltasql.files.reading.pieces import CORES
from deltasql.files.thresholds import MEMORY_SHARE, SMALL_FILES_BYTES, UNPACKED

_CGROUPS = "/proc/self/cgroup"
_CGROUP_LIMITS = {"": ("/sys/fs/cgroup", "memory.max"), "memory": ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")}
"""By controller, as `/proc/self/cgroup` names them, "" for version 2: the root folder, and the file with the limit."""


def memory_limit(session: SessionFacts) -> int:
    """Bytes: the value of `deltasql.memory.limit`, else a share of what this process may use.

    Raises InvalidSettingError.
    """
    text = session.session_value(MEMORY_LIMIT.name)
    value = None if text is None else MEMORY_LIMIT.value(text)
    return value or int(MEMORY_SHARE * available_memory())


@cache
def available_memory() -> int:
    """Bytes of memory that this process may use: the least of the machine's, its cgroup's and its address space's."""
    return min(_limits())


def require_memory(session: SessionFacts, size: int) -> None:
    """Raises LeftToEngineError if data files of `size` bytes are likely to have more rows than the limit allows."""
    limit = memory_limit(session)
    if UNPACKED * size > limit:
        raise LeftToEngineError(
            f"{size:,} bytes are read, whose rows may take more than {MEMORY_LIMIT.name}, {limit:,}"
        )


def files_at_once(session: SessionFacts, largest: int, most: int) -> int:
    """How many files, the largest of so many bytes, are in memory beside their successors: from 1 to `most`.

    As many as there are cores, if they fit; more only if they are small.
    """
    largest = max(1, largest)
    return max(1, min(most, memory_limit(session) // (UNPACKED * largest), max(CORES, SMALL_FILES_BYTES // largest)))


def _limits() -> Iterator[int]:
    with suppress(ValueError, OSError):
        yield os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in _limit_files():
        # Without a limit version 2 says "max".
        with suppress(ValueError, OSError):
            yield int(path.read_text(encoding="ascii"))
    if sys.platform != "win32":
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            yield limit
    yield sys.maxsize


def _limit_files() -> Iterator[Path]:
    """Files with the limits of this process's cgroup and its ancestors; a container sees its own as the root."""
    lines = list[str]()
    with suppress(OSError):
        lines = Path(_CGROUPS).read_text(encoding="utf-8").splitlines()
    parts = (line.split(":", 2) for line in lines if line.count(":") > 1)
    own = {controller: group for _, controllers, group in parts for controller in controllers.split(",")}
    for controller, (root, file) in _CGROUP_LIMITS.items():
        group = PurePosixPath(own.get(controller, "/"))
        yield from (Path(f"{root}{place}", file) for place in (group, *group.parents))
