"""Large Parquet files that Sail reads by itself, where its reader gives the same rows as Spark's.

Columns of other types than the table's, dates of the Julian calendar, and bounds by which a reader may skip rows with
NaN or -0.0, are read by this process instead.

``parquet.`/a/path` `` in queries for Sail, which infers other columns from such files than Spark does.

This process reads the files, with the columns of Spark's reader, where these can be determined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from deltasql.base.errors.base import DeltaSqlError, LeftToEngineError
from deltasql.base.errors.engine import NotOnSailError
from deltasql.base.lazy import pa, pq
from deltasql.engines.spark.session.scratch import frame_of_file
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.session.spark_types import spark_schema
from deltasql.files.foreign.parquet_paths import column_pieces, parquet_files
from deltasql.files.inspection import NAN_SAFE_KEY, float_leaves, footer
from deltasql.files.reading.file_reader import is_of_old_calendar, reader_schema
from deltasql.files.reading.pieces import tables_of
from deltasql.files.threads import working
from deltasql.files.thresholds import FEW_BYTES
from deltasql.log.storage.locations import is_local
from deltasql.plan.base import quote
from deltasql.schema.arrow_types import plain_type
from deltasql.schema.lengths import has_lengths
from deltasql.schema.types import StructType
from deltasql.sql.evaluated.selections import parquet_paths, view_of
from deltasql.sql.references import UsedNames

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltasql.engines.spark.reading.input_size import Workspace

_PLAIN_PATH = re.compile(r"[\w/.=@+-]+")
"""Paths without characters that Sail takes for a pattern, or decodes."""
_MOST_FILES = 1000
"""Of more files the footers take longer to check than the rows of small files to read."""


def parquet_frame(spark: SparkHandle, columns: StructType, paths: Sequence[str], size: int) -> DataFrame | None:
    """Columns of all rows of local files of `size` bytes; None where this process is to read them."""
    plain = not has_lengths(columns) and all(is_local(path) and _PLAIN_PATH.fullmatch(path) for path in paths)
    if size <= FEW_BYTES or not 0 < len(paths) <= _MOST_FILES or not plain or not columns.fields:
        return None
    target = reader_schema(columns)
    with working(len(paths)) as threads:
        if not all(threads.map(lambda path: _is_read_alike(spark, path, target), paths)):
            return None
    return spark.session.read.schema(spark_schema(columns)).parquet(*paths)


def _is_read_alike(spark: SparkHandle, path: str, target: pa.Schema) -> bool:
    """Whether a file has columns of exactly these names and types, and Sail gives their values as Spark does."""
    try:
        metadata = footer(spark.stores, path)
    except DeltaSqlError:
        # The error is raised where this process reads the file.
        return False
    stored = metadata.schema.to_arrow_schema()
    types = {field.name: plain_type(field.type) for field in stored}
    physical = {metadata.schema.column(number).physical_type for number in range(metadata.num_columns)}
    return (
        "INT96" not in physical
        and not is_of_old_calendar(metadata)
        and len({name.lower() for name in stored.names}) == len(stored.names)
        and all(item.name in types and types[item.name].equals(item.type) for item in target)
        and _has_plain_bounds(metadata)
    )


def _has_plain_bounds(metadata: pq.FileMetaData) -> bool:
    """Whether no bound of a floating-point column leaves out NaN, or is a zero, which has two signs."""
    leaves = float_leaves(metadata)
    if not leaves:
        return True
    if NAN_SAFE_KEY.encode() not in (metadata.metadata or {}):
        return False
    return all(bound != 0 for bound in _bounds(metadata, leaves))


def _bounds(metadata: pq.FileMetaData, leaves: Sequence[int]) -> Iterator[float]:
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for leaf in leaves:
            statistics = group.column(leaf).statistics
            if statistics is not None and statistics.has_min_max:
                yield from (statistics.min, statistics.max)


_TAKES_ALL = re.compile(r"\b(?:table|natural)\b|(?:\A|[(>,])\s*from\b", re.IGNORECASE)
"""Syntax that reads all columns without a star or column names."""


def with_parquet_files(spark: SparkHandle, sql: str, work: Workspace) -> str:
    """`sql` with a temporary view in place of each ``parquet.`path` ``. `work` keeps the rows alive.

    Raises UnreadableDataFileError, and what `parquet_files` raises.
    """
    for first, last in reversed(parquet_paths(sql)):
        frame = _frame(spark, *parquet_files(spark.stores, last.name), sql, work)
        view = view_of(last.name)
        frame.createOrReplaceTempView(view)
        sql = sql[: first.start] + quote(view) + sql[last.end :]
    return sql


def _frame(spark: SparkHandle, files: Sequence[str], columns: StructType, sql: str, work: Workspace) -> DataFrame:
    """The rows of all files, with the columns that a query may use. Raises NotOnSailError for Julian-calendar dates."""
    size = sum(store.head(name).size for store, name in map(spark.stores.of_file, files))
    frame = spark.parquet_frame(columns, files, size)
    if frame is not None:
        return frame
    takes_all, named = _TAKES_ALL.search(sql) is not None, UsedNames([sql])
    used = tuple(field for field in columns if takes_all or field.name in named)
    stored = StructType(used or columns.fields[:1])
    try:
        tables = tables_of(column_pieces(spark.stores, files, stored))
        return frame_of_file(spark, tables, reader_schema(stored), work.retain)
    except LeftToEngineError:
        raise NotOnSailError(what="files with dates of the Julian calendar") from None
