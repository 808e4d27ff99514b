"""What the engine behind a session can do: asked once for each.

What speaks Spark Connect may be another engine than Spark.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a session has of Spark's. Without `observe` rows are counted by a query of their own."""

    observe: bool = True
    """Rows are counted as they pass."""
    metadata: bool = True
    """`_metadata` tells from which file a row is. Else this process reads and writes all files."""
    repartition_by_id: bool = True
    """A row can be sent to the task of a number."""
    ids_in_filters: bool = True
    """A filter may ask for the number of a row."""
    checks_types: bool = True
    """Conditions must be BOOLEAN, and a cast between types that have nothing in common is an error."""
    functions: bool = True
    """Functions can be made by SQL."""
    subqueries: bool = True
    """IN and EXISTS may stand anywhere in an expression, and mean there what they mean in a WHERE."""
    keeps: bool = True
    """Rows can be held for a second look."""


SPARK = Capabilities()
"""All of it, which a session with a JVM of its own has."""

_KNOWN: weakref.WeakKeyDictionary[SparkSession, Capabilities] = weakref.WeakKeyDictionary()


def capabilities(session: SparkSession) -> Capabilities:
    """What a session that speaks Spark Connect can do. The first question takes a few requests, and no job."""
    known = _KNOWN.get(session)
    if known is None:
        known = _KNOWN[session] = _probed(session)
    return known


def _probed(session: SparkSession) -> Capabilities:
    from pyspark.sql import functions as F

    one = session.range(1)
    if _is_understood(lambda: one.observe("deltasql", F.count(F.lit(1)).alias("rows"))):
        # It is Spark.
        return SPARK
    return Capabilities(
        observe=False,
        metadata=_is_understood(
            lambda: session.read.schema("x INT").format("parquet").load().select("_metadata.row_index")
        ),
        repartition_by_id=_is_understood(lambda: one.repartitionById(1, F.lit(0))),
        ids_in_filters=False,
        checks_types=not _is_understood(lambda: one.select(F.expr("CASE WHEN id + 1 THEN 1 END"))),
        functions=False,
        subqueries=False,
        keeps=False,
    )


def _is_understood(make: Callable[[], Any]) -> bool:
    from pyspark.errors import PySparkException

    try:
        make().schema  # noqa: B018 - Spark Connect looks only now
    except PySparkException:
        return False
    return True
