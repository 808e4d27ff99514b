"""The catalog on whatever keeps its names: names in, locations out, one error class for every refusal.

Every test that takes `warehouse` runs on a SQLite file and on objects in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deltasql import connect
from deltasql.base import errors
from deltasql.catalog import Catalog, TableEntry
from deltasql.catalog.commit_stores import catalog_file
from deltasql.catalog.entries import matching
from deltasql.log.storage.listing import commit_path
from deltasql.log.storage.stores import open_store


def test_nothing_is_created_before_the_first_use(warehouse: str) -> None:
    Catalog(warehouse)
    assert not Path(warehouse).exists()
    assert open_store(warehouse).list_below("") == []


def test_a_table_is_found_by_each_form_of_its_name(catalog: Catalog, tmp_path: Path) -> None:
    entry = catalog.register(("T",), str(tmp_path / "x"), managed=False)
    assert entry == TableEntry("spark_catalog", "default", "t", str(tmp_path / "x"), False, entry.created_at)
    assert entry.full_name == "spark_catalog.default.t"
    assert [catalog.resolve(parts) for parts in ("t", ("DEFAULT", "t"), ("spark_catalog", "default", "t"))] == [
        entry
    ] * 3
    assert catalog.resolve("u") is None


def test_names_outlive_the_object(catalog: Catalog) -> None:
    catalog.create_schema("s", comment="sales")
    catalog.register(("s", "t"), "/data/t", managed=False)
    other = Catalog(catalog.warehouse)
    assert other.require(("s", "t")).location == "/data/t"
    assert other.schema("s").comment == "sales"
    other.close()


def test_managed_locations(catalog: Catalog) -> None:
    catalog.create_schema("s")
    catalog.create_schema("far", location="s3://bucket/far/")
    assert catalog.managed_location("T") == f"{catalog.warehouse}/t"
    assert catalog.managed_location(("s", "t")) == f"{catalog.warehouse}/s.db/t"
    assert catalog.managed_location(("far", "t")) == "s3://bucket/far/t"


def test_a_renamed_table_keeps_its_place_and_the_next_one_avoids_it(catalog: Catalog) -> None:
    catalog.register("t", catalog.managed_location("t"), managed=True)
    renamed = catalog.rename("t", "u")
    assert isinstance(renamed, TableEntry)
    assert (renamed.name, renamed.location) == ("u", f"{catalog.warehouse}/t")
    assert catalog.resolve("t") is None
    assert catalog.managed_location("t") == f"{catalog.warehouse}/t-2"
    assert catalog.managed_location("u") == f"{catalog.warehouse}/u"


def test_rename_stays_in_the_schema_unless_told(catalog: Catalog) -> None:
    catalog.create_schema("s")
    catalog.register(("s", "t"), "/x", managed=False)
    assert catalog.rename(("s", "t"), "u").schema == "s"
    assert catalog.rename(("s", "u"), ("default", "v")).parts == ("spark_catalog", "default", "v")


def test_rename_refuses(catalog: Catalog) -> None:
    catalog.register("t", "/t", managed=False)
    catalog.register("u", "/u", managed=False)
    with pytest.raises(errors.TableAlreadyExistsError):
        catalog.rename("t", "U")
    with pytest.raises(errors.TableNotFoundError):
        catalog.rename("missing", "v")
    with pytest.raises(errors.SchemaNotFoundError):
        catalog.rename("t", ("nowhere", "t"))
    assert catalog.require("t").location == "/t"


def test_rename_tells_what_is_missing_first(catalog: Catalog) -> None:
    catalog.register("t", "/t", managed=False)
    for old, new, error in (
        ("missing", ("nowhere", "v"), errors.TableNotFoundError),
        ("missing", "a b", errors.TableNotFoundError),
        ("t", ("nowhere", "a b"), errors.SchemaNotFoundError),
        ("t", ("o", "s", "v"), errors.CatalogNotFoundError),
        ("t", "a b", errors.InvalidNameError),
    ):
        with pytest.raises(error):
            catalog.rename(old, new)
    catalog.rename("t", "T")
    assert catalog.require("t").location == "/t"
    assert [entry.name for entry in catalog.tables()] == ["t"]


def test_a_table_that_goes_to_another_schema_and_back(catalog: Catalog) -> None:
    catalog.create_schema("s")
    catalog.create_catalog("main")
    catalog.register("t", catalog.managed_location("t"), managed=True)
    for new in (("s", "u"), ("main", "default", "t"), ("spark_catalog", "default", "t"), ("s", "t")):
        entry = catalog.rename(where(catalog), new)
        assert where(catalog) == entry.parts
    assert catalog.managed_location("t") == f"{catalog.warehouse}/t-2"
    catalog.register("t", "/t", managed=False)
    with pytest.raises(errors.TableAlreadyExistsError):
        catalog.rename(("s", "t"), ("default", "t"))
    assert [entry.name for entry in catalog.tables("s")] == ["t"]
    assert catalog.drop_schema("s", cascade=True)[0].managed


def where(catalog: Catalog) -> tuple[str, ...]:
    """The one name that there is in the whole catalog, by which it is found."""
    found = [
        entry.parts
        for name in catalog.catalogs()
        for schema in ("default", "s")
        if catalog.has_schema((name, schema))
        for entry in catalog.within(name, schema).tables()
    ]
    assert len(found) == 1
    assert catalog.require(found[0]).parts == found[0]
    return found[0]


def test_a_schema_that_is_dropped_and_made_again_is_empty(catalog: Catalog) -> None:
    for comment in ("first", "second"):
        catalog.create_schema("s", comment)
        assert catalog.tables("s") == []
        assert catalog.register(("s", "t"), f"/{comment}", managed=True) == catalog.require(("s", "t"))
        assert catalog.schema("s").comment == comment
        assert [entry.location for entry in catalog.drop_schema("s", cascade=True)] == [f"/{comment}"]
        assert catalog.resolve(("s", "t")) is None
        for refused in (lambda: catalog.register(("s", "t"), "/x", False), lambda: catalog.tables("s")):
            with pytest.raises(errors.SchemaNotFoundError):
                refused()


def test_set_location_and_unregister(catalog: Catalog) -> None:
    catalog.register("t", "/t", managed=True)
    assert catalog.set_location("t", "/elsewhere") == catalog.require("t")
    assert not catalog.require("t").managed
    assert catalog.unregister("t").location == "/elsewhere"
    for gone in (catalog.unregister, lambda name: catalog.set_location(name, "/x")):
        with pytest.raises(errors.TableNotFoundError):
            gone("t")


def test_exactly_one_of_many_wins_a_name(warehouse: str) -> None:
    def register(number: int) -> bool:
        catalog = Catalog(warehouse)
        try:
            catalog.register("t", f"/place/{number}", managed=False)
        except errors.TableAlreadyExistsError:
            return False
        finally:
            catalog.close()
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(register, range(16))) == 1
    error = errors.TableAlreadyExistsError
    assert (error.condition, error.sqlstate) == ("TABLE_OR_VIEW_ALREADY_EXISTS", "42P07")


def test_a_missing_table_names_the_closest(catalog: Catalog) -> None:
    catalog.create_schema("s")
    catalog.register("orders", "/o", managed=False)
    catalog.register(("s", "people"), "/p", managed=False)
    with pytest.raises(errors.TableNotFoundError) as near:
        catalog.require("order")
    assert near.value.similar == ("orders",)
    assert (
        str(near.value) == "[TABLE_OR_VIEW_NOT_FOUND] There is no table `order`. Did you mean orders? SQLSTATE: 42P01"
    )
    with pytest.raises(errors.TableNotFoundError) as elsewhere:
        catalog.require("people")
    assert elsewhere.value.similar == ("s.people",)
    with pytest.raises(errors.TableNotFoundError, match="SHOW TABLES"):
        catalog.require("zzz")


def test_an_unregistered_delta_directory_is_not_found_but_explained(catalog: Catalog) -> None:
    place = f"{catalog.warehouse}/t"
    open_store(place).put_if_absent(commit_path(0), b"{}")
    with pytest.raises(errors.TableNotFoundError, match=f"CREATE TABLE t USING delta LOCATION '{place}'"):
        catalog.require("t")


def test_schemas(catalog: Catalog) -> None:
    assert catalog.create_schema("Sales")
    assert not catalog.create_schema("sales", if_not_exists=True)
    with pytest.raises(errors.SchemaAlreadyExistsError) as exists:
        catalog.create_schema("SALES")
    assert exists.value.sqlstate == "42P06"
    assert [item.name for item in catalog.schemas()] == ["default", "sales"]
    assert [item.name for item in catalog.schemas("s*")] == ["sales"]
    assert catalog.drop_schema("sales") == []
    assert catalog.drop_schema("sales", if_exists=True) == []
    with pytest.raises(errors.SchemaNotFoundError) as missing:
        catalog.drop_schema("sales")
    assert missing.value.sqlstate == "42704"


def test_a_schema_with_tables_needs_cascade(catalog: Catalog) -> None:
    catalog.create_schema("s")
    entry = catalog.register(("s", "t"), "/t", managed=True)
    with pytest.raises(errors.SchemaNotEmptyError) as full:
        catalog.drop_schema("s")
    assert (full.value.condition, full.value.sqlstate) == ("SCHEMA_NOT_EMPTY", "2BP01")
    assert catalog.drop_schema("s", cascade=True) == [entry]
    assert catalog.resolve(("s", "t")) is None


def test_the_default_schema_stays(catalog: Catalog) -> None:
    with pytest.raises(errors.DropDefaultSchemaError):
        catalog.drop_schema("default", cascade=True)


def test_use(catalog: Catalog) -> None:
    catalog.create_schema("s")
    catalog.use("S")
    catalog.register("t", "/t", managed=False)
    assert catalog.current_schema == "s"
    assert catalog.require("t").schema == "s"
    assert [item.name for item in catalog.tables()] == ["t"]
    assert catalog.tables("default") == []
    with pytest.raises(errors.SchemaNotFoundError, match="Did you mean default"):
        catalog.use("defualt")
    with pytest.raises(errors.SchemaNotFoundError):
        catalog.tables("nope")


def test_catalogs(catalog: Catalog) -> None:
    assert catalog.create_catalog("main")
    assert not catalog.create_catalog("main", if_not_exists=True)
    with pytest.raises(errors.CatalogAlreadyExistsError):
        catalog.create_catalog("main")
    catalog.create_schema(("main", "s"))
    assert catalog.managed_location(("main", "s", "t")) == f"{catalog.warehouse}/main.catalog/s.db/t"
    catalog.use_catalog("main")
    assert (catalog.used_catalogs(), catalog.current_schema) == (["main", "spark_catalog"], "default")
    assert [item.name for item in catalog.schemas()] == ["default", "s"]
    with pytest.raises(errors.CatalogNotFoundError) as missing:
        catalog.use_catalog("other")
    assert missing.value.sqlstate == "42P08"
    for refused in (
        lambda: catalog.create_schema(("other", "s")),
        lambda: catalog.register(("o", "s", "t"), "/t", False),
    ):
        with pytest.raises(errors.CatalogNotFoundError):
            refused()


def test_register_needs_its_schema(catalog: Catalog) -> None:
    with pytest.raises(errors.SchemaNotFoundError):
        catalog.register(("nope", "t"), "/t", managed=False)


@pytest.mark.parametrize("name", ["", "a b", "a/b", "..", "a\nb"])
def test_names_that_could_leave_the_warehouse_are_refused(catalog: Catalog, name: str) -> None:
    for refused in (
        lambda: catalog.register(name, "/t", managed=False),
        lambda: catalog.create_schema(name),
        lambda: catalog.managed_location(name),
        lambda: catalog.create_catalog(name),
    ):
        with pytest.raises(errors.InvalidNameError):
            refused()


def test_too_many_parts(catalog: Catalog) -> None:
    for refused in (lambda: catalog.resolve(("a", "b", "c", "d")), lambda: catalog.schema(("a", "b", "c"))):
        with pytest.raises(errors.TooManyNamePartsError):
            refused()


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (None, "Ab,abc,b"),
        ("*", "Ab,abc,b"),
        ("AB*", "Ab,abc"),
        ("b|abc", "abc,b"),
        ("a.", "Ab"),
        ("[", ""),
        (" b ", "b"),
    ],
)
def test_show_patterns(pattern: str | None, found: str) -> None:
    assert ",".join(matching(["b", "abc", "Ab"], pattern)) == found


def test_properties_and_comments_of_schemas(catalog: Catalog) -> None:
    catalog.create_schema("s", properties={"a": "1", "b": "2"})
    catalog.change_schema_properties("S", {"b": "3", "c": "4"}, ("a", "nothing"))
    catalog.comment_on_schema("s", "new")
    assert (catalog.schema("s").properties, catalog.schema("s").comment) == ({"b": "3", "c": "4"}, "new")
    catalog.comment_on_schema("s", None)
    assert catalog.schema("s").comment is None
    changes: tuple[Callable[[], None], ...] = (
        lambda: catalog.change_schema_properties("missing", {}, ()),
        lambda: catalog.comment_on_schema("missing", ""),
    )
    for change in changes:
        with pytest.raises(errors.SchemaNotFoundError):
            change()


def test_where_the_file_lies() -> None:
    assert catalog_file("/wh") == Path("/wh/_catalog.db")
    assert catalog_file("file:///w%20h") == Path("/w h/_catalog.db")
    assert Catalog("s3://b/wh/").full_name("t") == ("spark_catalog", "default", "t")


def test_a_table_that_several_sessions_create_at_once_is_created_once(tmp_path: Path) -> None:
    """One writes the log before it adds the name to the catalog; the others must not take it for a foreign folder."""
    sessions = [connect(str(tmp_path)) for _ in range(6)]
    with ThreadPoolExecutor(len(sessions)) as threads:
        for number in range(4):
            sql = f"CREATE TABLE IF NOT EXISTS t{number} (k INT)"
            for done in [threads.submit(session.sql, sql) for session in sessions]:
                done.result()
    assert len(sessions[0].sql("DESCRIBE HISTORY t0").collect()) == 1
    for session in sessions:
        session.close()
