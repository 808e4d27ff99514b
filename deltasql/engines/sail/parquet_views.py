"""``parquet.`/a/path` `` in queries for Sail, which infers other columns from such files than Spark does.

This process reads the files, with the columns of Spark's reader, where these can be determined.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from deltasql.datafiles.foreign.parquet_paths import column_pieces, parquet_files
from deltasql.datafiles.reading.file_reader import reader_schema
from deltasql.datafiles.reading.pieces import tables_of
from deltasql.engines.spark.session.scratch import frame_of_file
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.errors.engine import NotOnSailError
from deltasql.plan.base import quote
from deltasql.schema.types import StructType
from deltasql.sql.cursor import LeftToEngineError
from deltasql.sql.evaluated.parquet_paths import parquet_paths, view_of
from deltasql.sql.references import UsedNames

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltasql.engines.spark.reading.workspace import Workspace

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
