"""DataFrames on Sail, an engine in Rust whose Spark Connect server runs within this process, without a JVM.

SQL is adapted to Sail, and checked where Sail would give other values than Spark. Statements that Sail lacks are
executed by this process: session variables, INSERT OVERWRITE DIRECTORY.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any
from warnings import warn

from deltasql.base import DeltaSqlError, LeftToEngineError, errors, session_settings, zone
from deltasql.engines.sail.checks import (
    Types,
    check_casts,
    check_rewrite,
    check_write,
    checked_query,
    parts_over,
    refuse_stray,
    rows_of_frame,
    rows_of_tables,
)
from deltasql.engines.sail.dialect.char_padding import Reach
from deltasql.engines.sail.dialect.inlining import checked_body
from deltasql.engines.sail.dialect.pipes import directory_write, with_parts, without_pipes
from deltasql.engines.sail.directory_files import parquet_frame, with_parquet_files, write_directory, write_files
from deltasql.engines.sail.failures import sail_error, with_proposals
from deltasql.engines.sail.guards.exact_types import OperandRows
from deltasql.engines.sail.guards.guards import unsupported_command, unsupported_construct
from deltasql.engines.sail.guards.text_checks import with_checks
from deltasql.engines.sail.texts import NOTHING, PossibleTypes, SailTexts, has_char, possible_types
from deltasql.engines.sail.variables import run_variable_command, variables_of
from deltasql.engines.spark.failures import Failure, WriteContext
from deltasql.engines.spark.loading import load_pyspark
from deltasql.engines.spark.reading.frames import NO_SETTINGS, Frames, Scope, Settings, types_over
from deltasql.engines.spark.reading.source_rows import Texts, has_json_paths
from deltasql.engines.spark.session.local import release_at_end, release_ended
from deltasql.engines.spark.session.local_rows import evaluated_rows, frame_schema, retain_with
from deltasql.engines.spark.session.spark import OF_FILES, SparkHandle
from deltasql.files import RUNNING, CommandRows, RowSource, available_memory
from deltasql.plan import Operator, PythonFunction, Rewrite, Scan, SqlFunction, SqlQuery, base, hidden_names
from deltasql.schema import STRING, DataType, StructField, StructType, type_text

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, SparkSession

    from deltasql.catalog import TableSource

_LOCK = threading.Lock()
_SERVERS: list[Any] = []
"""The process's own server, once it runs. It ends with the process."""

_SETTINGS = {
    # Its log would go to the user's terminal.
    "RUST_LOG": "off",
    # A session that rests for some minutes would lose its settings and views without a word.
    "SAIL_SPARK__SESSION_TIMEOUT_SECS": str(366 * 24 * 3600),
}
_OF_CLIENT = ("pandas", "grpc", "grpc_status", "google.rpc.error_details_pb2", "zstandard")
"""Modules that PySpark's client imports, one after another, and misses with an error of its own."""
_MEMORY_SHARE = 0.4
_HOST = "127.0.0.1"
_UTC = frozenset({"UTC", "Etc/UTC", "GMT", "Etc/GMT"})


def sail_session(time_zone: str | None) -> SparkSession:
    """A new session on the server of this process, which listens on this machine only.

    It ends when nothing refers to it. Raises SailMissingError, EnginesMixedError.
    """
    try:
        for package in _OF_CLIENT:
            import_module(package)
        from pysail.spark import SparkConnectServer
    except ImportError as error:
        raise errors.SailMissingError(package=error.name or "pysail") from error
    load_pyspark()
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._active_spark_context is not None:
        raise errors.EnginesMixedError(running="Spark", engine="Sail")
    with _LOCK:
        if not _SERVERS:
            for key, value in (_SETTINGS | _memory_settings()).items():
                os.environ.setdefault(key, value)
            server = SparkConnectServer(ip=_HOST, port=0)
            server.start(background=True)
            _SERVERS.append(server)
            RUNNING.append("Sail")
        release_ended()
        _, port = _SERVERS[0].listening_address
        session = SparkSession.builder.remote(f"sc://{_HOST}:{port}").create()
    for key, value in settings_at_start(time_zone).items():
        session.conf.set(key, value)
    # No answer is lost on the way to this process.
    session.client.disable_reattachable_execute()
    release_at_end(session)
    return session


