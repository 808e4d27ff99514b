"""Physical operators → DataFrames, with the public PySpark API only.

Python functions are registered in a Spark session while a statement calls them. The rows of a view's query get the
columns that the view had when it was created.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from typing_extensions import assert_never

from deltasql.base import F, errors, session_settings
from deltasql.engines.choice import is_handed_out
from deltasql.engines.spark.reading.driver_rows import Workspace
from deltasql.engines.spark.reading.file_columns import rows_with_columns
from deltasql.engines.spark.reading.scans import CachedScans, with_declared
from deltasql.engines.spark.reading.source_rows import (
    Texts,
    checked,
    has_json_paths,
    source_rows,
    tallied,
    without_json_paths,
)
from deltasql.engines.spark.session.local_rows import declared_spark_schema, frame_of_rows, frame_schema
from deltasql.engines.spark.session.spark import Capabilities, SparkHandle, drop_hidden
from deltasql.files import RowSource, literal_table
from deltasql.log import Stores
from deltasql.plan import (
    Check,
    Literals,
    MemoryRows,
    Number,
    Operator,
    Project,
    PythonFunction,
    Rearrange,
    Rewrite,
    RowTally,
    Scan,
    SourceFiles,
    SqlFunction,
    SqlQuery,
    Supplied,
    UnionAll,
    ViewColumns,
    Write,
    hidden_names,
)
from deltasql.schema import DataType, StructField, StructType, as_nullable, can_up_cast, sql_text
from deltasql.schema import quote_name as quote
from deltasql.sql import BODY, compiled

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, SparkSession

    from deltasql.base import DeltaSqlError
    from deltasql.catalog import TableSource
    from deltasql.engines.spark.failures import Failure, WriteContext


Scope: TypeAlias = "Sequence[tuple[Operator, str]]"
"""Relations whose joined rows an expression refers to, each under its alias."""
Settings: TypeAlias = "Mapping[str, str | None]"
"""Spark settings by key; None for one that is unset."""
NO_SETTINGS: Settings = {}
_STRICT: Settings = {session_settings.ANSI.name: "true"}


class EngineDialect(Protocol):
    """The SQL of an engine, for one statement: how the user's texts reach it, and the work that it cannot do itself.

    Methods are passed the statement's DataFrames, which a dialect does not refer to: they end with their last user, and
    with them the files that they are read from.
    """

    @property
    def notes(self) -> str:
        """Text that EXPLAIN adds to the engine's plans for features that this process implements, such as variables."""

    @property
    def makes_functions(self) -> bool:
        """Whether the engine has temporary functions of SQL."""

    def read_failure(self, error: PySparkException) -> Failure | DeltaSqlError | None:
        """The failure that an error without a condition reports; None for errors of Spark."""

    def rows_of_text(
        self,
        frames: Frames,
        sql: str,
        relations: Mapping[str, Operator],
        settings: Settings = NO_SETTINGS,
    ) -> DataFrame:
        """The rows of `sql`; views for its `relations` exist already."""

    def over(self, rows: DataFrame) -> Texts:
        """The function that rewrites SQL expressions over the rows of a DataFrame for the engine."""

    def over_operator(self, rows: DataFrame, operator: Operator) -> Texts:
        """As `over`, where the rows are those of `operator`."""

    def over_scope(self, rows: DataFrame, scope: Scope, expressions: Sequence[str]) -> Sequence[str]:
        """`expressions` over `rows`, the joined rows of `scope`, rewritten for the engine, which infers their types."""

    def check_casts(self, frames: Frames, scope: Scope, expressions: Sequence[str], sql: str) -> None:
        """Raises Spark's error for casts that do not exist. A no-op for Spark, which raises it itself."""

    def check_write(self, frames: Frames, operator: Operator, sql: str, write: WriteContext) -> None:
        """As `check_casts`, for the values of rows that are written."""

    def checked_rewrite(self, frames: Frames, operator: Rewrite, sql: str, write: WriteContext) -> Rewrite:
        """`operator` with its expressions rewritten for the engine, with checks, so that they fail as on Spark.

        Raises as `check_casts`.
        """

    def refuse_stray(self, expressions: Sequence[str], kinds: Sequence[DataType], sql: str) -> None:
        """Raises Spark's syntax error for a stray word after an expression. A no-op for Spark, as it raises that."""

    def check_handed_out(self, operator: Operator) -> None:
        """Raises NotOnSailError for rows that a DataFrame in the caller's hands would compute otherwise than Spark."""

    def command(self, frames: Frames, sql: str, relations: Mapping[str, Operator]) -> RowSource | None:
        """The outcome of a statement that the engine lacks and this process runs; None for any other."""

    def write_files(self, frames: Frames, operator: Operator, location: str, source: TableSource) -> int | None:
        """Writes rows as files of another format and returns their number; None where the engine's writers do."""

    def cached(self, frames: Frames, rows: DataFrame) -> DataFrame:
        """`rows`, evaluated once and cached until they are unpersisted."""

    def numbered(self, frames: Frames, rows: DataFrame, *, single: bool) -> DataFrame:
        """`rows` with the column ORDINAL: see the function `numbered`."""

    def learn(self, frames: Frames, functions: Mapping[str, SqlFunction]) -> None:
        """Registers SQL functions for later texts. A no-op for Spark, which creates them itself."""


