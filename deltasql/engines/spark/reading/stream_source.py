"""Streams of tables for Spark: a Python data source over the log's tail.

Spark asks it on the driver for offsets and for the files of each batch, and its tasks read them with Arrow; so workers
need this package, as they do for any Python data source. The offsets are those of delta-spark's checkpoints.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxFiles, SupportsTriggerAvailableNow

from deltasql.base import errors, pa
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.files import StreamOptions, batches, stream_options
from deltasql.log import DeltaLog, StreamFile, StreamOffset, StreamSource, open_store
from deltasql.schema import (
    CHANGE_FIELDS,
    VARIANT,
    VOID,
    StructField,
    StructType,
    as_nullable,
    is_shape,
    path_text,
    schema_from_json,
    schema_to_json,
    type_text,
    walk,
    without_metadata,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType as SparkStruct

    from deltasql.log import Snapshot

FORMAT = "deltasql"
TABLE, TIME_ZONE = "deltasql.table", "deltasql.timeZone"
"""Internal options: the table's name for messages, and the zone of timestamps without one."""
_PARTITION_BYTES = 64 << 20


def stream(spark: SparkHandle, snapshot: Snapshot, options: Mapping[str, str], time_zone: str | None) -> DataFrame:
    """The rows of a table as a streaming DataFrame.

    Raises UnsupportedStreamColumnError for a column without an Arrow type.
    """
    refuse_columns(snapshot.schema)
    session = spark.session
    _register(spark)
    options_of_stream = {TABLE: snapshot.table, TIME_ZONE: time_zone or ""}
    return session.readStream.format(FORMAT).options(**{**options, **options_of_stream}).load(snapshot.location)


def _register(spark: SparkHandle) -> None:
    """Makes the format known to the session, for which Spark looks in the active session of the thread."""
    session: Any = spark.session
    if spark.remote:
        session.dataSource.register(DeltaSource)
        return
    sessions = session._get_j_spark_session_class(session._jvm)
    before = sessions.getActiveSession()
    sessions.setActiveSession(session._jsparkSession)
    try:
        session.dataSource.register(DeltaSource)
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def refuse_columns(schema: StructType) -> None:
    """Raises UnsupportedStreamColumnError for a VARIANT, a VOID or a shape, at any depth."""
    for path, item in walk(schema):
        if item.type in {VARIANT, VOID} or is_shape(item.type):
            raise errors.UnsupportedStreamColumnError(path_text(path), type_text(item.type))


class DeltaSource(DataSource):  # type: ignore[misc]
    """`spark.readStream.format("deltasql").load(path)`."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> SparkStruct:
        """The table's current columns, all nullable; for a change feed also its metadata columns."""
        from pyspark.sql.types import StructType as Spark

        options = _options(self.options)
        schema = _log(self.options).snapshot().schema
        return Spark.fromJson(json.loads(schema_to_json(read_schema(schema, options.rules.change_feed))))

    def streamReader(self, schema: SparkStruct) -> DataSourceStreamReader:  # noqa: N802 - Spark's name
        return DeltaStreamReader(dict(self.options), schema.json())


def read_schema(schema: StructType, change_feed: bool) -> StructType:
    """The columns of a stream's rows: the table's, nullable and without metadata; for a change feed also its own."""
    # Column mapping means nothing to Spark.
    plain = StructType(tuple(StructField(item.name, as_nullable(item.type)) for item in schema))
    return StructType((*plain, *CHANGE_FIELDS)) if change_feed else plain


class FilesPartition(InputPartition):  # type: ignore[misc]
    """Input of one streaming task: data files, and the table schema (JSON) that they are read with."""

    def __init__(self, files: list[StreamFile], schema: str) -> None:
        super().__init__(None)
        self.files, self.schema = files, schema


class DeltaStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):  # type: ignore[misc]
    """Offsets and files of the stream's batches. `columns` is the JSON of the schema that Spark has analysed."""

    def __init__(self, options: dict[str, str], columns: str) -> None:
        self._given_options, self._columns = options, columns
        self._until: int | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Tasks get the constructor's arguments, not the open log.
        return (DeltaStreamReader, (self._given_options, self._columns))

    @cached_property
    def _options(self) -> StreamOptions:
        return _options(self._given_options)

    @cached_property
    def _tail(self) -> StreamSource:
        """The table's log as a stream.

        Raises SchemaChangedError if the table's columns are no longer those that the query was created with.
        """
        log = _log(self._given_options)
        snapshot = log.snapshot()
        if snapshot.is_managed:
            # A stream reads published versions, which stay what they are, without the catalog.
            snapshot = log.snapshot(snapshot.version)
        snapshot.check_readable()
        now = read_schema(snapshot.schema, self._options.rules.change_feed)
        if without_metadata(now) != without_metadata(schema_from_json(self._columns)):
            raise errors.SchemaChangedError(
                log.table, snapshot.version, "its columns are others than when the query was made"
            )
        return StreamSource(log, self._options.rules, snapshot.schema)

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        return self._tail.first().to_json()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's name
        return ReadMaxFiles(int(self._options.most_files))

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
        self._until = self._tail.latest_version()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802 - Spark's name
        until = self._tail.latest_version() if self._until is None else self._until
        files, size = self._options.most_files, self._options.most_bytes
        if isinstance(limit, ReadAllAvailable):
            files = size = float("inf")
        return self._tail.next(StreamOffset.from_json(start), files, size, until).to_json()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        files = self._tail.files(StreamOffset.from_json(start), StreamOffset.from_json(end))
        schema = schema_to_json(self._tail.schema)
        return [FilesPartition(part, schema) for part in _parts(files)]

    def read(self, partition: FilesPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a partition's files; runs in a task."""
        from pyspark.sql.pandas.types import to_arrow_schema
        from pyspark.sql.types import StructType as Spark

        schema = schema_from_json(partition.schema)
        if self._options.rules.change_feed:
            schema = StructType((*schema, *CHANGE_FIELDS))
        target = to_arrow_schema(Spark.fromJson(json.loads(self._columns)), timezone="UTC")
        store = open_store(self._given_options["path"])
        for file in partition.files:
            yield from batches(file, schema, target, store, self._given_options.get(TIME_ZONE.lower()))


def _parts(files: Iterator[StreamFile]) -> Iterator[list[StreamFile]]:
    """Files grouped for tasks, in order; a group ends when it reaches _PARTITION_BYTES."""
    part: list[StreamFile] = []
    size = 0
    for file in files:
        part.append(file)
        size += file.size
        if size >= _PARTITION_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _options(options: Any) -> StreamOptions:
    return stream_options({key.lower(): value for key, value in options.items()})


def _log(options: Any) -> DeltaLog:
    path = options["path"]
    return DeltaLog(path, options.get(TABLE) or options.get(TABLE.lower()) or f"delta.`{path}`")
