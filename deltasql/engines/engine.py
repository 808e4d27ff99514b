"""The engine of a session: each statement is tried in this process first, and else goes to Spark or Sail.

This process may read the rows of a query from files; an engine starts for all other uses of the query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, cached_property, wraps
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from deltasql.base import SAIL, LeftToEngineError, Watch, errors, interruptible, np, pa, session_settings
from deltasql.engines.choice import ViolatedError, is_small, violation_error
from deltasql.engines.local.arranging import SORTED, arranged_in_process, planned_arrangement
from deltasql.engines.local.met_rows import met_rows
from deltasql.engines.local.rewrites import planned_rewrite, rewrite_in_process
from deltasql.engines.local.selections import PlainScan, SelectedRows
from deltasql.engines.local.sources import LocalRows, answered_query, local_schema
from deltasql.engines.local.writes import planned_write, write_in_process
from deltasql.engines.rewriting import bin_numbers, unite_in_process
from deltasql.engines.spark.engine import SparkRuntime, connect_rows, spark_stage
from deltasql.engines.spark.failures import translated_errors
from deltasql.engines.spark.reading.frames import EngineDialect, SparkDialect
from deltasql.engines.spark.rewrites.position_search import scanned_files
from deltasql.engines.spark.session.spark import EmbeddedEngine, SparkHandle
from deltasql.files import ROW_BITS, RowSource, SessionFacts, Staged, rows_by_file
from deltasql.log import Stores, canonical
from deltasql.plan import (
    EVALUATED,
    IN_MEMORY,
    ComputedBy,
    Literals,
    MemoryRows,
    Operator,
    Rearrange,
    Rewrite,
    Way,
    Write,
    record_way,
    recorded_ways,
    ways_recorded,
)
from deltasql.planner import RewriteOutcome, Stage
from deltasql.schema import ArrayType, DataType, MapType, StructType, case_matters, declared_rows, matching

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, SparkSession

    from deltasql.base import DeltaSqlError, SessionSettings
    from deltasql.engines.spark.failures import Failure
    from deltasql.log import AddFile, RowPositions, Snapshot
    from deltasql.plan import Reads, SqlQuery
    from deltasql.planner import RowReader


class FileRows:
    """The rows of a query that are those of files, or in memory.

    One by one they come without an engine, and as Arrow without Spark; Sail's Arrow has types of its own. `query` has
    them for the rest. Implements `deltasql.files.result.RowSource`.
    """

    def __init__(
        self,
        rows: PlainScan | SelectedRows | LocalRows | BesideRows,
        session: SessionFacts,
        query: Callable[[], RowSource],
    ) -> None:
        self._rows, self._session, self._make = rows, session, query
        self._ways = recorded_ways()

    @cached_property
    def _query(self) -> RowSource:
        with ways_recorded(self._ways):
            return self._make()

    @contextmanager
    def _in_process(self) -> Iterator[None]:
        """Context: work on rows in this process, which ends quietly where the engine is to compute them after all."""
        try:
            with interruptible():
                yield
        except LeftToEngineError as left:
            self._ways.clear()
            with ways_recorded(self._ways):
                record_way(ComputedBy.ENGINE, left.reason)

    @property
    def df(self) -> DataFrame:
        return self._query.df

    @property
    def schema(self) -> StructType:
        return self._rows.schema

    def collect(self) -> Sequence[Sequence[Any]]:
        if self._gives_rows:
            with self._in_process():
                return connect_rows(self._rows.table(self._session), self.schema)
        return self._query.collect()

    @property
    def _gives_rows(self) -> bool:
        """Whether rows are as the engine's: Spark gives maps in another order than that in which they are stored."""
        return self._session.is_in_process or not _has_maps(self.schema)

    @property
    def _are_few(self) -> bool:
        """Whether to read them all costs less than to ask an engine for some, or for their number."""
        return not isinstance(self._rows, PlainScan) or is_small(self._rows.scan)

    def head(self, n: int) -> Sequence[Sequence[Any]]:
        if self._gives_rows and self._are_few:
            with self._in_process():
                return connect_rows(self._rows.table(self._session).slice(0, n), self.schema)
        return self._query.head(n)

    def count(self) -> int:
        if self._are_few:
            with self._in_process():
                return int(self._rows.table(self._session).num_rows)
        return self._query.count()

    def to_arrow(self) -> pa.Table:
        if not self._session.is_in_process:
            with self._in_process():
                return declared_rows(self._rows.table(self._session), self.schema)
        return self._query.to_arrow()

    def to_pandas(self) -> Any:
        return self._query.to_pandas()