class SparkDialect:
    """Implements `EngineDialect` for Spark, which checks the user's texts itself and reads them as they are."""

    notes = ""
    makes_functions = True

    def __init__(self, spark: SparkHandle) -> None:
        """A text needs nothing of the session but what a method is passed."""

    def read_failure(self, error: PySparkException) -> None:
        return None

    def rows_of_text(
        self,
        frames: Frames,
        sql: str,
        relations: Mapping[str, Operator],
        settings: Settings = NO_SETTINGS,
    ) -> DataFrame:
        query = frames.spark.session.sql
        return query(without_json_paths(sql, query))

    def over(self, rows: DataFrame) -> Texts:
        return lambda text: without_json_paths(text, lambda sql: rows.selectExpr(f"({sql})"))

    def over_operator(self, rows: DataFrame, operator: Operator) -> Texts:
        return self.over(rows)

    def over_scope(self, rows: DataFrame, scope: Scope, expressions: Sequence[str]) -> Sequence[str]:
        return [*map(self.over(rows), expressions)]

    def check_casts(self, frames: Frames, scope: Scope, expressions: Sequence[str], sql: str) -> None: ...

    def check_write(self, frames: Frames, operator: Operator, sql: str, write: WriteContext) -> None: ...

    def checked_rewrite(self, frames: Frames, operator: Rewrite, sql: str, write: WriteContext) -> Rewrite:
        def joined() -> DataFrame:
            rows = frames.frame(operator.target).alias(operator.target_alias)
            if operator.source is None or operator.join is None:
                return rows
            return rows.crossJoin(frames.frame(operator.source).alias(operator.join.alias))

        def text_of(sql: str) -> str:
            if not has_json_paths(sql):
                return sql
            with frames.views(operator.relations):
                return self.over(joined())(sql)

        return operator.with_texts(text_of)

    def refuse_stray(self, expressions: Sequence[str], kinds: Sequence[DataType], sql: str) -> None: ...

    def check_handed_out(self, operator: Operator) -> None: ...

    def command(self, frames: Frames, sql: str, relations: Mapping[str, Operator]) -> None:
        return None

    def write_files(self, frames: Frames, operator: Operator, location: str, source: TableSource) -> None:
        return None

    def cached(self, frames: Frames, rows: DataFrame) -> DataFrame:
        return rows.persist()

    def numbered(self, frames: Frames, rows: DataFrame, *, single: bool) -> DataFrame:
        return numbered(frames.spark, rows, single=single)

    def learn(self, frames: Frames, functions: Mapping[str, SqlFunction]) -> None: ...


