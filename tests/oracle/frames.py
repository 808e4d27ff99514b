"""Statements in Python: DataFrames and builders, in PySpark's and Delta's words, which both engines understand.

write("SELECT 1 AS id").mode("append").saveAsTable("t")
write("SELECT 1 AS id", "s").mode("overwrite").option("replaceOn", "t.id = s.id").option("targetAlias", "t").save(…)
writeTo("SELECT 1 AS id", "t").append()
read.option("versionAsOf", 0).table("t")
DeltaTable.forName("t").alias("t").merge(query("SELECT 1 AS id").alias("s"), col("t.id") == col("s.id"))…execute()
done(DeltaTable.forName("t").optimize().executeCompaction())
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_PYTHON = re.compile(r"(write|writeTo|done)\(|read\.|DeltaTable\.")


def is_python(text: str) -> bool:
    """Whether a statement is one of these, not SQL."""
    return _PYTHON.match(text) is not None


def evaluated(text: str, *, write: Callable[[str], Any], **names: Any) -> Any:
    """The value of the expression, where `write`, `writeTo` and `read` mean one engine's.

    `write` takes a name as well, by which conditions may call the rows. What has no rows, such as a DeltaTable, and
    the rows in `done(…)`, which are of one run, are None.
    """

    def named(query: str, alias: str | None = None) -> Any:
        return write(query if alias is None else f"SELECT * FROM ({query}) AS {alias}")

    builders = _builders(names.get("session"), names.get("read")) if "DeltaTable" in text else {}
    found = eval(text, {"__builtins__": {}}, {**names, **builders, "write": named})
    return found if hasattr(type(found), "collect") else None


def _builders(session: Any, read: Any) -> dict[str, Any]:
    """Names for builders: of a session of deltasql, or of the Spark session of a reader, which has delta-spark."""
    from pyspark.sql import functions as F
    from pyspark.sql import types

    given: Any
    if session is not None:
        from deltasql.clients import tables

        given, query = session, lambda sql: session.sql(sql).df
    else:
        from delta import tables  # type: ignore[import-not-found, no-redef]

        given, query = read._spark, read._spark.sql
    own = {"DeltaTable": _Bound(tables.DeltaTable, given), "IdentityGenerator": tables.IdentityGenerator}
    return {
        **own,
        "query": query,
        "done": lambda _: None,
        "F": F,
        "T": types,
        "col": F.col,
        "lit": F.lit,
        "True": True,
        "False": False,
    }


class _Bound:
    """The class DeltaTable, whose class methods get the session as their first argument."""

    def __init__(self, table: Any, session: Any) -> None:
        self._table, self._session = table, session

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._table, name)
        return lambda *arguments, **named: method(self._session, *arguments, **named)
