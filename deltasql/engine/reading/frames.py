"""Physical operators → DataFrames, with the public PySpark API only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from threading import RLock
from typing import TYPE_CHECKING, Protocol

from typing_extensions import assert_never

from deltasql.engine.reading.checked_rows import checked
from deltasql.engine.reading.kept_scans import KeptScans
from deltasql.engine.reading.literal_rows import literal_table
from deltasql.engine.reading.own_checks import Texts, checked_query
from deltasql.engine.reading.own_kinds import rows_of_frame, rows_of_tables
from deltasql.engine.reading.own_texts import NOTHING, May, OwnTexts, may_have
from deltasql.engine.reading.parquet_paths import Found, with_parquet_files
from deltasql.engine.reading.scans import with_declared
from deltasql.engine.reading.source_rows import source_rows
from deltasql.engine.reading.view_columns import shown
from deltasql.engine.reading.workspace import Workspace
from deltasql.engine.session.capabilities import Capabilities
from deltasql.engine.session.local_rows import frame_of_rows, held_rows
from deltasql.engine.session.scratch import hold_with
from deltasql.engine.session.spark import SparkHandle
from deltasql.engine.session.spark_types import frame_schema, spark_schema
from deltasql.engine.session.temporary_views import drop_hidden
from deltasql.errors.engine import NotOnSailError
from deltasql.log.storage.stores import Stores
from deltasql.plan import marks
from deltasql.plan.base import quote
from deltasql.plan.hidden import ORDINAL
from deltasql.plan.operators import (
    Check,
    HeldRows,
    Literals,
    Number,
    Operator,
    Project,
    Query,
    Rearrange,
    Rewrite,
    Scan,
    SourceFiles,
    SqlFunction,
    Supplied,
    UnionAll,
    ViewColumns,
    Write,
)
from deltasql.schema.types import StructType
from deltasql.settings.session_settings import ANSI
from deltasql.sql.dialects.char_padding import Reach
from deltasql.sql.dialects.inlining import checked_body
from deltasql.sql.dialects.sail import unlike_query
from deltasql.sql.dialects.sail_checks import with_checks
from deltasql.sql.dialects.sail_exact import Rows
from deltasql.sql.dialects.sail_paths import with_parts
from deltasql.sql.dialects.sail_pipes import without_pipes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


NO_SETTINGS: Mapping[str, str | None] = {}
_STRICT: Mapping[str, str | None] = {ANSI.name: "true"}


class Frames:
    """Builds the DataFrame of each operator once."""

    def __init__(self, spark: SparkHandle, parquet_files: Found) -> None:
        self._spark, self.parquet_files = spark, parquet_files
        self._scans = KeptScans(spark)
        self._built: dict[int, tuple[Operator, DataFrame]] = {}
        self.work = Workspace()
        """What the statement has of its rows within this process."""
        self.texts = OwnTexts(spark)
        self.kept: Kept | None = None
        """The source of a rewrite that may be asked again until the statement's commit."""

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
        """Where tables lie."""
        return self._spark.stores

    def held(self, rows: DataFrame) -> DataFrame:
        """`rows`, evaluated once: kept by the engine until they are let go, or by this process where it cannot."""
        return rows.persist() if self.capabilities.keeps else held_rows(self._spark, rows, self.work.keep)

    @property
    def capabilities(self) -> Capabilities:
        """What the engine can do."""
        return self._spark.capabilities

    def frame(self, operator: Operator) -> DataFrame:
        """The lazy rows of `operator`. Raises what Spark raises when it analyses the user's SQL."""
        known = self._built.get(id(operator))
        if known is not None:
            return known[1]
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
                return source_rows(self._spark, operator, self.work.keep)
            case UnionAll(inputs):
                return reduce(lambda rows, more: rows.unionAll(more), map(self.frame, inputs))
            case Query():
                rows = self._queried(operator)
                return rows if operator.view is None else self._shown(rows, operator.view)
            case Supplied(supplied, names):
                rows = self._supplied(supplied)
                return rows.toDF(*names) if names else rows
            case Literals() | HeldRows():
                return self._known(operator)
            case Project():
                return self._projected(operator)
            case Number():
                return numbered(self._spark, self.frame(operator.child), self.work.keep, single=operator.single)
            case Check():
                return self._checked(operator)
            case Write():
                return self.frame(operator.child)
            case Rewrite() | Rearrange() | SqlFunction():
                raise TypeError(f"a {type(operator).__name__} has no rows of its own")
            case _:
                assert_never(operator)

    def _queried(self, operator: Query) -> DataFrame:
        known = operator.renames
        if known is not None and id(known.query) in self._built and not self._spark.remote:
            # Spark has analysed it already: of files it would read the footers again.
            return self.frame(known.query).toDF(*known.names)
        return self.query(operator.sql, operator.relations, operator.settings)

    def _supplied(self, rows: DataFrame | HeldRows) -> DataFrame:
        return self.frame(rows) if isinstance(rows, HeldRows) else rows

    def _known(self, rows: Literals | HeldRows) -> DataFrame:
        table = literal_table(rows) if isinstance(rows, Literals) else rows.table
        # Without a schema PySpark takes a timestamp without a zone for one with a zone.
        return frame_of_rows(self._spark, table, spark_schema(rows.schema))

    def _checked(self, operator: Check) -> DataFrame:
        rows = self.frame(operator.child)
        return checked(rows, operator.conditions, self.capabilities, self._owned(rows, operator.child))

    def _projected(self, operator: Project) -> DataFrame:
        from pyspark.sql import functions as F

        rows = self.frame(operator.child)
        own = self._owned(rows, operator.child)
        columns = (F.expr(f"({own(value)})").alias(name) for name, value in operator.columns)
        return with_declared(rows.select(*columns), operator.declared)

    def over(self, rows: DataFrame) -> Texts:
        """See `own`, of expressions over the rows of a DataFrame."""
        if self.capabilities.checks_types:
            return str
        known = rows_of_frame(self._spark.session, rows)
        return lambda text: self.own(text, rows=known)

    def _owned(self, rows: DataFrame, operator: Operator) -> Texts:
        """See `own`, of expressions over the rows of an operator."""
        if self.capabilities.checks_types:
            return str
        columns = rows.columns if self._spark.variables else None
        reach = self.texts.reach_in(rows, operator)
        told, may = rows_of_frame(self._spark.session, rows), may_have([operator])._replace(days=False)
        return lambda text: self.own(text, columns, reach, may, told)

    def _shown(self, rows: DataFrame, view: ViewColumns) -> DataFrame:
        # A cast that a view makes never turns a value that does not fit into NULL.
        with self._spark.needing(_STRICT if view.cast else NO_SETTINGS):
            found = shown(rows, view)
            if view.cast and self._spark.remote:
                found.schema  # noqa: B018 - Spark Connect looks only now
            return found

    def keep(self, source: Kept) -> None:
        """Holds the rows of a source until `release`."""
        self.kept = source

    def release(self) -> None:
        """Lets go of what was kept."""
        if self.kept is not None:
            self.kept.release()
            self.kept = None

    def query(
        self, sql: str, relations: Mapping[str, Operator], settings: Mapping[str, str | None] = NO_SETTINGS
    ) -> DataFrame:
        """The rows of `sql`, analysed under `settings`, with `relations` visible to it as views meanwhile."""
        # The relations come first: they are analysed under the settings of the session, or of their own.
        with self.views(relations), self._spark.needing(settings):
            rows = self.asked(sql, relations, settings)
            if self._spark.is_in_process:
                # The views that it names are read when it runs.
                hold_with(rows, self.work)
            if settings and self._spark.remote:
                rows.schema  # noqa: B018 - Spark Connect looks only now, and keeps what it found
            return rows

    def asked(
        self, sql: str, relations: Mapping[str, Operator], settings: Mapping[str, str | None] = NO_SETTINGS
    ) -> DataFrame:
        """The rows of `sql`, whose `relations` are there."""
        session = self._spark.session
        if self.capabilities.checks_types:
            return session.sql(sql)
        sql = self.texts.query(sql, self.texts.reach(relations.values(), self.frame))
        sql = self._without_pipes(sql)
        if not self.capabilities.metadata:
            sql = with_parquet_files(self._spark, sql, self.parquet_files, self.work)
        if not self.capabilities.subqueries and (what := unlike_query(sql)):
            raise NotOnSailError(what=what)
        may, only = may_have(relations.values(), sql), self._spark.takes_compared_calls_only
        return checked_query(session, sql, ansi=self._ansi(settings), may=may, compared_only=only)

    def _ansi(self, settings: Mapping[str, str | None] = NO_SETTINGS) -> bool:
        value = settings[ANSI.name] if ANSI.name in settings else self._spark.now(ANSI.name)
        return (value or "true").lower() == "true"

    def own(
        self,
        text: str,
        columns: Iterable[str] | None = None,
        reach: Reach = NOTHING,
        may: May | None = None,
        rows: Rows | None = None,
    ) -> str:
        """An expression of a statement, with what the engine does not do by itself.

        Where the names of all `columns` in its reach are given, other names may be variables; `reach` tells of CHAR,
        `may` and `rows` of what else there is.
        """
        if self.capabilities.checks_types:
            return text
        text, may = self.unchecked(text, columns, reach), may or May()
        text = with_parts(text, rows) if may.parts and rows is not None else text
        decimals = may.decimals or may_have((), text).decimals
        return with_checks(
            text,
            ansi=self._ansi(),
            days=may.days,
            decimals=decimals,
            rows=rows,
            compared_only=self._spark.takes_compared_calls_only,
        )

    def unchecked(self, text: str, columns: Iterable[str] | None, reach: Reach = NOTHING) -> str:
        """The same without checks, for its type."""
        return (
            text if self.capabilities.checks_types else self.texts.expression(self._without_pipes(text), columns, reach)
        )

    def _without_pipes(self, sql: str) -> str:
        if self.capabilities.subqueries or "|>" not in sql:
            return sql
        return without_pipes(sql, lambda query: self._spark.session.sql(query).columns)

    def rewritten(self, operator: Rewrite) -> Texts:
        """See `own`, of the conditions and values of a rewrite. Raises NotOnSailError."""
        target, source = operator.target, operator.source
        tables = [target] if source is None else [target, source]
        reach = self.texts.reach([*tables, *operator.relations.values()], self.frame)
        others = (item for item in operator.checks if item.column is None and not item.name.startswith(marks.LENGTH))
        if reach is not NOTHING and any(others):
            raise NotOnSailError(what="CHECK constraints of a table with a CHAR column in UPDATE, DELETE or MERGE")
        columns = None
        if self._spark.variables:
            columns = [*target.schema.names, *([] if source is None else self.frame(source).columns)]
        may = may_have([*tables, *operator.relations.values()])

        def joined() -> list[tuple[str, StructType]]:
            found = [(operator.target_alias, target.schema)]
            return (
                found
                if source is None or operator.join is None
                else [*found, (operator.join.alias, self.schema(source))]
            )

        rows = rows_of_tables(self._spark.session, joined)
        return lambda text: self.own(text, columns, reach, may, rows)

    def learn(self, functions: Mapping[str, SqlFunction]) -> None:
        """Functions of SQL that texts call from now on, where the engine has none. Raises what is wrong with one."""
        for name, function in functions.items():
            rows = (item for item in function.relations.values() if not isinstance(item, SqlFunction))
            columns = [column for item in rows for column in self.frame(item).columns]
            made = self.texts.learn(name, function, columns)
            self.asked(checked_body(made), function.relations).schema  # noqa: B018 - Spark Connect looks only now

    def views(self, relations: Mapping[str, Operator]) -> Views:
        """The relations as temporary views, for as long as the context lasts."""
        return Views(self, self._spark, relations)