def _memory_settings() -> dict[str, str]:
    """Settings of Sail's runtime, which else takes any memory: beyond a part of it, operators write to disk or fail."""
    kind = os.environ.get("SAIL_RUNTIME__MEMORY_POOL__TYPE", "fair")
    size = str(int(_MEMORY_SHARE * available_memory()))
    return {"SAIL_RUNTIME__MEMORY_POOL__TYPE": kind, f"SAIL_RUNTIME__MEMORY_POOL__{kind.upper()}__MAX_SIZE": size}


def settings_at_start(time_zone: str | None) -> dict[str, str]:
    """Settings of a new session, by key: the time zone of the machine, as on Spark. Sail itself begins in UTC."""
    with suppress(errors.InvalidSettingError):
        if time_zone and str(zone(time_zone)) not in _UTC:
            return {"spark.sql.session.timeZone": time_zone}
    return {}


class SailDialect:
    """Implements `EngineDialect` for Sail; expressions and queries of the user go through `dialect` and `guards`."""

    makes_functions = False

    def __init__(self, spark: SparkHandle) -> None:
        self._spark = spark
        self.texts = SailTexts(spark)
        self._read: list[Operator] = []
        """The relations of the statement, whose columns are proposed for a name that does not exist."""

    def read_failure(self, error: PySparkException) -> Failure | DeltaSqlError:
        """See `sail_error`. A name that no relation has comes with columns that it resembles."""
        failure = sail_error(error)
        return with_proposals(failure, _columns(self._read)) if isinstance(failure, Failure) else failure

    def write_files(self, frames: Frames, operator: Operator, location: str, source: TableSource) -> int | None:
        return write_files(self._spark.stores, location, source, frames.frame(operator))

    def cached(self, frames: Frames, rows: DataFrame) -> DataFrame:
        return evaluated_rows(self._spark, rows, frames.work.retain)

    def over(self, rows: DataFrame) -> Texts:
        operand_rows = rows_of_frame(self._spark.session, rows)
        return lambda text: self._with_checks(text, rows=operand_rows)

    def over_operator(self, rows: DataFrame, operator: Operator) -> Texts:
        columns = rows.columns if variables_of(self._spark) else None
        reach = self.texts.reach_in(rows, operator)
        operand_rows, may = rows_of_frame(self._spark.session, rows), possible_types([operator])._replace(days=False)
        return lambda text: self._with_checks(text, columns, reach, may, operand_rows)

    def over_scope(self, rows: DataFrame, scope: Scope, expressions: Sequence[str]) -> Sequence[str]:
        columns = rows.columns if scope and variables_of(self._spark) else []
        self._read += (operator for operator, _ in scope)
        texts = [self._unchecked(text, columns) for text in expressions]
        return parts_over(self._spark, rows, scope, texts)

    def _types_in(self, frames: Frames, sql: str) -> Types:
        """The types of expressions of a statement, whose text places errors."""
        return lambda scope, expressions: types_over(frames, scope, expressions, sql)

    def check_casts(self, frames: Frames, scope: Scope, expressions: Sequence[str], sql: str) -> None:
        check_casts(scope, expressions, self._types_in(frames, sql), sql)

    def check_write(self, frames: Frames, operator: Operator, sql: str, write: WriteContext) -> None:
        check_write(operator, self._types_in(frames, sql), sql, write)

    def checked_rewrite(self, frames: Frames, operator: Rewrite, sql: str, write: WriteContext) -> Rewrite:
        self._read += [operator.target, *([] if operator.source is None else [operator.source])]
        with frames.views(operator.relations):
            check_rewrite(operator, self._types_in(frames, sql), sql, write)
            return operator.with_texts(self._over_rewrite(frames, operator))

    def refuse_stray(self, expressions: Sequence[str], kinds: Sequence[DataType], sql: str) -> None:
        refuse_stray(expressions, kinds, sql)

    def check_handed_out(self, operator: Operator) -> None:
        if has_char(operator):
            raise errors.NotOnSailError(what="a DataFrame with CHAR columns, compared without blanks")

    def command(self, frames: Frames, sql: str, relations: Mapping[str, Operator]) -> RowSource | None:
        return run_in_process(self._spark, frames, sql, relations)

    @property
    def notes(self) -> str:
        return self.texts.variable_marker

    def numbered(self, frames: Frames, rows: DataFrame, *, single: bool) -> DataFrame:
        return evaluated_rows(self._spark, rows, frames.work.retain, hidden_names.ORDINAL)

    def rows_of_text(
        self,
        frames: Frames,
        sql: str,
        relations: Mapping[str, Operator],
        settings: Settings = NO_SETTINGS,
    ) -> DataFrame:
        session = self._spark.session
        self._read += relations.values()
        sql = self.texts.query(sql, self.texts.reach(relations.values(), frames.frame))
        sql = self._without_pipes(sql)
        sql = with_parquet_files(self._spark, sql, frames.work)
        _refuse_json_paths(sql)
        if what := unsupported_construct(sql):
            raise errors.NotOnSailError(what=what)
        may, only = possible_types(relations.values(), sql), takes_compared_calls_only(self._spark)
        rows = self.texts.named(checked_query(session, sql, ansi=self._ansi(settings), may=may, compared_only=only))
        # The views that it names are read when it runs.
        retain_with(rows, frames.work)
        return rows

    def _ansi(self, settings: Settings = NO_SETTINGS) -> bool:
        value = (
            settings[session_settings.ANSI.name]
            if session_settings.ANSI.name in settings
            else self._spark.current_value(session_settings.ANSI.name)
        )
        return (value or "true").lower() == "true"

    def _with_checks(
        self,
        text: str,
        columns: Iterable[str] | None = None,
        reach: Reach = NOTHING,
        may: PossibleTypes | None = None,
        rows: OperandRows | None = None,
    ) -> str:
        """An expression of a statement, with what the engine does not do by itself.

        Where the names of all `columns` in its reach are given, other names may be variables; `reach` tells of CHAR,
        `may` and `rows` of what else there is.
        """
        text, may = self._unchecked(text, columns, reach), may or PossibleTypes()
        text = with_parts(text, rows) if may.parts and rows is not None else text
        decimals = may.decimals or possible_types((), text).decimals
        return with_checks(
            text,
            ansi=self._ansi(),
            days=may.days,
            decimals=decimals,
            rows=rows,
            compared_only=takes_compared_calls_only(self._spark),
        )

    def _unchecked(self, text: str, columns: Iterable[str] | None, reach: Reach = NOTHING) -> str:
        """As `_with_checks`, without checks: for its type."""
        _refuse_json_paths(text)
        return self.texts.expression(self._without_pipes(text), columns, reach)

    def _without_pipes(self, sql: str) -> str:
        if "|>" not in sql:
            return sql
        return without_pipes(sql, lambda query: self._spark.session.sql(query).columns)

    def _over_rewrite(self, frames: Frames, operator: Rewrite) -> Texts:
        """See `_with_checks`, of the conditions and values of a rewrite. Raises NotOnSailError."""
        target, source = operator.target, operator.source
        tables = [target] if source is None else [target, source]
        reach = self.texts.reach([*tables, *operator.relations.values()], frames.frame)
        others = (item for item in operator.checks if item.column is None and not item.name.startswith(base.LENGTH))
        if reach is not NOTHING and any(others):
            raise errors.NotOnSailError(
                what="CHECK constraints of a table with a CHAR column in UPDATE, DELETE or MERGE"
            )
        columns = None
        if variables_of(self._spark):
            columns = [*target.schema.names, *([] if source is None else frames.frame(source).columns)]
        may = possible_types([*tables, *operator.relations.values()])

        def joined() -> list[tuple[str, StructType]]:
            tables = [(operator.target_alias, target.schema)]
            return (
                tables
                if source is None or operator.join is None
                else [*tables, (operator.join.alias, frames.schema(source))]
            )

        rows = rows_of_tables(self._spark.session, joined)
        return lambda text: self._with_checks(text, columns, reach, may, rows)

    def learn(self, frames: Frames, functions: Mapping[str, SqlFunction]) -> None:
        """Functions of SQL that texts call from now on, where the engine has none. Raises what is wrong with one."""
        for name, function in functions.items():
            rows = (item for item in function.relations.values() if not isinstance(item, SqlFunction | PythonFunction))
            columns = [column for item in rows for column in frames.frame(item).columns]
            learned = self.texts.learn(name, function, columns)
            self.rows_of_text(frames, checked_body(learned), function.relations).schema  # noqa: B018 - Spark Connect looks only now


