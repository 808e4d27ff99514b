"""Parts of statement nodes: names, and text of the user's SQL that Spark parses."""

from __future__ import annotations

from dataclasses import dataclass

from deltasql.schema.text import quote_name as quote

__all__ = ["ColumnPath", "LogicalPlan", "SqlText", "TableName", "Temporal", "quote"]


class LogicalPlan:
    """One statement. Subclasses are frozen dataclasses whose fields are in grammar order."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class SqlText:
    """A run of the user's SQL, verbatim: an expression or a query. `start` is its offset in the statement."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Temporal:
    """VERSION AS OF n, TIMESTAMP AS OF expr, or the suffix @v1 or @yyyyMMddHHmmssSSS of a name; one is set."""

    version: int | None = None
    timestamp: SqlText | None = None


@dataclass(frozen=True, slots=True)
class TableName:
    """A table as the user named it: 1–3 parts without their quotes; a path table is ("delta", "/path")."""

    parts: tuple[str, ...]
    start: int = 0
    end: int = 0
    temporal: Temporal | None = None

    @property
    def path(self) -> str | None:
        """The location, when this is `` delta.`path` ``."""
        is_path = len(self.parts) == 2 and self.parts[0].lower() == "delta"
        return self.parts[1] if is_path and ("/" in self.parts[1] or "://" in self.parts[1]) else None

    def __str__(self) -> str:
        return ".".join(quote(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class ColumnPath:
    """A column or nested field as the user named it, without quotes: a.b.c, arr.element.x, m.value."""

    parts: tuple[str, ...]
    start: int = 0
    end: int = 0

    def __str__(self) -> str:
        return ".".join(quote(part) for part in self.parts)
