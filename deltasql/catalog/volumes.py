"""Volumes: names of folders for files that are no tables, and the paths that stand for them. Source: Databricks."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from deltasql.base.errors.statements.volume import VolumeAlreadyExistsError, VolumeNotFoundError, VolumePathError
from deltasql.base.errors.suggestion import meant, similar_names
from deltasql.catalog.entries import VolumeEntry, checked, matching, now, sql_name
from deltasql.catalog.names import CatalogNames, Name
from deltasql.catalog.store import NameMissingError, SchemaKey, TableKey
from deltasql.log.storage.locations import is_local, is_relative, local_path, relative_location

_VOLUMES = re.compile(r"(?:dbfs:)?/+Volumes(?:/+(?P<rest>.*))?", re.DOTALL)


class Volumes(CatalogNames):
    """The volumes of a warehouse. Names are stored in lower case."""

    def volumes(self, schema: Name | None = None, pattern: str | None = None) -> list[VolumeEntry]:
        """Volumes of one schema (the current one if None), by name. Raises SchemaNotFoundError."""
        key = self._schema_key(self.current_schema if schema is None else schema)
        found = self._store.volumes(key)
        if not found:
            self._schema_folder(key)
        return [found[name] for name in matching(found, pattern)]

    def volume(self, name: Name) -> VolumeEntry:
        """The volume of this name. Raises VolumeNotFoundError."""
        key = self._table_key(name)
        return self._existing(self._store.volumes(key[:2]), key)

    def create_volume(
        self, name: Name, comment: str | None = None, location: str | None = None, if_not_exists: bool = False
    ) -> None:
        """Adds a volume: a managed one without a `location`.

        Raises VolumeAlreadyExistsError, SchemaNotFoundError, InvalidNameError.
        """
        key = self._table_key(name)
        checked(key[2])
        managed = f"{self._schema_folder(key[:2])}/{key[2]}.volume"

        def add(found: Mapping[str, VolumeEntry]) -> Mapping[str, VolumeEntry]:
            if key[2] in found:
                if if_not_exists:
                    return found
                raise VolumeAlreadyExistsError(volume=sql_name(key))
            place = _free(managed, found) if location is None else self.absolute(location)
            return {**found, key[2]: VolumeEntry(*key, place, location is None, now(), comment)}

        self._change_volumes(key[:2], add)

    def drop_volume(self, name: Name) -> VolumeEntry:
        """Removes a volume's name; returns its old entry, whose files the caller must remove.

        Raises VolumeNotFoundError.
        """
        key, dropped = self._table_key(name), list[VolumeEntry]()

        def drop(found: Mapping[str, VolumeEntry]) -> Mapping[str, VolumeEntry]:
            dropped[:] = [self._existing(found, key)]
            return {other: entry for other, entry in found.items() if other != key[2]}

        self._change_volumes(key[:2], drop)
        return dropped[0]

    def rename_volume(self, name: Name, new_name: str) -> None:
        """Renames a volume in its schema; its files stay. Raises VolumeNotFoundError, VolumeAlreadyExistsError."""
        key = self._table_key(name)
        new = (*key[:2], checked(new_name))

        def rename(found: Mapping[str, VolumeEntry]) -> Mapping[str, VolumeEntry]:
            entry = self._existing(found, key)
            if new[2] in found:
                raise VolumeAlreadyExistsError(volume=sql_name(new))
            left = {other: item for other, item in found.items() if other != key[2]}
            return {**left, new[2]: replace(entry, name=new[2])}

        self._change_volumes(key[:2], rename)

    def comment_on_volume(self, name: Name, comment: str | None) -> None:
        """Sets the comment of a volume, None for none. Raises VolumeNotFoundError."""
        key = self._table_key(name)
        self._change_volumes(
            key[:2], lambda found: {**found, key[2]: replace(self._existing(found, key), comment=comment)}
        )

    def located(self, path: str) -> str:
        """`path`, or its place in the folder of a volume or below the working directory of the session.

        Volumes are at /Volumes/catalog/schema/volume. A relative path is below the working directory. A folder
        /Volumes of this machine is meant where no catalog has the name of the first folder in it.
        Raises VolumeNotFoundError, VolumePathError.
        """
        match = _VOLUMES.fullmatch(path)
        if match is None:
            return relative_location(path, self.directory) if is_relative(path) else path
        return self._in_volume(path, match["rest"] or "")

    def _in_volume(self, path: str, rest: str) -> str:
        parts = [part for part in rest.split("/") if part not in {"", "."}]
        if parts and parts[0].lower() not in self.catalogs():
            if not path.startswith("dbfs:") and os.path.exists(f"/Volumes/{parts[0]}"):  # noqa: PTH110 - no pathlib
                return path
            raise self._catalog_not_found(parts[0])
        if len(parts) < 3 or ".." in parts[:3]:
            raise VolumePathError(path=path, reason="it does not name a catalog, a schema and a volume")
        return "/".join((self.volume(parts[:3]).location, *_inside(parts[3:], path)))

    def is_volume(self, path: str) -> bool:
        """Whether a path stands for the folder of a volume itself. Raises what `located` raises."""
        match = _VOLUMES.fullmatch(path)
        names = [] if match is None else [part for part in (match["rest"] or "").split("/") if part]
        return len(names) >= 3 and self.located(path) == self.volume(names[:3]).location

    def leads_out(self, path: str) -> bool:
        """Whether symbolic links lead a path of a volume on this machine out of the volume's folder.

        The folder itself may be one. Raises what `located` raises.
        """
        location = self.located(path)
        match = _VOLUMES.fullmatch(path)
        if match is None or location == path or not is_local(location):
            return False
        volume = self.volume([part for part in match["rest"].split("/") if part not in {"", "."}][:3])
        place, folder = (os.path.realpath(local_path(item)) for item in (location, volume.location))
        return os.path.commonpath((place, folder)) != folder

    def _schema_folder(self, key: SchemaKey) -> str:
        """The location of a schema. Raises SchemaNotFoundError."""
        stored = self._store.schema(key)
        if stored is None:
            raise self._schema_not_found(*key)
        return self._placed(stored, self._catalog_location(key[0])).location

    def _existing(self, found: Mapping[str, VolumeEntry], key: TableKey) -> VolumeEntry:
        entry = found.get(key[2])
        if entry is not None:
            return entry
        self._schema_folder(key[:2])
        similar = tuple(sql_name((*key[:2], name)) for name in similar_names(key[2], found, most=3))
        advice = meant(similar) or "Run SHOW VOLUMES to see what exists."
        raise VolumeNotFoundError(volume=sql_name(key), advice=advice, similar=similar)

    def _change_volumes(
        self, key: SchemaKey, change: Callable[[Mapping[str, VolumeEntry]], Mapping[str, VolumeEntry]]
    ) -> None:
        try:
            self._store.change_volumes(key, change)
        except NameMissingError:
            raise self._schema_not_found(*key) from None


def _inside(parts: Sequence[str], path: str) -> list[str]:
    """The parts of a path below a volume's folder, without `..`. Raises VolumePathError for one that leads out."""
    inside: list[str] = []
    for part in parts:
        if part != "..":
            inside.append(part)
        elif inside:
            inside.pop()
        else:
            raise VolumePathError(path=path, reason="it leads out of the volume")
    return inside


def _free(wanted: str, found: Mapping[str, VolumeEntry]) -> str:
    """A folder that no volume uses: a renamed one keeps its own."""
    taken = {entry.location for entry in found.values()}
    candidates = (wanted if number == 1 else f"{wanted}-{number}" for number in range(1, len(taken) + 2))
    return next(place for place in candidates if place not in taken)
