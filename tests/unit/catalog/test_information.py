"""The information schema in the catalog: built-in names, and schemas of that name that an earlier release stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql.base import errors
from deltasql.catalog import Catalog, store
from deltasql.catalog.entries import StoredSchema
from deltasql.catalog.store import information_views
from deltasql.schema.text import type_text


def test_every_catalog_has_it(catalog: Catalog) -> None:
    catalog.create_catalog("main")
    for name in ("information_schema", "MAIN.Information_Schema", "system.information_schema"):
        parts = tuple(name.split("."))
        assert catalog.has_schema(parts)
        assert {entry.name for entry in catalog.entries(parts)} > {"tables", "columns"}
        found = catalog.view((*parts, "TABLES"))
        assert found is not None
        assert found.is_built_in
    assert not catalog.has_schema(("nope", "information_schema"))
    assert catalog.find(("nope", "information_schema", "tables")) is None
    assert catalog.find(("information_schema", "nope")) is None
    assert [schema.name for schema in catalog.schemas()] == ["default"]
    with pytest.raises(errors.CatalogNotFoundError):
        catalog.schema(("nope", "information_schema"))


def test_the_page_has_all_views() -> None:
    page = (Path(__file__).parents[3] / "docs" / "information-schema.md").read_text(encoding="utf-8")
    cells = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    listed = {name.strip("| `"): columns.strip("` |").split("`, `") for name, _, columns in cells}
    for view in information_views("main", 0):
        found = [f"{item.name} {type_text(item.type)}".removesuffix(" string") for item in view.definition.schema]
        assert listed.pop(view.name) == found
    assert listed == {}


def test_it_cannot_be_changed(catalog: Catalog) -> None:
    view = ("information_schema", "tables")
    refused = (
        lambda: catalog.create_schema("information_schema"),
        lambda: catalog.drop_schema("information_schema", cascade=True, if_exists=True),
        lambda: catalog.comment_on_schema("information_schema", "x"),
        lambda: catalog.register(view, "/t", managed=False),
        lambda: catalog.unregister(view),
        lambda: catalog.drop_view(view),
        lambda: catalog.rename(view, ("default", "t")),
        lambda: catalog.managed_location(view),
        lambda: catalog.change_function(view, lambda _: None),
    )
    for change in refused:
        with pytest.raises(errors.InformationSchemaReadOnlyError):
            change()
    assert not catalog.create_schema("information_schema", if_not_exists=True)
    with pytest.raises(errors.TableNotFoundError, match=r"Did you mean information_schema\.tables"):
        catalog.require(("information_schema", "tabels"))


def test_a_stored_schema_of_that_name_is_one_like_any_other(catalog: Catalog) -> None:
    stored = StoredSchema("spark_catalog", "information_schema", None, None, 0)
    catalog._store.edit(store.SCHEMAS, stored.key, store.added(stored))
    catalog.register(("information_schema", "tables"), "/t", managed=False)
    assert [entry.name for entry in catalog.entries("information_schema")] == ["tables"]
    assert catalog.resolve(("information_schema", "tables")) is not None
    assert catalog.find(("information_schema", "columns")) is None
    catalog.rename(("information_schema", "tables"), ("default", "t"))
    catalog.drop_schema("information_schema")
    assert catalog.view(("information_schema", "tables")) is not None
