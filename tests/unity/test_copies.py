"""Tables of a Unity Catalog that are made of others: LIKE, CLONE, AS SELECT, OR REPLACE; and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import CatalogOperationError, TableAlreadyExistsError
from tests.unity.conftest import rows
from tests.unity.managed import FEATURES, ManagedTable, protocol_of
from tests.unity.server import UnityServer
from tests.unity.state import Catalogs

Connect = Callable[..., deltasql.Session]
ID = "io.unitycatalog.tableId"


@pytest.fixture
def sources(session: deltasql.Session, tmp_path: Path) -> None:
    """A table of the warehouse, a managed one of the server, and an external one, with the same rows."""
    columns = "(id INT NOT NULL, note STRING COMMENT 'free text', day DATE)"
    more = (
        "PARTITIONED BY (day) COMMENT 'all of it' TBLPROPERTIES ('team' = 'north', 'delta.columnMapping.mode' = 'name')"
    )
    for name, place in (("plain", ""), ("main.sales.managed", ""), ("main.sales.external", f"LOCATION '{tmp_path}/e'")):
        session.sql(f"CREATE TABLE {name} {columns} USING delta {more} {place}")
        session.sql(f"INSERT INTO {name} VALUES (1, 'one', DATE'2026-01-01'), (2, 'two', NULL), (3, 'three', NULL)")
        session.sql(f"DELETE FROM {name} WHERE id = 3")


SOURCES = ["plain", "main.sales.managed", "main.sales.external"]
ROWS = [(1, "one"), (2, "two")]


def table_of(catalogs: Catalogs, name: str) -> ManagedTable:
    return catalogs.managed[catalogs.tables[("main", "sales", name)]["table_id"]]


def check_managed(table: ManagedTable, version: int = 0) -> None:
    """The server has a managed table with all that it requires, as its log has it."""
    assert {*FEATURES} <= {*protocol_of(table.location)["writerFeatures"]}
    assert table.properties[ID] == table.id
    assert table.required.items() <= table.properties.items()
    assert table.latest == version


@pytest.mark.usefixtures("sources")
@pytest.mark.parametrize("source", SOURCES)
def test_like(connect: Connect, session: deltasql.Session, catalogs: Catalogs, source: str) -> None:
    session.sql(f"CREATE TABLE main.sales.c LIKE {source}")
    table = table_of(catalogs, "c")
    check_managed(table)
    assert [field["name"] for field in table.columns["fields"]] == ["id", "note", "day"]
    assert (table.partition_columns, table.properties["team"]) == (["day"], "north")
    session.sql("CREATE TABLE IF NOT EXISTS main.sales.c LIKE plain")
    with pytest.raises(TableAlreadyExistsError):
        session.sql(f"CREATE TABLE main.sales.c LIKE {source}")
    session.sql(f"INSERT INTO main.sales.c SELECT * FROM {source}")
    assert rows(connect(), "SELECT id, note FROM main.sales.c ORDER BY id") == ROWS
    assert (table.latest, table.published) == (1, 1)


@pytest.mark.usefixtures("sources")
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("words", ["CLONE", "DEEP CLONE"])
def test_deep_clone(connect: Connect, session: deltasql.Session, catalogs: Catalogs, source: str, words: str) -> None:
    (row,) = session.sql(f"CREATE TABLE main.sales.c {words} {source} TBLPROPERTIES ('team' = 'south')").collect()
    assert row["num_copied_files"] == 2
    table = table_of(catalogs, "c")
    check_managed(table)
    assert table.properties["team"] == "south"
    session.sql("UPDATE main.sales.c SET note = 'zwei' WHERE id = 2")
    assert rows(connect(), "SELECT id, note FROM main.sales.c ORDER BY id") == [(1, "one"), (2, "zwei")]
    assert rows(connect(), f"SELECT id, note FROM {source} ORDER BY id") == ROWS
    assert [row[4] for row in rows(session, "DESCRIBE HISTORY main.sales.c")] == ["UPDATE", "CLONE"]


@pytest.mark.usefixtures("sources")
def test_copies_of_a_managed_table_are_other_tables(
    session: deltasql.Session, catalogs: Catalogs, tmp_path: Path
) -> None:
    session.sql("CREATE TABLE a LIKE main.sales.managed")
    session.sql("CREATE TABLE b DEEP CLONE main.sales.managed")
    session.sql(f"CREATE TABLE main.sales.d DEEP CLONE main.sales.managed LOCATION '{tmp_path}/d'")
    for name in ("a", "b", "main.sales.d"):
        properties = {key: value for key, value, *_ in rows(session, f"SHOW TBLPROPERTIES {name}")}
        assert ID not in properties
        assert "delta.feature.catalogManaged" not in properties
    assert rows(session, "SELECT id, note FROM main.sales.d ORDER BY id") == ROWS
    (text,) = session.sql("SHOW CREATE TABLE main.sales.managed").collect()
    assert ID not in text[0]
    session.sql(text[0].replace("managed", "again", 1))
    check_managed(table_of(catalogs, "again"))


@pytest.mark.usefixtures("sources")
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE OR REPLACE TABLE main.sales.c AS SELECT id, note FROM plain",
        "CREATE OR REPLACE TABLE main.sales.c CLONE plain",
        "REPLACE TABLE main.sales.c DEEP CLONE main.sales.managed",
        "CREATE OR REPLACE TABLE main.sales.c CLONE main.sales.external",
        "REPLACE TABLE main.sales.c USING delta AS SELECT id, note FROM main.sales.managed",
        "CREATE OR REPLACE TABLE delta.`{place}` AS SELECT id, note FROM plain",
    ],
)
def test_a_replacement_stays_the_managed_table(
    connect: Connect, session: deltasql.Session, catalogs: Catalogs, statement: str
) -> None:
    session.sql("CREATE TABLE main.sales.c (x INT)")
    session.sql("INSERT INTO main.sales.c VALUES (7)")
    table = table_of(catalogs, "c")
    session.sql(statement.format(place=table.location))
    assert table_of(catalogs, "c") is table
    check_managed(table, version=2)
    assert rows(connect(), "SELECT id, note FROM main.sales.c ORDER BY id") == ROWS
    assert rows(session, "SELECT * FROM main.sales.c VERSION AS OF 1") == [(7,)]


def test_an_empty_replacement_and_one_of_nothing(session: deltasql.Session, catalogs: Catalogs) -> None:
    session.sql("CREATE OR REPLACE TABLE main.sales.c (id INT)")
    check_managed(table_of(catalogs, "c"))
    session.sql("CREATE OR REPLACE TABLE main.sales.c (id INT, note STRING) TBLPROPERTIES ('team' = 'north')")
    check_managed(table_of(catalogs, "c"), version=1)
    session.sql("REPLACE TABLE main.sales.c (id INT) CLUSTER BY (id)")
    table = table_of(catalogs, "c")
    check_managed(table, version=2)
    assert "team" not in table.properties
    assert table.domains["delta.clustering"] == {"clusteringColumns": [["id"]]}


def test_as_select(session: deltasql.Session, catalogs: Catalogs) -> None:
    session.sql("CREATE TABLE main.sales.c PARTITIONED BY (day) AS SELECT 1 AS id, DATE'2026-01-01' AS day")
    table = table_of(catalogs, "c")
    check_managed(table)
    assert table.partition_columns == ["day"]
    assert rows(session, "SELECT id FROM main.sales.c") == [(1,)]


@pytest.mark.usefixtures("sources")
@pytest.mark.parametrize(
    ("statement", "operation"),
    [
        ("CREATE TABLE main.sales.c SHALLOW CLONE plain", "SHALLOW CLONE"),
        ("CREATE TABLE IF NOT EXISTS main.sales.c SHALLOW CLONE main.sales.external", "SHALLOW CLONE"),
        ("CREATE OR REPLACE TABLE main.sales.managed SHALLOW CLONE plain", "SHALLOW CLONE"),
        ("REPLACE TABLE `main`.Sales.managed SHALLOW CLONE main.sales.external", "SHALLOW CLONE"),
        ("CREATE MATERIALIZED VIEW main.sales.c AS SELECT id FROM plain", "CREATE MATERIALIZED VIEW"),
        ("CREATE OR REPLACE MATERIALIZED VIEW main.sales.c AS SELECT id FROM plain", "CREATE MATERIALIZED VIEW"),
        ("CREATE STREAMING TABLE main.sales.c AS SELECT id FROM STREAM(plain)", "CREATE STREAMING TABLE"),
        ("CREATE TABLE main.sales.c USING csv AS SELECT id FROM plain", "USING csv"),
    ],
)
def test_what_is_refused_by_name(
    session: deltasql.Session, server: UnityServer, statement: str, operation: str
) -> None:
    server.requests.clear()
    with pytest.raises(CatalogOperationError) as refused:
        session.sql(statement)
    assert operation in refused.value.operation
    assert [name for _, name, _ in rows(session, "SHOW TABLES IN main.sales")] == ["external", "managed"]
    assert rows(session, "SELECT id, note FROM main.sales.managed ORDER BY id") == ROWS
    assert server.counted("staging-tables") == 0


@pytest.mark.usefixtures("sources")
def test_an_external_table_may_be_a_shallow_clone(session: deltasql.Session, tmp_path: Path) -> None:
    session.sql(f"CREATE TABLE main.sales.c SHALLOW CLONE plain LOCATION '{tmp_path}/c'")
    assert rows(session, "SELECT id, note FROM main.sales.c ORDER BY id") == ROWS
