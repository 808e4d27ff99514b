"""Rows → new data files in a new directory of the table, invisible until a commit refers to them.

Spark's executors or this process write the files, per combination of the values of some columns, which name the
directories (`c=value`), and put change rows into the folder of the change data feed. Columns have physical names. Files
of other formats are written by Spark's writers.

Counters over rows are available when the writing job is over. For an engine without DataFrame.observe, a separate query
computes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from deltasql.base import CODECS, F, errors, pa, session_settings
from deltasql.catalog import TableSource
from deltasql.engines.choice import moved_in_process, only_for_spark, unreachable_error
from deltasql.engines.spark.reading.driver_rows import UNKNOWN_SIZE
from deltasql.engines.spark.reading.source_rows import checked
from deltasql.engines.spark.session.local import is_connect, streamed
from deltasql.engines.spark.session.local_rows import frame_schema, spark_json, spark_type
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.session.tuning import for_rebalancing, for_writes
from deltasql.files import (
    CHANGE_DATA,
    DIRECTORY_PREFIX,
    ORIGIN,
    FileStage,
    RewrittenFile,
    Staged,
    WrittenFile,
    as_stored,
    by_directory,
    data_entries,
    directory_of,
    has_nested_ids,
    in_memory,
    with_nested_ids,
    write_pieces,
    write_tables,
    written_files,
)
from deltasql.log import (
    AUTO_OPTIMIZE,
    TARGET_FILE_SIZE,
    VARIANT_SHREDDING,
    LogStore,
    TableProperties,
    checksum_beside,
    is_local,
)
from deltasql.log import OPTIMIZE_WRITE as TABLE_OPTIMIZES
from deltasql.plan import ANY_SHAPE, Constraint, FileShape, base, hidden, hidden_names
from deltasql.schema import (
    BINARY,
    CHANGE_TYPE,
    DOUBLE,
    FLOAT,
    HIVE_NULL,
    STRING,
    TIMESTAMP,
    VOID,
    DataType,
    DecimalType,
    PrimitiveType,
    RowIdColumns,
    StructField,
    StructType,
    collation_of,
    is_mapped,
    nested_voids,
    path_text,
    physical_name,
    physical_schema,
    quote_name,
    quote_text,
    without_collations,
)

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
                raise errors.StagedRowsMissingError(location=self._store.root, written=written, found=row_count)
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
                raise errors.AvroReaderMissingError(spark.session.version) from error
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


class SparkStage(FileStage):
    """A stage for rows of Spark, written by its executors or by this process."""

    def __init__(
        self,
        spark: SparkHandle,
        root: str,
        partition_columns: tuple[str, ...],
        configuration: Mapping[str, str],
        *,
        stores_partitions: bool = False,
        shape: FileShape = ANY_SHAPE,
    ) -> None:
        super().__init__(
            spark, root, partition_columns, configuration, stores_partitions=stores_partitions, shape=shape
        )
        self._spark = spark
        self.input_size = UNKNOWN_SIZE
        """Bytes that the statement reads, which decide between executors and this process: see `engines.choice`."""

    def write(
        self,
        rows: DataFrame,
        schema: StructType,
        *,
        origins: bool = False,
        changes: bool = False,
        row_ids: RowIdColumns | None = None,
        unindexed: Sequence[str] = (),
    ) -> Staged:
        """Writes `rows` as Parquet files.

        Its columns are `schema`'s, ORIGIN with `origins`, CHANGE_TYPE with `changes`, and with `row_ids` ROW_ID and
        ROW_VERSION, which get those names. The columns `unindexed` get no statistics.
        Raises StagedRowsMissingError, NoWayToFilesError, OtherCredentialsError, NestedVoidError, NothingToHoldError.
        """
        refuse_nested_voids(schema)
        self._refuse_voids_alone(schema)
        driver = moved_in_process(self._spark, self._root, self.input_size, barred=only_for_spark(schema))
        driver = driver or self._shape.is_only_by_arrow
        base = [ORIGIN] * origins + [CHANGE_TYPE] * changes
        stored = self._stored(rows, schema, row_ids, base, spread=not (origins or driver))
        stored, by = self._in_directories(stored, schema, origins=origins, changes=changes)
        directory = self._new_directory(changes=changes)
        written = self._writer(driver).write(stored, by, directory, schema)
        files, feed = self._without_feed(written, directory) if changes else (written, [])
        zone = self._zone
        return Staged(tuple(self._staged(files, schema, zone, unindexed)), self._feed(feed, schema, zone))

    def succeed(
        self,
        rewritten: Sequence[RewrittenFile],
        rows: DataFrame | None,
        schema: StructType,
        changed: Iterable[str] = (),
        *,
        changes: bool = False,
    ) -> Staged:
        """Writes the successors of some files by Arrow: their unchanged rows, and `rows` in place of the others.

        The columns of `rows` are `schema`'s, ORIGIN, ROW_INDEX, and with `changes` CHANGE_TYPE; an updated row differs
        from the replaced one at most in the columns `changed`: see `NewRows`. Raises what `write` raises, and what
        reading the files raises.
        """
        parts: list[tuple[dict[str, str | None], pa.Table]] = []
        if rows is not None:
            stored = self._stored(
                rows, schema, None, [ORIGIN, hidden_names.ROW_INDEX] + [CHANGE_TYPE] * changes, spread=False
            )
            stored, by = self._in_directories(stored, schema, origins=True, changes=changes)
            parts += fetched(stored, by, schema)
        return self.succeed_with(rewritten, parts, schema, changed, changes=changes)

    def _writer(self, driver: bool) -> RowWriter:
        if driver:
            return DriverWriter(self._store, session_shape(self._spark, self._shape))
        shredding = TableProperties(self._configuration)[VARIANT_SHREDDING]
        return ExecutorWriter(self._spark, self._store, shredding, self._shape, self._bin)

    @cached_property
    def _bin(self) -> int | None:
        """How many bytes go into one file of an optimized write; None for any other. Raises InvalidSettingError."""
        properties = TableProperties(self._configuration)
        given = (
            self._shape.optimized,
            session_settings.OPTIMIZE_WRITE.value(self._spark.session_value(session_settings.OPTIMIZE_WRITE.name)),
            properties[TABLE_OPTIMIZES],
            properties[AUTO_OPTIMIZE],
        )
        if not next((value for value in given if value is not None), False):
            return None
        size = session_settings.OPTIMIZE_WRITE_BIN.value(
            self._spark.session_value(session_settings.OPTIMIZE_WRITE_BIN.name)
        )
        return properties[TARGET_FILE_SIZE] or size

    def _spread(self, rows: DataFrame) -> DataFrame:
        """Rows of one partition together, in several tasks where an optimized write fills several files."""
        names = [quote_name(name) for name in self._partitions]
        if self._bin is not None:
            return rows.hint("rebalance", *(F.col(name) for name in names))
        return rows.repartition(*(rows[name] for name in names)) if names else rows

    def _stored(
        self, rows: DataFrame, schema: StructType, row_ids: RowIdColumns | None, hidden: Sequence[str], *, spread: bool
    ) -> DataFrame:
        """`rows` as files store them: checked, without VOID columns, under physical names. `hidden` are hidden columns.

        With `spread` the rows are repartitioned by the partition columns, or for an optimized write.
        """
        rows = rows.drop(*[item.name for item in schema if item.type == VOID])
        rows = checked(_named_null(rows, schema, self._partitions), self._nameable(schema), self._spark.capabilities)
        if spread:
            rows = self._spread(rows)
        stored = StructType(tuple(item for item in schema if item.type != VOID))
        if is_mapped(stored):
            ids = [hidden_names.ROW_ID, hidden_names.ROW_VERSION] if row_ids is not None else []
            rows = _physical(rows, stored, [*ids, *hidden])
        if row_ids is not None:
            rows = rows.withColumnsRenamed(
                {hidden_names.ROW_ID: row_ids.row_id, hidden_names.ROW_VERSION: row_ids.version}
            )
        return rows

    def _in_directories(
        self, rows: DataFrame, schema: StructType, *, origins: bool, changes: bool
    ) -> tuple[DataFrame, list[str]]:
        """`rows`, and the names of the columns whose values name the directories of the files."""
        fields = [field for name in self._partitions if (field := schema.find(name))]
        by = [physical_name(field) for field in fields]
        if self.stores_partitions:
            rows, by = _with_partitions(rows, by)
        rows = _with_texts(rows, dict(zip(by, (field.type for field in fields), strict=True)))
        by = [ORIGIN, *by] if origins else by
        if changes:
            rows, by = (
                rows.withColumn(hidden_names.IS_CHANGE, rows[CHANGE_TYPE].isNotNull()),
                [hidden_names.IS_CHANGE, *by],
            )
        return rows, by

    def _nameable(self, schema: StructType) -> Iterator[Constraint]:
        """Constraints that STRING and BINARY partition values are valid directory names, for a clear error message."""
        prefix = DIRECTORY_PREFIX if self.stores_partitions else ""
        for name in self._partitions:
            field = schema.find(name)
            if field is None or not (_is_text(field.type) or field.type == BINARY):
                continue
            value = quote_name(name) if field.type == STRING else f"CAST({quote_name(name)} AS STRING)"
            room = _LONGEST_NAME - len(f"{prefix}{physical_name(field)}=".encode())
            # Spark writes some characters as three.
            escaped = f"octet_length(regexp_replace({value}, {quote_text(_ESCAPED)}, '%00'))"
            fits = f"octet_length({value}) * 3 <= {room} OR {escaped} <= {room}"
            condition = f"{value} IS NULL OR (is_valid_utf8({value}) AND instr({value}, char(0)) = 0 AND ({fits}))"
            yield Constraint(f"{base.PARTITION_NAME}{quote_name(name)}", condition)

    def _without_feed(
        self, written: Sequence[WrittenFile], directory: str
    ) -> tuple[list[WrittenFile], list[WrittenFile]]:
        """Splits written files into data files and change data files, which are moved to the folder of the feed."""
        staged, target = f"{directory}/{hidden_names.IS_CHANGE}=true", f"{CHANGE_DATA}/{directory}"
        moved = [
            replace(item, path=PurePosixPath(target, item.path.relative_to(staged)))
            for item in written
            if item.path.is_relative_to(staged)
        ]
        if moved:
            self._store.move_below(staged, target)
        feed = [item for item in written if item.path.is_relative_to(target)]
        return [item for item in written if item.path.parts[0] == directory and not item.path.is_relative_to(staged)], [
            *feed,
            *moved,
        ]


def _with_partitions(rows: DataFrame, by: Sequence[str]) -> tuple[DataFrame, list[str]]:
    """`rows` with their partition columns last, then copies of these; and the names of the copies.

    The copies name the directories, since Spark leaves such columns out of the files.
    """
    data = [rows[quote_name(name)] for name in rows.columns if name not in by]
    partitions = [rows[quote_name(name)] for name in by]
    copies = [f"{DIRECTORY_PREFIX}{name}" for name in by]
    copied = [column.alias(name) for column, name in zip(partitions, copies, strict=True)]
    return rows.select(*data, *partitions, *copied), copies


_AS_TEXT: Mapping[DataType, str] = {
    # An hour that the clocks of a zone show twice has one name there.
    TIMESTAMP: "CAST(unix_micros({0}) AS STRING)",
    # 0.0 and -0.0 are equal, but directories are called after their texts: Spark would open one of them twice.
    **dict.fromkeys((FLOAT, DOUBLE), "CAST({0} AS STRING)"),
}
"""SQL of directory names for the types whose text by Spark is not used."""


def _with_texts(rows: DataFrame, by: Mapping[str, DataType]) -> DataFrame:
    """`rows` with the directory columns `by` as text where their type is in _AS_TEXT."""
    collated = {kind: "CAST({0} AS STRING)" for kind in by.values() if collation_of(kind) is not None}
    sql = {**_AS_TEXT, **collated}
    texts = {name: F.expr(sql[kind].format(quote_name(name))) for name, kind in by.items() if kind in sql}
    return rows.withColumns(texts) if texts else rows


def _named_null(rows: DataFrame, schema: StructType, partitions: Sequence[str]) -> DataFrame:
    """`rows` with NULL for the partition value HIVE_NULL, whose directory is that of NULL: both in one would fail."""
    texts = [name for name in partitions if (field := schema.find(name)) is not None and _is_text(field.type)]
    named = {name: F.expr(f"nullif(CAST({quote_name(name)} AS STRING), '{HIVE_NULL}')") for name in texts}
    # Spark Connect takes no empty list of columns.
    return rows.withColumns(named) if named else rows


def _is_text(kind: DataType) -> bool:
    return without_collations(kind) == STRING


_LONGEST_NAME = 255
"""Most bytes of a file name on all common file systems."""
_ESCAPED = r"""[\x01-\x1f"#%'*/:=?\\\x7f{\[\]^]"""


def refuse_nested_voids(schema: StructType) -> None:
    """Raises NestedVoidError for VOID inside a struct, array or map, which Parquet can neither store nor omit."""
    for path in nested_voids(schema, in_structs=True):
        raise errors.NestedVoidError(column=path_text(path))


def _physical(rows: DataFrame, schema: StructType, extra: Sequence[str]) -> DataFrame:
    """`rows` under physical names, with the field ids for the Parquet schema, and the hidden columns `extra`.

    Top-level ids are in the metadata of the alias, nested ones in the type of a cast: Spark's optimizer drops others.
    """
    from pyspark.sql.types import StructType as SparkStruct

    physical = SparkStruct.fromJson(spark_json(physical_schema(schema)))
    columns = [
        F.col(quote_name(field.name)).cast(stored.dataType).alias(stored.name, metadata=stored.metadata)
        for field, stored in zip(schema, physical.fields, strict=True)
    ]
    return rows.select(*columns, *extra)
