"""The directory of a statement's new files, the memory limit of this process, and the session facts for file I/O.

No commit refers to a staged file until the statement commits. The memory limit applies to rows and files that this
process reads for one statement. `RUNNING` names the engines without a JVM that run in this process: a JVM beside them
would not be reached by PySpark.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Protocol
from uuid import uuid4

from deltasql.base import LeftToEngineError, errors, pa, session_settings
from deltasql.files.reading.file_reader import CORES, Piece
from deltasql.files.thresholds import MEMORY_SHARE, STORE_BYTES, UNPACKED
from deltasql.files.writing.arrow_files import (
    CHANGE_DATA,
    Staged,
    StagedFile,
    WrittenFile,
    staged_files,
    write_literals,
    write_memory_rows,
    write_pieces,
)
from deltasql.files.writing.successors import (
    MOST_FILES,
    CompactionGroup,
    NewRows,
    RewrittenFile,
    Successors,
    copy_unchanged,
    united_files,
)
from deltasql.log import AddCDCFile, Stores, TableProperties, compat_tags, decode_path, table_properties
from deltasql.plan import ANY_SHAPE, FileShape, Literals, MemoryRows
from deltasql.schema import VOID, StructType, physical_name, quote_name


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
    text = session.session_value(session_settings.MEMORY_LIMIT.name)
    value = None if text is None else session_settings.MEMORY_LIMIT.value(text)
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
            f"{size:,} bytes are read, whose rows may take more than {session_settings.MEMORY_LIMIT.name}, {limit:,}"
        )


def files_at_once(session: SessionFacts, largest: int, most: int) -> int:
    """How many files, the largest of so many bytes, are in memory beside their successors: from 1 to `most`.

    As many as there are cores, if they fit; more only if they are small.
    """
    largest = max(1, largest)
    return max(1, min(most, memory_limit(session) // (UNPACKED * largest), max(CORES, STORE_BYTES // largest)))


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


class FileStage:
    """The directory of one statement's new files, `<table>/<uuid>`, which this process writes by Arrow.

    `discard` removes all that was written to it. With `stores_partitions` files hold the partition columns too. The
    table's property of the compression counts where `shape` has none, and that of Parquet's version.
    """

    def __init__(
        self,
        session: SessionFacts,
        root: str,
        partition_columns: tuple[str, ...],
        configuration: Mapping[str, str],
        *,
        stores_partitions: bool = False,
        shape: FileShape = ANY_SHAPE,
    ) -> None:
        properties = TableProperties(configuration)
        codec, version = properties[table_properties.COMPRESSION_CODEC], properties[table_properties.PARQUET_VERSION]
        self._shape = replace(shape, codec=shape.codec or codec, format_version=version)
        self._session, self._root, self._store = session, root, session.stores.open(root)
        self._partitions, self._configuration = partition_columns, configuration
        self.stores_partitions = stores_partitions
        self._directories: list[str] = []
        self._filled: list[str] = []
        self._files: list[str] = []
        self._needed = False

    def succeed_with(
        self,
        rewritten: Sequence[RewrittenFile],
        parts: Sequence[tuple[Mapping[str, str | None], pa.Table]],
        schema: StructType,
        changed: Iterable[str] = (),
        *,
        changes: bool = False,
    ) -> Staged:
        """As `succeed`, with rows in memory: see `NewRows`."""
        names = frozenset(physical_name(field) for name in changed if (field := schema.find(name)) is not None)
        directory = self._new_directory(changes=changes)
        largest = max((item.size for item in rewritten), default=0)
        at_once = files_at_once(self._session, largest, MOST_FILES)
        copied = copy_unchanged(self._store, rewritten, NewRows(parts, names), directory, schema, at_once, self._shape)
        successors = self._successors(copied.successors, schema)
        if not (copied.others or copied.feed):
            return Staged(tuple(successors))
        others = self._staged(copied.others, schema, self._zone, ())
        return Staged((*successors, *others), self._feed(copied.feed, schema, self._zone))

    def unite(self, bins: Sequence[CompactionGroup], schema: StructType) -> Staged:
        """Writes one file for each bin by Arrow, which is its `origin`. Raises what reading the files raises."""
        at_once = files_at_once(self._session, max((item.size for item in bins), default=0), MOST_FILES)
        written = united_files(self._store, bins, self._new_directory(), schema, at_once, self._shape)
        return Staged(tuple(self._successors(written, schema)))

    def _successors(self, written: Successors, schema: StructType) -> list[StagedFile]:
        """Partition values are as they are spelled in the log."""
        files = self._staged([file for _, file in written], schema, "UTC", ())
        return [
            replace(file, add=replace(file.add, partition_values=rows.partition_values), origin=rows.origin)
            for file, (rows, _) in zip(files, written, strict=True)
        ]

    @property
    def may_splice(self) -> bool:
        """Whether a new file may hold what was written into another one, under properties of the table that were others
        then: readers of Iceberg are promised that nothing is older than these.
        """
        return not compat_tags(self._configuration)

    @property
    def _indexed(self) -> Mapping[str, str]:
        """The table's properties as they count for the statistics of new files."""
        if session_settings.COLLECT_STATISTICS.value(
            self._session.session_value(session_settings.COLLECT_STATISTICS.name)
        ):
            return self._configuration
        others = {
            key: value for key, value in self._configuration.items() if key != table_properties.STATS_COLUMNS.name
        }
        return {**others, table_properties.INDEXED_COLUMNS.name: "0"}

    @property
    def _zone(self) -> str:
        """The zone in which partitions' timestamps are written."""
        return self._session.current_value("spark.sql.session.timeZone") or "UTC"

    def _feed(self, files: Sequence[WrittenFile], schema: StructType, zone: str) -> tuple[AddCDCFile, ...]:
        return tuple(
            AddCDCFile(item.add.path, item.add.partition_values, item.add.size)
            for item in self._staged(files, schema, zone, ())
        )

    def _new_directory(self, *, changes: bool = False) -> str:
        directory = uuid4().hex
        self._directories += [directory, f"{CHANGE_DATA}/{directory}"] if changes else [directory]
        return directory

    def _refuse_voids_alone(self, schema: StructType) -> None:
        """Raises NothingToHoldError: a file without columns has no rows, which would be lost without a word."""
        stored = [item for item in schema if self.stores_partitions or item.name not in self._partitions]
        if stored and all(item.type == VOID for item in stored):
            raise errors.NothingToHoldError(", ".join(quote_name(item.name) for item in stored))

    def write_literals(self, rows: Literals) -> Staged:
        """Writes rows that are known already, without Spark. Raises NothingToHoldError."""
        return self._written(write_literals, rows)

    def write_memory_rows(self, rows: MemoryRows) -> Staged:
        """Writes rows that the caller has in memory, without Spark. Raises NothingToHoldError."""
        return self._written(write_memory_rows, rows)

    def write_changes(self, rows: MemoryRows) -> Staged:
        """Writes rows of the change data feed, which have CHANGE_TYPE besides the columns of the table."""
        directory = f"{CHANGE_DATA}/{self._new_directory(changes=True)}"
        written = self._files_of(write_memory_rows, rows, directory)
        return Staged((), self._feed(written, rows.schema, "UTC"))

    def _written(self, write: Callable[..., Sequence[WrittenFile]], rows: Literals | MemoryRows) -> Staged:
        self._refuse_voids_alone(rows.schema)
        written = self._files_of(write, rows, self._new_directory())
        return Staged(tuple(self._staged(written, rows.schema, "UTC", ())))

    def _files_of(
        self, write: Callable[..., Sequence[WrittenFile]], rows: Literals | MemoryRows, directory: str
    ) -> Sequence[WrittenFile]:
        return write(
            self._store,
            directory,
            rows,
            self._partitions,
            stores_partitions=self.stores_partitions,
            shape=self._shape,
        )

    def write_pieces(self, pieces: Iterable[Piece], schema: StructType) -> Staged:
        """Writes rows while they are read: see `write_pieces`. Only for tables without partitions.

        Raises NothingToHoldError.
        """
        self._refuse_voids_alone(schema)
        names = [physical_name(item) for item in schema]
        stored = (piece.mapped(lambda rows: rows.rename_columns(names)) for piece in pieces)
        written = write_pieces(self._store, self._new_directory(), stored, schema, self._shape)
        return Staged(tuple(self._staged(written, schema, "UTC", ())))

    def _staged(
        self,
        written: Sequence[WrittenFile],
        schema: StructType,
        zone: str,
        unindexed: Sequence[str],
    ) -> list[StagedFile]:
        directories = dict.fromkeys(_statement_directory(item.path) for item in written)
        self._filled += [directory for directory in directories if directory not in self._filled]
        return staged_files(
            self._root,
            written,
            schema,
            self._partitions,
            self._indexed,
            timezone=zone,
            unindexed=unindexed,
        )

    def nothing(self) -> Staged:
        """The outcome of writing no row."""
        return Staged(())

    def retain_origins(self, staged: Staged, origins: Collection[str]) -> Staged:
        """`staged` without the files whose origin is not in `origins`; rows without an origin stay."""
        files = tuple(item for item in staged.files if item.origin is None or item.origin in origins)
        self._store.delete_all([decode_path(item.add.path) for item in staged.files if item not in files])
        return replace(staged, files=files)

    def also(self, path: str) -> None:
        """Counts a file of the table, written by another writer, as staged."""
        self._files.append(path)

    @property
    def directories(self) -> tuple[str, ...]:
        """The folders of the table that hold what was staged."""
        return tuple(self._filled)

    def need(self, needed: bool) -> None:
        """Says that a commit refers to the files, or may do so: they are not discarded then."""
        self._needed = needed

    def discard(self) -> None:
        """Removes every file that was staged, unless a commit may need them."""
        if self._needed:
            return
        with suppress(errors.StorageError):
            # What is left is nobody's, and VACUUM finds it.
            for directory in self._directories:
                self._store.delete_below(directory)
            self._store.delete(self._files)
        self._directories.clear()
        self._filled.clear()
        self._files.clear()


def _statement_directory(path: PurePosixPath) -> str:
    """The directory of one statement that a path is in."""
    return "/".join(path.parts[: 2 if path.parts[0] == CHANGE_DATA else 1])
