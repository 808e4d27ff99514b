"""Two writers of rows as Parquet files in a directory of the table: Spark's executors, and this process.

Both write files per combination of the values of some columns, which name the directories (`c=value`), and put change
rows into the folder of the change data feed. Columns have physical names.

DataFrames → files of other formats, by Spark's own writers.

Counters over rows while they are written: available when the writing job is over.

For an engine without DataFrame.observe, a separate query computes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from deltasql.base.errors.engine import StagedRowsMissingError
from deltasql.base.errors.statements.copy_into import AvroReaderMissingError
from deltasql.base.lazy import F, pa
from deltasql.base.registry.readers import CODECS
from deltasql.catalog.definitions import TableSource
from deltasql.engines.choice import unreachable_error
from deltasql.engines.spark.session.remote import is_connect, streamed
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.session.spark_types import frame_schema, spark_type
from deltasql.engines.spark.session.tuning import for_rebalancing, for_writes
from deltasql.files.footers.field_ids import has_nested_ids, with_nested_ids
from deltasql.files.reading.pieces import in_memory
from deltasql.files.writing.arrow_files import as_stored, by_directory, directory_of, write_tables
from deltasql.files.writing.staged_files import WrittenFile, data_entries, written_files
from deltasql.files.writing.streamed_files import write_pieces
from deltasql.log.storage.listing import checksum_beside
from deltasql.log.storage.locations import is_local
from deltasql.log.storage.log_store import LogStore
from deltasql.plan.file_shape import FileShape
from deltasql.plan.hidden import hidden
from deltasql.schema.text import quote_name
from deltasql.schema.types import DecimalType, PrimitiveType, StructField, StructType

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation

WRITE_OPTIONS = {
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    # The staging directory is ours alone, so that the second rename of version 1 buys nothing.
    "mapreduce.fileoutputcommitter.algorithm.version": "2",
}


class RowWriter(Protocol):
    """Writes a DataFrame's rows as Parquet files."""

    def write(self, rows: DataFrame, by: Sequence[str], directory: str, schema: StructType) -> list[WrittenFile]:
        """Writes `rows` below a directory of the table, in one Spark job.

        Directories are named by the values of the columns `by`, which files do not contain; `schema` is the table's.
        """


class ExecutorWriter:
    """Spark's tasks write: one or more files for each task and combination of values. With `shredding`, VARIANT
    columns are shredded. `bin_bytes` go into one file of rows that are rebalanced.
    """

    def __init__(
        self, spark: SparkHandle, store: LogStore, shredding: bool, shape: FileShape, bin_bytes: int | None
    ) -> None:
        self._spark, self._store, self._shape = spark, store, shape
        self._settings = {**for_writes(shredding), **for_rebalancing(bin_bytes)}

    def write(self, rows: DataFrame, by: Sequence[str], directory: str, schema: StructType) -> list[WrittenFile]:
        """See RowWriter. Raises StagedRowsMissingError if fewer rows are found than were written."""
        counted = None if self._spark.shares_disk and is_local(self._store.root) else Counts([row_counter()])
        if counted is not None:
            rows = counted.over(rows)
        committer, committing = self._spark.committer(self._store.root)
        counting = {} if counted is None else self._spark.for_counts()
        on_class_path: AbstractContextManager[None] = nullcontext() if committer is None else committer.on_class_path()
        with self._spark.needing(self._settings, counting, committing), on_class_path:
            options = {**WRITE_OPTIONS, **self._shape.spark_options, **self._spark.lent_options(self._store.root)}
            writer = rows.write.options(**options)
            if by:
                writer = writer.partitionBy(*by)
            writer.parquet(self._spark.hadoop_location(self._store.url(directory)))
        committed = None if committer is None else committer.taken(directory)
        if has_nested_ids(schema):
            self._give_nested_ids(directory, schema)
        files = written_files(self._store, directory, committed)
        if counted is not None:
            row_count = sum(item.footer.num_rows for item in files)
            written = counted.total()["rows"]
            if written != row_count:
                raise StagedRowsMissingError(location=self._store.root, written=written, found=row_count)
        return files

    def _give_nested_ids(self, directory: str, schema: StructType) -> None:
        for entry in data_entries(self._store, directory):
            self._store.overwrite(entry.path, with_nested_ids(self._store.read(entry.path), schema))
            if is_local(self._store.root):
                # Hadoop's checksum of the file as it was.
                self._store.delete([checksum_beside(entry.path)])


class DriverWriter:
    """This process fetches the rows from Spark and writes one file for each combination of values."""

    def __init__(self, store: LogStore, shape: FileShape) -> None:
        self._store, self._shape = store, shape

    def write(self, rows: DataFrame, by: Sequence[str], directory: str, schema: StructType) -> list[WrittenFile]:
        """See RowWriter."""
        if not by and is_connect(rows):
            batches = streamed(rows if _is_flat(schema) else _all_for_arrow(rows))
            return write_pieces(self._store, directory, map(in_memory, batches), schema, self._shape)
        tables = ((directory_of(directory, values), table) for values, table in fetched(rows, by, schema))
        return write_tables(self._store, tables, schema, in_partitions=bool(by), shape=self._shape)


