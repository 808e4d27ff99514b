"""How a table goes from one schema to another, whose names are in two objects, so that it always has one name.

1. The new schema's object announces the arrival. Readers take no notice of it, so nothing has happened.
2. The old schema's object loses the table and notes its departure. **This one swap decides.** From now on the arrival
   is the table: whoever meets it looks for the departure in the old object.
3. The new object makes a table of the arrival.
4. The old object forgets the departure.

A crash after 1 leaves an announcement that nobody sees; after 2 or 3 the table has its new name, and to look it up
costs two more requests until somebody changes it. It is never without a name, and never has two.

Who wants to change what is on its way settles it before: one that has departed is brought to its end; else the table in
the old schema gets another id, without which it cannot depart any more, and then the announcement goes. Whoever was
renaming begins again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Protocol, TypeAlias, TypeVar

from deltasql.catalog.documents import Arrival, KeptTable, SchemaTables, new_id
from deltasql.catalog.entries import Entry
from deltasql.catalog.store import Kind, NameMissingError, NameTakenError, SchemaKey, TableKey
from deltasql.errors.catalog import CatalogFileError
from deltasql.errors.log import StorageError

# Each is settled, or begun again, because of another statement about the same name.
_MOST_ATTEMPTS = 20

_T = TypeVar("_T")

Edited: TypeAlias = tuple["SchemaTables | None", _T]
"""What an object is to hold, None to leave it, and what to tell of the change."""


class UnsettledError(Exception):
    """Tables that are on their way must be settled before this change: arrivals, and departures by their ids."""

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
        """The tables of a schema as its readers are to see them: with those that have arrived, without those that have
        not.

        `found` is what its object holds. Where tables are on their way it must hold the same afterwards, so that all
        was true at one moment.
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
        """Makes a change, once all is settled that stands in its way. Raises what `edit` raises, CatalogFileError."""
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
        """The entry under a name of another schema; `free` gives the tables of that schema if it has room for it.

        Raises NameMissingError, what `free` raises, CatalogFileError.
        """
        for _ in range(_MOST_ATTEMPTS):
            kept = self._table(key)
            arrival = Arrival(KeptTable(new_id(), kept.entry.renamed(new)), key, kept.id)
            try:
                self._announce(arrival, free)
            except (NameTakenError, NameMissingError):
                # A table that has gone meanwhile comes before whatever is wrong with its new name.
                if self._table(key).id == kept.id:
                    raise
                continue
            if self._depart(arrival):
                # It has its new name; what is left is to spare readers a request.
                with suppress(CatalogFileError, StorageError):
                    self._finish(arrival.table.id, key[:2], new)
                return arrival.table.entry
            self._withdraw(arrival)
        raise _too_busy(key[:2])

    def _table(self, key: TableKey) -> KeptTable:
        def look(found: SchemaTables | None) -> Edited[KeptTable]:
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
        """Ends the way of a table: it has arrived, or is where it was and will not depart by this arrival."""
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
        """The last two steps, for a table that has departed. They may have been taken."""
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


def present(found: SchemaTables | None, key: TableKey) -> tuple[SchemaTables, KeptTable]:
    """The tables of a schema with the one that is to be changed. Raises NameMissingError, UnsettledError."""
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
