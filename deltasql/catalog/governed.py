"""Records of governance on the objects of a catalog, and securables without data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from deltasql.base.errors.statements.governance import SecurableExistsError, SecurableNotFoundError
from deltasql.base.errors.suggestion import meant, similar_names
from deltasql.catalog.entries import (
    Entry,
    FunctionEntry,
    StoredCatalog,
    StoredSchema,
    TableEntry,
    VolumeEntry,
    checked,
    now,
    sql_name,
)
from deltasql.catalog.governance import UNGOVERNED, Governance, Securable
from deltasql.catalog.names import CatalogNames
from deltasql.catalog.store import NameMissingError, NameTakenError, Volumes
from deltasql.log.storage.locations import is_local, is_same_directory

CATALOG, SCHEMA, TABLE, FUNCTION, METASTORE = "CATALOG", "SCHEMA", "TABLE", "FUNCTION", "METASTORE"
VOLUME = "VOLUME"
"""Kinds of objects; a view is of the kind of tables. Other kinds are those of securables without data."""


@dataclass(frozen=True, slots=True)
class Subject:
    """An object that records are about: its kind, and the parts of its full name."""

    kind: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        """The kind and the name, as in SQL."""
        return f"{self.kind} {'.'.join(map(_quoted, self.parts))}".rstrip()


class Governed(CatalogNames):
    """The records of a warehouse. Names are stored in lower case."""

    def change_governance(self, subject: Subject, change: Callable[[Governance], Governance]) -> None:
        """Replaces the records on an object by the result of `change`, which may be called again.

        Raises the error of a missing object.
        """
        kind, parts = subject.kind, subject.parts
        try:
            if kind == CATALOG:
                self._store.change_catalog(parts[0], lambda item: replace(item, governance=change(item.governance)))
            elif kind == SCHEMA:
                key = (parts[0], parts[1])
                self._store.change_schema(key, lambda item: replace(item, governance=change(item.governance)))
            elif kind == TABLE:
                self._store.change_governance(self._table_key(parts), change)
            elif kind == FUNCTION:
                self._store.change_function(self._table_key(parts), lambda item: _of_function(item, change, subject))
            elif kind == VOLUME:
                self._store.change_volumes(
                    (parts[0], parts[1]), lambda found: _of_volume(found, parts[2], change, subject)
                )
            else:
                self._change_records(subject, change)
        except NameMissingError:
            raise SecurableNotFoundError(str(subject), "Somebody else has dropped it.") from None

    def _change_records(self, subject: Subject, change: Callable[[Governance], Governance]) -> None:
        """Of a securable without data. The metastore always exists."""

        def changed(found: Securable | None) -> Securable | None:
            if found is None and subject.kind != METASTORE:
                raise SecurableNotFoundError(str(subject), "Somebody else has dropped it.")
            found = found or Securable(METASTORE, "", now())
            return replace(found, governance=change(found.governance))

        self._store.change_securable((subject.kind, subject.parts[0] if subject.parts else ""), changed)

    def governance(self, subject: Subject) -> Governance:
        """The records on an object; none for a missing one."""
        kind, parts = subject.kind, subject.parts
        found: StoredCatalog | StoredSchema | Entry | FunctionEntry | VolumeEntry | Securable | None
        if kind == CATALOG:
            found = self._store.catalog(parts[0])
        elif kind == SCHEMA:
            found = self._store.schema((parts[0], parts[1]))
        elif kind == TABLE:
            found = self._lookups.entry(self._table_key(parts))
        elif kind == FUNCTION:
            found = self._lookups.function(self._table_key(parts))
        elif kind == VOLUME:
            found = self._store.volumes((parts[0], parts[1])).get(parts[2])
        else:
            name = parts[0] if parts else ""
            found = next((item for item in self._store.securables() if item.key == (kind, name)), None)
        return UNGOVERNED if found is None else found.governance

    def governed_at(self, location: str) -> list[TableEntry]:
        """The names, with row filters or masks, of the table at a location, however its path is spelt.

        Asks the store for all its names.
        """
        place = self.absolute(location)
        named = self._store.tables_below("/" if is_local(place) else place)
        found = (item for item in named if item.governance.has_policies and is_same_directory(item.location, place))
        return sorted(found, key=lambda item: item.parts)

    def securables(self, kind: str) -> list[Securable]:
        """The securables of a kind, by name."""
        found = [item for item in self._store.securables() if item.kind == kind]
        return sorted(found, key=lambda item: item.name)

    def securable(self, kind: str, name: str) -> Securable:
        """One securable. Raises SecurableNotFoundError with similar names."""
        names = {item.name: item for item in self.securables(kind)}
        if name.lower() not in names:
            similar = tuple(sql_name((item,)) for item in similar_names(name.lower(), names, most=3))
            raise SecurableNotFoundError(
                str(Subject(kind, (name,))), meant(similar) or f"Create it: CREATE {kind} {sql_name((name,))} …."
            )
        return names[name.lower()]

    def create_securable(self, securable: Securable, if_not_exists: bool) -> None:
        """Adds a securable. Raises SecurableExistsError, InvalidNameError."""
        added = replace(securable, name=checked(securable.name), created_at=now())

        def add(found: Securable | None) -> Securable:
            if found is None:
                return added
            if if_not_exists:
                return found
            raise SecurableExistsError(str(Subject(added.kind, (added.name,))))

        self._store.change_securable(added.key, add)

    def change_securable(self, kind: str, name: str, change: Callable[[Securable], Securable | None]) -> None:
        """Replaces a securable by the result of `change`, which may be called again; None removes it.

        Raises SecurableNotFoundError, and SecurableExistsError where it gets the name of another.
        """

        renamed = name

        def changed(found: Securable | None) -> Securable | None:
            nonlocal renamed
            if found is None:
                raise SecurableNotFoundError(str(Subject(kind, (name,))), "Somebody else has dropped it.")
            result = change(found)
            renamed = name if result is None else checked(result.name)
            return None if result is None else replace(result, name=renamed)

        try:
            self._store.change_securable((kind, name.lower()), changed)
        except NameTakenError:
            raise SecurableExistsError(str(Subject(kind, (renamed,)))) from None


def _of_function(
    found: FunctionEntry | None, change: Callable[[Governance], Governance], subject: Subject
) -> FunctionEntry:
    if found is None:
        raise SecurableNotFoundError(str(subject), "Somebody else has dropped it.")
    return replace(found, governance=change(found.governance))


def _quoted(part: str) -> str:
    return sql_name((part,))


def _of_volume(found: Volumes, name: str, change: Callable[[Governance], Governance], subject: Subject) -> Volumes:
    if name not in found:
        raise SecurableNotFoundError(str(subject), "Somebody else has dropped it.")
    return {**found, name: replace(found[name], governance=change(found[name].governance))}