def session_shape(spark: SparkHandle, shape: FileShape) -> FileShape:
    """`shape`, with what Spark's settings say where it says nothing."""
    codec = shape.codec or (spark.current_value("spark.sql.parquet.compression.codec") or "").lower()
    rows = shape.most_rows
    if rows is None:
        rows = int(spark.current_value("spark.sql.files.maxRecordsPerFile") or 0)
    codec = "lz4" if codec == "lz4_raw" else codec
    return replace(shape, codec=codec if codec in CODECS else None, most_rows=max(rows, 0), optimized=None)


def fetched(rows: DataFrame, by: Sequence[str], schema: StructType) -> Iterator[tuple[dict[str, str | None], pa.Table]]:
    """Pairs for each combination of values of the columns `by`: these values as text, and its rows as files store them.

    NULL and "" share a directory.
    """
    texts = {hidden(f"d{index}"): name for index, name in enumerate(by)}
    rows = rows if _is_flat(schema) else _all_for_arrow(rows)
    # Spark's writer takes both NULL and "" for NULL: they share a directory.
    keys = [F.nullif(F.col(quote_name(name)).cast("string"), F.lit("")).alias(text) for text, name in texts.items()]
    table = (rows.select("*", *keys).drop(*by) if by else rows).toArrow()
    for values, part in by_directory(table, list(texts)) if table.num_rows else ():
        yield {texts[key]: value for key, value in values.items()}, as_stored(part, schema)


def _is_flat(schema: StructType) -> bool:
    """Whether no column is nested, so that the engine need not be asked for the types once more."""
    return all(isinstance(item.type, (PrimitiveType, DecimalType)) for item in schema)


def _all_for_arrow(rows: DataFrame) -> DataFrame:
    return rows.select(*(_for_arrow(rows[quote_name(item.name)], item) for item in frame_schema(rows)))


def _for_arrow(column: Column, field: StructField) -> Column:
    """A nested column cast to the table's nullable type: PySpark rejects a NULL struct with NOT NULL fields."""
    if isinstance(field.type, (PrimitiveType, DecimalType)):
        return column
    return column.cast(spark_type(field.type)).alias(field.name)


_OPTIONS = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}


def write_source(spark: SparkHandle, rows: DataFrame, location: str, source: TableSource) -> int:
    """Writes rows into a new folder, in folders of their partitions; returns their number.

    Raises AvroReaderMissingError, NoWayToFilesError.
    """
    from pyspark.errors import AnalysisException

    if not is_local(location) and not spark.reaches(location):
        raise unreachable_error(spark, location, f"USING {source.format}")
    counted = Counts([row_counter()], observe=spark.capabilities.observe)
    with spark.needing(spark.for_counts()):
        options = {**_OPTIONS, **source.options, **spark.lent_options(location)}
        writer = counted.over(rows).write.format(source.format).options(**options)
        if source.partition_columns:
            writer = writer.partitionBy(*source.partition_columns)
        try:
            writer.save(spark.hadoop_location(location))
        except AnalysisException as error:
            if source.format == "avro" and "data source: avro" in str(error):
                raise AvroReaderMissingError(spark.session.version) from error
            raise
        return int(counted.total()["rows"] or 0)


class Counts:
    """Aggregates over the rows of several DataFrames, each of which runs once, observed by the writing job."""

    def __init__(self, counters: Sequence[Column], *, observe: bool = True) -> None:
        """`counters` are named aggregates: sums or lists. With `observe` the writing job evaluates them."""
        self._counters, self._observe = counters, observe
        self._rows: list[DataFrame] = []
        self._observations: list[Observation] = []

    def over(self, rows: DataFrame) -> DataFrame:
        """`rows`, whose aggregates are added to the total when they are evaluated."""
        from pyspark.sql import Observation

        if not self._observe:
            self._rows.append(rows)
            return rows
        self._observations.append(Observation(f"deltasql-{uuid4().hex}"))
        return rows.observe(self._observations[-1], *self._counters)

    def total(self) -> dict[str, Any]:
        """The totals over all DataFrames by name: sums, and concatenated lists. To be called after the writing job."""
        sums: dict[str, Any] = {}
        counted = [observation.get for observation in self._observations]
        counted += [rows.agg(*self._counters).collect()[0].asDict() for rows in self._rows]
        for values in counted:
            for name, value in values.items():
                sums[name] = sums[name] + value if name in sums else value
        return sums


def row_counter() -> Column:
    """The aggregate `rows`, the number of rows."""
    return F.count(F.lit(1)).alias("rows")
