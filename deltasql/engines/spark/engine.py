"""Spark as the engine of a statement: it answers the planner's questions about rows, and runs its plans.

Rows of a query are a lazy DataFrame, run under settings that suit its size when rows are fetched.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from dataclasses import replace
from functools import cached_property
from io import StringIO
from itertools import count
from typing import TYPE_CHECKING, Any

from deltasql.base import DeltaSqlError, LeftToEngineError, errors, interruptible, pa, session_settings
from deltasql.catalog import TableSource
from deltasql.engines.choice import handed_out, moved_in_process, only_for_spark, spreads_rows
from deltasql.engines.spark.failures import (
    Failure,
    FailureReader,
    WriteContext,
    assigned_sql,
    failure_of,
    rewrite_context,
    translated_errors,
)
from deltasql.engines.spark.loading import load_pyspark
from deltasql.engines.spark.reading.driver_rows import UNKNOWN_SIZE, input_size
from deltasql.engines.spark.reading.frames import Frames, types_over
from deltasql.engines.spark.reading.scans import reads_below
from deltasql.engines.spark.rewrites.arrange import arranged
from deltasql.engines.spark.rewrites.position_search import SparkRowReader
from deltasql.engines.spark.rewrites.rewrite import rewrite
from deltasql.engines.spark.rewrites.row_actions import MergeSource, evaluated_source
from deltasql.engines.spark.session.local_rows import declared_spark_schema, frame_of_rows, frame_schema, spark_schema
from deltasql.engines.spark.session.progress import stoppable, watched
from deltasql.engines.spark.session.spark import SparkHandle, sql_name, temporary_views
from deltasql.engines.spark.writing import Counts, SparkStage, row_counter, write_source
from deltasql.files import STORE_BYTES, RowSource, Staged, shown_shapes
from deltasql.log import AddCDCFile, Stores, is_local, table_location
from deltasql.plan import (
    ANY_SHAPE,
    FileShape,
    MemoryRows,
    Operator,
    Reads,
    Rearrange,
    Rewrite,
    Scan,
    SqlQuery,
    Supplied,
    Write,
    hidden,
    stored_schemas,
)
from deltasql.planner import RewriteOutcome, Stage
from deltasql.schema import (
    COMMIT_TIMESTAMP,
    COMMIT_VERSION,
    HIDDEN_PREFIX,
    STRING,
    VARIANT,
    VOID,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    arrow_type,
    has_shapes,
    is_shape,
    sql_text,
    text_sql,
)
from deltasql.schema import quote_name as quote
from deltasql.sql import FUNCTIONS as SPARKS_OWN

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame

    from deltasql.files import Columnar
    from deltasql.log import Snapshot


class QueryResult:
    """Implements `deltasql.files.result.RowSource`. `size` is the bytes that the query reads.

    With `write` what is wrong with a row is said as the write would say it. `for_caller` makes the DataFrame that the
    caller gets, which names the files that it reads; without it that is `frame`.
    """

    def __init__(
        self,
        frame: DataFrame,
        spark: SparkHandle,
        size: int,
        sql: str,
        write: WriteContext | None = None,
        *,
        for_caller: Callable[[], DataFrame] | None = None,
        read_failure: FailureReader | None = None,
    ) -> None:
        self._frame = frame
        self._for_caller, self._read_failure = for_caller, read_failure
        self._spark, self._size, self._sql = spark, size, sql
        self._write = write
        self._schema: StructType | None = None

    @property
    def df(self) -> DataFrame:
        """The rows for the caller to go on with."""
        if self._for_caller is not None:
            # What the query names may be gone by now, such as a variable; its rows are still known.
            with handed_out():
                try:
                    self._frame = self._for_caller()
                except errors.NotOnSailError:
                    raise
                except DeltaSqlError:
                    pass
            self._for_caller = None
        return self._frame

    @property
    def schema(self) -> StructType:
        if self._schema is None:
            with translated_errors(self._sql, None, self._read_failure):
                self._schema = frame_schema(self._frame)
        return self._schema

    def collect(self) -> Sequence[Sequence[Any]]:
        with self._running():
            return list(self._frame.collect())

    def head(self, n: int) -> Sequence[Sequence[Any]]:
        with self._running():
            return list(self._frame.take(n))

    def count(self) -> int:
        with self._running():
            return int(self._frame.count())

    def to_arrow(self) -> pa.Table:
        """Variants are JSON, and shapes texts: PySpark hands on structs of bytes, and fails where one is NULL.

        Arrays and maps of VOID are fetched as those of STRING: PySpark makes no Arrow type of them.
        """
        schema = self.schema
        # Two columns may have one name; numbered ones can be told apart.
        names = [hidden(index) for index in range(len(schema))]
        texts = [variant_text(name, field.type) for name, field in zip(names, schema, strict=True)]
        voids = [_without_void(field.type) for field in schema]
        with self._running():
            if not any(texts) and not any(voids):
                return self._frame.toArrow()
            if any(texts) and not self._spark.capabilities.checks_types:
                raise errors.NotOnSailError(what="VARIANT")
            shown = map(_cast, (text or name for text, name in zip(texts, names, strict=True)), voids)
            table = self._frame.toDF(*names).selectExpr(*shown).toArrow()
        columns = map(_with_void, table.columns, voids, schema)
        return _with_shape_texts(pa.Table.from_arrays(list(columns), names=list(schema.names)), schema)

    def to_pandas(self) -> Any:
        with self._running(), warnings.catch_warnings():
            # That it went another way for a type, or what the error says anyway.
            warnings.filterwarnings("ignore", "toPandas attempted Arrow optimization")
            return self._frame.toPandas()

    @contextmanager
    def _running(self) -> Iterator[None]:
        with (
            interruptible(),
            translated_errors(self._sql, self._write, self._read_failure),
            stoppable(self._spark),
            watched(self._spark),
            self._spark.sized(self._size),
        ):
            yield


def connect_rows(table: pa.Table, schema: StructType) -> Sequence[Sequence[Any]]:
    """The rows of an Arrow table as Spark Connect gives them.

    Raises LeftToEngineError for times that Python has not.
    """
    load_pyspark()
    from pyspark.sql.conversion import ArrowTableToRowsConversion

    try:
        rows: Sequence[Sequence[Any]] = ArrowTableToRowsConversion.convert(
            table, spark_schema(schema), binary_as_bytes=True
        )
    except (ValueError, OverflowError):
        raise LeftToEngineError from None
    return rows


def _cast(sql: str, kind: DataType | None) -> str:
    return sql if kind is None else f"CAST({sql} AS {sql_text(kind)})"


def _with_shape_texts(table: pa.Table, schema: StructType) -> pa.Table:
    """The rows with texts in place of the numbers and bytes of shapes, at any depth."""
    if not has_shapes(schema):
        return table
    columns = list(table.columns)
    for index, item in enumerate(schema):
        if has_shapes(item.type):
            values = [shown_shapes(value, item.type) for value in columns[index].to_pylist()]
            columns[index] = pa.chunked_array([pa.array(values, arrow_type(item.type))])
    return pa.Table.from_arrays(columns, names=list(schema.names))


def _with_void(column: pa.ChunkedArray, cast: DataType | None, field: StructField) -> pa.ChunkedArray:
    """A column that was cast to a type without VOID, as one of the type of the field."""
    return column if cast is None else pa.chunked_array([pa.array(column.to_pylist(), arrow_type(field.type))])


def _without_void(kind: DataType) -> DataType | None:
    """A nested type with STRING in place of VOID, and of VARIANT; None where it has no VOID in it."""
    if not isinstance(kind, (StructType, ArrayType, MapType)):
        return None
    without = _as_text(kind, VOID)
    return None if without == kind else _as_text(without, VARIANT)


def _as_text(kind: DataType, other: DataType) -> DataType:
    """`kind` with STRING in place of another type, at any depth."""
    match kind:
        case StructType():
            return StructType(tuple(replace(item, type=_as_text(item.type, other)) for item in kind))
        case ArrayType(element):
            return replace(kind, element=_as_text(element, other))
        case MapType(key, value):
            return replace(kind, key=_as_text(key, other), value=_as_text(value, other))
        case _:
            return STRING if kind == other else kind


def variant_text(sql: str, kind: DataType) -> str | None:
    """SQL of the value `sql` whose variants, at any depth, are their JSON text, and whose shapes are structs of number
    and bytes; None where `kind` holds neither.
    """
    return _text(sql, kind, count())


def _text(sql: str, kind: DataType, names: count[int]) -> str | None:
    match kind:
        case StructType():
            return _struct(sql, kind, names)
        case ArrayType(element):
            item = f"__v{next(names)}"
            body = _text(item, element, names)
            return body and f"transform({sql}, {item} -> {body})"
        case MapType(_, value):
            # A variant cannot be the key of a map.
            key, item = f"__v{next(names)}", f"__v{next(names)}"
            body = _text(item, value, names)
            return body and f"transform_values({sql}, ({key}, {item}) -> {body})"
        case _:
            if is_shape(kind):
                parts = f"named_struct('srid', st_srid({sql}), 'wkb', st_asbinary({sql}))"
                return f"CASE WHEN {sql} IS NOT NULL THEN {parts} END"
            return f"to_json({sql})" if kind == VARIANT else None


def _struct(sql: str, kind: StructType, names: count[int]) -> str | None:
    paths = [f"{sql}.{quote(field.name)}" for field in kind]
    texts = [_text(path, field.type, names) for path, field in zip(paths, kind, strict=True)]
    if not any(texts):
        return None
    fields = zip(kind, texts, paths, strict=True)
    values = ", ".join(f"{text_sql(field.name)}, {text or path}" for field, text, path in fields)
    return f"CASE WHEN {sql} IS NOT NULL THEN named_struct({values}) END"


_OF_SESSION: tuple[list[str], ...] = ([], ["session"], ["system", "session"])
EMPTY: Mapping[str, Operator] = {}
_OF_ONE_SESSION = ("spark.databricks.delta.", "deltasql.")


class SparkRuntime:
    """The engine while it works on one statement: DataFrames that were analysed for the plan serve the run as well."""

    row_reader_type: type[SparkRowReader] = SparkRowReader

    def __init__(self, spark: SparkHandle, sql: str) -> None:
        self.spark, self.sql = spark, sql

    @cached_property
    def frames(self) -> Frames:
        """The DataFrames of the statement. Starts the engine."""
        return Frames(self.spark)

    def read_failure(self, error: PySparkException) -> Failure | DeltaSqlError:
        """The failure that an error without a condition stands for: see `translated_errors`."""
        return failure_of(error)

    @contextmanager
    def work(self, write: WriteContext | None = None) -> Iterator[None]:
        """Work of the engine: Ctrl-C cancels it, and its errors come out as ours. Raises NeedsEngineError."""
        self.spark.require_engine()
        with translated_errors(self.sql, write, self.read_failure), stoppable(self.spark), watched(self.spark):
            yield

    @property
    def stores(self) -> Stores:
        return self.spark.stores

    @property
    def started(self) -> bool:
        """Whether Spark is up, so that it may know names that the catalog does not."""
        return self.spark.started or self.spark.has_others_tables

    @property
    def is_plain(self) -> bool:
        """Whether rows are computed by a Spark of our own, with no settings but those of SET."""
        return self.spark.is_plain

    def schema(self, operator: Operator) -> StructType:
        """The columns of an operator's rows, as Spark's analyser has them."""
        with self.work():
            return self.frames.schema(operator)

    def types(
        self,
        scope: Sequence[tuple[Operator, str]],
        expressions: Sequence[str],
        relations: Mapping[str, Operator] = EMPTY,
    ) -> list[DataType]:
        """The types of expressions over the joined rows of some operators, each under its alias."""
        with self.work(), self.frames.views(relations):
            self.frames.check_casts(scope, expressions, self.sql)
            return types_over(self.frames, scope, expressions, self.sql)

    def knows(self, parts: Sequence[str]) -> bool:
        """Whether Spark has a table or view of this name. Asks only a Spark that is running.

        A Spark of our own has no tables but those of another program in this process: SHOW TABLES does not show them.
        """
        if not self.started or not self.spark.has_others_tables:
            return self.knows_view(parts)
        try:
            with self.work():
                return bool(self.spark.session.catalog.tableExists(sql_name(parts)))
        except DeltaSqlError:
            # A catalog that Spark has not is an error to it.
            return False

    def knows_view(self, parts: Sequence[str]) -> bool:
        """Whether Spark has a temporary view of this name. Asks only a Spark that is running."""
        local, shared = len(parts) == 1, len(parts) == 2 and parts[0].lower() == "global_temp"
        if not self.spark.started or not (local or shared):
            return False
        with self.work():
            catalog, name = self.spark.session.catalog, sql_name(parts)
            return catalog.tableExists(name) and (shared or catalog.getTable(name).isTemporary)

    def knows_function(self, parts: Sequence[str]) -> bool:
        """Whether Spark has a temporary function of this name. Asks only a Spark that is running."""
        *schema, name = parts
        if not self.spark.started or [part.lower() for part in schema] not in _OF_SESSION:
            return False
        if name.upper() in SPARKS_OWN:
            return False
        with self.work():
            if not self.frames.makes_functions:
                return False
            catalog = self.spark.session.catalog
            exists = catalog.functionExists(quote(name))
            return exists and bool(catalog.getFunction(quote(name)).isTemporary)

    @property
    def makes_functions(self) -> bool:
        """Whether the engine has temporary functions of SQL; else the session keeps them."""
        with self.work():
            return self.frames.makes_functions

    def functions(self, kind: str) -> list[str]:
        """The names that Spark's SHOW FUNCTIONS of this kind tells. Those of users are asked of a running Spark."""
        if kind == "USER" and not self.spark.started:
            return []
        with self.work():
            if kind == "USER" and not self.frames.makes_functions:
                return []
            rows = self.spark.session.sql(f"SHOW {kind} FUNCTIONS").collect()
            return [row[0] for row in rows if "." not in row[0] and not row[0].startswith(HIDDEN_PREFIX)]

    def temporary_views(self) -> list[str]:
        """The names of Spark's own temporary views, if it is running: a session that is yet to be opened has none."""
        if not self.spark.started:
            return []
        with self.work():
            return temporary_views(self.spark)

    def forget_view(self, parts: Sequence[str]) -> None:
        """Takes a temporary view out of a running Spark: a view of ours has its name now, or it is dropped."""
        if self.spark.started:
            with self.work():
                catalog = self.spark.session.catalog
                if not self.frames.makes_functions and not catalog.tableExists(sql_name(parts)):
                    return
                (catalog.dropTempView if len(parts) == 1 else catalog.dropGlobalTempView)(parts[-1])

    def forget_function(self, name: str) -> None:
        """Takes a temporary function out of a running Spark: one of ours has its name now, or it is dropped."""
        if self.spark.started and self.frames.makes_functions:
            with self.work():
                self.spark.session.sql(f"DROP TEMPORARY FUNCTION IF EXISTS {quote(name)}")

    def mover(self, operator: Operator, location: str) -> str | None:
        """See `Analyst.mover`. For a place in an object store it starts Spark, to see whether it has a way there."""
        if is_local(location) and not self.spark.session_value(session_settings.IO_MODE.name):
            return None
        with self.work():
            barred = next(filter(None, map(only_for_spark, stored_schemas(operator))), "")
            size = input_size(operator)
            return "driver" if moved_in_process(self.spark, location, size, barred=barred) else "executors"

    def spark_plan(self, operator: Operator, mode: str) -> str:
        """Spark's own plan of an operator's rows, under the settings that they would be computed with."""
        text = StringIO()
        with self.work(), self.spark.sized(input_size(operator)), redirect_stdout(text):
            self.frames.frame(operator).explain(mode=mode)
        return text.getvalue() + self.frames.notes

    def value(self, expression: str, relations: Mapping[str, Operator] = EMPTY) -> Any:
        """The value of a constant expression, or of a sub-query over `relations`."""
        with self.work(), self.frames.views(relations):
            self.frames.check_casts((), [expression], self.sql)
            return self.frames.frame_of_text(f"SELECT ({expression})", relations).collect()[0][0]

    def setting(self, key: str) -> str | None:
        """A Spark setting, if Spark is running and has it.

        Of the settings that only Delta has, those of SET count, which does not start Spark, and those of a server.
        """
        if self.spark.is_ours and key.startswith(_OF_ONE_SESSION):
            return self.spark.server_default(key) if self.spark.started else None
        # A server has a time zone of its own, which says what the literals of a first statement mean.
        asked = self.spark.started or (key == session_settings.TIME_ZONE.name and self.spark.has_others_tables)
        return self.spark.current_value(key) if asked else None

    def run_through(self, operator: Operator) -> int:
        """Computes all rows of a query, keeps none of them, and counts them."""
        with self.work(), self.spark.sized(input_size(operator)), self.spark.needing(self.spark.for_counts()):
            rows = self.frames.frame(operator)
            if not self.spark.capabilities.observe:
                return int(rows.toArrow().num_rows)
            counts = Counts([row_counter()])
            counts.over(rows).write.format("noop").mode("overwrite").save()
            return int(counts.total()["rows"])

    def rows(self, operator: Operator) -> RowSource:
        """The lazy rows of a query, which Spark analyses now."""
        with self.work():
            size = input_size(operator)
            return QueryResult(
                self.frames.frame(operator),
                self.spark,
                size,
                self.sql,
                for_caller=lambda: self._for_caller(operator),
                read_failure=self.read_failure,
            )

    def _for_caller(self, operator: Operator) -> DataFrame:
        with self.work():
            # These frames are built anew: those of the statement may hold rows in place of files.
            return self.frames.for_caller(operator)

    def previewed(self, operator: Operator, table: str) -> QueryResult:
        """The rows of a query that says what a write would store; what is wrong with them is said as of a write."""
        size, written = input_size(operator), WriteContext(table, assigned_sql(operator), insert=True)
        with self.work(written):
            return QueryResult(
                self.frames.frame(operator), self.spark, size, self.sql, written, read_failure=self.read_failure
            )

    def command(self, sql: str, relations: Mapping[str, Operator], function: str = "") -> RowSource:
        """Runs a statement of Spark's own, which makes the temporary function of that name."""
        with self.work():
            done = self.frames.command(sql, relations)
            if done is not None:
                return done
            frame = self.frames.query(sql, relations)
            # What it gives may be lazy, and of any size: EXECUTE IMMEDIATE runs a query.
            return QueryResult(frame, self.spark, UNKNOWN_SIZE, self.sql, read_failure=self.read_failure)

    def stage(
        self,
        root: str,
        partition_columns: tuple[str, ...],
        configuration: Mapping[str, str],
        *,
        stores_partitions: bool = False,
        shape: FileShape = ANY_SHAPE,
    ) -> Stage:
        return SparkStage(
            self.spark, root, partition_columns, configuration, stores_partitions=stores_partitions, shape=shape
        )

    def row_reader(
        self,
        snapshot: Snapshot,
        reads: Reads | None = None,
        probe: Rewrite | SqlQuery | None = None,
        stage: Stage | None = None,
        time_zone: str | None = None,
    ) -> SparkRowReader:
        staged = None if stage is None else spark_stage(stage)
        return self.row_reader_type(self, snapshot, reads, probe, staged, time_zone)

    def write(self, operator: Write, stage: Stage, table: str) -> Staged:
        """Stages the rows of `operator`, which Spark computes."""
        if not self.spark.capabilities.metadata and (barred := only_for_spark(operator.output)):
            raise errors.NotOnSailError(what=barred)
        written = WriteContext(table, assigned_sql(operator), insert=True)
        size = spark_stage(stage).input_size = input_size(operator)
        if spreads_rows(operator.child):
            # Each task writes what the hint gives to it.
            spark_stage(stage).input_size = max(size, STORE_BYTES + 1)
        with self.work(written), self.spark.sized(size):
            self.frames.check_write(operator.child, self.sql, written)
            rows = self.frames.frame(operator)
            if operator.single_file:
                rows = rows.coalesce(1)
            row_ids = operator.child.row_ids if isinstance(operator.child, Scan) else None
            return spark_stage(stage).write(rows, operator.output, row_ids=row_ids)

    def write_files(self, operator: Operator, location: str, source: TableSource, table: str) -> int:
        written = WriteContext(table, assigned_sql(operator), insert=True)
        with self.work(written), self.spark.sized(input_size(operator)):
            number = self.frames.write_files(operator, location, source)
            if number is not None:
                return number
            self.frames.check_write(operator, self.sql, written)
            return write_source(self.spark, self.frames.frame(operator), location, source)

    def rewrite(
        self, operator: Rewrite, stage: Stage, table: str, *, merge: bool, insert: bool = False
    ) -> RewriteOutcome:
        """Stages the successors of the files that hold a changed row.

        `merge` and `insert` say which statement errors speak of; else it is UPDATE or DELETE.
        """
        written = rewrite_context(operator, table, insert=insert, merge=merge)
        with self.work(written):
            operator = self.frames.checked_rewrite(operator, self.sql, written)
            return rewrite(self.frames, self.spark, operator, spark_stage(stage))

    def record(self, changes: Operator, schema: StructType, stage: Stage) -> tuple[AddCDCFile, ...]:
        """Stages files of the change data feed: the columns of `schema` of some rows, and their CHANGE_TYPE."""
        size = spark_stage(stage).input_size = input_size(changes)
        with self.work(), self.spark.sized(size):
            rows = self.frames.frame(changes).drop(COMMIT_VERSION, COMMIT_TIMESTAMP)
            return spark_stage(stage).write(rows, schema, changes=True).changes

    def source(self, operator: Rewrite) -> MergeSource:
        """See `evaluated_source`."""
        return evaluated_source(self.frames, operator)

    def release(self) -> None:
        """Lets go of what Spark holds for the statement's commit."""
        if "frames" in vars(self):
            self.frames.release()

    def rearrange(self, operator: Rearrange, stage: Stage) -> tuple[Staged, tuple[int, ...]]:
        """Stages the rows of `operator` in new files; see `rewrites.arrange`."""
        size = spark_stage(stage).input_size = input_size(operator)
        with self.work(), self.spark.sized(size):
            return arranged(self.spark, operator, spark_stage(stage))

    def reads_below(self, rows: Supplied, location: str) -> bool:
        """Whether a DataFrame of the caller's has rows of the table at `location`."""
        if isinstance(rows.frame, MemoryRows):
            return False
        with self.work():
            return reads_below(rows.frame, table_location(location))

    def variables_lock(self) -> AbstractContextManager[object]:
        """See `SparkHandle.variables_lock`. Starts the engine."""
        return self.spark.variables_lock()

    def frame_of(self, rows: Columnar) -> DataFrame:
        """A DataFrame of rows in memory."""
        with self.work():
            return frame_of_rows(self.spark, rows.to_arrow(), declared_spark_schema(rows.schema))


def spark_stage(stage: Stage) -> SparkStage:
    """A stage of this engine's."""
    assert isinstance(stage, SparkStage)
    return stage
