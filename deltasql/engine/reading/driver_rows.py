"""Data files that the driver reads, as a DataFrame like the one that Spark's own reader makes of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from deltasql.engine.reading.arrow_rows import fitted
from deltasql.engine.reading.footers import readable
from deltasql.engine.reading.missing_files import missing_file
from deltasql.engine.reading.old_calendar import has_old_days
from deltasql.engine.reading.workspace import Workspace
from deltasql.engine.session.scratch import frame_of_file
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.session.spark_types import spark_schema
from deltasql.engine.session.threads import awaited, working
from deltasql.engine.session.transfer import is_handed_out
from deltasql.errors.log import LostDataFileError
from deltasql.log.storage.locations import hadoop_location
from deltasql.log.storage.paths import encode_path
from deltasql.plan.hidden import ROW_PLACE
from deltasql.plan.operators import Scan
from deltasql.schema.column_mapping import physical_name
from deltasql.schema.json import type_to_json
from deltasql.schema.lengths import declared_type, has_lengths, length_of, without_lengths
from deltasql.schema.literals import sql_literal
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
    import pyarrow.parquet as pq
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType as SparkStruct

_AT_ONCE = 8 << 20
"""Smaller files are fetched whole, with one request."""

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
PLACE = StructField(ROW_PLACE, LONG, nullable=False)
"""Where a row stands, in eight bytes: the number of its file in the scan, above its position in the file."""
_ROW_BITS = 40
MOST_NUMBERED_FILES = 256
"""The name of a row's file is found by comparing with the number of each."""
FILE_NUMBER_SQL = f"shiftright({ROW_PLACE}, {_ROW_BITS})"
"""SQL of the number of a row's file."""
_OF_METADATA = re.compile(r"_metadata\.(\w+)")

MOST_SENT_BYTES = 1 << 20
"""Beyond, rows go to an engine within this process by a file, which it reads in a third of the time; and of rows that
are sent for a view it keeps a copy for ever. Those of a DataFrame for the caller are sent: it may outlive a file."""

Spelling = Callable[[str], str]
"""SQL over a scan's rows, from SQL that may refer to `_metadata`."""


def driver_rows(
    spark: SparkHandle,
    operator: Scan,
    stored: StructType,
    paths: Sequence[str],
    *,
    may_be_missing: bool,
    told: bool,
    marked: Mapping[str, Callable[[], np.ndarray[Any, Any]]],
    work: Workspace,
) -> tuple[DataFrame, Spelling]:
    """The rows of some files with the columns `stored`; with `told`, SQL that refers to `_metadata` can be spelled.

    Those at the positions that `marked` has for a path are left out, or with `marked_only` of the scan all others.
    `work` keeps what the rows need for as long as they may be asked for.

    Files stand in the order of `paths`, absolute and decoded. Raises DataFileNotFoundError for one that is gone, unless
    it `may_be_missing`, UnreadableDataFileError, and LeftToSparkError where one has days of another calendar.
    """
    import pyarrow as pa

    spelling, added = _told(operator, paths) if told else (as_it_is, ())
    columns = StructType((*without_lengths(stored), *added))
    reader = FileReader(spark, operator, columns)
    tables = file_tables(reader, paths, may_be_missing=may_be_missing, marked=marked)
    found = [table for _, table in tables]
    rows = pa.concat_tables(found) if found else arrow_schema(columns).empty_table()
    schema = _spark_schema(columns)
    if rows.nbytes > MOST_SENT_BYTES and spark.is_in_process and not is_handed_out():
        return frame_of_file(spark, rows, work.keep), spelling
    work.sent += rows.nbytes
    return spark.session.createDataFrame(rows, schema), spelling


def _told(operator: Scan, paths: Sequence[str]) -> tuple[Spelling, tuple[StructField, ...]]:
    """How `_metadata` is spelled, and the columns that it takes: the place of each row, and the struct where needed.

    Texts of 100 bytes and more for each row are most of what is sent to the engine, where the statement needs them for
    a few rows at the end.
    """
    fields = {"row_index": f"({ROW_PLACE} & {2**_ROW_BITS - 1})"}
    few = len(paths) <= MOST_NUMBERED_FILES
    if few:
        numbers = file_numbers(operator)
        fields["file_path"] = _chosen({numbers[path]: spark_uri(path) for path in paths})
        fields["file_name"] = _chosen({numbers[path]: _encoded_name(path) for path in paths})
    added = (PLACE,) if few and not operator.described else (PLACE, _DESCRIPTION)
    return lambda sql: _OF_METADATA.sub(lambda match: fields.get(match[1], match[0]), sql), added


