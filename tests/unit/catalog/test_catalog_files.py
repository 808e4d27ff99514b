"""The catalog's file: damaged, of an earlier release, of a later one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from deltasql.base import errors
from deltasql.catalog import Catalog
from deltasql.catalog.commit_stores import catalog_file
from deltasql.catalog.entries import FunctionDefinition, ViewDefinition
from deltasql.log.storage.stores import open_store
from deltasql.schema.types import INTEGER, StructField, StructType


def test_texts_of_a_damaged_file_are_refused(tmp_path: Path) -> None:
    path = catalog_file(str(tmp_path))
    before = Catalog(str(tmp_path), open_store)
    before.schemas(None)
    before.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE schemas SET name = CAST(x'64a9' AS TEXT)")
    connection.close()
    with pytest.raises(errors.CatalogFileError, match="decode"):
        Catalog(str(tmp_path), open_store).schemas(None)


def test_an_unusable_file_is_explained(tmp_path: Path) -> None:
    (tmp_path / "_catalog.db").write_text("not a database, and long enough to be read as one by SQLite" * 20)
    with pytest.raises(errors.CatalogFileError, match="not a database"):
        Catalog(str(tmp_path)).resolve("t")


def test_a_file_of_a_later_release_is_left_alone(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "_catalog.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(errors.CatalogFileError, match="Upgrade deltasql"):
        Catalog(str(tmp_path)).resolve("t")


VIEW = ViewDefinition(
    "SELECT 1 AS a",
    ("spark_catalog", "s"),
    {"k": "v"},
    ("a",),
    StructType((StructField("a", INTEGER, metadata={"comment": "c"}),)),
    properties={"p": "q"},
)
FUNCTION = FunctionDefinition("() RETURN 1", ("spark_catalog", "s"), {})


@pytest.mark.parametrize("layout", [1, 2, 3, 4, 6])
def test_a_file_of_an_earlier_release_is_brought_up_to_date(layout: int, tmp_path: Path) -> None:
    """Properties of schemas came with layout 2, views and functions with 3, comments of catalogs with 4.

    Those of catalogs came with 5, ratified commits with 6, tables of other formats with 7, volumes with 8.
    """
    with_properties = Catalog(str(tmp_path))
    with_properties.create_schema("s", "a comment")
    with_properties.register(("s", "t"), "/t", managed=False)
    with_properties.close()
    connection = sqlite3.connect(tmp_path / "_catalog.db")
    connection.execute("DROP TABLE securables")
    for table in ("catalogs", "schemas", "tables", "functions"):
        connection.execute(f"ALTER TABLE {table} DROP COLUMN governance")
    connection.execute("DROP TABLE volumes")
    connection.execute("ALTER TABLE tables DROP COLUMN source")
    if layout < 6:
        connection.execute("DROP TABLE commits")
    if layout == 1:
        connection.execute("ALTER TABLE schemas DROP COLUMN properties")
    if layout < 3:
        connection.execute("ALTER TABLE tables DROP COLUMN view")
        connection.execute("DROP TABLE functions")
    gone = {4: ("properties",), 6: ()}.get(layout, ("comment", "location", "properties"))
    for column in gone:
        connection.execute(f"ALTER TABLE catalogs DROP COLUMN {column}")
    connection.execute(f"PRAGMA user_version = {layout}")
    connection.close()
    catalog = Catalog(str(tmp_path))
    assert (catalog.schema("s").comment, catalog.schema("s").properties) == ("a comment", {})
    catalog.change_schema_properties("s", {"k": "v"}, ())
    assert Catalog(str(tmp_path)).schema("s").properties == {"k": "v"}
    catalog.change_view(("s", "v"), lambda found: VIEW)
    catalog.change_function(("s", "f"), lambda found: FUNCTION)
    again = Catalog(str(tmp_path))
    assert [entry.name for entry in again.entries("s")] == ["t", "v"]
    assert [entry.name for entry in again.tables("s")] == ["t"]
    again.comment_on_catalog("spark_catalog", "c")
    again.change_catalog_properties("spark_catalog", {"k": "v"}, ())
    found = Catalog(str(tmp_path)).catalog("spark_catalog")
    assert (found.comment, found.properties) == ("c", {"k": "v"})
    again.create_volume(("s", "files"))
    assert [entry.name for entry in Catalog(str(tmp_path)).volumes("s")] == ["files"]
    view, function = again.view(("S", "V")), again.function(("s", "F"))
    assert (view and view.definition, function and function.definition) == (VIEW, FUNCTION)


_VIEW = (
    '{"query":"SELECT 1","namespace":["spark_catalog","default"],"settings":{},"names":["a"],"has_names":false,'
    '"schema":{"type":"struct","fields":[]},"mode":"COMPENSATION","comment":null,"properties":{}}'
)


_DAMAGE = (
    ('"SELECT 1"', "5"),
    ('["spark_catalog","default"]', "null"),
    ('"settings":{}', '"settings":[1]'),
    ('"fields":[]', '"fields":5'),
    ("COMPENSATION", "OTHER"),
    ('["a"]', "[1]"),
    ('"comment":null', '"comment":5'),
)


@pytest.mark.parametrize(
    "text",
    ["", "{", "null", "[]", "5", "{}", "[" * 5000, b"\xff\xfe", *(_VIEW.replace(old, new) for old, new in _DAMAGE)],
)
def test_a_damaged_view_in_the_file(tmp_path: Path, text: str | bytes) -> None:
    file = catalog_file(str(tmp_path))
    catalog = Catalog(str(tmp_path))
    catalog.register("t", "/t", managed=False)
    insert = "INSERT INTO tables VALUES ('spark_catalog', 'default', 'v', '', 0, 1, ?, NULL, NULL)"
    with sqlite3.connect(file) as connection:
        connection.execute(insert, (text,))
    connection.close()
    for read in (lambda: catalog.find("v"), catalog.tables, lambda: catalog.drop_view("v")):
        with pytest.raises(errors.CatalogFileError, match=r"entry of v is damaged"):
            read()
    assert catalog.require("t").location == "/t"
    catalog.close()
