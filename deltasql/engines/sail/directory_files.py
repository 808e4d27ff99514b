"""INSERT OVERWRITE DIRECTORY by this process, and Parquet files in queries for Sail.

Rows are written as Parquet, CSV or JSON, with the values that Spark would write. Values without an unambiguous text are
refused: numbers with an exponent, times, texts that CSV quotes. Source: Spark, Parquet, CSV and JSON data sources.

Sail reads large Parquet files where its reader gives the rows of Spark's. This process reads the files if their columns
have other types than the table's, dates of the Julian calendar, or bounds by which a reader may skip rows with NaN or
-0.0. It also reads ``parquet.`/a/path` ``, since Sail infers other columns from such files than Spark does, if the
columns of Spark's reader can be determined.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from deltasql.base import DeltaSqlError, LeftToEngineError, errors, pa, pq
from deltasql.catalog import TableSource
from deltasql.engines.sail.dialect.pipes import DirectoryWrite
from deltasql.engines.spark.session.local_rows import frame_of_file, frame_schema, spark_schema
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.files import (
    FEW_BYTES,
    NAN_SAFE_KEY,
    column_pieces,
    encoded,
    float_bounds,
    float_leaves,
    footer,
    is_of_old_calendar,
    parquet_files,
    reader_schema,
    tables_of,
    with_sure_bounds,
    working,
)
from deltasql.log import is_local
from deltasql.schema import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    has_lengths,
    plain_arrow_type,
    sql_text,
)
from deltasql.schema import quote_name as quote
from deltasql.sql import UsedNames, parquet_paths, view_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from deltasql.engines.spark.reading.driver_rows import Workspace
    from deltasql.log import Stores


_IN_PARQUET = frozenset(
    {BOOLEAN, BYTE, SHORT, INTEGER, LONG, FLOAT, DOUBLE, STRING, BINARY, DATE, TIMESTAMP, TIMESTAMP_NTZ}
)
_IN_TEXT = frozenset({BOOLEAN, BYTE, SHORT, INTEGER, LONG, STRING, DATE})
_BARE = re.compile(r"\w(?:[\w .:;/@+*&()=<>!?$%~^|-]*[\w.:;/@+*&()=<>!?$%~^|-])?")
"""A text that CSV writes as it is."""
_CSV_OPTIONS = frozenset({"header"})


def write_directory(stores: Stores, target: DirectoryWrite, rows: DataFrame) -> None:
    """Rows as the one file of a directory, which loses what it has. Raises NotOnSailError, and writes nothing then."""
    if not is_local(target.path):
        raise errors.NotOnSailError(what=f"INSERT OVERWRITE DIRECTORY {target.path!r}, which is no absolute path")
    schema = frame_schema(rows)
    _check(target, schema)
    data, suffix = _FORMATS[target.format](rows.toArrow(), schema, target.options)
    store = stores.open(target.path)
    store.delete_below()
    store.put(f"part-00000-{uuid4()}-c000{suffix}", data)
    store.put("_SUCCESS", b"")


def write_files(stores: Stores, location: str, source: TableSource, rows: DataFrame) -> int:
    """Rows as one file of a table of another format; returns their number. Raises NotOnSailError."""
    if source.format not in _FORMATS:
        raise errors.NotOnSailError(what=f"a write of {source.format.upper()} files")
    if source.partition_columns:
        raise errors.NotOnSailError(what=f"a write of {source.format.upper()} files in partitions")
    options = {key.lower(): value for key, value in source.options.items()}
    target, schema = DirectoryWrite(location, source.format, options, ""), frame_schema(rows)
    _check(target, schema)
    table = rows.toArrow()
    data, suffix = _FORMATS[source.format](table, schema, options)
    stores.open(location).put(f"part-00000-{uuid4()}-c000{suffix}", data)
    return int(table.num_rows)


def _check(target: DirectoryWrite, schema: StructType) -> None:
    """Raises NotOnSailError for an unsupported format, option or type."""
    name = target.format.upper()
    if target.format not in _FORMATS:
        raise errors.NotOnSailError(what=f"INSERT OVERWRITE DIRECTORY USING {name}")
    others = set(target.options) - (_CSV_OPTIONS if target.format == "csv" else set())
    if others:
        raise errors.NotOnSailError(what=f"the option {min(others)} of INSERT OVERWRITE DIRECTORY USING {name}")
    options = _IN_PARQUET if target.format == "parquet" else _IN_TEXT
    for field in schema:
        if not (_is_flat(field.type) if target.format == "csv" else _is_written(field.type, options)):
            raise errors.NotOnSailError(what=f"a {sql_text(field.type)} in a directory of {name} files")


def _is_written(kind: DataType, primitives: frozenset[DataType]) -> bool:
    match kind:
        case StructType():
            return len(kind) > 0 and all(_is_written(field.type, primitives) for field in kind)
        case ArrayType(element):
            return _is_written(element, primitives)
        case MapType(key, value):
            return (
                (key == STRING or primitives is _IN_PARQUET)
                and _is_written(key, primitives)
                and _is_written(value, primitives)
            )
        case DecimalType():
            return primitives is _IN_PARQUET
        case _:
            return kind in primitives


def _is_flat(kind: DataType) -> bool:
    return isinstance(kind, DecimalType) or kind in _IN_TEXT


def _parquet(rows: pa.Table, schema: StructType, _: Mapping[str, str]) -> tuple[pa.Buffer, str]:
    rows = rows.cast(pa.schema([_field(field) for field in schema]))
    return with_sure_bounds(encoded(rows, dictionaries=True), float_bounds(rows)), ".snappy.parquet"


def _field(field: StructField) -> pa.Field:
    return pa.field(field.name, _stored(field.type))


def _stored(kind: DataType) -> pa.DataType:
    """Columns and fields may be NULL, as in files of Spark's; elements and values where the query's may."""
    from deltasql.schema import arrow_type

    match kind:
        case StructType():
            return pa.struct([_field(field) for field in kind])
        case ArrayType(element, contains_null):
            return pa.list_(pa.field("element", _stored(element), contains_null))
        case MapType(key, value, contains_null):
            return pa.map_(_stored(key), pa.field("value", _stored(value), contains_null))
        case _:
            return arrow_type(kind)


def _csv(rows: pa.Table, schema: StructType, options: Mapping[str, str]) -> tuple[bytes, str]:
    lines = list[str]()
    if options.get("header", "").lower() == "true":
        lines.append(",".join(map(_in_csv, schema.names)))
    for row in _values(rows):
        if all(value is None for value in row):
            raise errors.NotOnSailError(what="a row of NULLs in a CSV file")
        lines.append(",".join(map(_in_csv, row)))
    return "".join(f"{line}\n" for line in lines).encode(), ".csv"


def _in_csv(value: Any) -> str:
    match value:
        case None:
            return ""
        case "":
            return '""'
        case bool():
            return "true" if value else "false"
        case Decimal():
            return f"{value:f}"
        case str() if not _BARE.fullmatch(value):
            raise errors.NotOnSailError(what="a text with quotes, commas or blanks around it in a CSV file")
        case _:
            return str(value)


def _json(rows: pa.Table, schema: StructType, _: Mapping[str, str]) -> tuple[bytes, str]:
    lines = (
        json.dumps(
            _in_json(schema, dict(zip(schema.names, row, strict=True))), ensure_ascii=False, separators=(",", ":")
        )
        for row in _values(rows)
    )
    return "".join(f"{line}\n" for line in lines).encode(), ".json"


def _in_json(kind: DataType, value: Any) -> Any:
    """A value as `json` takes it. Fields that are NULL are left out, as Spark leaves them out."""
    if value is None:
        return None
    match kind:
        case StructType():
            pairs = ((field.name, _in_json(field.type, value[field.name])) for field in kind)
            return {name: item for name, item in pairs if item is not None}
        case ArrayType(element):
            return [_in_json(element, item) for item in value]
        case MapType(_, item):
            return {key: _in_json(item, part) for key, part in value}
        case _:
            return value if isinstance(value, (bool, int, str)) else str(value)


def _values(rows: pa.Table) -> Iterator[Sequence[Any]]:
    return zip(*(column.to_pylist() for column in rows.columns), strict=True)


_Writer = Callable[["pa.Table", StructType, Mapping[str, str]], "tuple[bytes | pa.Buffer, str]"]
_FORMATS: Mapping[str, _Writer] = {"parquet": _parquet, "csv": _csv, "json": _json}


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
    types = {field.name: plain_arrow_type(field.type) for field in stored}
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
        raise errors.NotOnSailError(what="files with dates of the Julian calendar") from None
