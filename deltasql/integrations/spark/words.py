"""Readers and writers in PySpark's words, which are kept until the last one tells whose table it is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

DELTA = "delta"


class Installation(Protocol):
    """What an installation does for its readers and writers; `plain` is Spark's session without it."""

    plain: Any

    def is_foreign(self, name: str) -> bool:
        """Whether Spark has a table of this name, and we have none."""

    def at_work(self) -> AbstractContextManager[None]:
        """Within it our methods are called."""

    def handed(self, outcome: Any) -> Any:
        """What one of our methods gives, as PySpark's would give it."""


@dataclass(frozen=True)
class LastWord:
    """A last word with what it was given, and the format that was named for it, None where none was."""

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
        """Whether a table by name is none of another format, and none that Spark alone knows."""
        name = table or str([*self.arguments, *self.named.values()][0])
        return (self.provider or DELTA).lower() == DELTA and not self.home.is_foreign(name)


@dataclass(frozen=True)
class Grammar:
    """`kept` are the words that say how. `last` tells of each last word whether it is about a table of ours."""

    kept: frozenset[str]
    last: Mapping[str, Callable[[LastWord], bool]]


_HOW = {"format", "option", "options"}
READER = Grammar(frozenset({*_HOW, "schema"}), {"load": lambda it: it.is_delta, "table": lambda _: True})
STREAM_READER = Grammar(READER.kept, {"load": lambda it: it.is_delta, "table": LastWord.may_be_ours})
WRITER = Grammar(
    frozenset({*_HOW, "mode", "partitionBy", "clusterBy", "bucketBy", "sortBy"}),
    {"save": lambda it: it.is_delta, "saveAsTable": LastWord.may_be_ours, "insertInto": LastWord.may_be_ours},
)
STREAM_WRITER = Grammar(
    frozenset({*_HOW, "outputMode", "partitionBy", "clusterBy", "queryName", "trigger"}),
    {"start": lambda it: it.is_delta, "toTable": LastWord.may_be_ours},
)


def writer_to(table: str) -> Grammar:
    """PySpark's `df.writeTo(table)`."""
    last = ("append", "overwrite", "overwritePartitions", "create", "replace", "createOrReplace")
    kept = {*_HOW, "using", "tableProperty", "partitionedBy", "clusterBy", "withSchemaEvolution"}
    return Grammar(frozenset(kept), dict.fromkeys(last, lambda it: it.may_be_ours(table)))


@dataclass
class Words:
    """A reader or a writer: `ours` and `sparks` make those that the words are said to in the end."""

    _home: Installation
    _grammar: Grammar
    _ours: Callable[[], Any]
    _sparks: Callable[[], Any]
    _said: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = field(default_factory=list)

    def __getattr__(self, word: str) -> Any:
        if word.startswith("_"):
            raise AttributeError(word)
        if word in self._grammar.kept:
            return lambda *arguments, **named: self._keep(word, arguments, named)
        if word in self._grammar.last:
            return lambda *arguments, **named: self._end(word, arguments, named)
        # Words of other formats, such as csv(path): from here on it is Spark's.
        return getattr(self._repeated(self._sparks()), word)

    def _keep(self, word: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Words:
        self._said.append((word, arguments, named))
        return self

    def _end(self, word: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        it = LastWord(self._home, self._provider(arguments, named), arguments, named)
        if not self._grammar.last[word](it):
            return getattr(self._repeated(self._sparks()), word)(*arguments, **named)
        if self._grammar is STREAM_WRITER:
            named = self._kept_of(named)
        with self._home.at_work():
            return self._home.handed(getattr(self._repeated(self._ours()), word)(*arguments, **named))

    def _provider(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> str | None:
        """The format: the last word's own, or else the last that was said."""
        second = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], str) else None
        said = [given[0] for word, given, _ in self._said if word in {"format", "using"} and given]
        found: str | None = named.get("format") or second or (said[-1] if said else None)
        return found

    def _kept_of(self, named: Mapping[str, Any]) -> dict[str, Any]:
        """What names the table; the rest is said before: the last word of a stream of Spark's may say everything."""
        for key, told in named.items():
            if key in self._grammar.kept:
                self._keep(key, (told,), {})
            elif key not in {"path", "tableName"}:
                self._keep("option", (key, told), {})
        return {key: told for key, told in named.items() if key in {"path", "tableName"}}

    def _repeated(self, target: Any) -> Any:
        for word, arguments, named in self._said:
            target = getattr(target, word)(*arguments, **named)
        return target
