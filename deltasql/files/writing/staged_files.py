"""New data files in a directory of the table, as actions for the log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from deltasql.base.lazy import pq
from deltasql.base.timezone import zone as session_zone
from deltasql.files.staged import StagedFile
from deltasql.files.statistics.of_footers import FloatBounds, file_statistics, stats_json
from deltasql.log.actions.actions import AddFile
from deltasql.log.configuration.iceberg_compat import compat_tags
from deltasql.log.configuration.properties import IndexRule, index_rule
from deltasql.log.properties.property_registry import DELETION_VECTORS, TableProperties
from deltasql.log.storage.locations import encode_path
from deltasql.log.storage.log_store import Entry, LogStore
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.json import HIVE_NULL
from deltasql.schema.types import TIMESTAMP, StructType

ORIGIN = "deltasql_origin"
"""A directory of it is one per origin. Names that begin with `_` would be hidden from every VACUUM."""
DIRECTORY_PREFIX = "deltasql_dir_"
"""Marks the directories of partition columns that stay in the files."""
CHANGE_DATA = "_change_data"
"""The folder of the table that the change data feed is in."""
_THREADS = 8


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A data file that no commit names yet: its path below the table, bytes, ms since the epoch, and its footer.

    `floats` are the bounds of columns that Arrow's footers do not tell, by path. `statistics` are statistics that go
    before what the footer tells: minValues, maxValues and nullCount of some columns.
    """

    path: PurePosixPath
    size: int
    modified: int
    footer: pq.FileMetaData
    floats: Mapping[str, FloatBounds] | None = None
    statistics: Mapping[str, Any] | None = None


def written_files(store: LogStore, directory: str, committed: Collection[str] | None = None) -> list[WrittenFile]:
    """The Parquet files below a directory of a table, in order of path; those without a row are deleted.

    So are others than those `committed`, by their paths below the directory, where that is known: attempts of tasks
    that did not come to their end have left them. Each costs one request of an object store, beside the listing.
    """
    entries = data_entries(store, directory)
    if committed is not None:
        paths = {f"{directory}/{path}" for path in committed}
        store.delete_all([entry.path for entry in entries if entry.path not in paths])
        entries = [entry for entry in entries if entry.path in paths]

    def read(entry: Entry) -> WrittenFile:
        footer = pq.read_metadata(store.open_input(entry.path, entry.size))
        return WrittenFile(PurePosixPath(entry.path), entry.size, entry.modified, footer)

    if len(entries) == 1:
        # Threads cost more than the one footer: 1.2 ms.
        files = [read(entries[0])]
    else:
        with ThreadPoolExecutor(min(_THREADS, max(1, len(entries)))) as threads:
            files = list(threads.map(read, entries))
    store.delete_all([str(item.path) for item in files if item.footer.num_rows == 0])
    return [item for item in files if item.footer.num_rows]


def data_entries(store: LogStore, directory: str) -> list[Entry]:
    """The Parquet files below a directory, in order of path, those without a row too; their footers are not read."""
    return [entry for entry in store.list_below(directory) if _is_data(entry)]


def _is_data(entry: Entry) -> bool:
    """A task that failed may have left files where Spark keeps those of tasks that are not over."""
    return entry.name.endswith(".parquet") and entry.name[0] not in "._" and "/_temporary/" not in entry.path


def staged_files(
    root: str,
    written: Iterable[WrittenFile],
    schema: StructType,
    partition_columns: Sequence[str],
    configuration: Mapping[str, str],
    *,
    timezone: str = "UTC",
    unindexed: Sequence[str] = (),
) -> list[StagedFile]:
    """Files in `<directory>[/<ORIGIN>=…][/p=v…]` below the table at `root` as actions, in their order.

    Directories may be named by logical or physical columns. `timezone` is the zone in which Spark wrote timestamps of
    partitions; the columns `unindexed` get no statistics. Raises ValueError when a file does not lie below a directory
    for each partition column.
    """
    has_vectors = TableProperties(configuration).switches_on(DELETION_VECTORS)
    table = _Table(
        schema,
        tuple(partition_columns),
        index_rule(configuration),
        has_vectors or None,
        session_zone(timezone),
        (*partition_columns, *unindexed),
        compat_tags(configuration) or None,
    )
    return [table.staged(item, root) for item in written]


@dataclass(frozen=True, slots=True)
class _Table:
    schema: StructType
    partition_columns: tuple[str, ...]
    rule: IndexRule
    tight_bounds: bool | None
    zone: tzinfo
    unindexed: tuple[str, ...]
    tags: Mapping[str, str | None] | None

    def staged(self, file: WrittenFile, root: str) -> StagedFile:
        """A file as an action."""
        directories = directory_values(file.path)
        statistics = file_statistics(
            file.footer, self.schema, self.unindexed, self.rule, self.tight_bounds, file.floats
        )
        for kind, values in (file.statistics or {}).items():
            counts = {**statistics[kind], **values}
            statistics[kind] = {name: counts[name] for name in map(physical_name, self.schema) if name in counts}
        add = AddFile(
            encode_path(str(file.path)),
            self.partition_values(directories, file.path),
            file.size,
            file.modified,
            stats=stats_json(statistics),
            tags=self.tags,
        )
        return StagedFile(add, file.footer.num_rows, directories.get(ORIGIN), f"{root}/{file.path}")

    def partition_values(self, directories: Mapping[str, str | None], path: PurePosixPath) -> dict[str, str | None]:
        """Values by physical name, as strings of the log."""
        values = {}
        for name in self.partition_columns:
            column = self.schema.find(name)
            physical = name if column is None else physical_name(column)
            written = next((item for item in _directories(physical, name) if item in directories), None)
            if written is None:
                raise ValueError(f"{path} does not lie below a directory of partition column {name}")
            value = directories[written]
            is_timestamp = column is not None and column.type == TIMESTAMP
            values[physical] = utc_text(value, self.zone) if value is not None and is_timestamp else value
        return values


def _directories(physical: str, name: str) -> tuple[str, ...]:
    return physical, name, f"{DIRECTORY_PREFIX}{physical}"


def directory_values(path: PurePosixPath) -> dict[str, str | None]:
    """Values by column name of the `name=value` directories in `path`; Hive's name for null is None."""
    pairs = (part.partition("=") for part in path.parent.parts if "=" in part)
    return {unquote(name): None if value == HIVE_NULL else unquote(value) for name, _, value in pairs}


def utc_text(value: str, zone: tzinfo) -> str:
    """A timestamp of a partition as `yyyy-MM-ddTHH:mm:ss.SSSSSSZ`.

    `value` are microseconds since the epoch, or a text, which is in `zone` where it has none.
    """
    if value.lstrip("-").isdecimal():
        moment = datetime(1970, 1, 1) + timedelta(microseconds=int(value))
        return f"{moment.isoformat(timespec='microseconds')}Z"
    whole, _, fraction = value.partition(".")
    digits = fraction.rstrip("Z")
    moment = datetime.fromisoformat(whole.rstrip("Z").replace(" ", "T"))
    moment = moment.replace(tzinfo=timezone.utc if value.endswith("Z") else zone).astimezone(timezone.utc)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='seconds')}.{digits[:6]:0<6}Z"
