"""Data files that Spark wrote into a directory of the table, as actions for the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone, tzinfo
from pathlib import Path
from urllib.parse import unquote

from deltasql.engine.writing.file_statistics import file_statistics, stats_json
from deltasql.log.actions.actions import AddFile
from deltasql.log.configuration.iceberg_compat import compat_tags
from deltasql.log.configuration.indexed_columns import IndexRule, index_rule
from deltasql.log.properties.property_registry import DELETION_VECTORS
from deltasql.log.properties.table_properties import TableProperties
from deltasql.log.storage.paths import encode_path
from deltasql.runtime import StagedFile
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.timezone import zone as session_zone
from deltasql.schema.types import TIMESTAMP, StructType

ORIGIN = "deltasql_origin"
"""A directory of it is one per origin. Names that begin with `_` would be hidden from every VACUUM."""
DIRECTORY_PREFIX = "deltasql_dir_"
"""Marks the directories of partition columns that stay in the files."""
HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
_THREADS = 8


def staged_files(
    root: str,
    directory: str,
    schema: StructType,
    partition_columns: Sequence[str],
    configuration: Mapping[str, str],
    *,
    timezone: str = "UTC",
    unindexed: Sequence[str] = (),
    plain_floats: bool = False,
) -> list[StagedFile]:
    """The files below `<root>/<directory>[/<ORIGIN>=…][/p=v…]`, in order of path; files without a row are deleted.

    Directories may be named by logical or physical columns. `timezone` is the zone in which Spark wrote timestamps of
    partitions; the columns `unindexed` get no statistics. With `plain_floats` it is known that no value is NaN or a
    negative zero. Raises ValueError when a file does not lie below a directory for each partition column.
    """
    has_vectors = TableProperties(configuration).switches_on(DELETION_VECTORS)
    table = _Table(
        Path(root),
        schema,
        tuple(partition_columns),
        index_rule(configuration),
        has_vectors or None,
        session_zone(timezone),
        (*partition_columns, *unindexed),
        compat_tags(configuration) or None,
        plain_floats,
    )
    paths = data_files(Path(root) / directory)
    if len(paths) == 1:
        # Threads cost more than the one footer: 1.2 ms.
        only = table.staged(paths[0])
        return [] if only is None else [only]
    with ThreadPoolExecutor(min(_THREADS, max(1, len(paths)))) as threads:
        found = list(threads.map(table.staged, paths))
    return [item for item in found if item is not None]


def data_files(directory: Path) -> list[Path]:
    """Parquet files below `directory`, in order of path; names that begin with `.` or `_` are not data."""
    found = (path for path in directory.rglob("*.parquet") if path.name[0] not in "._")
    # A partition value may look like a file's name.
    return sorted(path for path in found if path.is_file())


@dataclass(frozen=True, slots=True)
class _Table:
    root: Path
    schema: StructType
    partition_columns: tuple[str, ...]
    rule: IndexRule
    tight_bounds: bool | None
    zone: tzinfo
    unindexed: tuple[str, ...]
    tags: Mapping[str, str | None] | None
    plain_floats: bool

    def staged(self, path: Path) -> StagedFile | None:
        """The file at `path` as an action; None, and the file is gone, when it has no row."""
        import pyarrow.parquet as pq

        footer = pq.read_metadata(path)
        if footer.num_rows == 0:
            _delete(path)
            return None
        relative, status = path.relative_to(self.root), path.stat()
        directories = directory_values(relative)
        statistics = file_statistics(
            footer, self.schema, self.unindexed, self.rule, self.tight_bounds, plain_floats=self.plain_floats
        )
        add = AddFile(
            encode_path(relative.as_posix()),
            self.partition_values(directories, relative),
            status.st_size,
            status.st_mtime_ns // 1_000_000,
            stats=stats_json(statistics),
            tags=self.tags,
        )
        return StagedFile(add, footer.num_rows, directories.get(ORIGIN), str(path))

    def partition_values(self, directories: Mapping[str, str | None], path: Path) -> dict[str, str | None]:
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


def _delete(path: Path) -> None:
    path.unlink(missing_ok=True)
    # Hadoop's local file system keeps a checksum beside each file.
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def directory_values(path: Path) -> dict[str, str | None]:
    """Values by column name of the `name=value` directories in `path`; Hive's name for null is None."""
    pairs = (part.partition("=") for part in path.parent.parts if "=" in part)
    return {unquote(name): None if value == HIVE_NULL else unquote(value) for name, _, value in pairs}


def utc_text(value: str, zone: tzinfo) -> str:
    """A timestamp of a partition as `yyyy-MM-ddTHH:mm:ss.SSSSSSZ`; `value` without a zone is in `zone`."""
    whole, _, fraction = value.partition(".")
    digits = fraction.rstrip("Z")
    moment = datetime.fromisoformat(whole.rstrip("Z").replace(" ", "T"))
    moment = moment.replace(tzinfo=timezone.utc if value.endswith("Z") else zone).astimezone(timezone.utc)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='seconds')}.{digits[:6]:0<6}Z"