def _has_maps(kind: DataType) -> bool:
    match kind:
        case MapType():
            return True
        case ArrayType(element=element):
            return _has_maps(element)
        case StructType():
            return any(_has_maps(item.type) for item in kind)
        case _:
            return False


class BesideRows(Protocol):
    """The rows of a query by an engine beside Spark. Methods raise LeftToEngineError where it does not give them."""

    schema: StructType

    def table(self, session: SessionFacts, most: int | None = None) -> pa.Table:
        """All rows, or the first `most` of them."""

    def count(self) -> int: ...


class RowsBeside(FileRows):
    """The rows of a query by an engine beside Spark; Spark has them where the caller needs its DataFrame."""

    _rows: BesideRows

    def head(self, n: int) -> Sequence[Sequence[Any]]:
        with self._in_process():
            return connect_rows(self._rows.table(self._session, n), self.schema)
        return self._query.head(n)

    def count(self) -> int:
        with self._in_process():
            return self._rows.count()
        return self._query.count()


_T = TypeVar("_T")
_SPARK = "spark"
_BESIDE = "{engine} computes the query, in a separate process"
_COPIED = Way(ComputedBy.PROCESS, "rows are copied from file to file")


class SessionEngine:
    """Runs one session's operators on the engine, which starts when rows are needed."""

    def __init__(self, spark: SparkHandle) -> None:
        self.spark = spark

    def statement(self, sql: str) -> InProcessFirst:
        """The engine for one statement, whose text places the errors."""
        return InProcessFirst(self.spark, sql)

    def statement_of(self, frame: DataFrame | MemoryRows, sql: str = "") -> InProcessFirst:
        """The engine for a write of `frame`, in the Spark session that it belongs to: a stream's has one of its own."""
        return InProcessFirst(self.spark if isinstance(frame, MemoryRows) else self.spark.of(frame), sql)

    def stream(self, snapshot: Snapshot, options: Mapping[str, str], time_zone: str | None) -> DataFrame:
        """The rows of a table as a stream. Raises UnsupportedStreamColumnError, UnsupportedWriteError."""
        with translated_errors("", None, _read_failure):
            from deltasql.engines.spark.reading.stream_source import stream

            return stream(self.spark, snapshot, options, time_zone)

    def beside(self, settings: SessionSettings) -> SessionEngine:
        """The engine of a stream's thread: the same Spark session, and a copy of the settings."""
        return SessionEngine(self.spark.with_settings(settings))

    def configure(self, key: str, value: str | None) -> None:
        """Sets a Spark setting, or unsets it (None), if Spark runs. Raises SparkError if it may not be."""
        if not self.spark.started:
            # Spark is given the settings when it starts.
            return None
        with translated_errors("", None, _read_failure):
            return self.spark.unset(key) if value is None else self.spark.set(key, value)


def _dialect_of(spark: SparkHandle) -> EngineDialect:
    """The SQL of a session's engine: a Spark Connect server may be another engine than Spark, as its features show."""
    return SparkDialect(spark) if spark.capabilities.checks_types else other_engine().dialect(spark)


_P = ParamSpec("_P")


def _asked(method: Callable[Concatenate[SparkRuntime, _P], _T]) -> Callable[Concatenate[InProcessFirst, _P], _T]:
    """A method of the engine, which this process does not try first."""

    @wraps(method)
    def ask(self: InProcessFirst, /, *arguments: _P.args, **named: _P.kwargs) -> _T:
        return method(self.engine, *arguments, **named)

    return ask


