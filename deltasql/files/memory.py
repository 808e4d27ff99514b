"""The memory limit for rows and files that this process reads for one statement.

Session properties that in-process evaluation depends on, for any engine.

Engines without a JVM that run in this process: a JVM beside them would not be reached by PySpark.

The sizes that decide between in-process evaluation and the engine, and between driver and executors for file I/O.

Sizes are bytes of Parquet data files, unless stated otherwise.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Protocol

from deltasql.base.errors.base import LeftToEngineError
from deltasql.base.settings.session_settings import MEMORY_LIMIT
from deltasql.files.reading.file_reader import CORES
from deltasql.log.storage.stores import Stores

TINY_BYTES = 1 << 20
"""Input of Spark below which planning costs more than rows: 3 MB are 300,000 rows already, which want generated code.

On a local disk this process reads and writes so little for Spark: a job of Spark's takes 0.1 s more.
"""
FEW_BYTES = 8 << 20
"""A table of so many bytes is read whole, and rewritten in one pass rather than searched first."""
FEW_FILES = 64
"""Spark rewrites a table of so many files in one pass, and names them in its plans."""
READ_FILES = 1_000
"""This process reads a table of so many files whole: half a millisecond each, where Spark takes seconds to start."""
STORE_BYTES = 64 << 20
"""In an object store this process moves so many bytes itself: to start a Spark with connectors takes longer."""

IN_MEMORY_BYTES = 128 << 20
"""Of files whose rows are in memory at once, some hundred MB there."""
SMALL_FILES_BYTES = 64 << 20
"""Of files that are rewritten side by side, beyond one for each core: more hides the time of requests, not of cores."""
FILE_BYTES = 256 << 20
"""A file that is larger is not rewritten in this process: it and its successor are in memory side by side."""
RESULT_BYTES = 1 << 30
"""Of files whose rows go to the caller: beyond, Spark says how much of a result it lets through."""

MEMORY_SHARE = 0.5
"""Of the memory that this process may use: the rows that it holds for a statement; the engine needs the other half."""
UNPACKED = 4
"""Rows in memory take so many times the bytes of their Parquet files: 3.2 for TPC-H's lineitem, 4 for short texts."""

CHANGED_ROWS = 1_000_000
"""So many rows that change are computed in this process; of more, executors write files side by side."""
CHANGED_PART = 0.5
"""Of the rows of the files that are rewritten: beyond, to copy the others saves less than the search costs."""
FEW_CHANGED_ROWS = 100_000
"""So many rows are computed and written here at any share of their files: less work than a job of the engine."""
CHOSEN_ROWS = 1_000_000
"""Rows that a WHERE of a SELECT in this process may choose, and sort."""
GROUPS = 10_000
"""Groups of an aggregate query in this process: each is an object of Python."""
SPLIT_BYTES = 4 << 20
"""One task of Spark reads a file of so many bytes, and so adds its numbers in their order."""
JOINED_PAIRS = 4_000_000
"""Pairs of rows that meet in a join in this process: 0.2 s, and 64 MB of indexes."""

BROADCAST_ROWS = 1_000_000
"""A source of MERGE of so many rows is sent to every task of Spark, and so joined without a shuffle of the target."""
LISTED_ROWS = 20_000
"""So many row indexes come from Spark as a list; beyond, it makes bitmaps of them."""
COUNTED_ROWS = 50_000
"""More rows that a query makes or joins are worth generated code: a GROUP BY of a million takes seven times as long."""
SOURCE_PART = 0.25
"""A source of more than this part of the target's rows leaves out too few of them for its keys to be looked for."""
LEAST_ROWS = 100_000
"""A target of fewer rows is joined sooner than the keys of the source are fetched."""
MOST_BITS = 1 << 26
"""Deleted row indexes are sent to every task of Spark as a bitmap of so many bits, 8 MiB."""
MOST_BROADCAST_ROWS = 2_000_000
"""So many deleted row indexes are sent to every task for a join; of more, both sides are shuffled."""
KEYED_BYTES = 256 << 20
"""In memory: more rows that have one of the source's keys are read by Spark itself."""
SENT_BYTES = 1 << 20
"""In memory: more rows go to Sail by way of a file, which both see."""
FEW_SENT_BYTES = 256 << 10
"""Of files that this process reads for Sail: to copy the rows that stay is faster from 20,000 rows on."""
NUMBERED_FILES = 256
"""So many files are named in SQL by their number, with a comparison for each."""


class SessionFacts(Protocol):
    """The session's settings and stores, and where its engine runs. Members start no engine unless they say so."""

    @property
    def stores(self) -> Stores:
        """The stores of the tables."""

    @property
    def is_in_process(self) -> bool:
        """Whether the engine runs inside this process (no JVM, no remote server) and so reads the local disk."""

    @property
    def is_on_this_machine(self) -> bool:
        """Whether the executors are, or will be, threads of this machine, so that they see its disk."""

    @property
    def shares_disk(self) -> bool:
        """As `is_on_this_machine`, asked of the running engine, which is started if it does not run."""

    @property
    def reads_files(self) -> bool:
        """Whether the engine reads and writes data files by itself. Starts the engine."""

    @property
    def leaves_files_to_us(self) -> bool:
        """True if no setting configures Spark's Parquet reader or writer, so that this process may do the file I/O."""

    def session_value(self, key: str) -> str | None:
        """The value that SET gave to a deltasql setting in this session; None if it is not set."""

    def current_value(self, key: str) -> str | None:
        """The current value of a setting in the engine's session. Starts the engine."""

    def reaches(self, location: str) -> bool:
        """Whether executors can access an object store with this session's credentials. Starts the engine."""

    def has_other_keys(self, location: str) -> bool:
        """Whether Spark has credentials for a store that differ from this session's. Starts the engine."""

    def require_fetching(self) -> None:
        """Raises LeftToEngineError where only the engine may return a table's rows to the caller."""

    def require_computing(self) -> None:
        """Raises LeftToEngineError where settings may change the meaning of expressions, or reserve file I/O for the
        engine.
        """


RUNNING: list[str] = []
"""Their names. An engine that has begun stays until the process ends."""


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
