"""Managed tables of a Unity Catalog: created at a place of the server, committed to by its word."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import CatalogOperationError
from deltasql.base.errors.base import DeltaSqlError
from tests.unity.conftest import rows
from tests.unity.managed import FEATURES, ManagedTable, protocol_of
from tests.unity.server import UnityServer
from tests.unity.state import Catalogs

Connect = Callable[..., deltasql.Session]


@pytest.fixture
def table(session: deltasql.Session, catalogs: Catalogs) -> ManagedTable:
    session.sql("CREATE TABLE main.sales.t (id INT, tags MAP<STRING, ARRAY<INT>>)")
    (created,) = catalogs.managed.values()
    return created


def log_folder(table: ManagedTable) -> Path:
    return Path(table.location.removeprefix("file://")) / "_delta_log"


def test_creation(session: deltasql.Session, table: ManagedTable) -> None:
    assert {*FEATURES} <= {*protocol_of(table.location)["writerFeatures"]}
    assert table.latest == 0
    assert table.properties["io.unitycatalog.tableId"] == table.id
    field = table.columns["fields"][1]
    assert field["type"]["value-type"] == {"type": "array", "element-type": "integer", "contains-null": True}
    assert ("Type", "MANAGED", "") in rows(session, "DESCRIBE TABLE EXTENDED main.sales.t")


@pytest.mark.spark
def test_rows_are_written_and_read_by_several_sessions(connect: Connect, table: ManagedTable) -> None:
    one, other = connect(), connect()
    one.sql("INSERT INTO main.sales.t VALUES (1, NULL), (2, map('a', array(1)))")
    other.sql("UPDATE main.sales.t SET id = 3 WHERE id = 1")
    one.sql("DELETE FROM main.sales.t WHERE id = 2")
    matched = "ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
    one.sql(f"MERGE INTO main.sales.t AS t USING (SELECT 4 AS id) AS s {matched}")
    assert rows(other, "SELECT id FROM main.sales.t ORDER BY id") == [(3,), (4,)]
    assert table.latest == table.published == 4
    assert [row[0] for row in rows(other, "DESCRIBE HISTORY main.sales.t")] == [4, 3, 2, 1, 0]
    assert rows(one, "SELECT count(*) FROM main.sales.t VERSION AS OF 1") == [(2,)]


@pytest.mark.spark
def test_requests_of_a_commit_and_of_a_look_up(
    session: deltasql.Session, table: ManagedTable, server: UnityServer
) -> None:
    server.requests.clear()
    session.sql("INSERT INTO main.sales.t VALUES (1, NULL)")
    # Look-up, commit, and the word that it is published.
    assert [request.split()[0] for request in server.requests] == ["GET", "POST", "POST"]
    server.requests.clear()
    rows(session, "SELECT * FROM main.sales.t")
    assert len(server.requests) == 1


def test_changes_of_the_schema_ride_on_the_commit(session: deltasql.Session, table: ManagedTable) -> None:
    session.sql("ALTER TABLE main.sales.t ADD COLUMN note STRING COMMENT 'free text'")
    assert [field["name"] for field in table.columns["fields"]] == ["id", "tags", "note"]
    assert table.columns["fields"][2]["metadata"] == {"comment": "free text"}
    session.sql("ALTER TABLE main.sales.t SET TBLPROPERTIES ('team' = 'north')")
    assert table.properties["team"] == "north"
    session.sql("ALTER TABLE main.sales.t UNSET TBLPROPERTIES ('team')")
    assert "team" not in table.properties
    session.sql("COMMENT ON TABLE main.sales.t IS 'all of it'")
    assert table.comment == "all of it"
    session.sql("ALTER TABLE main.sales.t CLUSTER BY (id)")
    assert table.domains["delta.clustering"] == {"clusteringColumns": [["id"]]}
    assert "clustering" in table.protocol["writer-features"]


def test_a_table_from_a_query_and_its_replacement(session: deltasql.Session, catalogs: Catalogs) -> None:
    session.sql("CREATE TABLE main.sales.t AS SELECT 1 AS id")
    assert rows(session, "SELECT * FROM main.sales.t") == [(1,)]
    (table,) = catalogs.managed.values()
    session.sql("CREATE OR REPLACE TABLE main.sales.t AS SELECT 'a' AS name")
    assert rows(session, "SELECT * FROM main.sales.t") == [("a",)]
    assert [field["name"] for field in table.columns["fields"]] == ["name"]
    assert table.latest == 1


def test_a_commit_that_is_not_published_is_read_and_published(
    connect: Connect, table: ManagedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = connect()
    with monkeypatch.context() as patch:
        patch.setattr("deltasql.log.committers._published", lambda *_: False)
        session.sql("INSERT INTO main.sales.t VALUES (1, NULL)")
    assert (table.latest, table.published) == (1, 0)
    assert not (log_folder(table) / f"{1:020d}.json").exists()
    assert rows(connect(), "SELECT id FROM main.sales.t") == [(1,)]
    assert (table.latest, table.published) == (1, 1)
    assert (log_folder(table) / f"{1:020d}.json").exists()
    # Another reader may have been given its name.
    assert [path.name for path in (log_folder(table) / "_staged_commits").iterdir()] == [table.commits[1]["file-name"]]


def test_versions_that_the_catalog_has_not_ratified_are_ignored(connect: Connect, table: ManagedTable) -> None:
    connect().sql("INSERT INTO main.sales.t VALUES (1, NULL)")
    first = (log_folder(table) / f"{1:020d}.json").read_text()
    (log_folder(table) / f"{2:020d}.json").write_text(first)
    assert rows(connect(), "SELECT id FROM main.sales.t") == [(1,)]


def test_the_time_of_a_commit_is_that_of_its_log(session: deltasql.Session, table: ManagedTable) -> None:
    session.sql("INSERT INTO main.sales.t VALUES (1, NULL)")
    line = (log_folder(table) / f"{1:020d}.json").read_text().splitlines()[0]
    assert table.commits[1]["timestamp"] == json.loads(line)["commitInfo"]["inCommitTimestamp"]


@pytest.mark.parametrize(
    "statement", ["OPTIMIZE main.sales.t", "VACUUM main.sales.t", "REORG TABLE main.sales.t APPLY (PURGE)"]
)
def test_the_server_maintains_the_table(session: deltasql.Session, table: ManagedTable, statement: str) -> None:
    with pytest.raises(CatalogOperationError, match="managed table"):
        session.sql(statement)
    assert table.latest == 0


def test_the_table_stays_managed(session: deltasql.Session, table: ManagedTable) -> None:
    session.sql("INSERT INTO main.sales.t VALUES (1, NULL)")
    with pytest.raises(DeltaSqlError):
        session.sql("ALTER TABLE main.sales.t DROP FEATURE catalogManaged")
    assert rows(session, "SELECT id FROM main.sales.t") == [(1,)]


def test_a_property_that_the_server_does_not_take(session: deltasql.Session, catalogs: Catalogs) -> None:
    with pytest.raises(DeltaSqlError, match="enableDeletionVectors"):
        session.sql("CREATE TABLE main.sales.t (id INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')")
    assert catalogs.tables == {}


def test_dropping_it_leaves_the_files_to_the_server(session: deltasql.Session, table: ManagedTable) -> None:
    session.sql("DROP TABLE main.sales.t")
    assert rows(session, "SHOW TABLES IN main.sales") == []
    assert log_folder(table).is_dir()


def test_without_the_catalog_the_newest_version_is_refused(
    session: deltasql.Session, table: ManagedTable, tmp_path: Path
) -> None:
    with deltasql.connect(str(tmp_path / "other")) as other, pytest.raises(DeltaSqlError, match="catalogManaged"):
        other.sql(f"SELECT * FROM delta.`{table.location}`").collect()


def test_transactions_over_one_table_and_not_over_two(session: deltasql.Session, table: ManagedTable) -> None:
    session.sql("CREATE TABLE main.sales.u (id INT)")
    session.sql("BEGIN TRANSACTION")
    session.sql("INSERT INTO main.sales.t VALUES (1, NULL)")
    session.sql("INSERT INTO main.sales.t VALUES (2, NULL)")
    session.sql("COMMIT")
    assert table.latest == 1
    both = "INSERT INTO main.sales.t VALUES (3, NULL); INSERT INTO main.sales.u VALUES (3)"
    with pytest.raises(DeltaSqlError) as refused:
        session.sql(f"BEGIN ATOMIC {both}; END")
    assert "several tables" in str(refused.value)
    assert rows(session, "SELECT count(*) FROM main.sales.t") == [(2,)]
    assert rows(session, "SELECT count(*) FROM main.sales.u") == [(0,)]


def test_the_information_schema_reads_managed_tables(connect: Connect, table: ManagedTable) -> None:
    connect().sql("ALTER TABLE main.sales.t ADD COLUMN note STRING")
    query = "SELECT column_name FROM main.information_schema.columns WHERE table_name = 't'"
    assert sorted(name for (name,) in rows(connect(), query)) == ["id", "note", "tags"]
    assert table.latest == 1
