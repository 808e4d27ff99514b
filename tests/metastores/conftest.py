"""Servers of catalogs for all tests of a run, and stores of names on them and on the embedded catalog."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from deltasql.catalog.entries import Entry, StoredCatalog, StoredSchema, TableEntry, ViewEntry
from deltasql.catalog.external.metastore.store import MetastoreStore
from deltasql.catalog.external.routing import CatalogOptions
from deltasql.catalog.sqlite_store import SqliteCatalogStore
from deltasql.catalog.store import (
    CATALOGS,
    RELATIONS,
    SCHEMAS,
    CatalogStore,
    Kind,
    SchemaKey,
    TableKey,
    added,
    of_kind,
    required,
)
from tests.metastores import hive_server
from tests.stores import moto_server

HIVE = pytest.param("hive", marks=pytest.mark.spark)

_NO_PROXIES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


@pytest.fixture(scope="session")
def hive_uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Hive metastore for the whole run."""
    if shutil.which("java") is None:
        pytest.skip("there is no Java to run a metastore")
    if find_spec("thrift") is None:
        pytest.skip("the extra 'hive' is not installed")
    with hive_server.serving(tmp_path_factory.mktemp("metastore")) as uri:
        yield uri


@pytest.fixture(scope="session")
def glue_endpoint() -> Iterator[str]:
    """Moto's Glue for the whole run."""
    if find_spec("moto") is None or find_spec("flask_cors") is None:
        pytest.skip("moto with its server is not installed; it is in the extra 'test'")
    with moto_server.serving("tests.metastores.glue_server", "moto-api/") as endpoint:
        yield endpoint


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _NO_PROXIES:
        monkeypatch.delenv(name, raising=False)


def hive_options(uri: str, **others: str) -> CatalogOptions:
    return CatalogOptions("lake", "hive", {"uri": uri, "timeout": "20", **others})


def glue_options(endpoint: str, **others: str) -> CatalogOptions:
    keys = {"access_key_id": "test", "secret_access_key": "test", "region": "eu-west-1", "timeout": "20"}
    return CatalogOptions("lake", "glue", {"endpoint": endpoint, **keys, **others})


@pytest.fixture
def hive(hive_uri: str) -> Iterator[MetastoreStore]:
    from deltasql.catalog.external.hive import HiveStore

    store = HiveStore(hive_options(hive_uri))
    yield store
    store.close()


@pytest.fixture
def glue(glue_endpoint: str) -> Iterator[MetastoreStore]:
    from deltasql.catalog.external.glue import GlueStore

    store = GlueStore(glue_options(glue_endpoint))
    yield store
    store.close()


@dataclass(frozen=True)
class Records:
    """A store of names, asked for records of schemas, tables and views."""

    of: CatalogStore

    def schema(self, key: SchemaKey) -> StoredSchema | None:
        return self.of.get(SCHEMAS, key)

    def schemas(self, catalog: str) -> Sequence[StoredSchema]:
        return self.of.list(SCHEMAS, (catalog,))

    def add_schema(self, schema: StoredSchema) -> None:
        self.of.edit(SCHEMAS, schema.key, added(schema))

    def change_schema(self, key: SchemaKey, change: Callable[[StoredSchema], StoredSchema]) -> None:
        self.of.edit(SCHEMAS, key, required(Kind.SCHEMA, change), Kind.SCHEMA)

    def drop_schema(self, key: SchemaKey, cascade: bool) -> Sequence[TableEntry]:
        return self.of.remove(key, cascade)

    def entries(self, schema: SchemaKey) -> Sequence[Entry]:
        return self.of.list(RELATIONS, schema)

    def entry(self, key: TableKey) -> Entry | None:
        return self.of.get(RELATIONS, key)

    def add_table(self, entry: Entry) -> None:
        self.of.edit(RELATIONS, entry.parts, added(entry))

    def change_table(self, key: TableKey, change: Callable[[TableEntry], TableEntry]) -> Any:
        def changed(found: Entry | None) -> Entry:
            entry = of_kind(found, Kind.TABLE)
            assert isinstance(entry, TableEntry)
            return change(entry)

        return self.of.edit(RELATIONS, key, changed, Kind.TABLE)

    def change_view(self, key: TableKey, change: Callable[[Entry | None], ViewEntry]) -> None:
        self.of.edit(RELATIONS, key, change)

    def remove_entry(self, key: TableKey, kind: Kind) -> Entry:
        removed = self.of.get(RELATIONS, key)

        def remove(found: Entry | None) -> None:
            of_kind(found, kind)

        self.of.edit(RELATIONS, key, remove, kind)
        assert removed is not None
        return removed

    def rename(self, key: TableKey, new: TableKey) -> Entry:
        return self.of.move(key, new)


@dataclass(frozen=True)
class Names:
    """A store of names, its catalog, and a schema of it that is empty. Locations may be below `place`."""

    within: CatalogStore
    catalog: str
    schema: str
    place: Path

    @property
    def store(self) -> Records:
        return Records(self.within)

    def key(self, name: str) -> tuple[str, str, str]:
        return (self.catalog, self.schema, name)


@pytest.fixture(params=["sqlite", HIVE, "glue"])
def names(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Names]:
    """Each store that there is."""
    if request.param == "sqlite":
        store: CatalogStore = SqliteCatalogStore(str(tmp_path / "warehouse"))
        store.edit(CATALOGS, ("lake",), added(StoredCatalog("lake", None, None, 1)))
    else:
        store = request.getfixturevalue(request.param)
    yield filled(store, tmp_path)
    store.close()


@pytest.fixture(params=[HIVE, "glue"])
def outer(request: pytest.FixtureRequest, tmp_path: Path) -> Names:
    """Each store of another system."""
    return filled(request.getfixturevalue(request.param), tmp_path)


def filled(store: Any, place: Path) -> Names:
    """A store with one more schema."""
    schema = f"s{secrets.token_hex(6)}"
    Records(store).add_schema(StoredSchema("lake", schema, "of a test", str(place / schema), 1, {"owner": "me"}))
    return Names(store, "lake", schema, place)
