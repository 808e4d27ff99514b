"""Names in a Unity Catalog: look-ups, listings, external tables, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import (
    CatalogOperationError,
    SchemaAlreadyExistsError,
    SchemaNotEmptyError,
    SchemaNotFoundError,
    TableAlreadyExistsError,
    TableNotFoundError,
)
from tests.unity.conftest import rows
from tests.unity.server import UnityServer
from tests.unity.state import Catalogs

Connect = Callable[..., deltasql.Session]


def test_listings_of_several_pages(session: deltasql.Session, catalogs: Catalogs, tmp_path: Path) -> None:
    for number in range(5):
        session.sql(f"CREATE TABLE main.sales.t{number} (id INT) USING delta LOCATION '{tmp_path}/t{number}'")
        session.sql(f"CREATE SCHEMA main.s{number} COMMENT 'number {number}'")
    assert [name for _, name, _ in rows(session, "SHOW TABLES IN main.sales")] == [f"t{number}" for number in range(5)]
    names = [name for (name,) in rows(session, "SHOW SCHEMAS IN main")]
    assert names == ["default", "s0", "s1", "s2", "s3", "s4", "sales"]
    assert ("Comment", "number 3") in rows(session, "DESCRIBE SCHEMA main.s3")


@pytest.mark.spark
@pytest.mark.parametrize("delta", [True, False])
def test_an_external_table_is_created_written_and_read(
    connect: Connect, catalogs: Catalogs, tmp_path: Path, delta: bool
) -> None:
    catalogs.delta = delta
    session = connect()
    columns = "id BIGINT, price DECIMAL(10, 2) COMMENT 'net', tags ARRAY<STRING>, day DATE"
    place = f"USING delta PARTITIONED BY (day) LOCATION '{tmp_path}/t'"
    session.sql(f"CREATE TABLE main.sales.orders ({columns}) {place} COMMENT 'all orders'")
    session.sql("INSERT INTO main.sales.orders VALUES (1, 2.5, array('a'), DATE'2026-01-01')")
    assert rows(connect(), "SELECT id, tags FROM MAIN.Sales.`orders`") == [(1, ["a"])]
    info = catalogs.tables[("main", "sales", "orders")]
    assert info["storage_location"] == f"file://{tmp_path}/t"
    assert info["comment"] == "all orders"
    assert [(item["name"], item["type_text"], item["type_name"]) for item in info["columns"]] == [
        ("id", "bigint", "LONG"),
        ("price", "decimal(10,2)", "DECIMAL"),
        ("tags", "array<string>", "ARRAY"),
        ("day", "date", "DATE"),
    ]
    assert info["columns"][3]["partition_index"] == 0
    session.sql("DROP TABLE main.sales.orders")
    assert rows(session, f"SELECT count(*) FROM delta.`{tmp_path}/t`") == [(1,)]


@pytest.mark.spark
@pytest.mark.parametrize("delta", [True, False])
def test_a_look_up_is_one_request(
    connect: Connect, server: UnityServer, catalogs: Catalogs, tmp_path: Path, delta: bool
) -> None:
    catalogs.delta = delta
    session = connect()
    for name in "ab":
        session.sql(f"CREATE TABLE main.sales.{name} (id INT) USING delta LOCATION '{tmp_path}/{name}'")
    server.requests.clear()
    rows(session, "SELECT * FROM main.sales.a JOIN main.sales.b USING (id) JOIN main.sales.a AS c USING (id)")
    assert len(server.requests) == 2
    server.requests.clear()
    session.sql("INSERT INTO main.sales.a VALUES (1)")
    assert len(server.requests) == 1


def test_statements_without_names_of_the_catalog_ask_nothing(session: deltasql.Session, server: UnityServer) -> None:
    session.sql("CREATE TABLE here (id INT)")
    rows(session, "SELECT * FROM here")
    rows(session, "SHOW CATALOGS")
    session.sql("USE CATALOG main")
    assert server.requests == []


def test_names_that_are_missing_or_taken(session: deltasql.Session, tmp_path: Path) -> None:
    place = f"USING delta LOCATION '{tmp_path}/t'"
    elsewhere = f"USING delta LOCATION '{tmp_path}/u'"
    session.sql(f"CREATE TABLE main.sales.orders (id INT) {place}")
    with pytest.raises(TableNotFoundError) as missing:
        session.sql("SELECT * FROM main.sales.order")
    assert missing.value.similar == ("main.sales.orders",)
    with pytest.raises(SchemaNotFoundError):
        session.sql(f"CREATE TABLE main.sale.orders (id INT) {elsewhere}")
    with pytest.raises(SchemaNotFoundError):
        session.sql("SHOW TABLES IN main.sale")
    with pytest.raises(TableAlreadyExistsError):
        session.sql(f"CREATE TABLE main.sales.orders (id INT) {place}")
    with pytest.raises(SchemaAlreadyExistsError):
        session.sql("CREATE SCHEMA main.sales")
    session.sql("CREATE SCHEMA IF NOT EXISTS main.sales")
    with pytest.raises(SchemaNotEmptyError, match="orders"):
        session.sql("DROP SCHEMA main.sales")
    session.sql("DROP SCHEMA main.sales CASCADE")
    session.sql("DROP SCHEMA IF EXISTS main.sales")
    session.sql("DROP TABLE IF EXISTS main.default.nothing")


def test_changes_of_a_schema(session: deltasql.Session, catalogs: Catalogs) -> None:
    session.sql("COMMENT ON SCHEMA main.sales IS 'what is sold'")
    session.sql("ALTER SCHEMA main.sales SET DBPROPERTIES ('owner team' = 'north')")
    assert catalogs.schemas[("main", "sales")]["comment"] == "what is sold"
    assert catalogs.schemas[("main", "sales")]["properties"] == {"owner team": "north"}


def test_the_information_schema(session: deltasql.Session, tmp_path: Path) -> None:
    session.sql(f"CREATE TABLE main.sales.orders (id INT) USING delta LOCATION '{tmp_path}/t'")
    query = (
        "SELECT table_schema, table_name, table_type FROM main.information_schema.tables WHERE table_schema = 'sales'"
    )
    assert rows(session, query) == [("sales", "orders", "EXTERNAL")]
    assert ("sales",) in rows(session, "SELECT schema_name FROM main.information_schema.schemata")


def test_another_name_on_the_server(connect: Connect, catalogs: Catalogs) -> None:
    catalogs.names.add("prod")
    catalogs.add_schema("prod", "north")
    assert rows(connect(catalog="prod"), "SHOW SCHEMAS IN main") == [("north",)]


@pytest.mark.parametrize(
    ("info", "reason"),
    [
        ({"table_type": "EXTERNAL", "data_source_format": "ICEBERG"}, "whose format is ICEBERG"),
        ({"table_type": "VIEW", "data_source_format": None}, "the view other"),
    ],
)
def test_what_is_no_delta_table_is_refused_by_name(
    session: deltasql.Session, catalogs: Catalogs, info: dict[str, str], reason: str
) -> None:
    names = {"name": "other", "catalog_name": "main", "schema_name": "sales", "table_id": "1"}
    catalogs.tables[("main", "sales", "other")] = {**names, **info}
    with pytest.raises(CatalogOperationError, match=reason):
        session.sql("SELECT * FROM main.sales.other")


@pytest.mark.spark
@pytest.mark.parametrize(
    ("statement", "operation"),
    [
        ("CREATE VIEW main.sales.v AS SELECT 1 AS a", "views"),
        ("CREATE FUNCTION main.sales.f() RETURNS INT RETURN 1", "functions"),
        ("DROP CATALOG main CASCADE", "DROP CATALOG"),
        ("COMMENT ON CATALOG main IS 'x'", "comments"),
        ("ALTER TABLE main.sales.orders RENAME TO main.default.orders", "RENAME TO another schema"),
        ("ALTER TABLE main.sales.orders SET LOCATION '{place}'", "SET LOCATION"),
        (
            "ALTER TABLE main.sales.orders SET TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported')",
            "catalogManaged",
        ),
    ],
)
def test_what_the_catalog_cannot_do(session: deltasql.Session, tmp_path: Path, statement: str, operation: str) -> None:
    session.sql(f"CREATE TABLE main.sales.orders (id INT) USING delta LOCATION '{tmp_path}/t'")
    with pytest.raises(CatalogOperationError) as refused:
        session.sql(statement.format(place=f"{tmp_path}/t"))
    assert "main, of type unity" in str(refused.value)
    assert operation in str(refused.value)
    assert rows(session, "SELECT count(*) FROM main.sales.orders") == [(0,)]


def test_a_table_is_renamed(session: deltasql.Session, tmp_path: Path) -> None:
    session.sql(f"CREATE TABLE main.sales.orders (id INT) USING delta LOCATION '{tmp_path}/t'")
    session.sql("ALTER TABLE main.sales.orders RENAME TO main.sales.sold")
    assert rows(session, "SHOW TABLES IN main.sales") == [("sales", "sold", False)]


def test_an_older_server_has_no_managed_tables(connect: Connect, catalogs: Catalogs, tmp_path: Path) -> None:
    catalogs.delta = False
    session = connect()
    with pytest.raises(CatalogOperationError, match="no Delta API"):
        session.sql("CREATE TABLE main.sales.t (id INT)")
    session.sql(f"CREATE TABLE main.sales.t (id INT) USING delta LOCATION '{tmp_path}/t'")
    with pytest.raises(CatalogOperationError, match="no Delta API"):
        session.sql("ALTER TABLE main.sales.t RENAME TO main.sales.u")


@pytest.mark.spark
def test_a_table_of_another_format(session: deltasql.Session, catalogs: Catalogs, tmp_path: Path) -> None:
    (tmp_path / "csv").mkdir()
    (tmp_path / "csv/a.csv").write_text("1,one\n2,two\n")
    columns = [
        {"name": "id", "type_json": '"integer"', "position": 0, "nullable": True},
        {"name": "name", "type_json": '{"name":"name","type":"string","nullable":true,"metadata":{}}', "position": 1},
    ]
    catalogs.tables[("main", "sales", "words")] = {
        "name": "words",
        "catalog_name": "main",
        "schema_name": "sales",
        "table_id": "1",
        "table_type": "EXTERNAL",
        "data_source_format": "CSV",
        "storage_location": f"file://{tmp_path}/csv",
        "columns": columns,
    }
    assert rows(session, "SHOW TABLES IN main.sales") == [("sales", "words", False)]
    described = rows(session, "DESCRIBE TABLE main.sales.words")
    assert described[:2] == [("id", "int", None), ("name", "string", None)]
    assert rows(session, "SELECT id, name FROM main.sales.words ORDER BY id") == [(1, "one"), (2, "two")]
    with pytest.raises(CatalogOperationError, match="USING csv"):
        session.sql(f"CREATE TABLE main.sales.other (id INT) USING csv LOCATION '{tmp_path}/other'")