class Kept(Protocol):
    """Rows that Spark holds, or this process."""

    def release(self) -> None: ...


class Views:
    """Context: some operators' rows under the view names that SQL text uses.

    Spark resolves names when it analyses a query, so that the views may go again before it runs.
    """

    def __init__(self, frames: Frames, spark: SparkHandle, relations: Mapping[str, Operator]) -> None:
        self._frames, self._spark, self._relations = frames, spark, relations
        self._made: list[str] = []

    def __enter__(self) -> None:
        rows, functions = _apart(self._relations)
        for operator in rows.values():
            self._frames.frame(operator)
        if functions and not self._spark.capabilities.functions:
            self._make(rows, {})
            self._frames.learn(functions)
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
            # Spark Connect analyses here what it was told before.
            with self._spark.needing(operator.settings if isinstance(operator, Query) else NO_SETTINGS):
                frame.createOrReplaceTempView(name)
        for name, function in functions.items():
            if not _IN_USE[name]:
                with self._spark.needing(function.settings):
                    self._spark.session.sql(f"CREATE OR REPLACE TEMPORARY FUNCTION {quote(name)}{function.text}")
            _IN_USE[name] += 1
            self._made.append(name)

    def __exit__(self, *_: object) -> None:
        rows, functions = _apart(self._relations)
        try:
            if self._spark.remote:
                # Spark Connect analyses when the query runs, so its views stay until the session ends.
                self._spark.views.update(rows)
                return
            for name in functions:
                if name in self._made and _IN_USE[name] == 1:
                    self._spark.session.sql(f"DROP TEMPORARY FUNCTION IF EXISTS {quote(name)}")
            drop_hidden(self._spark, list(rows))
        finally:
            _IN_USE.subtract(self._made)
            self._made.clear()
            if functions and self._spark.capabilities.functions:
                _FUNCTIONS.release()


