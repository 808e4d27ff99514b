"""Which engine computes the rows of a session: Spark, or Sail, which needs no JVM."""

from __future__ import annotations

import os

from deltasql.base import errors

SPARK, SAIL = "spark", "sail"
ENGINES = (SPARK, SAIL)
VARIABLE = "DELTASQL_ENGINE"
_CONNECT = "sc://"


def chosen_engine(engine: str | None, *, has_spark: bool) -> str:
    """The engine of a session that asks for `engine`; None is what the environment says, else Spark.

    With `has_spark` a Spark session or address was passed in, so that the environment does not count.
    Raises UnknownEngineError, EngineForGivenSparkError.
    """
    requested = engine if engine is not None or has_spark else os.environ.get(VARIABLE)
    name = (requested or SPARK).lower()
    if name not in ENGINES:
        raise errors.UnknownEngineError(engine=str(requested))
    if has_spark and name != SPARK:
        raise errors.EngineForGivenSparkError(engine=name)
    return name


def requested_engine(text: str | None) -> tuple[str | None, str | None]:
    """The `spark` and `engine` of `connect` for an engine in one word: spark, sail, or the address of Spark Connect.

    None is what the environment says. Raises UnknownEngineError.
    """
    if text is not None and text.startswith(_CONNECT):
        return text, None
    return None, text and chosen_engine(text, has_spark=False)
