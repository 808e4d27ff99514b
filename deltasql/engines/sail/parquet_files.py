"""Large Parquet files that Sail reads by itself, where its reader gives the same rows as Spark's.

Columns of other types than the table's, dates of the Julian calendar, and bounds by which a reader may skip rows with
NaN or -0.0, are read by this process instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from deltasql.datafiles.arrow_types import plain_type
from deltasql.datafiles.inspection import NAN_SAFE_KEY, float_leaves, footer
from deltasql.datafiles.reading.file_reader import reader_schema
from deltasql.datafiles.reading.old_calendar import is_of_old_calendar
from deltasql.datafiles.threads import working
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.session.spark_types import spark_schema
from deltasql.engines.thresholds import FEW_BYTES
from deltasql.errors.base import DeltaSqlError
from deltasql.lazy import pa, pq
from deltasql.log.storage.locations import is_local
from deltasql.schema.lengths import has_lengths
from deltasql.schema.types import StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

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