_FUNCTIONS = RLock()
"""Functions go by their own names, which threads that share a Spark take one after another."""
_IN_USE = Counter[str]()
"""How often the functions that are there now are needed: an inner query may call what an outer one calls."""


def _apart(relations: Mapping[str, Operator]) -> tuple[dict[str, Operator], dict[str, SqlFunction]]:
    """What has rows, and the functions, those first that others call; what functions read and call is among them."""
    rows, functions = dict[str, Operator](), dict[str, SqlFunction]()
    for name, operator in relations.items():
        if isinstance(operator, SqlFunction):
            inner = _apart(operator.relations)
            rows |= inner[0]
            functions |= {**inner[1], name: operator}
        else:
            rows[name] = operator
    return rows, functions


def numbered(spark: SparkHandle, frame: DataFrame, hold: Callable[[object], None], *, single: bool) -> DataFrame:
    """`frame` with ORDINAL: blocks of numbers that its tasks take in turn. For `hold` see `held_rows`.

    How many tasks there will be is not known before they run, so that it is limited: to one for few rows, to as many as
    a shuffle has in a session of our own, and in any other one to more than it is likely to have.
    """
    from pyspark.sql import functions as F

    if not spark.capabilities.keeps:
        return held_rows(spark, frame, hold, ORDINAL)
    shuffles = int(spark.session.conf.get("spark.sql.shuffle.partitions", "200") or 200)
    tasks = 1 if single else shuffles if spark.own else max(shuffles, _MOST_TASKS)
    position = F.monotonically_increasing_id()
    rows = frame.coalesce(tasks).withColumn(ORDINAL, position)
    # Spark puts the task's number above the lower 33 bits, which count its rows.
    row, task = f"({ORDINAL} & {2**33 - 1})", f"shiftrightunsigned({ORDINAL}, 33)"
    block = f"(shiftright({row}, {_BLOCK_BITS}) * {tasks} + {task})"
    return rows.withColumn(ORDINAL, F.expr(f"shiftleft({block}, {_BLOCK_BITS}) + ({row} & {2**_BLOCK_BITS - 1})"))


_MOST_TASKS = 4096
_BLOCK_BITS = 10