class Frames:
    """Builds the DataFrame of each operator once."""

    def __init__(self, spark: SparkHandle, dialect_of: Callable[[SparkHandle], EngineDialect]) -> None:
        self._spark, self._dialect_of = spark, dialect_of
        self.dialect = dialect_of(spark)
        """The SQL of the engine."""
        self._scans = CachedScans(spark)
        self._built: dict[int, tuple[Operator, DataFrame]] = {}
        self.work = Workspace()
        """Files on disk and sizes of the rows that this process has sent to the engine for the statement."""
        self.cached_source: Releasable | None = None
        """The source of a rewrite, kept until the statement's commit, since a retry may query it again."""

    @property
    def writes_one_file(self) -> bool:
        """See `SparkHandle.writes_one_file`."""
        return self._spark.writes_one_file

    @property
    def joins_few_rows(self) -> bool:
        """See `SparkHandle.joins_few_rows`."""
        return self._spark.joins_few_rows

    @property
    def spark(self) -> SparkHandle:
        """The session that the DataFrames belong to."""
        return self._spark

    @property
    def stores(self) -> Stores:
        """The stores of the tables."""
        return self._spark.stores

    @property
    def capabilities(self) -> Capabilities:
        """The engine's optional features: see `Capabilities`."""
        return self._spark.capabilities

    def frame(self, operator: Operator) -> DataFrame:
        """The lazy rows of `operator`. Raises what Spark raises when it analyses the user's SQL."""
        built = self._built.get(id(operator))
        if built is not None:
            return built[1]
        frame = self._build(operator)
        self._built[id(operator)] = (operator, frame)
        return frame

    def schema(self, operator: Operator) -> StructType:
        """The columns of `operator`'s rows."""
        return frame_schema(self.frame(operator))

    def _build(self, operator: Operator) -> DataFrame:
        match operator:
            case Scan():
                return self._scans.frame(operator, self.work)
            case SourceFiles():
                read = source_rows if operator.columns is None else rows_with_columns
                return read(self._spark, operator, self.work.retain)
            case UnionAll(inputs):
                return reduce(lambda rows, more: rows.unionAll(more), map(self.frame, inputs))
            case SqlQuery():
                rows = self._queried(operator)
                rows = rows if operator.view is None else self._shown(rows, operator.view)
                return rows if operator.tally is None else self._tallied(rows, operator.tally)
            case Supplied(supplied, names):
                rows = self._supplied(supplied)
                return rows.toDF(*names) if names else rows
            case Literals() | MemoryRows():
                return self._in_memory(operator)
            case Project():
                return self._projected(operator)
            case Number():
                return self.dialect.numbered(self, self.frame(operator.child), single=operator.single)
            case Check():
                return self._checked(operator)
            case Write():
                return self.frame(operator.child)
            case Rewrite() | Rearrange() | SqlFunction() | PythonFunction():
                raise TypeError(f"a {type(operator).__name__} has no rows of its own")
            case _:
                assert_never(operator)

    def _queried(self, operator: SqlQuery) -> DataFrame:
        renaming = operator.renames
        if renaming is not None and renaming.query.tally is not None:
            return self.frame(renaming.query).toDF(*renaming.names)
        if renaming is not None and id(renaming.query) in self._built and not self._spark.remote:
            # Spark has analysed it already; a second analysis of files would read their footers again.
            return self.frame(renaming.query).toDF(*renaming.names)
        table = _whole_table(operator)
        if table is not None and self.capabilities.metadata and is_handed_out():
            # A view would hide `_metadata`, which the caller may select.
            scan, alias = table
            return self.frame(scan).alias(alias)
        return self.query(operator.sql, operator.relations, operator.settings)

    def _tallied(self, rows: DataFrame, tally: RowTally) -> DataFrame:
        """`rows`, which are counted by the job that reads them first."""
        text_of = self.dialect.over(rows)
        conditions = [F.expr(f"({text_of(condition)})") for condition in tally.conditions.values()]
        return tallied(rows, tally, conditions, observe=self.capabilities.observe)

    def _supplied(self, rows: DataFrame | MemoryRows) -> DataFrame:
        return self.frame(rows) if isinstance(rows, MemoryRows) else rows

    def _in_memory(self, rows: Literals | MemoryRows) -> DataFrame:
        table = literal_table(rows) if isinstance(rows, Literals) else rows.table
        # Without a schema PySpark takes a timestamp without a zone for one with a zone.
        return frame_of_rows(self._spark, table, declared_spark_schema(rows.schema))

    def _checked(self, operator: Check) -> DataFrame:
        rows = self.frame(operator.child)
        return checked(rows, operator.conditions, self.capabilities, self.dialect.over_operator(rows, operator.child))

    def _projected(self, operator: Project) -> DataFrame:
        rows = self.frame(operator.child)
        text_of = self.dialect.over_operator(rows, operator.child)
        columns = (F.expr(f"({text_of(value)})").alias(name) for name, value in operator.columns)
        return with_declared(rows.select(*columns), operator.declared)

    def _shown(self, rows: DataFrame, view: ViewColumns) -> DataFrame:
        # A cast that a view makes never turns a value that does not fit into NULL.
        with self._spark.needing(_STRICT if view.cast else NO_SETTINGS):
            frame = shown(rows, view)
            if view.cast and self._spark.remote:
                frame.schema  # noqa: B018 - Spark Connect looks only now
            return frame

    def cache_source(self, source: Releasable) -> None:
        """Keeps the rows of a rewrite's source until `release`."""
        self.cached_source = source

    def release(self) -> None:
        """Releases the rows that were passed to `cache_source`."""
        if self.cached_source is not None:
            self.cached_source.release()
            self.cached_source = None

    def query(self, sql: str, relations: Mapping[str, Operator], settings: Settings = NO_SETTINGS) -> DataFrame:
        """The rows of `sql`, analysed under `settings`, with `relations` visible to it as views meanwhile."""
        # The relations come first: they are analysed under the settings of the session, or of their own.
        with self.views(relations), self._spark.needing(settings):
            rows = self.dialect.rows_of_text(self, sql, relations, settings)
            if settings and self._spark.remote:
                rows.schema  # noqa: B018 - Spark Connect looks only now, and keeps what it found
            return rows

    def for_caller(self, operator: Operator) -> DataFrame:
        """The rows of `operator` as a new DataFrame for the caller, which shares nothing with the statement's."""
        self.dialect.check_handed_out(operator)
        return Frames(self._spark, self._dialect_of).frame(operator)

    def views(self, relations: Mapping[str, Operator]) -> Views:
        """The relations as temporary views, for as long as the context lasts."""
        return Views(self, self._spark, relations)


