"""Queries and rewrites for Sail with runtime checks where its results would differ from Spark's.

See `guards/text_checks`. An engine that checks types itself gets the SQL text unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from deltasql.base.errors.engine import NotOnSailError
from deltasql.base.patterns import GAP
from deltasql.engines.sail.dialect.names import spark_names
from deltasql.engines.sail.dialect.order import rows_selected, select_first, values_alike
from deltasql.engines.sail.dialect.paths import with_parts
from deltasql.engines.sail.dialect.sorting import may_sort_by_values, sorted_by_columns
from deltasql.engines.sail.dialect.stars import grouped_by_all, ordered_by_all, stars_named
from deltasql.engines.sail.dialect.unions import Branch, cast_branch, is_of_one_kind, set_operations
from deltasql.engines.sail.guards.comparisons import has_approximate_parts
from deltasql.engines.sail.guards.exact_types import common_type
from deltasql.engines.sail.guards.text_checks import with_checks
from deltasql.engines.sail.kinds import rows_of_query
from deltasql.engines.sail.texts import PossibleTypes
from deltasql.engines.spark.session.spark_types import frame_schema
from deltasql.schema.text import sql_text
from deltasql.schema.types import VOID, ArrayType, DataType, MapType, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_QUERY = re.compile(rf"{GAP}*(?:\(|(?:select|with|values|table)\b)", re.IGNORECASE | re.DOTALL)
_NAMELESS = re.compile(r"\bis\s+(?:not\s+)?null\b|\bin\s*\(", re.IGNORECASE)


def checked_query(session: SparkSession, sql: str, *, ansi: bool, may: PossibleTypes, compared_only: bool) -> DataFrame:
    """The rows of a query with runtime checks that fail where Spark fails, under Spark's column names.

    Raises NotOnSailError, and Sail's errors for the unchanged text.
    """
    operand_rows = rows_of_query(session)
    sql = values_alike(rows_selected(select_first(sql)))
    sql = with_parts(sql, operand_rows) if may.parts else sql
    if _QUERY.match(sql):
        sql = stars_named(grouped_by_all(sql), partial(_columns, session))
        sql = ordered_by_all(sql, partial(_columns, session))
        sql = _sortable(session, sql) if may_sort_by_values(sql) else sql
    rows = session.sql(sql)
    if not _QUERY.match(sql):
        return rows
    alike = _branches_alike(session, sql)
    days, decimals = may.days, may.decimals
    try:
        safe = with_checks(
            alike, ansi=ansi, days=days, decimals=decimals, rows=operand_rows, compared_only=compared_only
        )
    except NotOnSailError:
        # Sail's own error, such as for a wrong number of arguments, takes precedence.
        rows.schema  # noqa: B018 - Spark Connect looks only now
        raise
    if safe != sql:
        rows = _renamed(session, safe, spark_names(sql, rows.columns))
    elif _NAMELESS.search(sql):
        names = spark_names(sql, rows.columns)
        rows = rows if rows.columns == names else rows.toDF(*names)
    return rows


def _sortable(session: SparkSession, sql: str) -> str:
    """`sql` with the expressions of ORDER BY as columns, where Sail cannot resolve them otherwise."""
    from pyspark.errors import PySparkException

    try:
        turned = sorted_by_columns(sql, partial(_columns, session))
        if turned != sql:
            _columns(session, turned)
    except PySparkException:
        # Sail's error is to refer to the original text.
        return sql
    return turned


def _columns(session: SparkSession, sql: str) -> list[str]:
    return list(session.sql(sql).columns)


def _renamed(session: SparkSession, safe: str, names: list[str]) -> DataFrame:
    from pyspark.errors import PySparkException

    rows = session.sql(safe)
    try:
        columns = rows.columns
    except PySparkException as error:
        raise NotOnSailError(what="an expression that cannot be checked for overflow and wrong types") from error
    return rows if columns == names else rows.toDF(*names)


def _branches_alike(session: SparkSession, sql: str) -> str:
    """`sql` with the branches of set operations cast to their common types in Spark.

    Raises NotOnSailError where these cannot be determined: Sail takes the types of the first branch.
    """
    for index in reversed(range(len(set_operations(sql)))):
        # A cast inserted inside an operation shifts the positions of those around it.
        sql = _cast_operation(session, sql, set_operations(sql)[index])
    return sql


def _cast_operation(session: SparkSession, sql: str, branches: Sequence[Branch]) -> str:
    schemas = _schemas(session, branches)
    columns = [[field.type for field in column] for column in zip(*schemas, strict=False)]
    _require_comparable(sql, branches, columns)
    if len(set(map(len, schemas))) != 1 or all(map(_is_one, columns)):
        return sql
    common = list(map(_common, columns))
    if not is_of_one_kind(sql, branches):
        raise _mixed(next(column for column in columns if not _is_one(column)))
    for branch, schema in reversed(list(zip(branches, schemas, strict=True))):
        kinds = [field.type for field in schema]
        if kinds != common:
            safe = cast_branch(sql[branch.start : branch.end], schema.names, _casts(kinds, common))
            sql = sql[: branch.start] + safe + sql[branch.end :]
    return sql


def _require_comparable(sql: str, branches: Sequence[Branch], columns: Sequence[Sequence[DataType]]) -> None:
    """Raises NotOnSailError where rows are compared, as UNION ALL does not, whose values have -0.0 beside 0.0."""
    between = [sql[first.end : second.start].upper() for first, second in pairwise(branches)]
    if all("UNION" in text and "ALL" in text for text in between):
        return
    if any(has_approximate_parts(kind) for column in columns for kind in column):
        raise NotOnSailError(what="UNION, EXCEPT or INTERSECT of values with FLOAT or DOUBLE in them")


def _schemas(session: SparkSession, branches: Sequence[Branch]) -> list[StructType]:
    """The schema of each branch; empty where a branch is invalid, or uses names of the enclosing query."""
    from pyspark.errors import PySparkException

    try:
        return [frame_schema(session.sql(branch.query)) for branch in branches]
    except PySparkException:
        return []


def _casts(kinds: Sequence[DataType], target: Sequence[DataType]) -> list[str]:
    return ["" if kind == other else sql_text(other) for kind, other in zip(kinds, target, strict=True)]


def _common(kinds: Sequence[DataType]) -> DataType:
    """The type of a column of a set operation. Raises NotOnSailError where it cannot be determined."""
    kind = kinds[0] if _is_one(kinds) else common_type(kinds)
    if kind is None:
        raise _mixed(kinds)
    return kind


def _mixed(kinds: Sequence[DataType]) -> NotOnSailError:
    types = " and ".join(sorted({sql_text(kind) for kind in kinds}))
    return NotOnSailError(what=f"a set operation of {types}, of which the first is taken: cast them to one type")


def _is_one(kinds: Sequence[DataType]) -> bool:
    """Whether all types equal the first, where VOID (NULL) equals any type, also within arrays and maps."""
    return all(_is_within(kind, kinds[0]) for kind in kinds)


def _is_within(kind: DataType, wide: DataType) -> bool:
    match kind, wide:
        case ArrayType(), ArrayType():
            return _is_within(kind.element, wide.element)
        case MapType(), MapType():
            return _is_within(kind.key, wide.key) and _is_within(kind.value, wide.value)
        case StructType(), StructType():
            pairs = zip(kind, wide, strict=False)
            return kind.names == wide.names and all(_is_within(one.type, other.type) for one, other in pairs)
        case _:
            return kind in (wide, VOID)
