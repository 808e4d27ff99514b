"""What may come next: keywords that the grammar expects, tables of the catalog, columns of the tables in the text."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from deltasql.errors.base import DeltaSqlError
from deltasql.parser import expected_keywords
from deltasql.plan.base import quote
from deltasql.repl.commands import COMMANDS
from deltasql.sql.patterns import QUOTED_NAME, WORD

if TYPE_CHECKING:
    from deltasql.session import Session

_WORD = re.compile(r"[\w.`]*$")
_PART = rf"(?:{QUOTED_NAME}|{WORD})"
_NAME = re.compile(rf"{_PART}(?:\.{_PART}){{0,2}}")
_ALIAS = re.compile(r"\s+(?:as\s+)?(\w+)", re.IGNORECASE)
_BEFORE_TABLE = re.compile(
    r"\b(?:from|join|into|update|table|using|exists|describe|desc|detail|history|optimize|vacuum|overwrite|tblproperties|in)"
    r"\s+$",
    re.IGNORECASE,
)
# The grammar takes queries and expressions as they are, so it cannot tell which of Spark's own words may follow there.
_QUERY_WORDS = re.findall(
    r"\w+",
    """ALL AND AS ASC BETWEEN BY CASE CAST CROSS DESC DISTINCT ELSE END EXCEPT EXISTS FALSE FROM FULL GROUP HAVING ILIKE
    IN INNER INTERSECT IS JOIN LATERAL LEFT LIKE LIMIT NOT NULL OFFSET ON OR ORDER OUTER OVER PARTITION QUALIFY RIGHT
    SELECT SEMI THEN TRUE UNION USING VALUES WHEN WHERE WINDOW WITH""",
)
_REMEMBERED_SECONDS = 5.0


class SqlCompleter(Completer):
    """Completion over a session. A failing look-up (a table just dropped, say) gives no names, never an error."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._columns: dict[tuple[str, ...], tuple[float, list[str]]] = {}

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        text = document.text_before_cursor
        if text.lstrip().startswith("\\"):
            yield from _commands(text.lstrip())
            return
        word = _word(text)
        before = text[: len(text) - len(word)]
        start = document.text.rfind(";", 0, len(text)) + 1
        statement = document.text[start:]
        qualifier, dot, last = word.rpartition(".")
        if dot:
            yield from _offer(self._qualified(qualifier, statement), last)
            return
        for names, kind in self._plain(before[start:], statement, word):
            yield from _offer(names, word, kind)

    def _plain(self, before: str, statement: str, word: str) -> Iterator[tuple[Iterable[str], str]]:
        """Names and keywords, the likelier ones first."""
        expected = expected_keywords(before)
        in_query = bool(before.strip()) and (expected.name or not expected)
        keywords = sorted({*expected, *(_QUERY_WORDS if in_query else ())})
        if word[:1].islower():
            keywords = [item.lower() for item in keywords]
        if _BEFORE_TABLE.search(before):
            yield self._tables(), "table"
            yield keywords, "keyword"
            return
        if in_query:
            yield self._columns_in(statement), "column"
        yield keywords, "keyword"
        if in_query:
            yield self._tables(), "table"

    def _tables(self, schema: str | None = None) -> list[str]:
        try:
            names = [entry.name for entry in self._session.catalog.tables(schema)]
            schemas = [] if schema else [entry.name for entry in self._session.catalog.schemas()]
        except DeltaSqlError:
            return []
        return [quote(name) for name in names + schemas]

    def _qualified(self, qualifier: str, statement: str) -> list[str]:
        """Behind `x.`: columns of the table or alias x, else tables of the schema x."""
        plain = qualifier.replace("`", "").lower()
        for alias, parts in self._mentioned(statement):
            if plain in {alias, ".".join(parts)}:
                return self._columns_of(parts)
        return self._tables(plain)

    def _columns_in(self, statement: str) -> list[str]:
        found = dict.fromkeys(name for _, parts in self._mentioned(statement) for name in self._columns_of(parts))
        return list(found)

    def _mentioned(self, statement: str) -> list[tuple[str, tuple[str, ...]]]:
        """Tables that the statement names anywhere, each with its alias (or its own name)."""
        found = []
        for match in _NAME.finditer(statement):
            parts = tuple(part.replace("`", "").lower() for part in match[0].split("."))
            if self._exists(parts):
                alias = _ALIAS.match(statement, match.end())
                found.append((alias[1].lower() if alias else parts[-1], parts))
        return found

    def _exists(self, parts: tuple[str, ...]) -> bool:
        try:
            return self._session.catalog.resolve(parts) is not None
        except DeltaSqlError:
            return False

    def _columns_of(self, parts: tuple[str, ...]) -> list[str]:
        read_at, names = self._columns.get(parts, (0.0, []))
        if time.monotonic() - read_at > _REMEMBERED_SECONDS or not read_at:
            names = self._read_columns(parts)
            self._columns[parts] = (time.monotonic(), names)
        return names

    def _read_columns(self, parts: tuple[str, ...]) -> list[str]:
        try:
            snapshot = self._session.log(".".join(quote(part) for part in parts)).snapshot()
        except DeltaSqlError:
            return []
        return [quote(name) for name in snapshot.schema.names]


def _word(text: str) -> str:
    match = _WORD.search(text)
    return match[0] if match else ""


def _offer(names: Iterable[str], word: str, kind: str = "") -> Iterator[Completion]:
    typed = word.replace("`", "").lower()
    for name in names:
        if name.replace("`", "").lower().startswith(typed):
            yield Completion(name, start_position=-len(word), display_meta=kind)


def _commands(text: str) -> Iterator[Completion]:
    for command in COMMANDS:
        if command.values and text.startswith(f"{command.typed} "):
            yield from _offer(command.values, text.removeprefix(f"{command.typed} "))
            return
    yield from _offer(dict.fromkeys(command.typed for command in COMMANDS), text)
