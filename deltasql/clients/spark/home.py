"""The two Python objects of an installation for one Spark session: the user's, and an unmodified one for the engine.

The engine's calls of Spark must not be intercepted again. So it uses a copy of the session's Python object, on the same
session of the JVM or the server, and DataFrames are converted between the two objects.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.catalog import TableNotFoundError
from deltasql.base.errors.statements.table import NotADeltaProviderError
from deltasql.catalog.external.configuration import Catalogs
from deltasql.clients.spark.recorded_calls import (
    READER,
    STREAM_READER,
    STREAM_WRITER,
    WRITER,
    RecordedCalls,
    pyspark_errors,
    writer_to,
)
from deltasql.files.result import Result
from deltasql.plan.base import quote
from deltasql.schema.text import quote_text
from deltasql.session.session import Session
from deltasql.sql.parser import parse
from deltasql.sql.parser.parameters import table_name
from deltasql.statements.nodes.table import CreateTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_OF_THE_OBJECT = {"catalog", "_catalog", "_sqm"}
"""Attributes of a session that refer to the session itself, and are not copied."""


class _ClosedByUser(Session):
    """A session that says when it is closed, which is once."""

    when_closed: Callable[[], None] | None = None

    def close(self) -> None:
        super().close()
        call, self.when_closed = self.when_closed, None
        if call is not None:
            call()


class Home:
    """An installation: `spark` is the user's session, `plain` its unmodified copy for the engine, `session` deltasql's.

    `kind` is the original class of `spark`, `frames` the class of its DataFrames.
    """

    def __init__(
        self,
        spark: SparkSession,
        warehouse: str,
        storage_options: Mapping[str, str] | None,
        catalogs: Catalogs | None = None,
        when_closed: Callable[[Home], None] = lambda home: None,
    ) -> None:
        self.spark: Any = spark
        self.kind: Any = type(spark)
        # Not by copy(): a session of Spark Connect pickles as itself.
        self.plain: Any = object.__new__(type(spark))
        vars(self.plain).update({key: value for key, value in vars(spark).items() if key not in _OF_THE_OBJECT})
        self.frames = type(self.plain.range(0))
        session = _ClosedByUser(warehouse, self.plain, storage_options, catalogs=catalogs)
        session.when_closed = partial(when_closed, self)
        self.session: Session = session

    def sql(self, text: str, args: Mapping[str, Any] | Sequence[Any] | None, values: Mapping[str, Any]) -> DataFrame:
        """`spark.sql`: runs a statement in deltasql, or in Spark if it is on a table of another format."""
        formatter = _Formatter()
        if values:
            text = formatter.vformat(text, (), values)
        if _creates_other_format(text):
            return cast("DataFrame", self.kind.sql(self.spark, text, args))
        try:
            with self.at_work():
                return cast("DataFrame", self.handed(self.session.sql(text, args or None).df))
        except (NotADeltaProviderError, TableNotFoundError) as error:
            if isinstance(error, TableNotFoundError) and not self.is_foreign(str(error.table)):
                raise
            return cast("DataFrame", self.kind.sql(self.spark, text, args))
        finally:
            if not _is_connect(self.kind):
                # A DataFrame of Spark Connect needs its views as long as it lives.
                for view in formatter.views:
                    self.plain.catalog.dropTempView(view)

    def reader(self, sparks: Any) -> RecordedCalls:
        """`spark.read`."""
        return RecordedCalls(self, READER, lambda: self.session.read, lambda: sparks)

    def stream_reader(self, sparks: Any) -> RecordedCalls:
        """`spark.readStream`."""
        return RecordedCalls(self, STREAM_READER, lambda: self.session.readStream, lambda: sparks)

    def writer(self, frame: DataFrame, sparks: Any) -> RecordedCalls:
        """`df.write`."""
        return RecordedCalls(self, WRITER, lambda: self.session.write(self.taken(frame)), lambda: sparks)

    def stream_writer(self, frame: DataFrame, sparks: Any) -> RecordedCalls:
        """`df.writeStream`."""
        return RecordedCalls(self, STREAM_WRITER, lambda: self.session.writeStream(self.taken(frame)), lambda: sparks)

    def writer_to(self, frame: DataFrame, table: str, sparks: Any) -> RecordedCalls:
        """`df.writeTo(table)`."""
        return RecordedCalls(
            self, writer_to(table), lambda: self.session.writeTo(self.taken(frame), table), lambda: sparks
        )

    def is_foreign(self, name: str) -> bool:
        """Whether Spark has a table of this name, and deltasql has none."""
        with suppress(DeltaSqlError):
            if self.session.catalog.find(table_name(name).parts) is not None:
                return False
        from pyspark.errors import PySparkException

        try:
            return bool(self.plain.catalog.tableExists(name))
        except PySparkException:
            # Not a valid name in Spark.
            return False

    def taken(self, frame: DataFrame) -> DataFrame:
        """A DataFrame of the user's session as one of the engine's."""
        return _moved(frame, self.plain)

    def handed(self, outcome: Any) -> Any:
        """A return value of deltasql as PySpark's: DataFrames of the user's session; None for a Result."""
        if isinstance(outcome, Result):
            return None
        return _moved(outcome, self.spark) if hasattr(outcome, "sparkSession") else outcome

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Context: errors are PySpark's too. Afterwards the active session is the user's where it is the engine's."""
        try:
            with pyspark_errors():
                yield
        finally:
            if getattr(self.kind, "_activeSession", None) is self.plain:
                self.kind._activeSession = self.spark


def _creates_other_format(text: str) -> bool:
    """Whether a statement creates a table of another format than Delta, which belongs into Spark's own catalog."""
    if "using" not in text.lower():
        return False
    try:
        statement = parse(text)
    except DeltaSqlError:
        return False
    return isinstance(statement, CreateTable) and (statement.provider or "delta").lower() != "delta"


def _moved(frame: Any, spark: Any) -> Any:
    plan = frame._plan if _is_connect(type(frame)) else frame._jdf
    return type(frame)(plan, spark)


def _is_connect(kind: type) -> bool:
    return kind.__module__.startswith("pyspark.sql.connect")


class _Formatter(string.Formatter):
    """Formats `{name}` in SQL as PySpark does: DataFrames as temporary `views`, columns by name, texts as literals."""

    def __init__(self) -> None:
        self.views: list[str] = []

    def format_field(self, value: Any, format_spec: str) -> str:
        if hasattr(value, "createOrReplaceTempView"):
            self.views.append(f"_deltasql_{uuid4().hex}")
            value.createOrReplaceTempView(self.views[-1])
            return self.views[-1]
        if isinstance(value, str):
            return quote_text(value)
        column = re.fullmatch(r"Column<'(.+)'>", str(value))
        return str(value) if column is None else quote(column[1].strip("`"))
