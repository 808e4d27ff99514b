"""Rows in memory as DataFrames by way of Arrow, types and schemas as Spark's, and temporary local files.

PySpark sends a list through Python workers, which it starts first. Measured: an empty DataFrame of ten columns took
0.5 s from a list and 0.03 s from an Arrow table, the first one 6.5 s and 0.7 s.

Types are passed as objects, so that no name of a table goes through a text that Spark parses. Temporary files exist for
as long as a statement needs them: copies from an object store that Spark cannot reach, or rows on their way to an
engine within this process.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deltasql.base import F, errors, pa
from deltasql.engines.spark.loading import load_pyspark
from deltasql.engines.spark.session.local import streamed
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.files import MEMORY_SHARE, TINY_BYTES, available_memory
from deltasql.log import LogStore, folder_and_name
from deltasql.plan import hidden
from deltasql.schema import (
    SPHERICAL,
    DataType,
    StructField,
    StructType,
    bare_schema,
    schema_from_json,
    type_to_json,
    without_metadata,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql import types as spark
    from pyspark.sql import types as spark_types


def spark_schema(schema: StructType) -> spark.StructType:
    """The columns of `schema` for a reader or a new DataFrame: all nullable, and without their metadata."""
    return exact_spark_schema(bare_schema(schema))


def declared_spark_schema(schema: StructType) -> spark.StructType:
    """As `spark_schema`, where columns that are NOT NULL stay so."""
    return exact_spark_schema(without_metadata(schema))


def exact_spark_schema(schema: StructType) -> spark.StructType:
    """The columns of `schema`, as nullable as they are declared."""
    load_pyspark()
    from pyspark.sql.types import StructType as SparkStruct

    return SparkStruct.fromJson(spark_json(schema))


def spark_type(kind: DataType) -> spark.DataType:
    """A type for a cast."""
    return spark_schema(StructType((StructField("x", kind),))).fields[0].dataType


def with_whole_intervals(schema: spark.StructType) -> spark.StructType:
    """The schema, in which intervals of days and times, at any depth, are INTERVAL DAY TO SECOND."""
    load_pyspark()
    from pyspark.sql.types import StructType as SparkStruct

    return SparkStruct.fromJson(_renamed(schema.jsonValue(), _whole))


def spark_json(kind: DataType) -> Any:
    """As `type_to_json`, in the spelling that PySpark reads."""
    return _renamed(type_to_json(kind), lambda name: name.replace(SPHERICAL, SPHERICAL.upper()))


def _renamed(node: Any, name: Callable[[str], str]) -> Any:
    """The JSON of a type whose atomic types, at any depth, have other names."""
    match node:
        case {"fields": [*fields]}:
            return {**node, "fields": [{**field, "type": _renamed(field["type"], name)} for field in fields]}
        case {"type": "array"}:
            return {**node, "elementType": _renamed(node["elementType"], name)}
        case {"type": "map"}:
            return {**node, "keyType": _renamed(node["keyType"], name), "valueType": _renamed(node["valueType"], name)}
        case str():
            return name(node)
        case _:
            return node


def _whole(name: str) -> str:
    return "interval day to second" if _DAY_TIME.fullmatch(name) else name


_DAY_TIME = re.compile(r"interval (?:day|hour|minute|second)(?: to \w+)?")


def frame_schema(frame: DataFrame) -> StructType:
    """Our schema of a DataFrame's columns."""
    return schema_from_json(frame.schema.json())


_THREADS = 8
_STEP = 32 << 20
_BATCH_ROWS = 1 << 16


class Scratch:
    """A temporary folder that is deleted with this object."""

    def __init__(self) -> None:
        self.root = tempfile.mkdtemp(prefix="deltasql-source-")
        """The folder."""
        weakref.finalize(self, shutil.rmtree, self.root, ignore_errors=True)

    def fetch(self, open_store: Callable[[str], LogStore], root: str, files: Sequence[str]) -> list[str]:
        """The places of the copies of `files`, which lie below `root`; they were written when the files were.

        Raises FileNotFoundError, StorageError.
        """

        def copy(path: str) -> str:
            target = Path(self.root) / path.removeprefix(f"{root}/")
            target.parent.mkdir(parents=True, exist_ok=True)
            folder, name = folder_and_name(path)
            store = open_store(folder)
            entry = store.head(name)
            with target.open("wb") as file:
                for start in range(0, entry.size, _STEP):
                    file.write(store.read_range(name, start, min(_STEP, entry.size - start)))
            os.utime(target, (entry.modified / 1000, entry.modified / 1000))
            return str(target)

        with ThreadPoolExecutor(_THREADS) as threads:
            return list(threads.map(copy, files))


def goes_by_file(spark: SparkHandle, size: int) -> bool:
    """Whether rows of `size` bytes in memory are better not sent to the engine: see `frame_of_file`."""
    return size > TINY_BYTES and spark.is_in_process


def frame_of_file(
    spark: SparkHandle, tables: Iterable[pa.Table], schema: pa.Schema, retain: Callable[[object], None]
) -> DataFrame:
    """A DataFrame of Arrow tables, which the engine reads from this machine's disk. `retain` keeps the file there.

    One table at a time is in memory. Raises what producing the tables raises.
    """
    file = RowsFile(tables, schema)
    retain(file)
    return file.frame(spark)


