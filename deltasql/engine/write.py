"""Rows → new data files in a fresh directory of the table. Nothing refers to them until a commit does."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from deltasql.engine.spark import FOR_WRITES, SparkHandle
from deltasql.engine.staged import HIVE_NULL, ORIGIN, StagedFile, staged_files
from deltasql.errors.engine import RemoteWriteError
from deltasql.errors.write import NestedVoidError
from deltasql.log.actions import AddFile
from deltasql.log.paths import is_local
from deltasql.schema.column_mapping import is_mapped, physical_name, physical_schema
from deltasql.schema.json import schema_to_json
from deltasql.schema.paths import walk
from deltasql.schema.text import path_text, quote_name
from deltasql.schema.types import STRING, VOID, StructType

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


WRITE_OPTIONS = {
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    # The staging directory is ours alone, so that the second rename of version 1 buys nothing.
    "mapreduce.fileoutputcommitter.algorithm.version": "2",
}


@dataclass(frozen=True, slots=True)
class Staged:
    """Files that were written and not yet committed."""

    files: tuple[StagedFile, ...]

    @property
    def adds(self) -> list[AddFile]:
        return [item.add for item in self.files]

    @property
    def rows(self) -> int:
        return sum(item.rows for item in self.files)

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(item.add.size for item in self.files)


class Stage:
    """The place of one statement's new files: `<table>/<uuid>`. `discard` removes all that was written to it.

    Raises RemoteWriteError for a table that lies in object storage.
    """

    def __init__(
        self,
        spark: SparkHandle,
        root: str,
        partition_columns: tuple[str, ...],
        configuration: Mapping[str, str],
    ) -> None:
        if not is_local(root):
            # Spark would write there, but nobody would find and read the footers of the files.
            raise RemoteWriteError(location=root)
        self._spark, self._root = spark, root
        self._partitions, self._configuration = partition_columns, configuration
        self._directories: list[str] = []

    def write(self, rows: DataFrame, schema: StructType, *, origins: bool = False) -> Staged:
        """Writes `rows`, whose columns are `schema`'s (and ORIGIN with `origins`), as Parquet files."""
        refuse_nested_voids(schema)
        directory = uuid4().hex
        self._directories.append(directory)
        stored = StructType(tuple(item for item in schema if item.type != VOID))
        rows = _named_null(rows.drop(*[item.name for item in schema if item.type == VOID]), schema, self._partitions)
        if self._partitions and not origins:
            rows = rows.repartition(*[rows[quote_name(name)] for name in self._partitions])
        if is_mapped(stored):
            rows = _physical(rows, stored, origins)
        by = [physical_name(field) for name in self._partitions if (field := schema.find(name))]
        by = [ORIGIN, *by] if origins else by
        with self._spark.tuned(FOR_WRITES):
            writer = rows.write.options(**WRITE_OPTIONS)
            if by:
                writer = writer.partitionBy(*by)
            writer.parquet(f"{self._root}/{directory}")
        zone = self._spark.session.conf.get("spark.sql.session.timeZone", None) or "UTC"
        files = staged_files(self._root, directory, schema, self._partitions, self._configuration, timezone=zone)
        return Staged(tuple(files))

    def nothing(self) -> Staged:
        """The outcome of writing no row."""
        return Staged(())

    def keep_origins(self, staged: Staged, origins: Collection[str]) -> Staged:
        """`staged` without the files whose origin is not in `origins`; rows without an origin are kept."""
        kept = tuple(item for item in staged.files if item.origin is None or item.origin in origins)
        for item in staged.files:
            if item not in kept:
                Path(item.location).unlink(missing_ok=True)
        return Staged(kept)

    def discard(self) -> None:
        """Removes every file that was staged."""
        for directory in self._directories:
            shutil.rmtree(Path(self._root) / directory, ignore_errors=True)
        self._directories.clear()

    def row_count(self, files: pa.Table) -> int:
        """Live rows in some data files of the table: from the log's statistics, else from the files' footers."""
        import pyarrow.parquet as pq

        counts = live_rows(files)
        paths = files.column("location").to_pylist()
        deleted = deleted_counts(files)
        return sum(
            pq.read_metadata(path).num_rows - gone if rows is None else rows
            for path, rows, gone in zip(paths, counts, deleted, strict=True)
        )


def _named_null(rows: DataFrame, schema: StructType, partitions: Sequence[str]) -> DataFrame:
    """`rows` with NULL for the text that names NULL in a directory: both would go to one file, which fails."""
    from pyspark.sql import functions as F

    texts = [name for name in partitions if (field := schema.find(name)) is not None and field.type == STRING]
    return rows.withColumns({name: F.expr(f"nullif({quote_name(name)}, '{HIVE_NULL}')") for name in texts})


def refuse_nested_voids(schema: StructType) -> None:
    """Raises NestedVoidError for VOID inside a struct, array or map: Parquet cannot hold it, nor leave it out."""
    for path, field in walk(schema):
        if field.type == VOID and len(path) > 1:
            raise NestedVoidError(column=path_text(path))


def live_rows(files: pa.Table) -> list[int | None]:
    """Rows of each file that are not deleted, from the log's statistics; None for a file without them."""
    stats = files.column("stats").to_pylist()
    counts = [json.loads(text).get("numRecords") if text else None for text in stats]
    return [None if rows is None else rows - gone for rows, gone in zip(counts, deleted_counts(files), strict=True)]


def deleted_counts(files: pa.Table) -> list[int]:
    """Rows of each file that its deletion vector marks."""
    if "deletionVector" not in files.column_names:
        return [0] * files.num_rows
    return [(vector or {}).get("cardinality") or 0 for vector in files.column("deletionVector").to_pylist()]


def _physical(rows: DataFrame, schema: StructType, origins: bool) -> DataFrame:
    """`rows` under their physical names, with the field ids that go into the Parquet schema.

    Top-level ids travel in the alias, nested ones in the type of the cast: Spark's optimizer loses any other.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType as SparkStruct

    physical = SparkStruct.fromJson(json.loads(schema_to_json(physical_schema(schema))))
    columns = [
        F.col(quote_name(field.name)).cast(stored.dataType).alias(stored.name, metadata=stored.metadata)
        for field, stored in zip(schema, physical.fields, strict=True)
    ]
    return rows.select(*columns, *([F.col(ORIGIN)] if origins else []))
