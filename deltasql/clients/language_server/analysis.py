"""Answers about one text, in offsets of characters, without the protocol."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from deltasql.base.errors.base import DeltaSqlError
from deltasql.clients.checking import Checker, Finding
from deltasql.clients.repl.completion import Suggestion, suggestions
from deltasql.schema.paths import child
from deltasql.schema.text import type_text
from deltasql.schema.types import DataType, StructType
from deltasql.session.opening import Description, described
from deltasql.session.session import Session
from deltasql.sql.parser import Statement, parse, split
from deltasql.sql.queries.relations import table_references
from deltasql.sql.tokens import Token, TokenCursor, tokenize


@dataclass(frozen=True, slots=True)
class Hover:
    """A text in Markdown for the characters from `start` to `end`."""

    markdown: str
    start: int
    end: int


class TextAnalysis:
    """The findings in a text, and the names that its statements leave."""

    def __init__(self, text: str, warehouse: Session | None) -> None:
        self.text, self._warehouse = text, warehouse
        self._checker = Checker(warehouse, complete=warehouse is not None)
        self.findings: Sequence[Finding] = tuple(self._checker.check(text))

    def close(self) -> None:
        """Removes the scratch tables."""
        self._checker.close()

    def suggestions(self, text: str, offset: int) -> list[Suggestion]:
        """The words that may stand at `offset` of `text`, in which the user has typed since."""
        sessions = [self._checker.session, *([self._warehouse] if self._warehouse else [])]
        found: dict[str, Suggestion] = {}
        for session in sessions:
            for suggestion in suggestions(session, text, offset):
                found.setdefault(suggestion.text, suggestion)
        return list(found.values())

    def hover(self, offset: int) -> Hover | None:
        """The help on the error at `offset`; else what the table, column or statement there is."""
        for finding in self.findings:
            if finding.start <= offset < finding.end:
                return Hover(f"{finding.message}\n```text\n{finding.help}\n```", finding.start, finding.end)
        statement = statement_at(self.text, offset)
        return None if statement is None else self._described(statement, offset - statement.start)

    def _described(self, statement: Statement, at: int) -> Hover | None:
        tokens = tokenize(statement.text)
        if tokens and tokens[0].start <= at < tokens[0].end:
            syntax = syntax_of(statement.text)
            return Hover(syntax, statement.start, statement.start + tokens[0].end) if syntax else None
        for chain in _names(tokens):
            if chain[0].start <= at < chain[-1].end:
                # As far as the word under the cursor.
                named = [token for token in chain if token.start <= at]
                found = self._named(statement.text, tuple(token.name for token in named))
                start, end = statement.start + named[0].start, statement.start + named[-1].end
                return Hover(found, start, end) if found else None
        return None

    def _named(self, sql: str, parts: tuple[str, ...]) -> str | None:
        """The table that a name in a statement stands for, or the column of one that the statement names."""
        with suppress(DeltaSqlError):
            return _table_text(described(self._checker.session, parts))
        for alias, columns in self._tables(sql):
            path = parts[1:] if parts[0].lower() == alias and len(parts) > 1 else parts
            found = _field(columns, path)
            if found is not None:
                return f"```sql\n{'.'.join(path)} {type_text(found)}\n```\ncolumn of {alias}"
        return None

    def _tables(self, sql: str) -> Iterator[tuple[str, StructType]]:
        names = [(reference.parts, reference.alias) for reference in table_references(sql)]
        # The target of a write is no source of rows.
        names += [(tuple(token.name for token in chain), None) for chain in _names(tokenize(sql))]
        for parts, alias in names:
            with suppress(DeltaSqlError):
                yield (alias or parts[-1]).lower(), described(self._checker.session, parts).columns


def statement_at(text: str, offset: int) -> Statement | None:
    """The statement that spans an offset of the text."""
    return next((item for item in split(text) if item.start <= offset <= item.start + len(item.text)), None)


def syntax_of(sql: str) -> str | None:
    """The syntax of the kind of statement that `sql` is, in Markdown; None for one that cannot be parsed."""
    try:
        node = parse(sql)
    except DeltaSqlError:
        return None
    syntax = (inspect.getdoc(type(node)) or "").partition("\n\n")[0]
    return f"```text\n{syntax}\n```" if syntax else None


def _names(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    cursor = TokenCursor(tokens)
    while cursor.left:
        if cursor.is_name:
            yield list(cursor.dotted())
        else:
            cursor.at += 1


def _table_text(table: Description) -> str:
    kind = "view" if table.relation.is_view else "table"
    lines = [f"{field.name} {type_text(field.type)}{'' if field.nullable else ' NOT NULL'}" for field in table.columns]
    text = f"{kind} `{'.'.join(table.relation.parts)}`\n```sql\n" + "\n".join(lines) + "\n```"
    return f"{text}\n{table.comment}" if table.comment else text


def _field(columns: StructType, path: tuple[str, ...]) -> DataType | None:
    kind: DataType = columns
    for name in path:
        field = child(kind, name, case_sensitive=False)
        if field is None:
            return None
        kind = field.type
    return kind
