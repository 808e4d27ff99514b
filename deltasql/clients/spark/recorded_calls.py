"""Readers and writers of PySpark whose calls are recorded, until the final one decides between deltasql and Spark.

Errors of an installed session are exceptions of PySpark too: `except AnalysisException` of a job catches them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from deltasql.base import DeltaSqlError

DELTA = "delta"


class Installation(Protocol):
    """Interface of an installation to its readers and writers; `plain` is the unmodified Spark session."""

    plain: Any

    def is_foreign(self, name: str) -> bool:
        """Whether Spark has a table of this name, and deltasql has none."""

    def at_work(self) -> AbstractContextManager[None]:
        """Context for calls of deltasql."""

    def handed(self, outcome: Any) -> Any:
        """A return value of deltasql as PySpark's."""


@dataclass(frozen=True)
class FinalCall:
    """A final call with its arguments, and the format that was set before, None without one."""

    home: Installation
    provider: str | None
    arguments: tuple[Any, ...]
    named: Mapping[str, Any]

    @property
    def is_delta(self) -> bool:
        """Whether Delta is the format: named, or Spark's default."""
        default = self.home.plain.conf.get("spark.sql.sources.default", "parquet")
        return (self.provider or default).lower() == DELTA

    def may_be_ours(self, table: str | None = None) -> bool:
        """Whether a table by name is not of another format, and not one that only Spark has."""
        name = table or str([*self.arguments, *self.named.values()][0])
        return (self.provider or DELTA).lower() == DELTA and not self.home.is_foreign(name)


@dataclass(frozen=True)
class Grammar:
    """Methods of a reader or writer: those `configuring` it, and `final` ones with a test if deltasql runs them."""

    configuring: frozenset[str]
    final: Mapping[str, Callable[[FinalCall], bool]]


_HOW = {"format", "option", "options"}
READER = Grammar(frozenset({*_HOW, "schema"}), {"load": lambda it: it.is_delta, "table": lambda _: True})
STREAM_READER = Grammar(READER.configuring, {"load": lambda it: it.is_delta, "table": FinalCall.may_be_ours})
WRITER = Grammar(
    frozenset({*_HOW, "mode", "partitionBy", "clusterBy", "bucketBy", "sortBy"}),
    {"save": lambda it: it.is_delta, "saveAsTable": FinalCall.may_be_ours, "insertInto": FinalCall.may_be_ours},
)
STREAM_WRITER = Grammar(
    frozenset({*_HOW, "outputMode", "partitionBy", "clusterBy", "queryName", "trigger"}),
    {"start": lambda it: it.is_delta, "toTable": FinalCall.may_be_ours},
)


def writer_to(table: str) -> Grammar:
    """The methods of PySpark's `df.writeTo(table)`."""
    final = ("append", "overwrite", "overwritePartitions", "create", "replace", "createOrReplace")
    configuring = {*_HOW, "using", "tableProperty", "partitionedBy", "clusterBy", "withSchemaEvolution"}
    return Grammar(frozenset(configuring), dict.fromkeys(final, lambda it: it.may_be_ours(table)))


@dataclass
class RecordedCalls:
    """A reader or writer that records calls and replays them on that of `_ours` (deltasql) or `_sparks` (Spark)."""

    _home: Installation
    _grammar: Grammar
    _ours: Callable[[], Any]
    _sparks: Callable[[], Any]
    _recorded: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = field(default_factory=list)

    def __getattr__(self, word: str) -> Any:
        if word.startswith("_"):
            raise AttributeError(word)
        if word in self._grammar.configuring:
            return lambda *arguments, **named: self._record(word, arguments, named)
        if word in self._grammar.final:
            return lambda *arguments, **named: self._finish(word, arguments, named)
        # Methods of other formats, such as csv(path), are Spark's.
        return getattr(self._repeated(self._sparks()), word)

    def _record(self, word: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> RecordedCalls:
        self._recorded.append((word, arguments, named))
        return self

    def _finish(self, word: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        it = FinalCall(self._home, self._provider(arguments, named), arguments, named)
        if not self._grammar.final[word](it):
            return getattr(self._repeated(self._sparks()), word)(*arguments, **named)
        if self._grammar is STREAM_WRITER:
            named = self._record_options(named)
        with self._home.at_work():
            return self._home.handed(getattr(self._repeated(self._ours()), word)(*arguments, **named))

    def _provider(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> str | None:
        """The format: that of the final call, or else the last one set before."""
        second = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], str) else None
        named_before = [values[0] for word, values, _ in self._recorded if word in {"format", "using"} and values]
        provider: str | None = named.get("format") or second or (named_before[-1] if named_before else None)
        return provider

    def _record_options(self, named: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a stream's final call that name the table; others are recorded as calls before it."""
        for key, value in named.items():
            if key in self._grammar.configuring:
                self._record(key, (value,), {})
            elif key not in {"path", "tableName"}:
                self._record("option", (key, value), {})
        return {key: value for key, value in named.items() if key in {"path", "tableName"}}

    def _repeated(self, target: Any) -> Any:
        for word, arguments, named in self._recorded:
            target = getattr(target, word)(*arguments, **named)
        return target


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