def _refuse_json_paths(sql: str) -> None:
    if has_json_paths(sql):
        raise errors.NotOnSailError(what="a path in JSON, such as raw:a.b")


def _columns(operators: Iterable[Operator]) -> Iterator[str]:
    """The columns of the tables that some operators read; those behind a view have other names there."""
    for operator in operators:
        if isinstance(operator, Scan):
            yield from operator.schema.names
        elif isinstance(operator, SqlQuery) and operator.view is None:
            yield from _columns(operator.relations.values())


def takes_compared_calls_only(session: SparkHandle) -> bool:
    """Whether functions are refused whose results were not compared with Spark's."""
    if (
        session.session_value(session_settings.UNPROVEN.name)
        or session_settings.DEFAULTS[session_settings.UNPROVEN.name]
    ).upper() != "ALLOW":
        return True
    warn(
        f"{session_settings.UNPROVEN.name} is ALLOW: functions may give other values on Sail than on Spark.",
        stacklevel=2,
    )
    return False


_NOTHING = StructType(())
_COLUMN = StructType(tuple(StructField(name, STRING) for name in ("col_name", "data_type", "comment")))
_DESCRIBE = re.compile(r"\s*desc(?:ribe)?\s+(?:query\s+)?(?=(?:select|with|from|values|table)\b)", re.IGNORECASE)


