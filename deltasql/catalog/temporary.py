"""The temporary tables of a session: a schema in memory, whose tables lie in a folder of this machine.

Their names have one part, which comes before the tables of the current schema. Nothing of them is in the warehouse.
Source: Databricks, temporary tables.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from deltasql.catalog.entries import Entry, StoredSchema
from deltasql.catalog.store import RELATIONS, SCHEMAS, SYSTEM, Key, Kind, NameMissingError, RecordGroup, SchemaKey

_R = TypeVar("_R")

SESSION: SchemaKey = (SYSTEM, "session")
"""The catalog and the schema of what belongs to a session alone."""


@dataclass(slots=True)
class _Folder:
    """The folder of a session's temporary tables. Python removes it at its exit, where `close` did not before."""

    directory: tempfile.TemporaryDirectory[str] | None = None

    @property
    def path(self) -> str:
        if self.directory is None:
            self.directory = tempfile.TemporaryDirectory(prefix="deltasql-session-", ignore_cleanup_errors=True)
        return self.directory.name

    def close(self) -> None:
        if self.directory is not None:
            self.directory.cleanup()
        self.directory = None


@dataclass(slots=True)
class TemporaryTables:
    """The tables, by name in lower case, and those of them that a text may name: None for all."""

    entries: dict[str, Entry] = field(default_factory=dict)
    visible: frozenset[str] | None = None
    _folder: _Folder = field(default_factory=_Folder)

    def __contains__(self, name: str) -> bool:
        """Whether a table of this name, in lower case, comes before those of the current schema."""
        return name in self.entries and (self.visible is None or name in self.visible)

    def showing(self, names: Collection[str]) -> TemporaryTables:
        """These tables, for a text that may name only some of them."""
        other = copy(self)
        other.visible = frozenset(names)
        return other

    def get(self, group: RecordGroup[_R], key: Key) -> _R | None:
        """The schema, or one table; None for anything else."""
        if group.name == SCHEMAS.name and len(key) == len(SESSION):
            return cast("_R", StoredSchema(*SESSION, "Temporary tables", self._folder.path, 0))
        return cast("_R | None", self.entries.get(key[-1])) if group.name == RELATIONS.name else None

    def list(self, group: RecordGroup[_R]) -> Sequence[_R]:
        """The tables."""
        return cast("Sequence[_R]", [*self.entries.values()]) if group.name == RELATIONS.name else []

    def edit(
        self, group: RecordGroup[_R], key: Key, change: Callable[[_R | None], _R | None], must_exist: Kind | None
    ) -> _R | None:
        """Replaces a table by the result of `change`, which is returned; None removes it. Raises NameMissingError."""
        found: Any = self.get(group, key)
        if group.name != RELATIONS.name or (must_exist is not None and found is None):
            raise NameMissingError(must_exist or Kind.SCHEMA)
        result: Any = change(found)
        if result is None:
            self.entries.pop(key[-1], None)
        else:
            self.entries[key[-1]] = result
        return cast("_R | None", result)

    def close(self) -> None:
        """Removes the tables and their files."""
        self.entries.clear()
        self._folder.close()
