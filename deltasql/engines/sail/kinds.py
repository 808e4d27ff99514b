"""Types of columns and expressions from Sail's analyser, for `guards/exact_types`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from deltasql.base.errors.base import DeltaSqlError
from deltasql.engines.sail.dialect.paths import with_parts
from deltasql.engines.sail.dialect.scopes import SailScope
from deltasql.engines.sail.guards.exact_types import OperandRows, unlike_names
from deltasql.engines.sail.texts import possible_types
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.engines.spark.session.spark_types import frame_schema
from deltasql.plan.operators import Operator
from deltasql.schema.types import DataType, StructField, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def rows_of_query(session: SparkSession) -> OperandRows:
    """Columns and expression types of query scopes (FROM clauses of queries and sub-queries), asked of a session."""

    @cache
    def columns(scope: SailScope) -> StructType:
        schema = _schema(lambda: session.sql(f"{scope.before}SELECT * {scope.relation}")) if scope.relation else None
        return unlike_names(schema or StructType())

    @cache
    def kind(scope: SailScope, text: str) -> DataType | None:
        schema = _schema(lambda: session.sql(f"{scope.before}SELECT {text} AS k {scope.relation}"))
        return schema.fields[0].type if schema is not None and scope.is_query else None

    return OperandRows(columns, kind)


def rows_of_frame(session: SparkSession, frame: DataFrame) -> OperandRows:
    """Columns of a DataFrame, and types of expressions over its rows; sub-queries in these as in `rows_of_query`."""
    query = rows_of_query(session)

    @cache
    def columns() -> StructType:
        return unlike_names(_schema(lambda: frame) or StructType())

    @cache
    def kind(text: str) -> DataType | None:
        schema = _schema(lambda: frame.selectExpr(f"({text}) AS k"))
        return None if schema is None else schema.fields[0].type

    return OperandRows(
        lambda scope: query.columns(scope) if scope.is_query else columns(),
        lambda scope, text: query.kind(scope, text) if scope.is_query else kind(text),
    )


def rows_of_tables(session: SparkSession, tables: Callable[[], list[tuple[str, StructType]]]) -> OperandRows:
    """Columns of the join of some (alias, schema) pairs, which are computed on first use; sub-queries as in
    `rows_of_query`. Expressions over the join have no types.
    """
    query = rows_of_query(session)

    @cache
    def columns() -> StructType:
        fields = tables()
        plain = unlike_names(StructType(tuple(field for _, columns in fields for field in columns)))
        named = (StructField(alias, columns) for alias, columns in fields if plain.find(alias) is None)
        return StructType((*plain, *named))

    return OperandRows(
        lambda scope: query.columns(scope) if scope.is_query else columns(),
        lambda scope, text: query.kind(scope, text) if scope.is_query else None,
    )


def _schema(make: Callable[[], DataFrame]) -> StructType | None:
    """The schema of a DataFrame; None where the engine rejects the text, or a column has an unsupported type."""
    from pyspark.errors import PySparkException

    try:
        return frame_schema(make())
    except (PySparkException, DeltaSqlError):
        return None


def parts_over(
    spark: SparkHandle, frame: DataFrame, scope: Sequence[tuple[Operator, str]], texts: Sequence[str]
) -> Sequence[str]:
    """Expressions over `frame`, the joined rows of a scope, with dotted paths into maps and arrays rewritten by
    `with_parts`.
    """
    if not possible_types(operator for operator, _ in scope).parts:
        return texts
    rows = rows_of_frame(spark.session, frame)
    return [with_parts(text, rows) for text in texts]
