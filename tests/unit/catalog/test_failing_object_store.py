"""Names of a warehouse in objects, where the storage fails, ignores conditions, or holds what it should not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from obstore import exceptions
from obstore.store import LocalStore, MemoryStore

from deltasql.base.errors import AmbiguousWriteError, CatalogFileError, ConditionalPutError, StorageError
from deltasql.catalog import Catalog
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.log_store import LogStore, Tag
from tests.unit.catalog.object_stores import (
    URL,
    Unsure,
    new_function,
    new_view,
    opened,
)

pytestmark = pytest.mark.usefixtures("in_haste")


# Storage that fails


def test_a_put_that_was_repeated_by_the_client(memory: MemoryStore) -> None:
    """A server that fails after it has stored: the client asks again, and is told that another one was first."""

    class Repeating(LogStore):
        def put_if_same(self, path: str, data: bytes, tag: Tag) -> Tag | None:
            super().put_if_same(path, data, tag)
            return super().put_if_same(path, data, tag)

    catalog = Catalog(URL, lambda _: Repeating(URL, memory, "wh"))
    assert catalog.create_schema("s")
    assert catalog.create_schema("d")
    catalog.register("t", "/t", managed=False)
    catalog.register("u", "/u", managed=False)
    assert catalog.rename("u", ("s", "u")).schema == "s"
    assert [entry.name for entry in catalog.drop_schema("s", cascade=True)] == ["u"]


def test_a_storage_that_never_answers(memory: MemoryStore) -> None:
    opened(memory)[0].create_schema("s")
    catalog = Catalog(URL, lambda _: Unsure(memory, lost=1.0, unsent=1.0))
    with pytest.raises(CatalogFileError, match=r"did not answer .* SHOW TABLES and SHOW SCHEMAS") as caught:
        catalog.create_schema("d")
    assert caught.value.path == f"{URL}/_catalog.d/schemas.json"


def test_a_storage_on_which_others_are_always_first(memory: MemoryStore) -> None:
    class Late(LogStore):
        def put_if_same(self, path: str, data: bytes, tag: Tag) -> Tag | None:
            return None

    opened(memory)[0].create_schema("s")
    with pytest.raises(CatalogFileError, match=r"others changed it first.*run the statement again"):
        Catalog(URL, lambda _: Late(URL, memory, "wh")).create_schema("d")


def test_a_storage_that_goes_away(memory: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog, _ = opened(memory)
    catalog.register("t", "/t", managed=False)

    def gone(*_: object, **__: object) -> None:
        raise exceptions.GenericError("connection refused")

    for name in ("get", "put", "list"):
        monkeypatch.setattr(f"obstore.{name}", gone)
    for use in (
        lambda: catalog.resolve("t"),
        lambda: catalog.register("u", "/u", managed=False),
        lambda: catalog.managed_location("v"),
        catalog.schemas,
        lambda: catalog.create_schema("s"),
        lambda: catalog.drop_schema("s"),
        lambda: catalog.rename("t", "u"),
    ):
        with pytest.raises(StorageError, match="connection refused") as caught:
            use()
        assert f"{URL}/_catalog.d" in str(caught.value)


def test_a_storage_that_goes_away_before_it_answers(memory: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    class Going(LogStore):
        def put_if_same(self, path: str, data: bytes, tag: Tag) -> Tag | None:
            monkeypatch.setattr("obstore.get", gone)
            raise AmbiguousWriteError(self.url(path), "timed out")

    def gone(*_: object, **__: object) -> None:
        raise exceptions.GenericError("connection refused")

    opened(memory)[0].create_schema("s")
    with pytest.raises(CatalogFileError, match="did not answer"):
        Catalog(URL, lambda _: Going(URL, memory, "wh")).create_schema("d")


class Overwriting(LogStore):
    """Ignores a condition, as servers do that do not know its header."""

    def put_if_absent(self, path: str, data: bytes) -> bool:
        self.overwrite(path, data)
        return True


class Swapping(LogStore):
    """Ignores the other condition."""

    def put_if_same(self, path: str, data: bytes, tag: Tag) -> Tag | None:
        self.overwrite(path, data)
        return Tag("?", None)


@pytest.mark.parametrize(("store", "header"), [(Overwriting, "If-None-Match"), (Swapping, "If-Match")])
def test_a_storage_that_ignores_conditions_is_refused(store: type[LogStore], header: str, memory: MemoryStore) -> None:
    catalog = Catalog(URL, lambda _: store(URL, memory, "wh"))
    for write in (lambda: catalog.register("t", "/t", False), lambda: catalog.create_schema("s")):
        with pytest.raises(ConditionalPutError, match=rf"memory:///wh .*\({header}\)"):
            write()
    assert catalog.tables() == []
    assert LogStore(URL, memory, "wh").list_below("") == []


def test_a_storage_without_conditions_is_refused(tmp_path: Path) -> None:
    catalog = Catalog(URL, lambda _: LogStore(URL, LocalStore(str(tmp_path))))
    with pytest.raises(ConditionalPutError, match="not yet implemented"):
        catalog.register("t", "/t", managed=False)
    assert list(tmp_path.rglob("*.json")) == []
    local = LocalLogStore(str(tmp_path))
    local.put_if_absent("x", b"1")
    with pytest.raises(ConditionalPutError):
        local.put_if_same("x", b"2", Tag("1", None))
    with pytest.raises(ConditionalPutError):
        LogStore(URL, MemoryStore()).put_if_same("x", b"2", Tag(None, None))


# Objects that are not what they should be


@pytest.mark.parametrize("path", ["schemas.json", "tables/spark_catalog/default.json"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-3],
        lambda data: b"[]",
        lambda data: b"{}",
        lambda data: b"\xff" + data,
        lambda data: data.replace(b"{}", b"[]").replace(b'"location":"/t"', b'"location":5'),
        lambda data: b"[" * 100_000,
    ],
)
def test_a_damaged_object_is_explained(path: str, damage: Callable[[bytes], bytes], memory: MemoryStore) -> None:
    catalog, store = opened(memory)
    catalog.register("t", "/t", managed=False)
    store.overwrite(f"_catalog.d/{path}", damage(store.read(f"_catalog.d/{path}")))
    with pytest.raises(CatalogFileError, match=r"damaged.*CREATE TABLE … USING delta LOCATION") as caught:
        _ = catalog.tables(), catalog.schemas()
    assert caught.value.path == f"{URL}/_catalog.d/{path}"


@pytest.mark.parametrize("path", ["schemas.json", "tables/spark_catalog/default.json"])
def test_an_object_of_a_later_release_is_left_alone(path: str, memory: MemoryStore) -> None:
    catalog, store = opened(memory)
    catalog.register("t", "/t", managed=False)
    later = json.dumps({"layout": 99, "who": "knows"}).encode()
    store.overwrite(f"_catalog.d/{path}", later)
    for use in (
        lambda: (catalog.resolve("t"), catalog.schemas()),
        lambda: (catalog.register("u", "/u", managed=False), catalog.create_schema("s")),
    ):
        with pytest.raises(CatalogFileError, match="Upgrade deltasql"):
            use()
    assert store.read(f"_catalog.d/{path}") == later


def test_views_and_functions_raise_the_layout_of_their_object_alone(memory: MemoryStore) -> None:
    """Releases that know neither go on with the other schemas."""
    catalog, store = opened(memory)
    catalog.create_schema("s")
    catalog.register("t", "/t", managed=False)
    catalog.change_view(("s", "v"), new_view)
    catalog.change_function(("s", "f"), new_function)
    layouts = [
        json.loads(store.read(f"_catalog.d/{path}"))["layout"]
        for path in ("schemas.json", "tables/spark_catalog/default.json", "tables/spark_catalog/s.json")
    ]
    assert layouts == [1, 1, 2]
    assert catalog.drop_view(("s", "v"))
    catalog.change_function(("s", "f"), lambda _: None)
    assert json.loads(store.read("_catalog.d/tables/spark_catalog/s.json"))["layout"] == 1


def test_names_with_characters_that_urls_have(memory: MemoryStore) -> None:
    catalog, _ = opened(memory)
    for name in ("a%20b", "ä#?", "*", "[x]", "_catalog"):
        catalog.create_schema(name)
        catalog.register((name, name), f"/{name}", managed=False)
    again, _ = opened(memory)
    for name in ("a%20b", "ä#?", "*", "[x]", "_catalog"):
        assert again.require((name, name.upper())).location == f"/{name}"
    assert len(again._store.below("")) == 5
