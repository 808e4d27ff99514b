"""Data files that the driver reads, as a DataFrame like the one that Spark's own reader makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from deltasql.engine.reading.arrow_rows import fitted
from deltasql.engine.reading.footers import readable
from deltasql.engine.reading.missing_files import missing_file
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.session.spark_types import spark_schema
from deltasql.errors.log import LostDataFileError
from deltasql.interrupts import AGAIN_AFTER, check
from deltasql.log.storage.locations import hadoop_location
from deltasql.log.storage.paths import encode_path
from deltasql.plan.operators import Scan
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.json import type_to_json
from deltasql.schema.lengths import declared_type, has_lengths, length_of, without_lengths
from deltasql.schema.types import (
    LONG,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
)
from deltasql.sql.cursor import LeftToSparkError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType as SparkStruct

_THREADS = 8
_AT_ONCE = 8 << 20
"""Smaller files are fetched whole, with one request."""

_OLD_CALENDAR = (b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96")
"""What Spark says in the footer of a file whose days are those of the Julian calendar before 1582."""

_FIELDS = StructType(
    (
        StructField("file_path", STRING, nullable=False),
        StructField("file_name", STRING, nullable=False),
        StructField("file_size", LONG, nullable=False),
        StructField("file_block_start", LONG, nullable=False),
        StructField("file_block_length", LONG, nullable=False),
        StructField("file_modification_time", TIMESTAMP, nullable=False),
        StructField("row_index", LONG, nullable=False),
    )
)
"""What Spark tells of a row's file. Source: Spark, Hidden File Metadata."""
_DESCRIPTION = StructField("_metadata", _FIELDS, nullable=False)


def driver_rows(
    spark: SparkHandle,
    operator: Scan,
    stored: StructType,
    paths: Sequence[str],
    *,
    may_be_missing: bool,
    told: bool,
    marked: Mapping[str, Callable[[], np.ndarray[Any, Any]]],
) -> DataFrame:
    """The rows of some files with the columns `stored`, and with `told` the struct `_metadata`.

    Those at the positions that `marked` has for a path are left out, or with `marked_only` of the scan all others.

    Files stand in the order of `paths`, absolute and decoded. Raises DataFileNotFoundError for one that is gone, unless
    it `may_be_missing`, UnreadableDataFileError, and LeftToSparkError where one has days of another calendar.
    """
    import pyarrow as pa

    columns = StructType((*without_lengths(stored), *((_DESCRIPTION,) if told else ())))
    tables = file_tables(spark, operator, columns, paths, may_be_missing=may_be_missing, marked=marked)
    found = [table for _, table in tables]
    rows = pa.concat_tables(found) if found else arrow_schema(columns).empty_table()
    return spark.session.createDataFrame(rows, _spark_schema(columns))


def file_tables(
    spark: SparkHandle,
    operator: Scan,
    columns: StructType,
    paths: Sequence[str],
    *,
    may_be_missing: bool = False,
    marked: Mapping[str, Callable[[], np.ndarray[Any, Any]]],
) -> Iterator[tuple[str, pa.Table]]:
    """The rows of each file with `columns`, under their names: see `driver_rows`. Ctrl-C waits for no file.

    Files are read ahead, several at once.
    """
    target = arrow_schema(columns)
    sizes = dict(zip(*(operator.files.column(name).to_pylist() for name in ("location", "size")), strict=True))

    def read(path: str) -> pa.Table | None:
        try:
            rows = _file_rows(spark, path, sizes.get(path), columns, target, dated=operator.described)
            return rows if path not in marked else _live(rows, marked[path](), only=operator.marked_only)
        except LostDataFileError:
            if may_be_missing:
                return None
            raise missing_file(operator, path) from None

    threads = ThreadPoolExecutor(min(_THREADS, max(1, len(paths))))
    try:
        waiting = [(path, threads.submit(read, path)) for path in paths]
        for path, future in waiting:
            while not wait((future,), AGAIN_AFTER).done:
                # Ctrl-C is never raised amid the wait for a thread.
                check()
            table = future.result()
            if table is not None:
                yield path, table
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def _live(rows: pa.Table, marked: np.ndarray[Any, Any], *, only: bool) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    wanted = np.full(rows.num_rows, not only)
    wanted[marked] = only
    return rows.filter(pa.array(wanted))


