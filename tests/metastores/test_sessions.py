"""Statements of a session on a Hive metastore and on Glue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import deltasql
from deltasql.base import errors
from deltasql.base.errors import CatalogLibraryMissingError, CatalogOperationError, SeparateCatalogError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.session.session import Session
from tests.metastores.conftest import HIVE, Names


@pytest.fixture(params=[HIVE, "glue"])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    if request.param == "hive":
        options = {"type": "hive", "uri": request.getfixturevalue("hive_uri")}
    else:
        endpoint = request.getfixturevalue("glue_endpoint")
        options = {"type": "glue", "region": "eu-west-1", "endpoint": endpoint, "warehouse": str(tmp_path / "glue")}
        options |= {"access_key_id": "test", "secret_access_key": "test"}
    schema = f"q{abs(hash(tmp_path)) % 10**9}"
    with deltasql.connect(str(tmp_path / "warehouse"), catalogs={"Lake": options}, catalog="lake") as opened:
        opened.sql(f"CREATE SCHEMA {schema} COMMENT 'of a test' LOCATION '{tmp_path}/{schema}'")
        opened.sql(f"USE {schema}")
        yield opened


def rows(session: Session, text: str) -> list[list[Any]]:
    return [list(row) for row in session.sql(text).collect()]


def test_the_life_of_a_table(session: Session, tmp_path: Path) -> None:
    schema = session.catalog.current_schema
    session.sql("CREATE TABLE t (id INT COMMENT 'key', day DATE) PARTITIONED BY (day) COMMENT 'c'")
    assert (tmp_path / schema / "t" / "_delta_log").is_dir()
    session.sql("INSERT INTO t VALUES (1, DATE'2026-01-01'), (2, NULL)")
    session.sql("ALTER TABLE t ADD COLUMN more STRING")
    session.sql("UPDATE t SET more = 'x' WHERE id = 1")
    assert rows(session, f"SELECT id, more FROM LAKE.{schema}.`T` ORDER BY id") == [[1, "x"], [2, None]]
    with pytest.raises(errors.TableAlreadyExistsError):
        session.sql("CREATE TABLE t (id INT)")
    session.sql("CREATE TABLE IF NOT EXISTS t (id INT)")
    session.sql("ALTER TABLE t RENAME TO u")
    assert [row[1] for row in rows(session, "SHOW TABLES")] == ["u"]
    with pytest.raises(errors.TableNotFoundError, match="u"):
        session.sql("SELECT * FROM t")
    session.sql("DROP TABLE u")
    assert not (tmp_path / schema / "t" / "_delta_log").exists()
    session.sql("DROP TABLE IF EXISTS u")


def test_the_record_follows_the_table(session: Session) -> None:
    def parameters() -> dict[str, str]:
        store: Any = session.catalog.external.store("lake")
        return dict(store._metastore.table(session.catalog.current_schema, "t").parameters)

    session.sql("CREATE TABLE t (id INT) COMMENT 'c' TBLPROPERTIES ('p' = 'q')")
    found = parameters()
    assert '"id"' in found["spark.sql.sources.schema"]
    assert (found["comment"], found["p"], found["delta.lastUpdateVersion"]) == ("c", "q", "0")
    session.sql("INSERT INTO t VALUES (1)")
    assert parameters()["delta.lastUpdateVersion"] == "0"
    session.sql("ALTER TABLE t ADD COLUMN more INT")
    session.sql("ALTER TABLE t UNSET TBLPROPERTIES ('p')")
    session.sql("COMMENT ON TABLE t IS 'new'")
    found = parameters()
    assert '"more"' in found["spark.sql.sources.schema"]
    assert (found["comment"], found.get("p")) == ("new", None)
    session.sql("CREATE OR REPLACE TABLE t AS SELECT 1 AS other")
    assert '"other"' in parameters()["spark.sql.sources.schema"]


def test_the_record_of_a_table_that_was_there(session: Session, tmp_path: Path) -> None:
    session.sql(f"CREATE TABLE delta.`{tmp_path}/there` (id INT) TBLPROPERTIES ('p' = 'q')")
    session.sql(f"CREATE TABLE t LOCATION '{tmp_path}/there'")
    store: Any = session.catalog.external.store("lake")
    found = store._metastore.table(session.catalog.current_schema, "t").parameters
    assert '"id"' in found["spark.sql.sources.schema"]
    assert (found["p"], found["delta.lastUpdateVersion"], found["delta.minReaderVersion"]) == ("q", "0", "1")


def test_a_table_whose_record_cannot_follow(session: Session, caplog: pytest.LogCaptureFixture) -> None:
    store: Any = session.catalog.external.store("lake")
    session.sql("CREATE TABLE t (id INT)")

    def fail(*items: Any) -> None:
        raise store._metastore_error

    store._metastore_error = CatalogOperationError(catalog="lake", type=store.type, operation="a change")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store._metastore, "change_table", fail)
        session.sql("ALTER TABLE t ADD COLUMN more INT")
    assert "catalog lake does not show version 1" in caplog.text
    assert rows(session, "SELECT more FROM t") == []
    session.sql("INSERT INTO t VALUES (1, 2)")
    assert (
        '"more"' in store._metastore.table(session.catalog.current_schema, "t").parameters["spark.sql.sources.schema"]
    )


def test_the_life_of_a_view(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("CREATE VIEW v (key COMMENT 'k') COMMENT 'c' AS SELECT id FROM t")
    assert rows(session, "SELECT key FROM v") == [[1]]
    with pytest.raises(DeltaSqlError):
        session.sql("CREATE TABLE v (id INT)")
    session.sql("CREATE OR REPLACE VIEW v AS SELECT id + 1 AS more FROM t")
    session.sql("ALTER VIEW v RENAME TO w")
    assert rows(session, "SELECT * FROM w") == [[2]]
    session.sql("DROP VIEW w")
    assert [row[1] for row in rows(session, "SHOW TABLES")] == ["t"]


def test_schemas(session: Session, tmp_path: Path) -> None:
    schema = session.catalog.current_schema
    session.sql("CREATE TABLE t (id INT)")
    session.sql(f"ALTER SCHEMA {schema} SET DBPROPERTIES ('a' = 'b')")
    described = {row[0]: row[1] for row in rows(session, f"DESCRIBE SCHEMA EXTENDED {schema}")}
    assert described["Comment"] == "of a test"
    assert "(a,b)" in described["Properties"]
    with pytest.raises(errors.SchemaAlreadyExistsError):
        session.sql(f"CREATE SCHEMA {schema}")
    with pytest.raises(errors.SchemaNotEmptyError):
        session.sql(f"DROP SCHEMA {schema}")
    with pytest.raises(errors.SchemaNotFoundError):
        session.sql("CREATE TABLE missing.t (id INT)")
    assert [schema] in rows(session, "SHOW SCHEMAS")
    session.sql(f"DROP SCHEMA {schema} CASCADE")
    assert [schema] not in rows(session, "SHOW SCHEMAS")
    assert not (tmp_path / schema / "t" / "_delta_log").exists()


def test_what_a_metastore_does_not_have(session: Session) -> None:
    for text in (
        "CREATE FUNCTION f(x INT) RETURNS INT RETURN x + 1",
        "CREATE TABLE c (id INT) USING csv",
        "COMMENT ON CATALOG lake IS 'x'",
        "DROP CATALOG lake CASCADE",
    ):
        with pytest.raises(DeltaSqlError) as error:
            session.sql(text)
        assert error.value.condition.startswith(("UNSUPPORTED", "DELTA_", "CATALOG")), text


def test_commits_are_not_ratified_for_tables_of_a_metastore(session: Session, tmp_path: Path) -> None:
    feature = "TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported')"
    session.sql("CREATE TABLE plain (id INT)")
    for text in (
        f"CREATE TABLE t (id INT) {feature}",
        f"CREATE TABLE t (id INT) LOCATION '{tmp_path}/far' {feature}",
        f"ALTER TABLE plain SET {feature}",
    ):
        with pytest.raises(CatalogOperationError, match="catalogManaged"):
            session.sql(text)
    assert [row[1] for row in rows(session, "SHOW TABLES")] == ["plain"]
    session.sql("INSERT INTO plain VALUES (1)")
    session.sql("CREATE TABLE t (id INT)")
    with pytest.raises(SeparateCatalogError, match="in another transaction"):
        session.sql("BEGIN ATOMIC INSERT INTO plain VALUES (2); INSERT INTO t VALUES (2); END")
    for text in ("CREATE MATERIALIZED VIEW v AS SELECT id FROM plain", "CREATE TABLE c USING csv AS SELECT 1 AS id"):
        with pytest.raises(CatalogOperationError, match=r"MATERIALIZED VIEW|USING csv"):
            session.sql(text)
    assert rows(session, "SELECT id FROM plain UNION ALL SELECT id FROM t") == [[1]]
    assert [row[1] for row in rows(session, "SHOW TABLES")] == ["plain", "t"]


@pytest.mark.parametrize(("kind", "package"), [("hive", "hive_metastore"), ("glue", "boto3")])
def test_a_library_that_is_missing(kind: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delitem(sys.modules, f"deltasql.catalog.external.{kind}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    options = {"type": kind, "uri": "thrift://127.0.0.1:1"} if kind == "hive" else {"type": kind}
    with (
        deltasql.connect(str(tmp_path), catalogs={"lake": options}) as session,
        pytest.raises(CatalogLibraryMissingError, match=rf"deltasql\[{kind}\]"),
    ):
        session.sql("SELECT * FROM lake.s.t")


def test_an_unused_catalog_is_not_opened(tmp_path: Path) -> None:
    catalogs = {"a": {"type": "hive", "uri": "thrift://127.0.0.1:1"}, "b": {"type": "glue"}}
    with deltasql.connect(str(tmp_path), catalogs=catalogs) as session:
        session.sql("CREATE TABLE t (id INT)")
        assert session.catalog.external.opened == ()


@pytest.mark.parametrize("outer", [HIVE, "glue"], indirect=True)
def test_sources_of_other_formats(outer: Names) -> None:
    from deltasql.catalog.entries import TableEntry
    from deltasql.catalog.external.metastore.model import MetastoreColumn, MetastoreTable, Storage

    store: Any = outer.within
    text = ("org.apache.hadoop.mapred.TextInputFormat", None, "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe")
    columns, days = (MetastoreColumn("a", "int"), MetastoreColumn("b", "string")), (MetastoreColumn("day", "date"),)
    place = f"file:{outer.place}/f"
    for name, storage, parameters in (
        ("text", Storage(place, *text, {"field.delim": "|", "serialization.format": "|"}), {}),
        ("plain", Storage(place, *text, {"serialization.format": "1"}), {}),
        ("orc", Storage(place, None, None, "org.apache.hadoop.hive.ql.io.orc.OrcSerde"), {"p": "q", "comment": "c"}),
        ("csv", Storage(place, parameters={"header": "true", "path": place}), {"spark.sql.sources.provider": "CSV"}),
    ):
        table = MetastoreTable(
            outer.schema, name, "EXTERNAL_TABLE", storage, columns, days, {"EXTERNAL": "TRUE", **parameters}
        )
        store._metastore.create_table(table)
    found = {name: store.entry(outer.key(name)) for name in ("text", "plain", "orc", "csv")}
    assert all(isinstance(entry, TableEntry) and not entry.managed for entry in found.values())
    sources = {name: entry.source for name, entry in found.items()}
    assert {name: source.format for name, source in sources.items()} == {
        "text": "csv",
        "plain": "csv",
        "orc": "orc",
        "csv": "csv",
    }
    assert (sources["text"].options["sep"], sources["plain"].options["sep"]) == ("|", "\x01")
    assert sources["text"].options["nullValue"] == "\\N"
    assert sources["csv"].options == {"header": "true"}
    assert (sources["orc"].comment, sources["orc"].properties.get("p")) == ("c", "q")
    for source in sources.values():
        assert source.schema.names == ("a", "b", "day")
        assert source.partition_columns == ("day",)
