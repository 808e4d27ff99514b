"""The catalogs that every workspace of Databricks has from its start: `main`, `hive_metastore`, `samples`, `system`.

No record stands for one of them before the first change in it. Then its record and those of its schemas are stored, and
it is a catalog like any other. After DROP CATALOG it is there again, and empty. Source: Databricks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from deltasql.catalog.commit_stores import CommitStore
from deltasql.catalog.entries import (
    DEFAULT_CATALOG,
    DEFAULT_SCHEMA,
    Entry,
    StoredCatalog,
    StoredSchema,
    TableEntry,
    now,
)
from deltasql.catalog.store import (
    CATALOGS,
    SAMPLES,
    SCHEMAS,
    SYSTEM,
    CatalogStore,
    Key,
    Kind,
    NameMissingError,
    RecordGroup,
    TableKey,
)

_R = TypeVar("_R")

_SCHEMAS: Mapping[str, tuple[str, ...]] = {
    "main": (DEFAULT_SCHEMA,),
    "hive_metastore": (DEFAULT_SCHEMA,),
    SAMPLES: ("bakehouse", DEFAULT_SCHEMA, "nyctaxi", "tpch", "wanderbricks"),
    SYSTEM: (DEFAULT_SCHEMA,),
}
"""The catalogs with their schemas, beside those of the information schema."""


@dataclass(frozen=True, slots=True)
class UnrecordedCatalog(StoredCatalog):
    """One of these catalogs before the first change in it."""


class FirstCatalogs:
    """A CatalogStore that adds these catalogs to those of another one, which has the records.

    See `CatalogStore` for the methods. Nothing is stored for a read.
    """

    def __init__(self, records: CatalogStore) -> None:
        self._records = records

    @property
    def commits(self) -> CommitStore:
        return self._records.commits

    def get(self, group: RecordGroup[_R], key: Key) -> _R | None:
        found = self._records.get(group, key)
        if found is None and group.name == CATALOGS.name and key[0] in _SCHEMAS:
            return cast("_R", UnrecordedCatalog(key[0], None, None, self._created_at()))
        if found is None and group.name == SCHEMAS.name and self._is_unrecorded(key):
            return cast("_R", StoredSchema(key[0], key[1], None, None, self._created_at()))
        return found

    def list(self, group: RecordGroup[_R], parent: Key = ()) -> Sequence[_R]:
        try:
            found = self._records.list(group, parent)
        except NameMissingError:
            if not self._is_unrecorded(parent):
                raise
            return []
        if group.name == CATALOGS.name:
            ages = {item.name: item.created_at for item in cast("Sequence[StoredCatalog]", found)}
            age = ages.get(DEFAULT_CATALOG, 0)
            others = [UnrecordedCatalog(name, None, None, age) for name in _SCHEMAS if name not in ages]
            return [*found, *cast("Sequence[_R]", others)]
        if group.name == SCHEMAS.name and not found and self._is_unrecorded(parent):
            created_at, names = self._created_at(), _SCHEMAS[parent[0]]
            return cast("Sequence[_R]", [StoredSchema(parent[0], name, None, None, created_at) for name in names])
        return found

    def edit(
        self, group: RecordGroup[_R], key: Key, change: Callable[[_R | None], _R | None], must_exist: Kind | None = None
    ) -> _R | None:
        try:
            return self._records.edit(group, key, change, must_exist)
        except NameMissingError as error:
            # The new schema itself need not exist, the schema of anything else must.
            needed = key[:1] if group.name == SCHEMAS.name and must_exist is None else key[:2]
            if error.kind not in {Kind.CATALOG, Kind.SCHEMA} or not self._is_unrecorded(needed):
                raise
        self._record(key[0])
        return self._records.edit(group, key, change, must_exist)

    def move(self, key: TableKey, new: TableKey) -> Entry:
        try:
            return self._records.move(key, new)
        except NameMissingError as error:
            if error.kind not in {Kind.CATALOG, Kind.SCHEMA} or not self._is_unrecorded(new[:2]):
                raise
        self._record(new[0])
        return self._records.move(key, new)

    def remove(self, key: Key, cascade: bool = False) -> Sequence[TableEntry]:
        try:
            return self._records.remove(key, cascade)
        except NameMissingError:
            if not self._is_unrecorded(key):
                raise
        if len(key) == 1:
            # It is as it will be again.
            return ()
        self._record(key[0])
        return self._records.remove(key, cascade)

    def below(self, location: str) -> Sequence[TableEntry]:
        return self._records.below(location)

    def close(self) -> None:
        self._records.close()

    def _is_unrecorded(self, key: Key) -> bool:
        """Whether a key is that of one of these catalogs, or of a schema of one, for which there is no record."""
        schemas = _SCHEMAS.get(key[0]) if key else None
        if schemas is None or (len(key) > 1 and key[1] not in schemas):
            return False
        return self._records.get(CATALOGS, key[:1]) is None

    def _record(self, name: str) -> None:
        """Stores a catalog and its schemas; others may do so at the same time."""
        catalog = StoredCatalog(name, None, None, now())
        self._records.edit(CATALOGS, catalog.key, _unless_there(catalog))
        for name_inside in _SCHEMAS[name]:
            schema = StoredSchema(name, name_inside, None, None, now())
            self._records.edit(SCHEMAS, schema.key, _unless_there(schema))

    def _created_at(self) -> int:
        """These catalogs are as old as the warehouse."""
        default = self._records.get(CATALOGS, (DEFAULT_CATALOG,))
        return 0 if default is None else default.created_at


def _unless_there(record: _R) -> Callable[[_R | None], _R]:
    """The change that adds a record where there is none."""
    return lambda found: record if found is None else found
