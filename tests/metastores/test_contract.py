"""The contract of `CatalogStore`, held by the embedded store, a Hive metastore and Glue."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import pytest

from deltasql.base.errors import CatalogOperationError
from deltasql.catalog.entries import Entry, SchemaMode, StoredSchema, TableEntry, ViewDefinition, ViewEntry
from deltasql.catalog.store import Kind, NameMissingError, NameTakenError, SchemaInUseError
from deltasql.schema.types import INTEGER, STRING, StructField, StructType
from tests.metastores.conftest import Names


def table(names: Names, name: str = "t", *, managed: bool = False, folder: str | None = None) -> TableEntry:
    place = names.place / names.schema / (folder or name)
    return TableEntry(*names.key(name), str(place), managed, 1_700_000_000_000)


def view(names: Names, name: str = "v", query: str = "SELECT id FROM t") -> ViewEntry:
    definition = ViewDefinition(
        query,
        (names.catalog, names.schema),
        {"spark.sql.ansi.enabled": "true"},
        ("id",),
        StructType((StructField("key", INTEGER, metadata={"comment": "the key"}),)),
        has_names=True,
        mode=SchemaMode.TYPE_EVOLUTION,
        comment="it's a view",
        properties={"a": "b"},
    )
    return ViewEntry(*names.key(name), definition, 1_700_000_000_000)


def timeless(entry: Entry | None) -> Entry | None:
    """An entry without its time, which some stores give it."""
    return None if entry is None else replace(entry, created_at=0)


def test_a_schema_is_found_with_all_of_it(names: Names) -> None:
    found = names.store.schema((names.catalog, names.schema))
    assert found is not None
    assert (found.name, found.catalog, found.comment) == (names.schema, names.catalog, "of a test")
    assert found.location == str(names.place / names.schema)
    assert found.properties["owner"] == "me"
    assert names.schema in {schema.name for schema in names.store.schemas(names.catalog)}
    assert names.store.schema((names.catalog, "missing")) is None


def test_a_schema_is_created_once(names: Names) -> None:
    with pytest.raises(NameTakenError):
        names.store.add_schema(StoredSchema(names.catalog, names.schema, None, None, 1))


def test_comment_and_properties_of_a_schema_change(names: Names) -> None:
    key = (names.catalog, names.schema)
    names.store.change_schema(key, lambda schema: replace(schema, properties={"x": "y"}))
    found = names.store.schema(key)
    assert found is not None
    assert found.properties == {"x": "y"}
    if type(names.within).__name__ == "HiveStore":
        # Hive 2 ignores the request.
        with pytest.raises(CatalogOperationError, match="Hive 2"):
            names.store.change_schema(key, lambda schema: replace(schema, comment=None))
        return
    names.store.change_schema(key, lambda schema: replace(schema, comment=None))
    found = names.store.schema(key)
    assert found is not None
    assert found.comment is None


def test_a_schema_that_is_missing_does_not_change(names: Names) -> None:
    with pytest.raises(NameMissingError):
        names.store.change_schema((names.catalog, "missing"), lambda schema: schema)


def test_a_schema_with_tables_is_dropped_by_cascade_alone(names: Names) -> None:
    entry = table(names, managed=True)
    names.store.add_table(entry)
    key = (names.catalog, names.schema)
    with pytest.raises(SchemaInUseError) as error:
        names.store.drop_schema(key, False)
    assert error.value.names == ["t"]
    assert [timeless(item) for item in names.store.drop_schema(key, True)] == [timeless(entry)]
    assert names.store.schema(key) is None
    with pytest.raises(NameMissingError):
        names.store.drop_schema(key, True)
    with pytest.raises(NameMissingError):
        names.store.entries(key)


def test_an_empty_schema_is_dropped(names: Names) -> None:
    assert list(names.store.drop_schema((names.catalog, names.schema), False)) == []
    assert names.store.schema((names.catalog, names.schema)) is None


@pytest.mark.parametrize("managed", [True, False])
@pytest.mark.parametrize("folder", ["plain", "with space", "50%25 + ü"])
def test_a_table_is_found(names: Names, managed: bool, folder: str) -> None:
    entry = table(names, managed=managed, folder=folder)
    names.store.add_table(entry)
    assert timeless(names.store.entry(entry.parts)) == timeless(entry)
    assert [timeless(item) for item in names.store.entries(entry.parts[:2])] == [timeless(entry)]
    assert names.store.entry(names.key("missing")) is None
    assert names.store.entry((names.catalog, "missing", "t")) is None


def test_a_table_is_created_once_in_a_schema_that_exists(names: Names) -> None:
    names.store.add_table(table(names))
    with pytest.raises(NameTakenError):
        names.store.add_table(table(names, folder="other"))
    with pytest.raises(NameMissingError) as error:
        names.store.add_table(replace(table(names), schema="missing"))
    assert error.value.kind in {Kind.SCHEMA, Kind.CATALOG}


def test_of_many_who_create_a_table_one_wins(names: Names) -> None:
    def create(number: int) -> int | None:
        with suppress(NameTakenError):
            names.store.add_table(table(names, folder=f"f{number}"))
            return number
        return None

    with ThreadPoolExecutor(6) as pool:
        winners = [number for number in pool.map(create, range(12)) if number is not None]
    assert len(winners) == 1
    found = names.store.entry(names.key("t"))
    assert isinstance(found, TableEntry)
    assert found.location.endswith(f"f{winners[0]}")


def test_a_table_is_removed(names: Names) -> None:
    entry = table(names)
    names.store.add_table(entry)
    with pytest.raises(NameMissingError):
        names.store.remove_entry(entry.parts, Kind.VIEW)
    assert timeless(names.store.remove_entry(entry.parts, Kind.TABLE)) == timeless(entry)
    with pytest.raises(NameMissingError):
        names.store.remove_entry(entry.parts, Kind.TABLE)


@pytest.mark.parametrize("managed", [True, False])
def test_a_table_is_renamed_and_its_files_stay(names: Names, managed: bool) -> None:
    entry = table(names, managed=managed)
    place = names.place / names.schema / "t"
    place.mkdir(parents=True)
    (place / "file").write_text("x")
    names.store.add_table(entry)
    renamed = entry.renamed(names.key("u"))
    assert timeless(names.store.rename(entry.parts, renamed.parts)) == timeless(renamed)
    assert names.store.entry(entry.parts) is None
    assert timeless(names.store.entry(renamed.parts)) == timeless(renamed)
    assert (place / "file").read_text() == "x"


def test_a_table_is_renamed_into_another_schema(names: Names) -> None:
    other = f"{names.schema}_b"
    names.store.add_schema(StoredSchema(names.catalog, other, None, str(names.place / other), 1))
    entry = table(names)
    names.store.add_table(entry)
    renamed = entry.renamed((names.catalog, other, "t"))
    assert timeless(names.store.rename(entry.parts, renamed.parts)) == timeless(renamed)
    assert [timeless(item) for item in names.store.entries(renamed.parts[:2])] == [timeless(renamed)]


def test_rename_refuses(names: Names) -> None:
    for name in ("t", "u"):
        names.store.add_table(table(names, name))
    with pytest.raises(NameTakenError):
        names.store.rename(names.key("t"), names.key("u"))
    for old, new, kind in (
        (names.key("missing"), names.key("v"), Kind.TABLE),
        (names.key("t"), (names.catalog, "missing", "t"), Kind.SCHEMA),
    ):
        with pytest.raises(NameMissingError) as error:
            names.store.rename(old, new)
        assert error.value.kind is kind
    assert {entry.name for entry in names.store.entries((names.catalog, names.schema))} == {"t", "u"}


def test_of_many_who_rename_a_table_one_wins(names: Names) -> None:
    names.store.add_table(table(names, managed=True))

    def rename(number: int) -> int | None:
        with suppress(NameMissingError):
            names.store.rename(names.key("t"), names.key(f"u{number}"))
            return number
        return None

    with ThreadPoolExecutor(4) as pool:
        winners = [number for number in pool.map(rename, range(4)) if number is not None]
    assert [entry.name for entry in names.store.entries((names.catalog, names.schema))] == [f"u{winners[0]}"]
    assert len(winners) == 1
    found = names.store.entry(names.key(f"u{winners[0]}"))
    assert isinstance(found, TableEntry)
    assert found.managed


def test_a_table_is_moved_and_external(names: Names) -> None:
    names.store.add_table(table(names, managed=True))
    place = str(names.place / "elsewhere")
    moved = names.store.change_table(names.key("t"), lambda entry: replace(entry, location=place, managed=False))
    assert (moved.location, moved.managed) == (place, False)
    assert timeless(names.store.entry(moved.parts)) == timeless(moved)
    with pytest.raises(NameMissingError):
        names.store.change_table(names.key("missing"), lambda entry: entry)


def test_a_view_is_found_with_all_of_it(names: Names) -> None:
    entry = view(names)
    names.store.change_view(entry.parts, lambda found: entry)
    assert timeless(names.store.entry(entry.parts)) == timeless(entry)
    assert [timeless(item) for item in names.store.entries(entry.parts[:2])] == [timeless(entry)]


def test_a_view_is_replaced_renamed_and_removed(names: Names) -> None:
    entry = view(names)
    names.store.change_view(entry.parts, lambda found: entry)

    def changed(found: Entry | None) -> ViewEntry:
        assert isinstance(found, ViewEntry)
        columns = StructType((StructField("key", STRING), StructField("more", INTEGER)))
        definition = replace(found.definition, query="SELECT 1", names=("a", "b"), schema=columns, comment=None)
        return found.defined(definition)

    names.store.change_view(entry.parts, changed)
    found = names.store.entry(entry.parts)
    assert isinstance(found, ViewEntry)
    assert (found.definition.query, found.definition.names, found.definition.comment) == ("SELECT 1", ("a", "b"), None)
    names.store.rename(entry.parts, names.key("w"))
    assert names.store.entry(entry.parts) is None
    with pytest.raises(NameMissingError):
        names.store.remove_entry(names.key("w"), Kind.TABLE)
    assert names.store.remove_entry(names.key("w"), Kind.VIEW).name == "w"
    assert names.store.entry(names.key("w")) is None


def test_a_view_that_its_change_refuses_stays(names: Names) -> None:
    names.store.add_table(table(names))

    def refuse(found: Entry | None) -> ViewEntry:
        raise KeyError(found)

    with pytest.raises(KeyError):
        names.store.change_view(names.key("t"), refuse)
    assert isinstance(names.store.entry(names.key("t")), TableEntry)
    entry = replace(view(names), schema="missing")
    with pytest.raises(NameMissingError) as error:
        names.store.change_view(entry.parts, lambda found: entry)
    assert error.value.kind in {Kind.SCHEMA, Kind.CATALOG}


def test_a_long_query_and_many_columns(names: Names) -> None:
    columns = StructType(tuple(StructField(f"column_{number}", STRING) for number in range(300)))
    definition = replace(
        view(names).definition,
        query="SELECT " + ", ".join(columns.names),
        names=columns.names,
        schema=columns,
        has_names=False,
    )
    entry = view(names).defined(definition)
    names.store.change_view(entry.parts, lambda found: entry)
    assert timeless(names.store.entry(entry.parts)) == timeless(entry)


def test_a_closed_store_opens_again(names: Names) -> None:
    names.store.add_table(table(names))
    names.within.close()
    assert names.store.entry(names.key("t")) is not None
