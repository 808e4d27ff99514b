"""Optional features of the engine behind a session, probed once per session.

A Spark Connect server may be an engine other than Spark.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deltasql.base.lazy import F

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Features of Spark that a session supports."""

    observe: bool = True
    """DataFrame.observe: rows are counted while they are written. Otherwise a separate query counts them."""
    metadata: bool = True
    """`_metadata` identifies the file and index of a row. Otherwise this process reads and writes all files."""
    repartition_by_id: bool = True
    """DataFrame.repartitionById: rows can be assigned to tasks by number."""
    ids_in_filters: bool = True
    """Filters may use monotonically_increasing_id()."""
    checks_types: bool = True
    """The analyser rejects conditions that are not BOOLEAN, and casts that do not exist."""
    functions: bool = True
    """CREATE TEMPORARY FUNCTION … RETURN."""
    subqueries: bool = True
    """IN and EXISTS sub-queries are allowed anywhere in an expression, with the meaning that they have in WHERE."""
    persists: bool = True
    """DataFrame.persist: rows can be cached for a second evaluation."""


SPARK = Capabilities()
"""All features: those of a session with its own JVM."""

_PROBED: weakref.WeakKeyDictionary[SparkSession, Capabilities] = weakref.WeakKeyDictionary()


def capabilities(session: SparkSession) -> Capabilities:
    """The capabilities of a Spark Connect session. The first call sends a few requests, but runs no job."""
    probed = _PROBED.get(session)
    if probed is None:
        probed = _PROBED[session] = _probed(session)
    return probed


def _probed(session: SparkSession) -> Capabilities:
    one = session.range(1)
    if _is_supported(lambda: one.observe("deltasql", F.count(F.lit(1)).alias("rows"))):
        # It is Spark.
        return SPARK
    return Capabilities(
        observe=False,
        metadata=_is_supported(
            lambda: session.read.schema("x INT").format("parquet").load().select("_metadata.row_index")
        ),
        repartition_by_id=_is_supported(lambda: one.repartitionById(1, F.lit(0))),
        ids_in_filters=False,
        checks_types=not _is_supported(lambda: one.select(F.expr("CASE WHEN id + 1 THEN 1 END"))),
        functions=False,
        subqueries=False,
        persists=False,
    )


def _is_supported(make: Callable[[], Any]) -> bool:
    from pyspark.errors import PySparkException

    try:
        make().schema  # noqa: B018 - Spark Connect looks only now
    except PySparkException:
        return False
    return True
