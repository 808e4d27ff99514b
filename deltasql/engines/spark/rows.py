"""Rows of a query: a lazy DataFrame, run under settings that suit its size when rows are fetched."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

from deltasql.base.errors.base import DeltaSqlError, LeftToEngineError
from deltasql.base.errors.engine import NotOnSailError
from deltasql.base.interrupts import interruptible
from deltasql.base.lazy import pa
from deltasql.engines.choice import handed_out
from deltasql.engines.spark.failures.spark_errors import FailureReader, translated_errors
from deltasql.engines.spark.failures.write_errors import WriteContext
from deltasql.engines.spark.loading import load_pyspark
from deltasql.engines.spark.session.interrupts import stoppable
from deltasql.engines.spark.session.progress import watched
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.session.spark_types import frame_schema, spark_schema
from deltasql.plan.base import quote
from deltasql.plan.hidden import hidden
from deltasql.schema.text import text_sql
from deltasql.schema.types import VARIANT, ArrayType, DataType, MapType, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
                except NotOnSailError:
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
        """Variants are their JSON text: PySpark hands on the bytes of their encoding, and fails where one is NULL."""
        schema = self.schema
        # Two columns may have one name; numbered ones can be told apart.
        names = [hidden(index) for index in range(len(schema))]
        texts = [variant_text(name, field.type) for name, field in zip(names, schema, strict=True)]
        with self._running():
            if not any(texts):
                return self._frame.toArrow()
            if not self._spark.capabilities.checks_types:
                raise NotOnSailError(what="VARIANT")
            shown = [text or name for text, name in zip(texts, names, strict=True)]
            return self._frame.toDF(*names).selectExpr(*shown).toArrow().rename_columns(list(schema.names))

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


def variant_text(sql: str, kind: DataType) -> str | None:
    """SQL of the value `sql` whose variants, at any depth, are their JSON text; None where `kind` holds none."""
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
            return f"to_json({sql})" if kind == VARIANT else None


def _struct(sql: str, kind: StructType, names: count[int]) -> str | None:
    paths = [f"{sql}.{quote(field.name)}" for field in kind]
    texts = [_text(path, field.type, names) for path, field in zip(paths, kind, strict=True)]
    if not any(texts):
        return None
    fields = zip(kind, texts, paths, strict=True)
    values = ", ".join(f"{text_sql(field.name)}, {text or path}" for field, text, path in fields)
    return f"CASE WHEN {sql} IS NOT NULL THEN named_struct({values}) END"