def arrow_schema(columns: StructType) -> pa.Schema:
    """The columns as PySpark gives them in Arrow."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(_spark_schema(columns), timezone="UTC")


def _spark_schema(columns: StructType) -> SparkStruct:
    """As Spark's reader has it: no column need have a value, but what is told of a file is never NULL."""
    from pyspark.sql.types import StructType as SparkStruct

    told = StructType(tuple(item for item in columns if item is _DESCRIPTION))
    read = spark_schema(StructType(tuple(item for item in columns if item is not _DESCRIPTION)))
    return SparkStruct([*read.fields, *SparkStruct.fromJson(type_to_json(told)).fields])


def _file_rows(
    spark: SparkHandle, path: str, size: int | None, columns: StructType, target: pa.Schema, *, dated: bool
) -> pa.Table:
    """The rows of one file, of `size` bytes in the log, as `target`: columns that it lacks are NULL, narrower types are
    widened. With `dated` it is asked when it was written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    store, file_name = spark.stores.of_file(path)
    with readable(path):
        at = store.head(file_name).modified if dated else 0
        if size is None or size <= _AT_ONCE:
            source = pa.BufferReader(store.read(file_name))
        else:
            source = store.open_input(file_name)
        file = pq.ParquetFile(source, coerce_int96_timestamp_unit="us", pre_buffer=True)
        if any(key in (file.metadata.metadata or {}) for key in _OLD_CALENDAR):
            raise LeftToSparkError
        stored = {name.lower(): name for name in file.schema_arrow.names}
        wanted = [name for item in columns if (name := stored.get(physical_name(item).lower())) is not None]
        rows = file.read(columns=wanted)
        arrays = [
            _told(path, source.size(), at, rows.num_rows, field.type)
            if item is _DESCRIPTION
            else _stored(rows, stored.get(physical_name(item).lower()), item, field.type)
            for item, field in zip(columns, target, strict=True)
        ]
        return pa.Table.from_arrays(arrays, schema=target)


def _stored(rows: pa.Table, name: str | None, item: StructField, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
    """A column of a file, which is called `name` there; NULLs where it lacks it."""
    import pyarrow as pa

    if name is None:
        return pa.nulls(rows.num_rows, kind)
    declared = declared_type(item)
    column = rows.column(name)
    if column.type.equals(kind) and not has_lengths(declared):
        # As it is: columns of many values need no copy.
        return column
    return _padded(fitted(column.combine_chunks(), item.type, kind), declared)


def _padded(values: pa.Array, declared: DataType) -> pa.Array:
    """`values` with blanks behind those of CHAR(n) that another engine did not write to their length."""
    import pyarrow as pa
    import pyarrow.compute as pc

    length = length_of(declared)
    if length is not None and length.kind == "char":
        return pc.utf8_rpad(values, width=length.length, padding=" ")
    if not has_lengths(declared):
        return values
    match declared:
        case StructType():
            children = [_padded(pc.struct_field(values, [at]), item.type) for at, item in enumerate(declared)]
            return pa.StructArray.from_arrays(children, fields=list(values.type), mask=pc.is_null(values))
        case ArrayType(element):
            items = _padded(values.values, element)
            return pa.ListArray.from_arrays(values.offsets, items, type=values.type, mask=pc.is_null(values))
        case MapType(key, value):
            pairs = _padded(values.keys, key), _padded(values.items, value)
            return pa.MapArray.from_arrays(values.offsets, *pairs, type=values.type, mask=pc.is_null(values))
        case _:
            return values


def _told(path: str, size: int, modified: int, rows: int, kind: pa.StructType) -> pa.Array:
    """What Spark tells of a file, for each of its rows. Bytes, and ms since the epoch."""
    import pyarrow as pa

    values: dict[str, Any] = {
        "file_path": spark_uri(path),
        "file_name": encode_path(path.rpartition("/")[2]),
        "file_size": size,
        "file_block_start": 0,
        "file_block_length": size,
        "file_modification_time": datetime.fromtimestamp(modified / 1000, timezone.utc),
    }
    children = [pa.repeat(pa.scalar(values[field.name], field.type), rows) for field in list(kind)[:-1]]
    return pa.StructArray.from_arrays([*children, pa.array(range(rows), pa.int64())], fields=list(kind))


def spark_uri(path: str) -> str:
    """An absolute place as Spark names it in `_metadata.file_path`: encoded, `file:` before a local one."""
    return f"file:{encode_path(path)}" if path.startswith("/") else encode_path(hadoop_location(path))
