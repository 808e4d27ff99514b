"""Row ids (row tracking) as columns: stored for a moved row, else base row id of the file plus row index.

A rewrite keeps row ids in three steps, as a compaction does: it reads with `binding.scan(…, with_ids=True)`, so that
each row has ROW_ID and ROW_VERSION; it passes both columns on (NULL version for a changed row, NULL for both in a new
row); and it passes the scan's `row_ids` to `Stage.write`, which stores them under the table's names. A scan of a table
without row tracking has no `row_ids`, and none of this happens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from deltasql.base.lazy import F, pa
from deltasql.engines.spark.session.local_rows import lookup
from deltasql.plan.base import (
    DESCRIBED,
    FIRST_ID,
    FIRST_VERSION,
    ID_FILE,
    ID_POSITION,
    MOVED_ID,
    MOVED_VERSION,
    ROW_ID,
    ROW_VERSION,
    quote,
)
from deltasql.plan.operators import METADATA, ROW_ID_COLUMNS, Scan
from deltasql.schema.types import LONG, StructField

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    from deltasql.engines.spark.session.spark import SparkHandle

_FILE_FIELDS = {
    "file_path": "STRING",
    "file_name": "STRING",
    "file_size": "BIGINT",
    "file_block_start": "BIGINT",
    "file_block_length": "BIGINT",
    "file_modification_time": "TIMESTAMP",
    "row_index": "BIGINT",
}
_ID_FIELDS = {
    "row_id": ROW_ID,
    "base_row_id": FIRST_ID,
    "default_row_commit_version": FIRST_VERSION,
    "row_commit_version": ROW_VERSION,
}


def stored_fields(operator: Scan) -> tuple[StructField, ...]:
    """Data file columns that store the ids and versions of moved rows; NULL in files that lack them."""
    columns = operator.row_ids
    return () if columns is None else (StructField(columns.row_id, LONG), StructField(columns.version, LONG))


def read_columns(operator: Scan, file_key: str) -> dict[str, str]:
    """Hidden columns that a read adds for row ids and METADATA: name → SQL. `file_key` is SQL of the file's key."""
    columns = {DESCRIBED: "_metadata"} if operator.described else {}
    if operator.row_ids is not None:
        columns |= {ID_FILE: file_key, ID_POSITION: "_metadata.row_index"}
        columns |= {MOVED_ID: quote(operator.row_ids.row_id), MOVED_VERSION: quote(operator.row_ids.version)}
    return columns


def with_row_ids(
    spark: SparkHandle, operator: Scan, frame: DataFrame, paths: Sequence[str], key_of: Callable[[str], str]
) -> DataFrame:
    """`frame`, which has the columns of `read_columns`, with ROW_ID, ROW_VERSION and METADATA as the scan requests."""
    if operator.row_ids is not None:
        frame = _with_first_ids(spark, operator, frame, paths, key_of)
        row_id, version = (
            f"coalesce({MOVED_ID}, {FIRST_ID} + {ID_POSITION})",
            f"coalesce({MOVED_VERSION}, {FIRST_VERSION})",
        )
        frame = frame.withColumns({ROW_ID: F.expr(row_id), ROW_VERSION: F.expr(version)})
    return frame.withColumn(METADATA, F.expr(_description(operator))) if operator.described else frame


def _with_first_ids(
    spark: SparkHandle, operator: Scan, frame: DataFrame, paths: Sequence[str], key_of: Callable[[str], str]
) -> DataFrame:
    """`frame` with the base row id and commit version of each row's file: literals for one file, else a small join."""
    selected = set(paths)
    columns = [operator.files.column(name).to_pylist() for name in ("location", *ROW_ID_COLUMNS)]
    firsts = [(key_of(path), *rest) for path, *rest in zip(*columns, strict=True) if path in selected]
    if len(firsts) == 1:
        ((_, first, version),) = firsts
        literals = {FIRST_ID: F.lit(first).cast("bigint"), FIRST_VERSION: F.lit(version).cast("bigint")}
        return frame.withColumns(literals)
    files, ids, versions = zip(*firsts, strict=True)
    id_columns = {ID_FILE: (pa.string(), files), FIRST_ID: (pa.int64(), ids), FIRST_VERSION: (pa.int64(), versions)}
    return frame.join(F.broadcast(lookup(spark, id_columns)), ID_FILE)


def without_ids(scan: Scan) -> Scan:
    """`scan` without row ids, for a job that only searches for rows."""
    return scan if scan.row_ids is None else replace(scan, row_ids=None)


def metadata_type(operator: Scan) -> str:
    """The SQL type of the column METADATA."""
    ids = dict.fromkeys(_ID_FIELDS, "BIGINT") if operator.row_ids is not None else {}
    return f"STRUCT<{', '.join(f'{name}: {kind}' for name, kind in {**_FILE_FIELDS, **ids}.items())}>"


def _description(operator: Scan) -> str:
    """SQL that computes the column METADATA."""
    if operator.row_ids is None:
        return DESCRIBED
    fields = {**{name: f"{DESCRIBED}.{name}" for name in _FILE_FIELDS}, **_ID_FIELDS}
    return f"named_struct({', '.join(f'{name!r}, {value}' for name, value in fields.items())})"
