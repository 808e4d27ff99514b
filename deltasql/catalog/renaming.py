"""Protocol to rename a table from one schema to another, whose names are in two objects, atomically for readers.

1. The new schema's object gets the announcement of the arrival. Readers ignore it.
2. The table in the old schema's object is replaced by its departure. **This compare-and-swap commits the renaming.**
   From now on readers treat the arrival as the table, since they find the departure in the old object.
3. In the new object the arrival is replaced by the table.
4. The departure is removed from the old object.

A crash after 1 leaves an announcement that readers ignore; after 2 or 3 the table has its new name, and a look-up
takes two more requests until the next change. The table always has exactly one name.

A change to a table with a pending renaming settles it first: after a departure, steps 3 and 4 are done; else the table
in the old schema gets another id, so that it can no longer depart, and the announcement is removed. The process that
was renaming starts again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Protocol, TypeAlias, TypeVar

from deltasql.base.errors.catalog import CatalogFileError
from deltasql.base.errors.log import StorageError
from deltasql.catalog.documents import Arrival, SchemaTables, TableRecord, new_id
from deltasql.catalog.entries import Entry
from deltasql.catalog.store import Kind, NameMissingError, NameTakenError, SchemaKey, TableKey

# Each attempt but the first follows a conflict with another statement on the same name.
_MOST_ATTEMPTS = 20

_T = TypeVar("_T")

Edited: TypeAlias = tuple["SchemaTables | None", _T]
"""New content of an object, None for no change, and the result to return."""


class UnsettledError(Exception):
    """Pending renamings must be settled before this change: arrivals, and new names of departures by arrival id."""

    def __init__(self, arrivals: Iterable[Arrival], departed: Mapping[str, TableKey] | None = None) -> None:
        super().__init__()
        self.arrivals = tuple(arrivals)
        self.departed = dict(departed or {})


class _Edit(Protocol):
    def __call__(self, schema: SchemaKey, edit: Callable[[SchemaTables | None], Edited[_T]], /) -> _T: ...


class Renaming:
    """Moves tables between the objects of two schemas, which `read` reads and `edit` changes by compare and swap."""

    def __init__(self, read: Callable[[SchemaKey], SchemaTables | None], edit: _Edit) -> None:
        self._read = read
        self._edit = edit

    def seen(self, found: SchemaTables | None) -> SchemaTables | None:
        """The tables of a schema as readers see them: with arrivals that have departed from their old schema.

        `found` is the content of its object. With pending arrivals, the object is read again until it is unchanged, so
        that the result is consistent at one moment.
        """
        while found is not None and found.arrivals:
            arrived = {name: arrival.table for name, arrival in found.arrivals.items() if self._has_departed(arrival)}
            again = self._read(found.key)
            if again == found:
                return replace(found, tables={**found.tables, **arrived}, arrivals={})
            found = again
        return found

    def _has_departed(self, arrival: Arrival) -> bool:
        source = self._read(arrival.source[:2])
        return source is not None and arrival.table.id in source.departed

    def settled(self, schema: SchemaKey, edit: Callable[[SchemaTables | None], Edited[_T]]) -> _T:
        """Applies `edit`, after settling renamings that block it. Raises what `edit` raises, CatalogFileError."""
        for _ in range(_MOST_ATTEMPTS):
            try:
                return self._edit(schema, edit)
            except UnsettledError as error:
                for arrival in error.arrivals:
                    self._settle(arrival)
                for arrival_id, target in error.departed.items():
                    self._finish(arrival_id, schema, target)
        raise _too_busy(schema)

    def rename(
        self, key: TableKey, new: TableKey, free: Callable[[SchemaTables | None, TableKey], SchemaTables]
    ) -> Entry:
        """Renames a table to another schema; returns the new entry. `free` checks that the new name is unused.

        Raises NameMissingError, what `free` raises, CatalogFileError.
        """
        for _ in range(_MOST_ATTEMPTS):
            kept = self._table(key)
            arrival = Arrival(TableRecord(new_id(), kept.entry.renamed(new)), key, kept.id)
            try:
                self._announce(arrival, free)
            except (NameTakenError, NameMissingError):
                # If the table is gone meanwhile, that is reported before errors of the new name.
                if self._table(key).id == kept.id:
                    raise
                continue
            if self._depart(arrival):
                # The renaming is committed; the rest only saves requests of readers.
                with suppress(CatalogFileError, StorageError):
                    self._finish(arrival.table.id, key[:2], new)
                return arrival.table.entry
            self._withdraw(arrival)
        raise _too_busy(key[:2])

    def _table(self, key: TableKey) -> TableRecord:
        def look(found: SchemaTables | None) -> Edited[TableRecord]:
            return None, present(found, key)[1]

        return self.settled(key[:2], look)

    def _announce(self, arrival: Arrival, free: Callable[[SchemaTables | None, TableKey], SchemaTables]) -> None:
        parts = arrival.table.entry.parts

        def announce(found: SchemaTables | None) -> Edited[None]:
            return free(found, parts).with_arrival(arrival), None

        self.settled(parts[:2], announce)

    def _depart(self, arrival: Arrival) -> bool:
        def depart(found: SchemaTables | None) -> Edited[bool]:
            kept = found.tables.get(arrival.source[2]) if found is not None else None
            if found is None or kept is None or kept.id != arrival.source_id:
                return None, False
            return found.with_departed(arrival.source[2], arrival), True

        return self._edit(arrival.source[:2], depart)

    def _settle(self, arrival: Arrival) -> None:
        """Settles a renaming: completes it after the departure; else prevents the departure, and withdraws it."""
        name = arrival.source[2]

        def stay(found: SchemaTables | None) -> Edited[bool]:
            if found is None or arrival.table.id in found.departed:
                return None, found is not None
            kept = found.tables.get(name)
            if kept is None or kept.id != arrival.source_id:
                return None, False
            return found.with_table(replace(kept, id=new_id())), False

        if self._edit(arrival.source[:2], stay):
            self._finish(arrival.table.id, arrival.source[:2], arrival.table.entry.parts)
        else:
            self._withdraw(arrival)

    def _withdraw(self, arrival: Arrival) -> None:
        name = arrival.table.entry.name

        def withdraw(found: SchemaTables | None) -> Edited[None]:
            announced = found is not None and _announces(found, name, arrival.table.id)
            return (found.without_arrival(name) if found is not None and announced else None), None

        self._edit(arrival.table.entry.parts[:2], withdraw)

    def _finish(self, arrival_id: str, source: SchemaKey, target: TableKey) -> None:
        """Steps 3 and 4 of a renaming, after the departure; idempotent."""
        name = target[2]

        def arrive(found: SchemaTables | None) -> Edited[None]:
            if found is None or not _announces(found, name, arrival_id):
                return None, None
            return found.without_arrival(name).with_table(found.arrivals[name].table), None

        def forget(found: SchemaTables | None) -> Edited[None]:
            if found is None or arrival_id not in found.departed:
                return None, None
            return found.without_departed(arrival_id), None

        self._edit(target[:2], arrive)
        self._edit(source, forget)


def _announces(tables: SchemaTables, name: str, arrival_id: str) -> bool:
    return name in tables.arrivals and tables.arrivals[name].table.id == arrival_id


def present(found: SchemaTables | None, key: TableKey) -> tuple[SchemaTables, TableRecord]:
    """The tables of a schema, and the table `key` of it. Raises NameMissingError, UnsettledError."""
    if found is not None and key[2] in found.arrivals:
        raise UnsettledError([found.arrivals[key[2]]])
    if found is None or key[2] not in found.tables:
        raise NameMissingError(Kind.TABLE)
    return found, found.tables[key[2]]


def _too_busy(schema: SchemaKey) -> CatalogFileError:
    return CatalogFileError(
        path=".".join(schema),
        reason=f"other statements are about the same name, {_MOST_ATTEMPTS} times in a row",
        advice="Nothing was changed: run the statement again.",
    )
