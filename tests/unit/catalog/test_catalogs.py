"""Catalogs of one warehouse: created, commented, placed and dropped, in a SQLite file and in objects in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deltasql.base import errors
from deltasql.catalog import Catalog


def test_comments_and_locations_of_catalogs(catalog: Catalog, tmp_path: Path) -> None:
    place = str(tmp_path / "elsewhere")
    catalog.create_catalog("main", comment="a", location=place)
    catalog.create_catalog("other")
    assert (catalog.catalog("MAIN").comment, catalog.catalog("main").location) == ("a", place)
    assert catalog.managed_location(("main", "default", "t")) == f"{place}/t"
    catalog.create_schema(("main", "s"))
    assert catalog.schema(("main", "s")).location == f"{place}/s.db"
    catalog.comment_on_catalog("Main", None)
    catalog.comment_on_catalog("spark_catalog", "of the warehouse")
    found = {name: catalog.catalog(name) for name in catalog.used_catalogs()}
    assert {name: entry.comment for name, entry in found.items()} == {
        "main": None,
        "other": None,
        "spark_catalog": "of the warehouse",
    }
    assert found["main"].location == place
    assert found["other"].location == f"{catalog.warehouse}/other.catalog"
    assert found["spark_catalog"].location == catalog.warehouse
    for refused in (lambda: catalog.catalog("nope"), lambda: catalog.comment_on_catalog("nope", "x")):
        with pytest.raises(errors.CatalogNotFoundError):
            refused()


def test_catalogs_are_dropped(catalog: Catalog) -> None:
    catalog.create_catalog("main")
    assert catalog.drop_catalog("MAIN") == []
    assert catalog.used_catalogs() == ["spark_catalog"]
    catalog.create_catalog("main")
    catalog.register(("main", "default", "t"), "/t", managed=False)
    with pytest.raises(errors.CatalogNotEmptyError, match="it has t"):
        catalog.drop_catalog("main")
    catalog.create_schema(("main", "s"))
    catalog.register(("main", "s", "u"), "/u", managed=True)
    with pytest.raises(errors.CatalogNotEmptyError, match="it has s"):
        catalog.drop_catalog("main")
    assert sorted(entry.full_name for entry in catalog.drop_catalog("main", cascade=True)) == [
        "main.default.t",
        "main.s.u",
    ]
    assert catalog.resolve(("main", "s", "u")) is None
    # It is there again, and empty.
    assert catalog.drop_catalog("main") == []
    with pytest.raises(errors.CatalogNotFoundError):
        catalog.drop_catalog("other")
    assert catalog.drop_catalog("other", if_exists=True) == []
    for cascade in (False, True):
        with pytest.raises(errors.DropDefaultCatalogError):
            catalog.drop_catalog("Spark_Catalog", cascade)
    catalog.create_catalog("main")
    assert catalog.tables(("main", "default")) == []


def test_a_schema_that_comes_while_its_catalog_is_dropped_goes_too(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog.create_catalog("main")
    remove = catalog._store.remove
    late = iter(["s"])

    def removed(key: tuple[str, ...], cascade: bool = False) -> Any:
        if len(key) == 1:
            for schema in late:
                catalog.create_schema((*key, schema))
                catalog.register((*key, schema, "t"), "/t", managed=False)
        return remove(key, cascade)

    monkeypatch.setattr(catalog._store, "remove", removed)
    assert [entry.full_name for entry in catalog.drop_catalog("main", cascade=True)] == ["main.s.t"]
    assert catalog.used_catalogs() == ["spark_catalog"]


def test_properties(catalog: Catalog, warehouse: str) -> None:
    catalog.create_catalog("main", properties={"a": "1", "b": "2"})
    catalog.change_catalog_properties("MAIN", {"b": "3", "c": "4"}, ("a", "nothing"))
    catalog.comment_on_catalog("main", "new")
    catalog.change_catalog_properties("spark_catalog", {"x": "y"}, ())
    again = Catalog(warehouse)
    assert (again.catalog("main").properties, again.catalog("main").comment) == ({"b": "3", "c": "4"}, "new")
    assert again.catalog("spark_catalog").properties == {"x": "y"}
    again.close()
    with pytest.raises(errors.CatalogNotFoundError):
        catalog.change_catalog_properties("nope", {}, ())