class Releasable(Protocol):
    """Rows that are cached by Spark or by this process until `release`."""

    def release(self) -> None: ...


class Views:
    """Context: temporary views of some operators' rows, under the names that SQL text uses.

    Spark resolves names when it analyses a query, so the views may be dropped before it runs.
    """

    def __init__(self, frames: Frames, spark: SparkHandle, relations: Mapping[str, Operator]) -> None:
        self._frames, self._spark, self._relations = frames, spark, relations
        self._created: list[str] = []

    def __enter__(self) -> None:
        rows, functions = _apart(self._relations)
        for operator in rows.values():
            self._frames.frame(operator)
        if functions and not self._frames.dialect.makes_functions:
            self._make(rows, {})
            self._frames.dialect.learn(self._frames, functions)
            return
        if functions:
            _FUNCTIONS.acquire()
        try:
            self._make(rows, functions)
        except BaseException:
            self.__exit__()
            raise

    def _make(self, rows: Mapping[str, Operator], functions: Mapping[str, SqlFunction]) -> None:
        for name, operator in rows.items():
            frame = self._frames.frame(operator)
            # Spark Connect analyses only now.
            with self._spark.needing(operator.settings if isinstance(operator, SqlQuery) else NO_SETTINGS):
                frame.createOrReplaceTempView(name)
        for name, function in functions.items():
            if not _IN_USE[name]:
                for inner, code in function.relations.items():
                    if isinstance(code, PythonFunction):
                        register_python(self._spark.session, inner, code)
                with self._spark.needing(function.settings):
                    sql = self._spark.session.sql
                    sql(without_json_paths(f"CREATE OR REPLACE TEMPORARY FUNCTION {quote(name)}{function.text}", sql))
            _IN_USE[name] += 1
            self._created.append(name)

    def __exit__(self, *_: object) -> None:
        rows, functions = _apart(self._relations)
        try:
            if self._spark.remote:
                # Spark Connect analyses when the query runs, so its views stay until the session ends.
                self._spark.views.update(rows)
                return
            for name, function in functions.items():
                if name in self._created and _IN_USE[name] == 1:
                    for dropped in (name, *_python_names(function)):
                        self._spark.session.sql(f"DROP TEMPORARY FUNCTION IF EXISTS {quote(dropped)}")
            drop_hidden(self._spark, list(rows))
        finally:
            _IN_USE.subtract(self._created)
            self._created.clear()
            if functions and self._frames.dialect.makes_functions:
                _FUNCTIONS.release()


_FUNCTIONS = RLock()
"""Temporary functions have the user's names, so threads that share a Spark create them one after another."""
_IN_USE = Counter[str]()
"""Number of current users of each temporary function: an inner query may call a function of an outer one."""


def _python_names(function: SqlFunction) -> list[str]:
    return [name for name, operator in function.relations.items() if isinstance(operator, PythonFunction)]


_WHOLE_TABLE = re.compile(r"\s*SELECT \* FROM (\w+) AS `((?:[^`]|``)+)`\s*", re.IGNORECASE)


def _whole_table(query: SqlQuery) -> tuple[Scan, str] | None:
    """The scan and the alias of `SELECT * FROM t`; None for any other query."""
    found = _WHOLE_TABLE.fullmatch(query.sql)
    scan = found and query.relations.get(found[1])
    if found is None or not isinstance(scan, Scan) or query.settings or query.view is not None:
        return None
    return scan, found[2].replace("``", "`")


def _apart(relations: Mapping[str, Operator]) -> tuple[dict[str, Operator], dict[str, SqlFunction]]:
    """Relations with rows, and SQL functions in an order in which each comes after those that it calls.

    Both include the relations of functions, recursively.
    """
    rows, functions = dict[str, Operator](), dict[str, SqlFunction]()
    for name, operator in relations.items():
        if isinstance(operator, SqlFunction):
            inner = _apart(operator.relations)
            rows |= inner[0]
            functions |= {**inner[1], name: operator}
        elif not isinstance(operator, PythonFunction):
            rows[name] = operator
    return rows, functions


