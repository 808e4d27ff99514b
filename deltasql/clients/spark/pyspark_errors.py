"""Errors of an installed session are exceptions of PySpark too: `except AnalysisException` of a job catches them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from deltasql.base.errors.base import DeltaSqlError

_PARSE = ("PARSE_", "UNSUPPORTED_DATATYPE")
"""Conditions of texts that are no statement, or no type, begin with one of these."""
_ANALYSIS = ("42", "0A")
"""Classes of SQLSTATEs that Spark's analyzer raises: wrong names and definitions, and what is not supported."""


@contextmanager
def pyspark_errors() -> Iterator[None]:
    """Context: an error that Spark's parser or analyzer would raise is a ParseException or an AnalysisException too."""
    try:
        yield
    except DeltaSqlError as error:
        kind: Any = type(error)
        if not isinstance(error, (_AsPySpark, TypeError)) and error.sqlstate.startswith(_ANALYSIS):
            error.__class__ = _combined(kind, error.condition.startswith(_PARSE))
        raise


class _AsPySpark:
    """The methods of PySpark's exceptions, which else ask the JVM or the server."""

    condition: str
    sqlstate: str
    message: str

    @property
    def desc(self) -> str:
        return self.message

    def getCondition(self) -> str:
        return self.condition

    def getErrorClass(self) -> str:
        return self.condition

    def getSqlState(self) -> str:
        return self.sqlstate

    def getMessage(self) -> str:
        return f"[{self.condition}] {self.message}"

    def getMessageParameters(self) -> dict[str, str]:
        names = getattr(type(self), "__dataclass_fields__", ())
        return {name: str(getattr(self, name)) for name in names}

    def getQueryContext(self) -> list[Any]:
        return []

    def getBreakingChangeInfo(self) -> None:
        return None


@cache
def _combined(kind: Any, parses: bool) -> type[DeltaSqlError]:
    """A class of the same name that is `kind`, and an exception of PySpark; it is pickled as `kind`."""

    def reduced(error: Any) -> tuple[Any, ...]:
        return kind.__new__, (kind, *error.args), error.__dict__

    bases: Any = (_AsPySpark, kind, _exception(parses))
    names = {"__module__": kind.__module__, "__doc__": kind.__doc__, "__reduce__": reduced, "__slots__": ()}
    made: type[DeltaSqlError] = type(kind.__name__, bases, names)
    return made


def _exception(parses: bool) -> Any:
    """The class of PySpark that `pyspark.sql.utils` names, for sessions with a JVM; its base class without Py4J."""
    try:
        from pyspark.sql import utils as classes
    except ImportError:
        import pyspark.errors as classes
    return classes.ParseException if parses else classes.AnalysisException