def file_numbers(operator: Scan) -> dict[str, int]:
    """The numbers of a scan's files in the places of rows, by location."""
    return {path: number for number, path in enumerate(operator.files.column("location").to_pylist())}


def split_places(places: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The numbers of files and the positions in them, of values of ROW_PLACE."""
    return places >> _ROW_BITS, places & (2**_ROW_BITS - 1)


def _chosen(texts: Mapping[int, str]) -> str:
    """SQL of the text of a row's file, by the number of the file. Never a constant, which Sail cannot hash."""
    cases = " ".join(f"WHEN {number} THEN {sql_literal(text)}" for number, text in texts.items())
    return f"CASE {FILE_NUMBER_SQL} {cases} END" if texts else "CAST(NULL AS STRING)"


def as_it_is(sql: str) -> str:
    """SQL of rows that have `_metadata`."""
    return sql


def file_tables(
    reader: FileReader,
    paths: Sequence[str],
    *,
    may_be_missing: bool = False,
    marked: Mapping[str, Callable[[], np.ndarray[Any, Any]]],
    then: Callable[[pa.Table], pa.Table] | None = None,
) -> Iterator[tuple[str, pa.Table]]:
    """The rows of each file with the reader's columns, under their names: see `driver_rows`. Ctrl-C waits for no file.

    Files are read ahead, several at once, and what is to be done `then` with their rows is done there.
    """

    def read(number: int, path: str) -> pa.Table | None:
        try:
            rows = reader.rows(path, marked.get(path), number)
        except LostDataFileError:
            if may_be_missing:
                return None
            raise missing_file(reader.operator, path) from None
        return rows if then is None else then(rows)

    numbers = file_numbers(reader.operator)

    with working(len(paths)) as threads:
        waiting = [(path, threads.submit(read, numbers[path], path)) for path in paths]
        for path, future in waiting:
            table = awaited(future)
            if table is not None:
                yield path, table


class FileReader:
    """Reads files of a scan, one at a time, with `columns`."""

    def __init__(self, spark: SparkHandle, operator: Scan, columns: StructType) -> None:
        self.operator = operator
        self._spark, self._columns = spark, columns
        self._target = arrow_schema(columns)
        names = ("location", "size")
        self._sizes = dict(zip(*(operator.files.column(name).to_pylist() for name in names), strict=True))

    def rows(self, path: str, marked: Callable[[], np.ndarray[Any, Any]] | None, number: int = 0) -> pa.Table:
        """The rows of the file at `path`, the one of that number, but for those that are `marked`: see `driver_rows`.

        Raises LostDataFileError for one that is gone, and what `driver_rows` raises.
        """
        size, dated = self._sizes.get(path), self.operator.described
        rows = _file_rows(self._spark, path, size, self._columns, self._target, number=number, dated=dated)
        return rows if marked is None else left_rows(rows, marked(), only=self.operator.marked_only)


def left_rows(rows: pa.Table, places: np.ndarray[Any, Any], *, only: bool = False) -> pa.Table:
    """`rows` without those at some places, or those `only`."""
    import numpy as np
    import pyarrow as pa

    if not (only or len(places)):
        return rows
    wanted = np.full(rows.num_rows, not only)
    wanted[places] = only
    return rows.filter(pa.array(wanted))


def arrow_schema(columns: StructType) -> pa.Schema:
    """The columns as PySpark gives them in Arrow."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(_spark_schema(columns), timezone="UTC")


def _spark_schema(columns: StructType) -> SparkStruct:
    """As Spark's reader has it: no column need have a value, but what is told of a file is never NULL."""
    from pyspark.sql.types import StructType as SparkStruct

    told = StructType(tuple(item for item in columns if _is_told(item)))
    read = spark_schema(StructType(tuple(item for item in columns if not _is_told(item))))
    return SparkStruct([*read.fields, *SparkStruct.fromJson(type_to_json(told)).fields])


def _is_told(item: StructField) -> bool:
    """Whether a column is none of the file's, but says where a row is from."""
    return item is _DESCRIPTION or item is PLACE


def _file_rows(
    spark: SparkHandle, path: str, size: int | None, columns: StructType, target: pa.Schema, *, number: int, dated: bool
) -> pa.Table:
    """The rows of one file, of `size` bytes in the log, as `target`: columns that it lacks are NULL, narrower types are
    widened. It is the file of that `number`; with `dated` it is asked when it was written.
    """
    import pyarrow as pa

    store, file_name = spark.stores.of_file(path)
    with readable(path):
        at = store.head(file_name).modified if dated else 0
        if size is None or size <= _AT_ONCE:
            source = pa.BufferReader(store.read(file_name))
        else:
            source = store.open_input(file_name)
        file = _opened(source)
        stored = _stored_names(file, columns)
        rows = _days_checked(file, file.read(columns=list(stored.values())))

        def column(item: StructField, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
            if item is _DESCRIPTION:
                return _described(path, source.size(), at, rows.num_rows, kind)
            if item is PLACE:
                return _places(number, rows.num_rows)
            return _stored(rows, stored.get(physical_name(item)), item, kind)

        return pa.Table.from_arrays(
            [column(item, field.type) for item, field in zip(columns, target, strict=True)], schema=target
        )


def row_group_rows(path: str, data: memoryview, group: int, columns: StructType) -> pa.Table:
    """All rows of one row group of a file in memory, with `columns` as `arrow_schema` has them.

    Raises LeftToSparkError for days of another calendar, UnreadableDataFileError.
    """
    import pyarrow as pa

    target = arrow_schema(columns)
    with readable(path):
        file = _opened(pa.BufferReader(data))
        stored = _stored_names(file, columns)
        rows = _days_checked(file, file.read_row_group(group, columns=list(stored.values()), use_threads=False))
        values = [
            _stored(rows, stored.get(physical_name(item)), item, kind.type)
            for item, kind in zip(columns, target, strict=True)
        ]
        return pa.Table.from_arrays(values, schema=target)


def known_columns(footer: pq.FileMetaData) -> tuple[list[str], list[str]]:
    """The columns of a file, and those with dictionaries, by the paths that Parquet has for them."""
    if not footer.num_row_groups:
        return [], []
    group = footer.row_group(0)
    chunks = [group.column(number) for number in range(group.num_columns)]
    repeating = [chunk.path_in_schema for chunk in chunks if chunk.has_dictionary_page]
    return list(dict.fromkeys(chunk.path_in_schema.partition(".")[0] for chunk in chunks)), repeating


def _opened(source: pa.NativeFile) -> pq.ParquetFile:
    """A file whose values Arrow reads as Spark does, but for days of another calendar."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    # What is in memory need not be copied first: 0.40 s → 0.24 s for 5,000,000 rows.
    in_memory = isinstance(source, pa.BufferReader)
    return pq.ParquetFile(source, coerce_int96_timestamp_unit="us", pre_buffer=not in_memory)


def _days_checked(file: pq.ParquetFile, rows: pa.Table) -> pa.Table:
    """Rows of a file. Raises LeftToSparkError for days of another calendar."""
    if has_old_days(file.metadata, rows):
        raise LeftToSparkError
    return rows


def _stored_names(file: pq.ParquetFile, columns: StructType) -> dict[str, str]:
    """What a file calls those of the columns that it has, by physical name."""
    known = {name.lower(): name for name in file.schema_arrow.names}
    names = map(physical_name, columns)
    return {name: known[name.lower()] for name in names if name.lower() in known}


def _places(number: int, rows: int) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    first = number << _ROW_BITS
    return pa.array(np.arange(first, first + rows))


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


def _described(path: str, size: int, modified: int, rows: int, kind: pa.StructType) -> pa.Array:
    """What Spark tells of a file, for each of its rows. Bytes, and ms since the epoch."""
    import pyarrow as pa

    values: dict[str, Any] = {
        "file_path": spark_uri(path),
        "file_name": _encoded_name(path),
        "file_size": size,
        "file_block_start": 0,
        "file_block_length": size,
        "file_modification_time": datetime.fromtimestamp(modified / 1000, timezone.utc),
    }
    children = [pa.repeat(pa.scalar(values[field.name], field.type), rows) for field in list(kind)[:-1]]
    return pa.StructArray.from_arrays([*children, pa.array(range(rows), pa.int64())], fields=list(kind))


def _encoded_name(path: str) -> str:
    return encode_path(path.rpartition("/")[2])


def spark_uri(path: str) -> str:
    """An absolute place as Spark names it in `_metadata.file_path`: encoded, `file:` before a local one."""
    return f"file:{encode_path(path)}" if path.startswith("/") else encode_path(hadoop_location(path))
