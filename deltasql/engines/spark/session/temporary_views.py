"""The temporary views of a Spark session: SHOW TABLES asks for them each time that Spark runs, a query makes some."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.plan.base import quote
from deltasql.schema.checks import HIDDEN_PREFIX


def temporary_views(spark: SparkHandle) -> list[str]:
    """The names of those that only this session has, without ours."""
    names = _listed(spark) if spark.remote else _view_names(spark)
    return [name for name in names if not name.startswith(HIDDEN_PREFIX)]


def drop_hidden(spark: SparkHandle, names: Iterable[str]) -> None:
    """Takes views of ours out of a session of this process.

    Spark's public way asks as well whether anything is cached that has the view's rows, to let go of it: that takes
    several times as long, and what it finds is the user's.
    """
    session: Any = spark.session
    try:
        catalog = session._jsparkSession.sessionState().catalog()
        for name in names:
            catalog.dropTempView(name)
    except Exception:
        # Not a public name of Spark's: another version may lack it.
        for name in names:
            session.catalog.dropTempView(name)


def _listed(spark: SparkHandle) -> list[str]:
    rows = spark.session.sql("SHOW VIEWS").collect()
    # Sail calls them tables.
    key = "viewName" if rows and "viewName" in rows[0] else "tableName"
    return [row[key] for row in rows if row["isTemporary"] and not row["namespace"]]


def _view_names(spark: SparkHandle) -> list[str]:
    """Asks Spark's catalog of the session: a statement and its rows take fifty times as long."""
    session: Any = spark.session
    try:
        names = str(session._jsparkSession.sessionState().catalog().getTempViewNames().mkString("\0"))
    except Exception:
        # Not a public name of Spark's: another version may lack it.
        return _listed(spark)
    return names.split("\0") if names else []


def sql_name(parts: Sequence[str]) -> str:
    """A name of some parts as SQL."""
    return ".".join(map(quote, parts))