class InProcessFirst:
    """Implements `door.StatementEngine` for one statement: the evaluator of this process, then the session's engine."""

    def __init__(self, spark: SparkHandle, sql: str) -> None:
        self.spark = spark
        self.engine = SparkRuntime(spark, sql, _dialect_of, _read_failure)

    @property
    def stores(self) -> Stores:
        return self.engine.stores

    @property
    def started(self) -> bool:
        return self.engine.started

    @property
    def is_plain(self) -> bool:
        return self.engine.is_plain

    @property
    def makes_functions(self) -> bool:
        return self.engine.makes_functions

    knows = _asked(SparkRuntime.knows)
    knows_view = _asked(SparkRuntime.knows_view)
    knows_function = _asked(SparkRuntime.knows_function)
    functions = _asked(SparkRuntime.functions)
    temporary_views = _asked(SparkRuntime.temporary_views)
    forget_view = _asked(SparkRuntime.forget_view)
    forget_function = _asked(SparkRuntime.forget_function)
    setting = _asked(SparkRuntime.setting)
    types = _asked(SparkRuntime.types)
    value = _asked(SparkRuntime.value)
    mover = _asked(SparkRuntime.mover)
    spark_plan = _asked(SparkRuntime.spark_plan)
    reads_below = _asked(SparkRuntime.reads_below)
    stage = _asked(SparkRuntime.stage)
    write_files = _asked(SparkRuntime.write_files)
    record = _asked(SparkRuntime.record)
    run_through = _asked(SparkRuntime.run_through)
    previewed = _asked(SparkRuntime.previewed)
    command = _asked(SparkRuntime.command)
    frame_of = _asked(SparkRuntime.frame_of)
    release = _asked(SparkRuntime.release)
    variables_lock = _asked(SparkRuntime.variables_lock)

    def schema(self, operator: Operator) -> StructType:
        schema = local_schema(self.spark, operator)
        return self.engine.schema(operator) if schema is None else schema

    def way(self, operator: Operator) -> Way:
        """See `Analyst.way`."""
        match operator:
            case Rewrite():
                return planned_rewrite(self.spark, operator)
            case Write():
                return planned_write(self.spark, operator)
            case Rearrange():
                return _COPIED if operator.curve is None else planned_arrangement(self.spark, operator)
        try:
            answered_query(self.spark, operator)
        except LeftToEngineError as left:
            first = self._first_engine
            before = "" if first == _SPARK else f"; {first.capitalize()} is asked before Spark"
            return Way(ComputedBy.ENGINE, f"{left.reason}{before}")
        return Way(ComputedBy.PROCESS, EVALUATED)

    def rows(self, operator: Operator) -> RowSource:
        """The lazy rows of a query. Spark analyses it now, unless this process may read them."""
        plan, case_sensitive = _tried(lambda: answered_query(self.spark, operator)), case_matters()
        engine_rows = self.engine.rows

        def query() -> RowSource:
            with matching(case_sensitive=case_sensitive):
                return engine_rows(operator)

        if plan is not None:
            return FileRows(plan, self.spark, query)
        beside = self._beside(operator)
        return engine_rows(operator) if beside is None else RowsBeside(beside, self.spark, query)

    @property
    def _first_engine(self) -> str:
        """The engine that is asked first for the rows of a query. A session of Sail's has one engine alone."""
        asked = self.spark.session_value(session_settings.ENGINES.name)
        return _SPARK if asked is None or self.spark.is_in_process else session_settings.ENGINES.value(asked)[0]

    def _beside(self, operator: Operator) -> BesideRows | None:
        """The rows of a query by another engine, which the session asks before Spark; None where Spark is to."""
        first = self._first_engine
        if first == _SPARK:
            return None
        try:
            with interruptible():
                rows = other_engine(first).rows_beside(self.spark, operator, self.engine.sql)
            if _has_maps(rows.schema):
                raise LeftToEngineError("entries of maps have an order in Spark")
        except LeftToEngineError as left:
            record_way(ComputedBy.ENGINE, left.reason)
            return None
        record_way(ComputedBy.ENGINE, _BESIDE.format(engine=first.capitalize()))
        return rows

    def write(self, operator: Write, stage: Stage, table: str) -> Staged:
        because = IN_MEMORY if isinstance(operator.child, (Literals, MemoryRows)) else EVALUATED
        done = _tried(lambda: write_in_process(self.spark, operator, spark_stage(stage)), because, table)
        return self.engine.write(operator, stage, table) if done is None else done

    def rewrite(
        self, operator: Rewrite, stage: Stage, table: str, *, merge: bool, insert: bool = False
    ) -> RewriteOutcome:
        staged = spark_stage(stage)
        done = _tried(lambda: rewrite_in_process(self.spark, operator, staged, self._store_source), table=table)
        return self.engine.rewrite(operator, stage, table, merge=merge, insert=insert) if done is None else done

    def rearrange(self, operator: Rearrange, stage: Stage) -> tuple[Staged, tuple[int, ...]]:
        with suppress(LeftToEngineError):
            staged = unite_in_process(self.spark, operator, spark_stage(stage))
            record_way(*_COPIED)
            return staged, bin_numbers(operator)
        if operator.curve is not None:
            done = _tried(lambda: arranged_in_process(self.spark, operator, spark_stage(stage)), SORTED)
            if done is not None:
                return done
        return self.engine.rearrange(operator, stage)

    def _store_source(self, source: MemoryRows) -> None:
        self.engine.evaluated_source = source

    def row_reader(
        self,
        snapshot: Snapshot,
        reads: Reads | None = None,
        probe: Rewrite | SqlQuery | None = None,
        stage: Stage | None = None,
        time_zone: str | None = None,
    ) -> RowReader:
        return self.engine.row_reader(snapshot, reads, probe, stage, time_zone, self.evaluated_rows)

    def evaluated_rows(
        self, probe: Rewrite | SqlQuery | None, snapshot: Snapshot, adds: Sequence[AddFile], only: RowPositions | None
    ) -> RowPositions:
        """See `EvaluatedRows`. Raises LeftToEngineError for a statement that is a query, too."""
        if not isinstance(probe, Rewrite):
            raise LeftToEngineError("the statement reads rows and changes none")
        root, addresses = snapshot.location, None
        paths = [canonical(add.path, root) for add in adds]
        if only is not None:
            rows = [only[path].astype(np.int64) for path in paths]
            addresses = np.concatenate([(number << ROW_BITS) + np.sort(some) for number, some in enumerate(rows)])
        with interruptible():
            found = met_rows(self.spark, probe, self.engine.evaluated_source, scanned_files(adds, root), addresses)
        return {paths[number]: rows.astype(np.uint64) for number, rows in rows_by_file(found)}


