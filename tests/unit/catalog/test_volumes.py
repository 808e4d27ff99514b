"""Volumes in both stores of names, the paths that stand for them, and definitions of refreshed tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deltasql.base.errors import SchemaNotEmptyError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.catalog import Catalog
from deltasql.catalog.entries import RefreshDefinition, Refreshed, StoredExpectation, ViewDefinition
from deltasql.schema.types import INTEGER, StructField, StructType


def test_the_life_of_a_volume(catalog: Catalog, warehouse: str) -> None:
    """A renamed volume keeps its folder, which the next one of the old name does not get."""
    catalog.create_schema("s")
    catalog.create_volume(("s", "Files"), comment="c")
    catalog.create_volume(("s", "files"), if_not_exists=True)
    place = catalog.volume(("s", "FILES")).location
    assert place == f"{catalog.schema('s').location}/files.volume"
    catalog.rename_volume(("s", "files"), "raw")
    catalog.create_volume(("s", "files"))
    catalog.comment_on_volume(("s", "raw"), None)
    again = Catalog(warehouse)
    assert [(entry.name, entry.comment) for entry in again.volumes("s")] == [("files", None), ("raw", None)]
    assert {entry.location for entry in again.volumes("s")} == {place, f"{place}-2"}
    with pytest.raises(SchemaNotEmptyError, match=r"files|raw"):
        catalog.drop_schema("s")
    dropped = catalog.drop_volume(("s", "raw"))
    assert (dropped.location, dropped.managed) == (place, True)
    catalog.create_volume(("s", "outside"), location="/data/x")
    gone = catalog.drop_schema("s", cascade=True)
    assert {(entry.location, entry.managed) for entry in gone} == {(f"{place}-2", True), ("/data/x", False)}
    catalog.create_schema("s")
    assert catalog.volumes("s") == []


def test_paths_in_volumes(catalog: Catalog) -> None:
    """Names match without regard to case, and no path leads out."""
    catalog.create_volume("v", location="/data/v")
    for path in ("/Volumes/spark_catalog/default/v/a/b.csv", "dbfs:/Volumes/SPARK_CATALOG/Default/V//a/./c/../b.csv"):
        assert catalog.located(path) == "/data/v/a/b.csv"
    assert catalog.located("/Volumes/spark_catalog/default/v/") == "/data/v"
    assert catalog.is_volume("/Volumes/spark_catalog/default/v/")
    assert not catalog.is_volume("/Volumes/spark_catalog/default/v/a")
    for plain in ("/data/Volumes/a", "file:/Volumes/a/b/c/d", "s3://Volumes/a"):
        assert catalog.located(plain) == plain
    assert catalog.located("volumes/./a/../b") == f"{Path.cwd()}/volumes/b"


@pytest.mark.parametrize(
    ("path", "condition"),
    [
        ("/Volumes", "INVALID_VOLUME_PATH"),
        ("/Volumes/spark_catalog/default", "INVALID_VOLUME_PATH"),
        ("/Volumes/spark_catalog/default/v/../w", "INVALID_VOLUME_PATH"),
        ("/Volumes/spark_catalog/../spark_catalog/default/v", "INVALID_VOLUME_PATH"),
        ("dbfs:/Volumes/spark_catalog/default/v/a/../../w", "INVALID_VOLUME_PATH"),
        ("/Volumes/spark_catalog/default/w/a", "VOLUME_NOT_FOUND"),
        ("/Volumes/spark_catalog/missing/v/a", "SCHEMA_NOT_FOUND"),
        ("/Volumes/missing/default/v/a", "CATALOG_NOT_FOUND"),
    ],
)
def test_paths_that_are_in_no_volume(catalog: Catalog, path: str, condition: str) -> None:
    catalog.create_volume("v")
    with pytest.raises(DeltaSqlError) as caught:
        catalog.located(path)
    assert caught.value.condition == condition


def test_a_folder_of_this_machine_is_no_volume(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some systems mount disks below /Volumes."""
    monkeypatch.setattr("os.path.exists", lambda path: path == "/Volumes/disk")
    assert catalog.located("/Volumes/disk/a/b/c") == "/Volumes/disk/a/b/c"


def test_a_definition_stays_with_its_table(catalog: Catalog, warehouse: str, tmp_path: Path) -> None:
    """Through another name, another query and another session."""
    schema = StructType((StructField("a", INTEGER),))
    view = ViewDefinition("SELECT 1 AS a", ("spark_catalog", "default"), {}, ("a",), schema)
    definition = RefreshDefinition(Refreshed.MATERIALIZED_VIEW, view, "SCHEDULE EVERY 1 DAY")
    catalog.create_schema("s")
    catalog.register("m", str(tmp_path), managed=True, refreshed=definition)
    catalog.rename("m", ("s", "n"))
    found = Catalog(warehouse).require(("s", "n"))
    assert (found.refreshed, found.managed) == (definition, True)
    streaming = RefreshDefinition(Refreshed.STREAMING_TABLE, view)
    catalog.define(("s", "n"), streaming)
    assert Catalog(warehouse).require(("s", "n")).refreshed == streaming
    assert catalog.view(("s", "n")) is None
    assert definition.id == streaming.id
    expected = replace(streaming, expectations=(StoredExpectation("c", "a > 0", "DROP ROW"),))
    catalog.define(("s", "n"), expected)
    assert Catalog(warehouse).require(("s", "n")).refreshed == expected
    assert expected.id != streaming.id
