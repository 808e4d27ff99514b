"""Look-ups of single names in a store, uncached or cached for one statement."""

from __future__ import annotations

from deltasql.catalog.entries import Entry, FunctionEntry
from deltasql.catalog.store import CatalogStore, TableKey


class Lookups:
    """Look-ups of tables, views and functions by name. With `once` results, also missing names, are cached."""

    def __init__(self, store: CatalogStore, *, once: bool = False) -> None:
        self._store = store
        self._once = once
        self._entries: dict[TableKey, Entry | None] = {}
        self._functions: dict[TableKey, FunctionEntry | None] = {}

    def entry(self, key: TableKey) -> Entry | None:
        """One table or view, or None."""
        if not self._once:
            return self._store.entry(key)
        if key not in self._entries:
            self._entries[key] = self._store.entry(key)
        return self._entries[key]

    def forget(self, key: TableKey) -> None:
        """Forgets what was found for one table or view."""
        self._entries.pop(key, None)

    def function(self, key: TableKey) -> FunctionEntry | None:
        """One function, or None."""
        if not self._once:
            return self._store.function(key)
        if key not in self._functions:
            self._functions[key] = self._store.function(key)
        return self._functions[key]
