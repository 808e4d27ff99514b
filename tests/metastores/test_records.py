"""The records of tables, as delta-spark, Trino and Athena look for them, and how they follow the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors import CatalogTableError
from deltasql.catalog.entries import TableEntry
from deltasql.catalog.external import glue as zz_catalog_external_glue
from deltasql.catalog.external.metastore import model
from deltasql.catalog.external.metastore.model import MANAGED, VIEW, MetastoreColumn, MetastoreTable, Storage
from deltasql.catalog.external.metastore.store import MetastoreStore, source_of
from deltasql.catalog.external.routing import MirroredTable
from deltasql.catalog.store import Kind
from deltasql.schema.json import schema_to_json
from deltasql.schema.types import (
    BINARY,
    INTEGER,
    STRING,
    ArrayType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
)
from tests.metastores.conftest import HIVE, Names, filled

SCHEMA = StructType(
    (
        StructField("id", INTEGER, False, {"comment": "the key"}),
        StructField("n", STRING),
        StructField("x", StructType((StructField("a", ArrayType(DecimalType(10, 2))),))),
        StructField("at", PrimitiveType("timestamp_ntz")),
        StructField("any", PrimitiveType("variant")),
    )
)


def described(version: int, schema: StructType = SCHEMA, **others: Any) -> MirroredTable:
    properties = others.pop("properties", {"delta.minReaderVersion": "1", "p": "q"})
    return MirroredTable(version, 1_700_000_000_000, schema, ("n",), "of a test", properties, **others)


def record(names: Names, name: str = "t") -> MetastoreTable:
    store: Any = names.within
    found = store._metastore.table(names.schema, name)
    assert isinstance(found, MetastoreTable)
    return found


def created(names: Names, version: MirroredTable | None = None, *, managed: bool = False) -> TableEntry:
    entry = TableEntry(*names.key("t"), str(names.place / "a b"), managed, 1_700_000_000_000)
    assert isinstance(names.within, MetastoreStore)
    if version is not None:
        names.within.mirror(entry.location, version)
    names.store.add_table(entry)
    assert names.store.entry(entry.parts) is not None
    return entry


@pytest.mark.parametrize("managed", [True, False])
def test_a_record_is_that_of_delta_spark(outer: Names, managed: bool) -> None:
    entry = created(outer, described(0), managed=managed)
    found = record(outer)
    uri = f"file:{entry.location}"
    assert (found.storage.location, found.storage.parameters["path"]) == (uri, uri)
    assert found.kind == ("MANAGED_TABLE" if managed else "EXTERNAL_TABLE")
    assert found.parameters.get("EXTERNAL") == (None if managed else "TRUE")
    expected = {
        "spark.sql.sources.provider": "delta",
        "spark.sql.sources.schema": schema_to_json(SCHEMA),
        "comment": "of a test",
        "delta.minReaderVersion": "1",
        "p": "q",
        "delta.lastUpdateVersion": "0",
        "delta.lastCommitTimestamp": "1700000000000",
    }
    assert {key: found.parameters.get(key) for key in expected} == expected


def test_columns_where_the_metastore_lists_them(outer: Names) -> None:
    created(outer, described(0))
    columns = record(outer).columns
    if outer.within.__class__.__name__ == "HiveStore":
        assert columns == model.NO_COLUMNS
        return
    assert columns == (
        MetastoreColumn("id", "int", "the key"),
        MetastoreColumn("n", "string"),
        MetastoreColumn("x", "struct<a:array<decimal(10,2)>>"),
        MetastoreColumn("at", "timestamp"),
        MetastoreColumn("any", "string"),
    )
    assert record(outer).parameters["table_type"] == "DELTA"


def test_a_record_follows_the_log(outer: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = created(outer, described(0))
    store: Any = outer.within
    wider = StructType((*SCHEMA, StructField("more", STRING)))
    store.mirror(entry.location, described(1, changed=False))
    assert record(outer).parameters["delta.lastUpdateVersion"] == "0"
    store.mirror(entry.location, described(2, wider, properties={"r": "s"}, dropped=frozenset({"p"})))
    found = record(outer)
    assert found.parameters["spark.sql.sources.schema"] == schema_to_json(wider)
    assert (found.parameters.get("p"), found.parameters["r"]) == (None, "s")
    assert found.parameters["delta.lastUpdateVersion"] == "2"
    assert store.entry(entry.parts) == replace(entry, created_at=found.created_at)


def test_an_older_version_never_replaces_a_newer_one(outer: Names) -> None:
    entry = created(outer, described(5))
    store: Any = outer.within
    store.mirror(entry.location, described(4, StructType((StructField("old", STRING),))))
    assert record(outer).parameters["delta.lastUpdateVersion"] == "5"


def test_a_record_that_was_not_updated_is_repaired_by_the_next_version(outer: Names) -> None:
    entry = created(outer, described(0))
    store: Any = outer.within
    wider = StructType((*SCHEMA, StructField("more", STRING)))
    store.mirror(entry.location, described(2, wider, changed=False))
    assert record(outer).parameters["spark.sql.sources.schema"] == schema_to_json(wider)


def test_a_record_without_a_schema_stays_so_until_that_changes(outer: Names) -> None:
    entry = created(outer)
    store: Any = outer.within
    store.mirror(entry.location, described(3, changed=False))
    assert "delta.lastUpdateVersion" not in record(outer).parameters
    store.mirror(entry.location, described(4))
    assert record(outer).parameters["delta.lastUpdateVersion"] == "4"


def test_what_others_have_written_stays(outer: Names) -> None:
    entry = created(outer, described(0))
    store: Any = outer.within
    old = record(outer)
    store._metastore.change_table(old, replace(old, parameters={**old.parameters, "classification": "x"}))
    assert store.entry(entry.parts) is not None
    store.mirror(entry.location, described(1, StructType((StructField("only", STRING),))))
    assert record(outer).parameters["classification"] == "x"


def test_a_long_schema_is_in_several_properties() -> None:
    wide = StructType(tuple(StructField(f"column_{number}", STRING) for number in range(300)))
    properties = model.schema_properties(wide)
    assert max(map(len, properties.values())) == 4000
    assert model.stored_schema(MetastoreTable("s", "t", MANAGED, parameters=properties)) == wide
    del properties["spark.sql.sources.schema.part.1"]
    with pytest.raises(ValueError, match=r"part\.1"):
        model.stored_schema(MetastoreTable("s", "t", MANAGED, parameters=properties))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("int", INTEGER),
        ("TINYINT", PrimitiveType("byte")),
        ("decimal", DecimalType(10, 0)),
        ("decimal(5,1)", DecimalType(5, 1)),
        ("map<string,array<binary>>", MapType(STRING, ArrayType(BINARY))),
        ("struct<a:bigint,b:struct<c:double>>", None),
        ("timestamp with local time zone", PrimitiveType("timestamp")),
        ("varchar(5)", PrimitiveType("varchar(5)")),
    ],
)
def test_types_of_hive(text: str, kind: Any) -> None:
    found = model.spark_type(text)
    if kind is not None:
        assert found == kind
    else:
        inner = StructType((StructField("c", PrimitiveType("double")),))
        assert found == StructType((StructField("a", PrimitiveType("long")), StructField("b", inner)))


FOREIGN = {
    "iceberg": {"table_type": "ICEBERG", "metadata_location": "s3://b/m.json"},
    "hudi": {"spark.sql.sources.provider": "hudi"},
    "jdbc": {"spark.sql.sources.provider": "jdbc"},
}


@pytest.mark.parametrize("word", FOREIGN)
def test_tables_that_cannot_be_read_are_refused_by_name_and_listed(outer: Names, word: str) -> None:
    created(outer)
    store: Any = outer.within
    parameters = {"EXTERNAL": "TRUE", **FOREIGN[word]}
    storage = Storage(f"file:{outer.place}/f")
    foreign = MetastoreTable(
        outer.schema, "f", "EXTERNAL_TABLE", storage, (MetastoreColumn("a", "int"),), (), parameters, None, 0
    )
    store._metastore.create_table(foreign)
    with pytest.raises(CatalogTableError) as error:
        store.entry(outer.key("f"))
    assert word in error.value.message
    assert f"lake.{outer.schema}.f" in error.value.message
    assert {entry.name for entry in store.entries((outer.catalog, outer.schema))} == {"t", "f"}


def test_a_transactional_table_is_refused() -> None:
    parameters = {"transactional": "true", "spark.sql.sources.provider": "orc"}
    with pytest.raises(ValueError, match="a transactional table of Hive"):
        source_of(MetastoreTable("s", "t", MANAGED, Storage("file:/t"), (MetastoreColumn("a", "int"),), (), parameters))


@pytest.mark.parametrize("outer", [HIVE, "glue"], indirect=True)
def test_a_view_of_trino_is_refused_by_name(outer: Names) -> None:
    store: Any = outer.within
    texts = ("/* Presto View: eyJ9 */", "/* Presto View */")
    store._metastore.create_table(
        MetastoreTable(outer.schema, "v", VIEW, Storage(), (MetastoreColumn("a", "int"),), (), {}, texts, 0)
    )
    with pytest.raises(CatalogTableError, match="a view of Trino or Presto"):
        store.entry(outer.key("v"))
    assert [entry.name for entry in store.entries((outer.catalog, outer.schema))] == ["v"]


def managed_names(names: Names) -> dict[str, bool]:
    entries = names.store.entries((names.catalog, names.schema))
    return {entry.name: isinstance(entry, TableEntry) and entry.managed for entry in entries}


def test_a_renaming_on_glue_that_is_interrupted_leaves_the_files_to_one_name(
    glue: MetastoreStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = filled(glue, tmp_path)
    created(names, managed=True)
    store: Any = glue
    with monkeypatch.context() as patch:
        patch.setattr(store._metastore, "drop_table", interrupted)
        with pytest.raises(InterruptedError):
            store.rename(names.key("t"), names.key("u"))
    assert managed_names(names) == {"t": True, "u": False}
    store.remove_entry(names.key("u"), Kind.TABLE)
    monkeypatch.setattr(zz_catalog_external_glue, "_PATIENCE_SECONDS", 0.0)
    store.rename(names.key("t"), names.key("u"))
    assert managed_names(names) == {"u": True}
    assert not [key for key in record(names, "u").parameters if key == "deltasql.renamedTo"]


@pytest.mark.spark
def test_a_renaming_on_hive_that_is_interrupted_leaves_the_table(
    hive: MetastoreStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = filled(hive, tmp_path)
    created(names, managed=True)
    store: Any = hive
    with monkeypatch.context() as patch:
        patch.setattr(store._metastore, "table", interrupted_after(store._metastore.table, 1))
        with pytest.raises(InterruptedError):
            store.rename(names.key("t"), names.key("u"))
    assert record(names).kind == "EXTERNAL_TABLE"
    assert managed_names(names) == {"t": True}
    store.rename(names.key("t"), names.key("u"))
    assert managed_names(names) == {"u": True}


def interrupted(*given: Any) -> None:
    raise InterruptedError


def interrupted_after(call: Callable[..., Any], times: int) -> Callable[..., Any]:
    """`call`, which is interrupted after so many times."""
    left = [times]

    def counted(*given: Any) -> Any:
        left[0] -= 1
        return call(*given) if left[0] >= 0 else interrupted()

    return counted
