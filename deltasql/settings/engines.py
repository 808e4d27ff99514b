"""What may run the rows of a session, by the names that options of tools take."""

from __future__ import annotations

from deltasql.errors.usage import UnknownEngineError

SPARK = "spark"
_CONNECT = "sc://"


def spark_of(engine: str | None) -> str | None:
    """The `spark` of `connect`: None for a local one, or the address of a Spark Connect server.

    Raises UnknownEngineError.
    """
    if engine in {None, SPARK}:
        return None
    if engine is not None and engine.startswith(_CONNECT):
        return engine
    raise UnknownEngineError(engine=str(engine))