class RowsFile:
    """Rows in a file of Arrow, which is deleted with this object. One table at a time is in memory."""

    def __init__(self, tables: Iterable[pa.Table], schema: pa.Schema) -> None:
        """Raises what producing the tables raises, and NotOnSailError for more rows than fit into memory.

        Sail reads the whole file at once.
        """
        self._scratch = Scratch()
        most = int(MEMORY_SHARE * available_memory())
        self._path = f"{self._scratch.root}/rows.arrow"
        with pa.OSFile(self._path, "wb") as file, pa.ipc.new_file(file, schema) as writer:
            for table in tables:
                writer.write_table(table, max_chunksize=_BATCH_ROWS)
                if file.tell() > most:
                    raise errors.NotOnSailError(
                        what=f"a statement for which Sail gets more than {most:,} bytes of rows"
                    )

    def frame(self, spark: SparkHandle) -> DataFrame:
        """A DataFrame of the rows, which the engine reads from the file."""
        frame = spark.session.read.format("arrow").load(self._path)
        retain_with(frame, self)
        return frame

    def table(self) -> pa.Table:
        """The rows, in pages of the file."""
        with pa.memory_map(self._path) as file:
            return pa.ipc.open_file(file).read_all()


def retain_with(rows: DataFrame, item: object) -> None:
    """Holds an item for as long as rows of Spark Connect may be asked for, or of what is made of them.

    The plan of a DataFrame refers to those that it is made of, though not to the views that a text names.
    """
    plan: Any = rows
    plan._plan._deltasql_retained = item


def frame_of_rows(spark: SparkHandle, rows: pa.Table, schema: spark_types.StructType) -> DataFrame:
    """A DataFrame of an Arrow table, with the names and types of `schema`.

    A duration of Arrow's is an INTERVAL DAY TO SECOND to Spark Connect, which takes it for no other kind.
    """
    whole = with_whole_intervals(schema)
    if not spark.remote or whole == schema:
        return spark.session.createDataFrame(rows, schema)
    # Two columns may have one name.
    for index, field in enumerate(whole.fields):
        field.name = whole.names[index] = hidden(index)
    frame = spark.session.createDataFrame(rows.rename_columns(whole.names), whole)
    renamed = zip(whole.names, schema.fields, strict=True)
    return frame.select(*(F.col(name).cast(field.dataType).alias(field.name) for name, field in renamed))


def no_rows(spark: SparkHandle, schema: StructType) -> DataFrame:
    """A DataFrame of `schema` without a row."""
    from pyspark.sql.pandas.types import to_arrow_schema

    columns = declared_spark_schema(schema)
    return frame_of_rows(spark, to_arrow_schema(columns, timezone="UTC").empty_table(), columns)


def evaluated_rows(
    spark: SparkHandle, rows: DataFrame, retain: Callable[[object], None], number: str | None = None
) -> DataFrame:
    """`rows`, evaluated now and held by this process; with their numbers from 0 as the column `number`.

    `retain` is given what must live as long as the rows: large ones lie in a file.
    """
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import LongType

    schema = rows.schema
    stored = to_arrow_schema(schema, error_on_duplicated_field_names_in_struct=True, timezone="UTC")
    batches = streamed(rows)
    if number is not None:
        batches, schema = _numbered(batches, number), schema.add(number, LongType())
        stored = stored.append(pa.field(number, pa.int64()))
    unique = len({name.lower() for name in stored.names}) == len(stored)
    first, size = list[pa.Table](), 0
    for batch in batches:
        first.append(batch)
        size += batch.nbytes
        if unique and goes_by_file(spark, size):
            return _by_file(spark, chain(first, batches), stored, schema, retain)
    return frame_of_rows(spark, pa.concat_tables(first) if first else stored.empty_table(), schema)


def _by_file(
    spark: SparkHandle,
    batches: Iterable[pa.Table],
    stored: pa.Schema,
    schema: spark_types.StructType,
    retain: Callable[[object], None],
) -> DataFrame:
    """Rows in a file, of which few are in memory, unless the engine would read their types otherwise."""
    file = RowsFile(batches, stored)
    retain(file)
    frame = file.frame(spark)
    return frame if frame.schema == schema else frame_of_rows(spark, file.table(), schema)


def _numbered(batches: Iterable[pa.Table], number: str) -> Iterator[pa.Table]:
    """The batches with the numbers of their rows, from 0, as the column `number`."""
    begin = 0
    for batch in batches:
        yield batch.append_column(number, pa.array(range(begin, begin + batch.num_rows), pa.int64()))
        begin += batch.num_rows


def lookup(spark: SparkHandle, columns: Mapping[str, tuple[pa.DataType, Sequence[Any]]]) -> DataFrame:
    """A small DataFrame from the type and the values of each column."""
    arrays = [pa.array(values, kind) for kind, values in columns.values()]
    return spark.session.createDataFrame(pa.table(arrays, names=list(columns)))
