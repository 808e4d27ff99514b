"""The temporary views of a Spark session, which SHOW TABLES asks for each time that Spark runs."""

from __future__ import annotations

from typing import Any

from deltasql.engine.session.spark import SparkHandle
from deltasql.plan.hidden import HIDDEN_PREFIX


def temporary_views(spark: SparkHandle) -> list[str]:
    """The names of those that only this session has, without ours."""
    names = _listed(spark) if spark.remote else _known(spark)
    return [name for name in names if not name.startswith(HIDDEN_PREFIX)]


def _listed(spark: SparkHandle) -> list[str]:
    rows = spark.session.sql("SHOW VIEWS").collect()
    # Sail calls them tables.
    key = "viewName" if rows and "viewName" in rows[0] else "tableName"
    return [row[key] for row in rows if row["isTemporary"] and not row["namespace"]]


def _known(spark: SparkHandle) -> list[str]:
    """Asks Spark's catalog of the session: a statement and its rows take fifty times as long."""
    session: Any = spark.session
    try:
        found = str(session._jsparkSession.sessionState().catalog().getTempViewNames().mkString("\0"))
    except Exception:
        # Not a public name of Spark's: another version may lack it.
        return _listed(spark)
    return found.split("\0") if found else []
