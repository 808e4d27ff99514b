"""Entries of the catalog, and rules of names."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, Union

from deltasql.base.errors.catalog import InvalidNameError
from deltasql.catalog.definitions import FunctionDefinition, RefreshDefinition, TableSource, ViewDefinition
from deltasql.catalog.governance import UNGOVERNED, Governance
from deltasql.plan.base import quote

DEFAULT_CATALOG = "spark_catalog"
DEFAULT_SCHEMA = "default"


@dataclass(frozen=True, slots=True)
class StoredCatalog:
    """One catalog as stored: `location` is None for the default location below the warehouse."""

    name: str
    comment: str | None
    location: str | None
    created_at: int
    properties: Mapping[str, str] = field(default_factory=dict)
    governance: Governance = UNGOVERNED


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One catalog. `location` is the parent of its schemas; `created_at` is milliseconds since the epoch."""

    name: str
    comment: str | None
    location: str
    created_at: int
    properties: Mapping[str, str] = field(default_factory=dict)
    governance: Governance = UNGOVERNED


@dataclass(frozen=True, slots=True)
class StoredSchema:
    """One schema as stored: `location` is None for the default location below the warehouse."""

    catalog: str
    name: str
    comment: str | None
    location: str | None
    created_at: int
    properties: Mapping[str, str] = field(default_factory=dict)
    governance: Governance = UNGOVERNED


@dataclass(frozen=True, slots=True)
class SchemaEntry:
    """One schema. `location` is the parent of its managed tables; `created_at` is milliseconds since the epoch."""

    catalog: str
    name: str
    comment: str | None
    location: str
    created_at: int
    properties: Mapping[str, str] = field(default_factory=dict)
    governance: Governance = UNGOVERNED


@dataclass(frozen=True, slots=True)
class TableEntry:
    """One table. `location` is an absolute path or a URL; `created_at` is milliseconds since the epoch.

    `source` describes a table whose files are of another format than Delta; None is a Delta table.
    `refreshed` is set for a materialized view or a streaming table.
    """

    catalog: str
    schema: str
    name: str
    location: str
    managed: bool
    created_at: int
    source: TableSource | None = None
    refreshed: RefreshDefinition | None = None
    governance: Governance = UNGOVERNED

    @property
    def parts(self) -> tuple[str, str, str]:
        return (self.catalog, self.schema, self.name)

    def renamed(self, parts: tuple[str, str, str]) -> TableEntry:
        """This table under another name."""
        catalog, schema, name = parts
        return replace(self, catalog=catalog, schema=schema, name=name)

    @property
    def full_name(self) -> str:
        """`spark_catalog.default.t`, unquoted, as DESCRIBE DETAIL writes it."""
        return ".".join(self.parts)


@dataclass(frozen=True, slots=True)
class ViewEntry:
    """One view, which shares the namespace of tables; `created_at` is milliseconds since the epoch."""

    catalog: str
    schema: str
    name: str
    definition: ViewDefinition
    created_at: int
    governance: Governance = UNGOVERNED

    @property
    def parts(self) -> tuple[str, str, str]:
        return (self.catalog, self.schema, self.name)

    @property
    def is_built_in(self) -> bool:
        """Whether the view belongs to an information schema; such a view has no query."""
        return not self.definition.query

    def renamed(self, parts: tuple[str, str, str]) -> ViewEntry:
        """This view under another name."""
        catalog, schema, name = parts
        return replace(self, catalog=catalog, schema=schema, name=name)

    def defined(self, definition: ViewDefinition) -> ViewEntry:
        """This view with another definition."""
        return replace(self, definition=definition)


Entry: TypeAlias = Union[TableEntry, ViewEntry]
"""An entry of the namespace that tables and views share."""


@dataclass(frozen=True, slots=True)
class FunctionEntry:
    """One function; functions have a separate namespace. `created_at` is milliseconds since the epoch."""

    catalog: str
    schema: str
    name: str
    definition: FunctionDefinition
    created_at: int
    governance: Governance = UNGOVERNED

    @property
    def parts(self) -> tuple[str, str, str]:
        return (self.catalog, self.schema, self.name)


@dataclass(frozen=True, slots=True)
class VolumeEntry:
    """One volume, a folder for files that are no tables; volumes have a separate namespace.

    `created_at` is milliseconds since the epoch. The files of a `managed` volume are removed with it.
    """

    catalog: str
    schema: str
    name: str
    location: str
    managed: bool
    created_at: int
    comment: str | None = None
    governance: Governance = UNGOVERNED

    @property
    def parts(self) -> tuple[str, str, str]:
        return (self.catalog, self.schema, self.name)

    @property
    def path(self) -> str:
        """The path that stands for the volume's folder in statements."""
        return f"/Volumes/{'/'.join(self.parts)}"

    @property
    def as_table(self) -> TableEntry:
        """The location, as that of a table whose files are removed with its schema."""
        return TableEntry(*self.parts, self.location, self.managed, self.created_at)


def now() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def checked(name: str) -> str:
    """`name` in lower case. Forbidden characters are those of Unity Catalog.

    Raises InvalidNameError.
    """
    if not name or re.search(r"[\x00-\x20./\x7f]", name):
        raise InvalidNameError(name=quote(name))
    return name.lower()


def sql_name(parts: Iterable[str]) -> str:
    """`parts` as one SQL name, quoted where needed; the default catalog is left out."""
    shown = tuple(parts)
    if len(shown) > 2 and shown[0] == DEFAULT_CATALOG:
        shown = shown[1:]
    return ".".join(quote(part) for part in shown)


def matching(names: Iterable[str], pattern: str | None) -> list[str]:
    """Those of `names` that a SHOW … LIKE pattern selects, sorted.

    As in Spark: `*` is any text, `|` separates alternatives, the rest is a case-insensitive regular expression, and an
    invalid alternative selects nothing.
    """
    ordered = sorted(names)
    if pattern is None:
        return ordered
    expressions = [_expression(item) for item in pattern.strip().split("|")]
    return [name for name in ordered if any(item is not None and item.fullmatch(name) for item in expressions)]


def _expression(alternative: str) -> re.Pattern[str] | None:
    try:
        return re.compile(alternative.replace("*", ".*"), re.IGNORECASE)
    except re.error:
        return None


def table_kind(entry: TableEntry | None) -> str:
    """The type of a table, as DESCRIBE and the information schema call it."""
    if entry is not None and entry.refreshed is not None:
        return entry.refreshed.kind.value.replace(" ", "_")
    return "MANAGED" if entry is not None and entry.managed else "EXTERNAL"
