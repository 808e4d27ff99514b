"""The engine: answers the planner's questions about rows, and runs its plans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from functools import cached_property
from io import StringIO
from typing import TYPE_CHECKING, Any

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.engine import NotOnSailError
from deltasql.base.settings.session_settings import IO_MODE, TIME_ZONE
from deltasql.catalog.definitions import TableSource
from deltasql.engines.choice import moved_in_process, only_for_spark, spreads_rows
from deltasql.engines.spark.failures.spark_errors import failure_of, translated_errors
from deltasql.engines.spark.failures.write_errors import Failure, WriteContext, assigned_sql, rewrite_context
from deltasql.engines.spark.reading.frames import Frames, types_over
from deltasql.engines.spark.reading.input_size import UNKNOWN_SIZE, input_size
from deltasql.engines.spark.reading.scans import reads_below
from deltasql.engines.spark.rewrites.arrange import arranged
from deltasql.engines.spark.rewrites.merge_source import MergeSource, evaluated_source
from deltasql.engines.spark.rewrites.rewrite import rewrite
from deltasql.engines.spark.rewrites.row_reader import SparkRowReader
from deltasql.engines.spark.rows import QueryResult
from deltasql.engines.spark.session.interrupts import stoppable
from deltasql.engines.spark.session.local_rows import frame_of_rows
from deltasql.engines.spark.session.progress import watched
from deltasql.engines.spark.session.spark import SparkHandle, sql_name, temporary_views
from deltasql.engines.spark.session.spark_types import declared_spark_schema
from deltasql.engines.spark.writing.row_writers import Counts, row_counter, write_source
from deltasql.engines.spark.writing.stage import SparkStage
from deltasql.files.result import RowSource
from deltasql.files.staged import Staged
from deltasql.files.thresholds import STORE_BYTES
from deltasql.log.actions.actions import AddCDCFile
from deltasql.log.storage.locations import is_local, table_location
from deltasql.log.storage.stores import Stores
from deltasql.plan.base import quote
from deltasql.plan.file_shape import ANY_SHAPE, FileShape
from deltasql.plan.operators import (
    MemoryRows,
    Operator,
    Rearrange,
    Rewrite,
    Scan,
    SqlQuery,
    Supplied,
    Write,
    stored_schemas,
)
from deltasql.plan.reads import Reads
from deltasql.planner.door import RewriteOutcome, Stage
from deltasql.schema.checks import COMMIT_TIMESTAMP, COMMIT_VERSION
from deltasql.schema.types import DataType, StructType
from deltasql.sql.functions.spark_names import FUNCTIONS as SPARKS_OWN

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame

    from deltasql.files.result import Columnar
    from deltasql.log.replay.snapshot import Snapshot

_OF_SESSION: tuple[list[str], ...] = ([], ["session"], ["system", "session"])
EMPTY: Mapping[str, Operator] = {}
_OF_ONE_SESSION = ("spark.databricks.delta.", "deltasql.")


class SparkRuntime:
    """The engine while it works on one statement: DataFrames that were analysed for the plan serve the run as well."""

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
            return [row[0] for row in rows if "." not in row[0]]

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
        if is_local(location) and not self.spark.session_value(IO_MODE.name):
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
        asked = self.spark.started or (key == TIME_ZONE.name and self.spark.has_others_tables)
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
        return SparkRowReader(self, snapshot, reads, probe, None if stage is None else spark_stage(stage), time_zone)

    def write(self, operator: Write, stage: Stage, table: str) -> Staged:
        """Stages the rows of `operator`, which Spark computes."""
        if not self.spark.capabilities.metadata and (barred := only_for_spark(operator.output)):
            raise NotOnSailError(what=barred)
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
