"""DataFrames on Sail: SQL as Sail needs it, checked where Sail would give other values than Spark.

Spark statements that Sail lacks, executed by this process: session variables, INSERT OVERWRITE DIRECTORY.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from warnings import warn

from deltasql.base.errors.base import DeltaSqlError, LeftToEngineError
from deltasql.base.errors.engine import NotOnSailError
from deltasql.base.settings.session_settings import ANSI, DEFAULTS, UNPROVEN
from deltasql.engines.sail.checks import checked_query
from deltasql.engines.sail.dialect.char_padding import Reach
from deltasql.engines.sail.dialect.inlining import checked_body
from deltasql.engines.sail.dialect.paths import directory_write, with_parts
from deltasql.engines.sail.dialect.pipes import without_pipes
from deltasql.engines.sail.directory_files import write_directory
from deltasql.engines.sail.failures import sail_error, with_proposals
from deltasql.engines.sail.guards.exact_types import OperandRows
from deltasql.engines.sail.guards.text_checks import with_checks
from deltasql.engines.sail.guards.unsupported import unsupported_command, unsupported_construct
from deltasql.engines.sail.kinds import parts_over, rows_of_frame, rows_of_tables
from deltasql.engines.sail.parquet_files import with_parquet_files
from deltasql.engines.sail.session_variables import variables_of
from deltasql.engines.sail.texts import NOTHING, PossibleTypes, SailTexts, has_char, possible_types
from deltasql.engines.sail.type_checks import Types, check_casts, check_rewrite, check_write, refuse_stray
from deltasql.engines.sail.variables import run_variable_command
from deltasql.engines.spark.failures.write_errors import Failure, WriteContext
from deltasql.engines.spark.reading.checked_rows import Texts
from deltasql.engines.spark.reading.frames import NO_SETTINGS, Frames, types_over
from deltasql.engines.spark.reading.json_paths import has_json_paths
from deltasql.engines.spark.session.local_rows import evaluated_rows
from deltasql.engines.spark.session.scratch import retain_with
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.session.spark_types import frame_schema
from deltasql.files.result import CommandRows, RowSource
from deltasql.plan import marks
from deltasql.plan.hidden import ORDINAL
from deltasql.plan.operators import Operator, PythonFunction, Rewrite, Scan, SqlFunction, SqlQuery
from deltasql.schema.text import type_text
from deltasql.schema.types import STRING, DataType, StructField, StructType

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame


class SailFrames(Frames):
    """See `Frames`; expressions and queries of the user go through `dialect` and `guards`."""

    def __init__(self, spark: SparkHandle) -> None:
        super().__init__(spark)
        self.texts = SailTexts(spark)
        self._read: list[Operator] = []
        """The relations of the statement, whose columns are proposed for a name that does not exist."""

    def read_failure(self, error: PySparkException) -> Failure | DeltaSqlError:
        """See `sail_error`. A name that no relation has comes with columns that it resembles."""
        failure = sail_error(error)
        return with_proposals(failure, _columns(self._read)) if isinstance(failure, Failure) else failure

    def cached(self, rows: DataFrame) -> DataFrame:
        return evaluated_rows(self._spark, rows, self.work.retain)

    def over(self, rows: DataFrame) -> Texts:
        operand_rows = rows_of_frame(self._spark.session, rows)
        return lambda text: self._with_checks(text, rows=operand_rows)

    def over_operator(self, rows: DataFrame, operator: Operator) -> Texts:
        columns = rows.columns if variables_of(self._spark) else None
        reach = self.texts.reach_in(rows, operator)
        operand_rows, may = rows_of_frame(self._spark.session, rows), possible_types([operator])._replace(days=False)
        return lambda text: self._with_checks(text, columns, reach, may, operand_rows)

    def query(
        self, sql: str, relations: Mapping[str, Operator], settings: Mapping[str, str | None] = NO_SETTINGS
    ) -> DataFrame:
        rows = super().query(sql, relations, settings)
        # The views that it names are read when it runs.
        retain_with(rows, self.work)
        return rows

    def over_scope(
        self, rows: DataFrame, scope: Sequence[tuple[Operator, str]], expressions: Sequence[str]
    ) -> Sequence[str]:
        columns = rows.columns if scope and variables_of(self._spark) else []
        self._read += (operator for operator, _ in scope)
        texts = [self._unchecked(text, columns) for text in expressions]
        return parts_over(self._spark, rows, scope, texts)

    def _types_in(self, sql: str) -> Types:
        """The types of expressions of a statement, whose text places errors."""
        return lambda scope, expressions: types_over(self, scope, expressions, sql)

    def check_casts(self, scope: Sequence[tuple[Operator, str]], expressions: Sequence[str], sql: str) -> None:
        check_casts(scope, expressions, self._types_in(sql), sql)

    def check_write(self, operator: Operator, sql: str, write: WriteContext) -> None:
        check_write(operator, self._types_in(sql), sql, write)

    def checked_rewrite(self, operator: Rewrite, sql: str, write: WriteContext) -> Rewrite:
        self._read += [operator.target, *([] if operator.source is None else [operator.source])]
        with self.views(operator.relations):
            check_rewrite(operator, self._types_in(sql), sql, write)
            return operator.with_texts(self._over_rewrite(operator))

    def refuse_stray(self, expressions: Sequence[str], kinds: Sequence[DataType], sql: str) -> None:
        refuse_stray(expressions, kinds, sql)

    def for_caller(self, operator: Operator) -> DataFrame:
        if has_char(operator):
            raise NotOnSailError(what="a DataFrame with CHAR columns, compared without blanks")
        return super().for_caller(operator)

    def command(self, sql: str, relations: Mapping[str, Operator]) -> RowSource | None:
        return run_in_process(self._spark, self, sql, relations)

    @property
    def notes(self) -> str:
        return self.texts.variable_marker

    @property
    def makes_functions(self) -> bool:
        return False

    def numbered(self, rows: DataFrame, *, single: bool) -> DataFrame:
        return evaluated_rows(self._spark, rows, self.work.retain, ORDINAL)

    def frame_of_text(
        self, sql: str, relations: Mapping[str, Operator], settings: Mapping[str, str | None] = NO_SETTINGS
    ) -> DataFrame:
        """The rows of `sql`; views for its `relations` exist already."""
        session = self._spark.session
        self._read += relations.values()
        sql = self.texts.query(sql, self.texts.reach(relations.values(), self.frame))
        sql = self._without_pipes(sql)
        sql = with_parquet_files(self._spark, sql, self.work)
        _refuse_json_paths(sql)
        if what := unsupported_construct(sql):
            raise NotOnSailError(what=what)
        may, only = possible_types(relations.values(), sql), takes_compared_calls_only(self._spark)
        return self.texts.named(checked_query(session, sql, ansi=self._ansi(settings), may=may, compared_only=only))

    def _ansi(self, settings: Mapping[str, str | None] = NO_SETTINGS) -> bool:
        value = settings[ANSI.name] if ANSI.name in settings else self._spark.current_value(ANSI.name)
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

    def _over_rewrite(self, operator: Rewrite) -> Texts:
        """See `_with_checks`, of the conditions and values of a rewrite. Raises NotOnSailError."""
        target, source = operator.target, operator.source
        tables = [target] if source is None else [target, source]
        reach = self.texts.reach([*tables, *operator.relations.values()], self.frame)
        others = (item for item in operator.checks if item.column is None and not item.name.startswith(marks.LENGTH))
        if reach is not NOTHING and any(others):
            raise NotOnSailError(what="CHECK constraints of a table with a CHAR column in UPDATE, DELETE or MERGE")
        columns = None
        if variables_of(self._spark):
            columns = [*target.schema.names, *([] if source is None else self.frame(source).columns)]
        may = possible_types([*tables, *operator.relations.values()])

        def joined() -> list[tuple[str, StructType]]:
            tables = [(operator.target_alias, target.schema)]
            return (
                tables
                if source is None or operator.join is None
                else [*tables, (operator.join.alias, self.schema(source))]
            )

        rows = rows_of_tables(self._spark.session, joined)
        return lambda text: self._with_checks(text, columns, reach, may, rows)

    def learn(self, functions: Mapping[str, SqlFunction]) -> None:
        """Functions of SQL that texts call from now on, where the engine has none. Raises what is wrong with one."""
        for name, function in functions.items():
            rows = (item for item in function.relations.values() if not isinstance(item, SqlFunction | PythonFunction))
            columns = [column for item in rows for column in self.frame(item).columns]
            learned = self.texts.learn(name, function, columns)
            self.frame_of_text(checked_body(learned), function.relations).schema  # noqa: B018 - Spark Connect looks only now


def _refuse_json_paths(sql: str) -> None:
    if has_json_paths(sql):
        raise NotOnSailError(what="a path in JSON, such as raw:a.b")


def _columns(operators: Iterable[Operator]) -> Iterator[str]:
    """The columns of the tables that some operators read; those behind a view have other names there."""
    for operator in operators:
        if isinstance(operator, Scan):
            yield from operator.schema.names
        elif isinstance(operator, SqlQuery) and operator.view is None:
            yield from _columns(operator.relations.values())


def takes_compared_calls_only(session: SparkHandle) -> bool:
    """Whether functions are refused whose results were not compared with Spark's."""
    if (session.session_value(UNPROVEN.name) or DEFAULTS[UNPROVEN.name]).upper() != "ALLOW":
        return True
    warn(f"{UNPROVEN.name} is ALLOW: functions may give other values on Sail than on Spark.", stacklevel=2)
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
        raise NotOnSailError(what="INSERT OVERWRITE DIRECTORY in this form") from None
    if write is not None:
        write_directory(spark.stores, write, frames.query(write.query, relations))
        return CommandRows(_NOTHING, ())
    query = _DESCRIBE.match(sql)
    if query is not None:
        columns = frame_schema(frames.query(sql[query.end() :], relations))
        return CommandRows(_COLUMN, ((field.name, type_text(field.type), None) for field in columns))
    if what := unsupported_command(sql):
        raise NotOnSailError(what=what)
    return None
