"""What Sail computes otherwise than Spark, kept from going unnoticed: texts with checks, and the types of what comes.

See `sql/dialects/sail_checks`. An engine that checks types itself gets the texts as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from deltasql.errors.engine import NotOnSailError
from deltasql.plan.operators import Rewrite, RowAction
from deltasql.sql.dialects.sail_checks import with_checks
from deltasql.sql.dialects.sail_names import spark_names
from deltasql.sql.dialects.sail_order import rows_selected, select_first
from deltasql.sql.dialects.sail_stars import ordered_by_all, stars_named
from deltasql.sql.dialects.sail_unions import set_operations

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Texts: TypeAlias = Callable[[str], str]
_QUERY = re.compile(
    r"\s*(?:/\*.*?\*/\s*|--[^\n]*\n\s*)*(?:\(|(?:select|with|values|table)\b)", re.IGNORECASE | re.DOTALL
)
_NAMELESS = re.compile(r"\bis\s+(?:not\s+)?null\b|\bin\s*\(", re.IGNORECASE)
_WIDTHS = ("tinyint", "smallint", "int", "bigint", "float", "double")


def checked_query(session: SparkSession, sql: str, *, ansi: bool, days: bool) -> DataFrame:
    """The rows of a query, which fail where they fail on Spark, under the names that Sail gives them.

    `days` says that it may compare a DATE.

    Raises NotOnSailError, and what Sail says of the text as it is.
    """
    sql = rows_selected(select_first(sql))
    if _QUERY.match(sql):
        sql = ordered_by_all(stars_named(sql, partial(_columns, session)), partial(_columns, session))
    rows = session.sql(sql)
    if not _QUERY.match(sql):
        return rows
    for branches in set_operations(sql):
        _refuse_mixed_branches(session, branches)
    safe = with_checks(sql, ansi=ansi, days=days)
    if safe != sql:
        rows = _renamed(session, safe, spark_names(sql, rows.columns))
    elif _NAMELESS.search(sql):
        names = spark_names(sql, rows.columns)
        rows = rows if rows.columns == names else rows.toDF(*names)
    return rows


def _columns(session: SparkSession, sql: str) -> list[str]:
    return list(session.sql(sql).columns)


def _renamed(session: SparkSession, safe: str, names: list[str]) -> DataFrame:
    from pyspark.errors import PySparkException

    rows = session.sql(safe)
    try:
        found = rows.columns
    except PySparkException as error:
        raise NotOnSailError(what="an expression that cannot be checked for overflow and wrong types") from error
    return rows if found == names else rows.toDF(*names)


def _refuse_mixed_branches(session: SparkSession, branches: list[str]) -> None:
    """Raises NotOnSailError where a text stands in one branch of a set operation, and something else in another."""
    from pyspark.errors import PySparkException

    try:
        kinds = [[field.dataType.simpleString() for field in session.sql(branch).schema] for branch in branches]
    except PySparkException:
        # It names what only the whole query knows; what is wrong with that, Sail says.
        return
    for first, *others in zip(*kinds, strict=False):
        if any(other != first and "void" not in other and not _holds(first, other) for other in others):
            told = " and ".join(sorted({first, *others})).upper()
            raise NotOnSailError(what=f"a set operation of {told}, of which the first is taken: cast them to one type")


def _holds(kind: str, other: str) -> bool:
    """Whether a number of one type becomes one of another, wider type."""
    return kind in _WIDTHS and other in _WIDTHS and _WIDTHS.index(kind) >= _WIDTHS.index(other)


def checked_rewrite(operator: Rewrite, own: Texts) -> Rewrite:
    """A rewrite whose conditions and values fail where they fail on Spark; `own` puts checks into a text.

    Constraints stay as they are, for errors name them: see `frames.checked`.
    """
    join = operator.join
    return replace(
        operator,
        actions=tuple(_checked_action(action, own) for action in operator.actions),
        join=None if join is None else replace(join, on=own(join.on)),
    )


def _checked_action(action: RowAction, own: Texts) -> RowAction:
    condition = None if action.condition is None else own(action.condition)
    return replace(action, condition=condition, values=tuple(map(own, action.values)))