def numbered(spark: SparkHandle, frame: DataFrame, *, single: bool) -> DataFrame:
    """`frame` with the column ORDINAL, unique numbers: its tasks take blocks of numbers in turn.

    The number of tasks is limited, since it is unknown before they run: to one with `single`, to the shuffle partitions
    in a session that deltasql started, and to at least _MOST_TASKS in any other.
    """
    shuffles = int(spark.session.conf.get("spark.sql.shuffle.partitions", "200") or 200)
    tasks = 1 if single else shuffles if spark.is_ours else max(shuffles, _MOST_TASKS)
    position = F.monotonically_increasing_id()
    rows = frame.coalesce(tasks).withColumn(hidden_names.ORDINAL, position)
    # Spark puts the task's number above the lower 33 bits, which count its rows.
    row, task = f"({hidden_names.ORDINAL} & {2**33 - 1})", f"shiftrightunsigned({hidden_names.ORDINAL}, 33)"
    block = f"(shiftright({row}, {_BLOCK_BITS}) * {tasks} + {task})"
    return rows.withColumn(
        hidden_names.ORDINAL, F.expr(f"shiftleft({block}, {_BLOCK_BITS}) + ({row} & {2**_BLOCK_BITS - 1})")
    )


_MOST_TASKS = 4096
_BLOCK_BITS = 10


def types_over(frames: Frames, scope: Scope, expressions: Sequence[str], sql: str) -> list[DataType]:
    """The types of expressions over the joined rows of some operators, each under its alias.

    Errors have carets in `sql`, the statement.
    """
    # Constants have no scope.
    parts = (frames.frame(operator).alias(alias) for operator, alias in scope)
    rows = next(parts, None) or frames.spark.session.range(1)
    for part in parts:
        rows = rows.crossJoin(part)
    texts = frames.dialect.over_scope(rows, scope, expressions)
    # In brackets: a stray word behind an expression would pass for an alias.
    values = [F.expr(f"({text})").alias(f"c{index}") for index, text in enumerate(texts)]
    kinds = [field.type for field in frame_schema(rows.select(*values))]
    frames.dialect.refuse_stray(texts, kinds, sql)
    return kinds


# No module has this name, so that the code travels to Spark's workers by value.
_MODULE = "deltasql_function"


def register_python(session: SparkSession, name: str, function: PythonFunction) -> None:
    """Registers a function in Spark under `name`. Its module runs now, the handler when rows come."""
    from pyspark.sql.functions import udf, udtf

    handler = _handler(function)
    if function.is_table:
        session.udtf.register(name, udtf(handler, returnType=function.returns))
        return
    made: Any = udf(handler, returnType=function.returns)
    session.udf.register(name, made if function.deterministic else made.asNondeterministic())


def _handler(function: PythonFunction) -> Any:
    namespace: dict[str, Any] = {"__name__": _MODULE}
    # The text is that of a function of the catalog, which is code like any other: docs/security.md.
    exec(compiled(function.code, function.handler, function.parameters, function.name), namespace)
    return namespace[function.handler or BODY]


def shown(rows: DataFrame, view: ViewColumns) -> DataFrame:
    """The rows of a view's query with the columns that the view had when it was made.

    Raises ViewSchemaChangedError where the query has lost one of them, or its values no longer fit.
    """
    schema = frame_schema(rows)
    if view.typed and [(field.name, as_nullable(field.type)) for field in schema] == [
        (field.name, as_nullable(field.type)) for field in view.schema
    ]:
        return rows
    return rows.selectExpr(
        *(_shown(view, schema, name, field) for name, field in zip(view.names, view.schema, strict=True))
    )


def _shown(view: ViewColumns, schema: StructType, name: str, field: StructField) -> str:
    matches = [item for item in schema if item.name.lower() == name.lower()]
    if len(matches) != 1:
        change = f"its query gives {len(matches) or 'no'} column {quote(name)}"
        raise errors.ViewSchemaChangedError(view.view, change, view.remedy)
    kind = matches[0].type
    if not view.typed or as_nullable(kind) == as_nullable(field.type):
        return f"{quote(name)} AS {quote(field.name)}"
    if not view.cast and not can_up_cast(kind, field.type):
        change = f"{quote(name)} is {sql_text(kind)} now, and was {sql_text(field.type)}"
        raise errors.ViewSchemaChangedError(view.view, change, view.remedy)
    return f"CAST({quote(name)} AS {sql_text(field.type)}) AS {quote(field.name)}"
