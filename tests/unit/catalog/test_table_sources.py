"""Tables of other formats in both stores of names: their source is kept, moves with the name, and can be changed."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from obstore.store import MemoryStore

from deltasql.base.errors import CatalogFileError, TableNotFoundError
from deltasql.catalog import Catalog
from deltasql.catalog.entries import TableSource
from deltasql.schema.types import INTEGER, STRING, StructField, StructType
from tests.unit.catalog.object_stores import opened

COLUMNS = StructType((StructField("a", INTEGER, metadata={"comment": "c"}), StructField("p", STRING)))
SOURCE = TableSource("csv", {"Header": "true"}, COLUMNS, ("p",), "a comment", {"k": "v"})


def test_a_source_outlives_the_object(catalog: Catalog) -> None:
    catalog.register("t", "/t", managed=False, source=SOURCE)
    catalog.register("iceberg", "/i", managed=False, source=TableSource("iceberg"))
    again = Catalog(catalog.warehouse)
    assert again.require("t").source == SOURCE
    assert again.require("iceberg").source == TableSource("iceberg")
    assert [entry.source for entry in again.tables()] == [TableSource("iceberg"), SOURCE]
    again.close()


def test_a_source_moves_with_the_name(catalog: Catalog) -> None:
    catalog.create_schema("s")
    catalog.register("t", "/t", managed=True, source=SOURCE)
    catalog.rename("t", ("s", "u"))
    catalog.set_location(("s", "u"), "/elsewhere")
    entry = catalog.require(("s", "u"))
    assert (entry.source, entry.location, entry.managed) == (SOURCE, "/elsewhere", False)
    assert catalog.unregister(("s", "u")).source == SOURCE


def test_a_source_can_be_changed(catalog: Catalog) -> None:
    catalog.register("t", "/t", managed=False, source=SOURCE)
    catalog.register("d", "/d", managed=False)
    for name in ("t", "d"):
        catalog.change_source(name, lambda source: replace(source, properties={}))
    assert catalog.require("t").source == replace(SOURCE, properties={})
    assert catalog.require("d").source is None
    with pytest.raises(TableNotFoundError):
        catalog.change_source("missing", lambda source: source)


def test_a_file_of_an_earlier_release_gets_the_column(tmp_path: Path) -> None:
    before = Catalog(str(tmp_path))
    before.register("t", "/t", managed=False)
    before.close()
    connection = sqlite3.connect(tmp_path / "_catalog.db")
    connection.execute("ALTER TABLE tables DROP COLUMN source")
    for table in ("catalogs", "schemas", "tables", "functions"):
        connection.execute(f"ALTER TABLE {table} DROP COLUMN governance")
    for table in ("volumes", "securables"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("PRAGMA user_version = 6")
    connection.close()
    catalog = Catalog(str(tmp_path))
    assert catalog.require("t").source is None
    catalog.register("u", "/u", managed=False, source=SOURCE)
    assert Catalog(str(tmp_path)).require("u").source == SOURCE


def test_a_damaged_source_is_an_error_of_the_file(tmp_path: Path) -> None:
    catalog = Catalog(str(tmp_path))
    catalog.register("t", "/t", managed=False, source=SOURCE)
    catalog.close()
    connection = sqlite3.connect(tmp_path / "_catalog.db")
    connection.execute("UPDATE tables SET source = '{\"format\": 1}'")
    connection.commit()
    connection.close()
    with pytest.raises(CatalogFileError, match="the entry of t is damaged"):
        Catalog(str(tmp_path)).require("t")


def test_sources_raise_the_layout_of_their_object_alone() -> None:
    """Releases that do not know them go on with the other schemas."""
    catalog, store = opened(MemoryStore())
    catalog.create_schema("s")
    catalog.register("t", "/t", managed=False)
    catalog.register(("s", "u"), "/u", managed=False, source=SOURCE)
    paths = ("tables/spark_catalog/default.json", "tables/spark_catalog/s.json")
    assert [json.loads(store.read(f"_catalog.d/{path}"))["layout"] for path in paths] == [1, 3]
    catalog.unregister(("s", "u"))
    assert json.loads(store.read(f"_catalog.d/{paths[1]}"))["layout"] == 1