def _tried(compute: Callable[[], _T], because: str = EVALUATED, table: str = "the table") -> _T | None:
    """The result of a computation in this process, recorded with its reason; None where it is left to the engine.

    Raises the error of a row that violates a constraint of `table`.
    """
    try:
        result = compute()
    except ViolatedError as violated:
        raise violation_error(violated.constraint, violated.row, table) from None
    except LeftToEngineError as left:
        record_way(ComputedBy.ENGINE, left.reason)
        return None
    record_way(ComputedBy.PROCESS, because)
    return result


class OtherEngine(Protocol):
    """An engine beside Spark that is driven by Spark Connect, as the entry point of its package gives it."""

    def embedded(self) -> EmbeddedEngine:
        """The engine within this process, for sessions that have no other."""

    def dialect(self, spark: SparkHandle) -> EngineDialect:
        """The SQL of the engine, for one statement."""

    def read_failure(self, error: PySparkException) -> Failure | DeltaSqlError:
        """The failure that an error of the engine reports."""

    def rows_beside(self, spark: SparkHandle, operator: Operator, sql: str) -> BesideRows:
        """The rows of a query by this engine in a separate process. Raises LeftToEngineError, SailMissingError."""


_GROUP = "deltasql.engines"


@cache
def other_engine(name: str = SAIL) -> OtherEngine:
    """The engine beside Spark, by the entry point of that name. Raises UnknownEngineError."""
    for found in entry_points(group=_GROUP, name=name):
        engine: OtherEngine = found.load()
        return engine
    raise errors.UnknownEngineError(engine=name)


def _read_failure(error: PySparkException) -> Failure | DeltaSqlError:
    """The failure that an error without a condition stands for: a Spark Connect server may be one of Sail's."""
    return other_engine().read_failure(error)


def session_engine(
    spark: SparkSession | str | None, settings: SessionSettings, stores: Stores, watch: Watch, *, sail: bool
) -> SessionEngine:
    """The engine of a session, which starts when rows are needed: Sail, or Spark as `SparkHandle` describes `spark`."""
    return SessionEngine(SparkHandle(spark, settings, stores, watch, other_engine().embedded() if sail else None))
