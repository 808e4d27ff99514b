"""Transactions that write a table of a Unity Catalog: one such table in each, beside any tables that are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import SecondTableError, SeparateCatalogError
from tests.unity.conftest import rows
from tests.unity.server import UnityServer

Connect = Callable[..., deltasql.Session]
TABLES = {
    "unity": "main.sales.t",
    "another of unity": "main.sales.u",
    "external": "main.sales.e",
    "warehouse": "managed",
    "plain": "plain",
}
"""Tables by the catalog that ratifies their commits."""
PAIRS = [(one, other) for one in TABLES for other in TABLES if one != other and {"plain", "warehouse"} != {one, other}]


@pytest.fixture
def tables(session: deltasql.Session, tmp_path: Path) -> None:
    for name in ("main.sales.t", "main.sales.u", "plain"):
        session.sql(f"CREATE TABLE {name} (id INT)")
    session.sql(f"CREATE TABLE main.sales.e (id INT) USING delta LOCATION '{tmp_path}/e'")
    session.sql("CREATE TABLE managed (id INT) TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported')")


def files(session: deltasql.Session, table: str) -> list[str]:
    """All files of a table on the disk."""
    (row,) = session.sql(f"DESCRIBE DETAIL {table}").collect()
    folder = Path(row["location"].removeprefix("file://").removeprefix("file:"))
    assert folder.is_dir()
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.spark
@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_second_table_is_refused_before_it_is_written(
    session: deltasql.Session, server: UnityServer, one: str, other: str
) -> None:
    first, second = TABLES[one], TABLES[other]
    before = {name: files(session, name) for name in (first, second)}
    inserts = [f"INSERT INTO {first} VALUES (1)", f"INSERT INTO {second} VALUES (2)"]
    server.requests.clear()
    with pytest.raises(SeparateCatalogError) as refused:
        session.sql(f"BEGIN ATOMIC {'; '.join(inserts)}; END")
    assert refused.value.condition == "TRANSACTION_NOT_SUPPORTED.SEPARATE_CATALOG"
    assert refused.value.catalog == "main"
    assert {first, second} & {*refused.value.tables}
    assert not {"managed", "plain"} & {*refused.value.tables}
    assert "in another transaction" in str(refused.value)
    assert {name: files(session, name) for name in (first, second)} == before
    assert server.counted("POST") == 0
    assert rows(session, f"SELECT * FROM {first} UNION ALL SELECT * FROM {second}") == []


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(("one", "other"), [("unity", "another of unity"), ("unity", "warehouse"), ("plain", "unity")])
def test_an_open_transaction_stays_as_it_was(session: deltasql.Session, one: str, other: str) -> None:
    first, second = TABLES[one], TABLES[other]
    before = files(session, second)
    session.sql("BEGIN TRANSACTION")
    session.sql(f"INSERT INTO {first} VALUES (1)")
    for statement in (f"INSERT INTO {second} VALUES (2)", f"DELETE FROM {second}", f"UPDATE {second} SET id = 3"):
        with pytest.raises(SeparateCatalogError):
            session.sql(statement)
    assert files(session, second) == before
    session.sql("COMMIT")
    assert rows(session, f"SELECT * FROM {first}") == [(1,)]
    assert rows(session, f"SELECT * FROM {second}") == []


@pytest.mark.spark
@pytest.mark.usefixtures("tables")
def test_tables_of_the_warehouse_still_say_how_to_be_committed_together(session: deltasql.Session) -> None:
    inserts = "INSERT INTO plain VALUES (1); INSERT INTO managed VALUES (2)"
    with pytest.raises(SecondTableError, match="ALTER TABLE plain SET TBLPROPERTIES"):
        session.sql(f"BEGIN ATOMIC {inserts}; END")
    session.sql("ALTER TABLE plain SET TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported')")
    session.sql(f"BEGIN ATOMIC {inserts}; END")
    assert rows(session, "SELECT id FROM plain UNION ALL SELECT id FROM managed") == [(1,), (2,)]


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("written", ["main.sales.t", "managed", "plain"])
def test_other_tables_are_read_as_of_one_version(connect: Connect, session: deltasql.Session, written: str) -> None:
    read = [name for name in TABLES.values() if name != written]
    for name in read:
        session.sql(f"INSERT INTO {name} VALUES (1)")
    other = connect()
    session.sql("BEGIN TRANSACTION")
    for name in read:
        assert rows(session, f"SELECT count(*) FROM {name}") == [(1,)]
        other.sql(f"INSERT INTO {name} VALUES (2)")
        session.sql(f"INSERT INTO {written} SELECT id FROM {name}")
        assert rows(session, f"SELECT * FROM {name}") == [(1,)]
    session.sql("COMMIT")
    assert rows(session, f"SELECT * FROM {written}") == [(1,)] * len(read)
    assert rows(session, "SELECT count(*) FROM main.sales.u") == [(2,)]


@pytest.mark.spark
@pytest.mark.usefixtures("tables")
def test_a_block_reads_and_writes_the_catalog(session: deltasql.Session) -> None:
    session.sql("INSERT INTO main.sales.u VALUES (1), (2)")
    session.sql(
        "BEGIN ATOMIC"
        " INSERT INTO main.sales.t SELECT id FROM main.sales.u;"
        " DELETE FROM main.sales.t WHERE id IN (SELECT min(id) FROM main.sales.u);"
        " END"
    )
    assert rows(session, "SELECT * FROM main.sales.t") == [(2,)]