def run_in_process(spark: SparkHandle, frames: Frames, sql: str, relations: Mapping[str, Operator]) -> RowSource | None:
    """Result rows of a statement executed by this process; None for any other. Raises NotOnSailError, SparkError."""
    if run_variable_command(sql, variables_of(spark), lambda query: frames.query(query, relations)):
        return CommandRows(_NOTHING, ())
    try:
        write = directory_write(sql)
    except LeftToEngineError:
        raise errors.NotOnSailError(what="INSERT OVERWRITE DIRECTORY in this form") from None
    if write is not None:
        write_directory(spark.stores, write, frames.query(write.query, relations))
        return CommandRows(_NOTHING, ())
    query = _DESCRIBE.match(sql)
    if query is not None:
        columns = frame_schema(frames.query(sql[query.end() :], relations))
        return CommandRows(_COLUMN, ((field.name, type_text(field.type), None) for field in columns))
    if what := unsupported_command(sql):
        raise errors.NotOnSailError(what=what)
    return None


_ONLY_SPARKS = (
    *OF_FILES,
    "spark.sql.sources.",
    "spark.sql.adaptive.",
    "spark.sql.optimizer.",
    "spark.sql.variant.",
    "spark.sql.shuffle.",
)
"""Settings of Spark's readers, writers and planner, which Sail does not have."""


class EmbeddedSail:
    """Implements `EmbeddedEngine`: the server of this process."""

    ignored: tuple[str, ...] = _ONLY_SPARKS

    def start(self, time_zone: str | None) -> SparkSession:
        return sail_session(time_zone)

    def settings_at_start(self, time_zone: str | None) -> Mapping[str, str]:
        return settings_at_start(time_zone)

    def parquet_frame(
        self, spark: SparkHandle, columns: StructType, paths: Sequence[str], size: int
    ) -> DataFrame | None:
        return parquet_frame(spark, columns, paths, size)
