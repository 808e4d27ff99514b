"""Records of governance in both kinds of stores, and files of earlier releases."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql import Session
from deltasql.base.errors.base import DeltaSqlError
from deltasql.catalog.commit_stores import catalog_file
from deltasql.catalog.entries import Argument, Governance, Policy, Securable
from deltasql.catalog.names import Subject
from deltasql.plan.base import StatementWarning


@pytest.fixture(params=["sqlite", "objects"])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    place = str(tmp_path) if request.param == "sqlite" else f"memory:///governance-{tmp_path.name}"
    with Session(place) as session:
        session.sql("SET deltasql.governance = RECORD")
        yield session


def grants(session: Session, on: str) -> list[tuple[str, str]]:
    return [(row[0], row[1]) for row in session.sql(f"SHOW GRANTS ON {on}").collect()]


def test_records_survive_a_rename_and_go_with_their_object(session: Session) -> None:
    session.sql("CREATE SCHEMA s")
    session.sql("CREATE TABLE t (id INT)")
    session.sql("GRANT SELECT, MODIFY ON t TO bob, `ann@example.com`")
    session.sql("ALTER TABLE t OWNER TO ann")
    session.sql("ALTER TABLE t RENAME TO u")
    session.sql("ALTER TABLE u RENAME TO s.v")
    both = ("MODIFY", "SELECT")
    assert grants(session, "s.v") == [(name, item) for name in ("ann@example.com", "bob") for item in both]
    again = Session(session.catalog.warehouse)
    again.sql("SET deltasql.governance = RECORD")
    assert grants(again, "s.v") == grants(session, "s.v")
    again.close()
    session.sql("DROP TABLE s.v")
    session.sql("CREATE TABLE s.v (id INT)")
    assert grants(session, "s.v") == []


def test_schemas_catalogs_and_views(session: Session) -> None:
    session.sql("CREATE CATALOG c")
    session.sql("CREATE SCHEMA c.s")
    session.sql("CREATE VIEW c.s.v AS SELECT 1 AS one")
    session.sql("GRANT USE CATALOG ON CATALOG c TO bob")
    session.sql("GRANT USE SCHEMA ON SCHEMA c.s TO bob")
    session.sql("GRANT SELECT ON VIEW c.s.v TO bob")
    session.sql("ALTER SCHEMA c.s SET DBPROPERTIES ('a' = 'b')")
    session.sql("CREATE OR REPLACE VIEW c.s.v AS SELECT 2 AS one")
    assert grants(session, "c.s.v") == [("bob", "SELECT"), ("bob", "USE SCHEMA"), ("bob", "USE CATALOG")]
    session.sql("DROP CATALOG c CASCADE")
    session.sql("CREATE CATALOG c")
    assert grants(session, "CATALOG c") == []


def test_securables(session: Session) -> None:
    session.sql("CREATE SHARE s COMMENT 'x'")
    with pytest.raises(DeltaSqlError, match="SECURABLE_ALREADY_EXISTS"):
        session.sql("CREATE SHARE S")
    session.sql("CREATE SHARE other")
    with pytest.raises(DeltaSqlError, match="SECURABLE_ALREADY_EXISTS"):
        session.sql("ALTER SHARE s RENAME TO other")
    session.sql("ALTER SHARE s RENAME TO renamed")
    assert [row[0] for row in session.sql("SHOW SHARES").collect()] == ["other", "renamed"]
    session.sql("DROP SHARE renamed")
    assert session.sql("SHOW SHARES LIKE 'r*'").collect() == []


def test_nothing_is_recorded_in_other_modes(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("SET deltasql.governance = WARN")
    with pytest.warns(StatementWarning, match="GRANT was ignored"):
        result = session.sql("GRANT SELECT ON t TO bob")
    assert result.warnings == ["GRANT was ignored: deltasql enforces no privileges."]
    assert result.notes == []
    session.sql("SET deltasql.governance = ERROR")
    with pytest.raises(DeltaSqlError, match="DELTA_OPERATION_NOT_ALLOWED"):
        session.sql("GRANT SELECT ON t TO bob")
    session.sql("RESET deltasql.governance")
    assert grants(session, "t") == []
    assert session.sql("REVOKE SELECT ON t FROM bob").warnings


def test_a_kind_of_statement_gives_one_warning_in_a_session(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    with pytest.raises(DeltaSqlError):
        session.sql("GRANT SELECT ON missing TO bob")
    with pytest.warns(StatementWarning, match="GRANT: recorded in the catalog"):
        assert len(session.sql("GRANT SELECT ON t TO bob").warnings) == 1
    assert session.sql("GRANT MODIFY ON t TO bob").warnings == []
    assert len(session.sql("REVOKE MODIFY ON t FROM bob").warnings) == 1
    assert session.sql("SHOW GRANTS ON t").warnings == []
    with Session(session.catalog.warehouse) as other:
        assert len(other.sql("GRANT MODIFY ON t TO bob").warnings) == 1


def test_objects_of_other_kinds_have_records_by_their_names(session: Session) -> None:
    session.sql("GRANT EXECUTE ON REGISTERED MODEL main.ml.churn TO bob")
    session.sql("GRANT CAN_USE ON WAREHOUSE `my warehouse` TO ann")
    session.sql("DENY SELECT ON ANY FILE TO bob")
    assert grants(session, "REGISTERED MODEL main.ml.churn") == [("bob", "EXECUTE")]
    assert grants(session, "WAREHOUSE `My Warehouse`") == [("ann", "CAN_USE")]
    assert grants(session, "ANY FILE") == [("bob", "DENIED_SELECT")]
    session.sql("REVOKE EXECUTE ON REGISTERED MODEL main.ml.churn FROM bob")
    assert grants(session, "REGISTERED MODEL main.ml.churn") == []


@pytest.mark.parametrize("layout", [8, 9])
def test_a_file_of_an_earlier_layout_gets_the_new_columns(layout: int, tmp_path: Path) -> None:
    with Session(str(tmp_path)) as session:
        session.sql("CREATE TABLE t (id INT)")
        session.sql("CREATE VOLUME v")
    with sqlite3.connect(catalog_file(str(tmp_path))) as connection:
        for table in ("volumes", *(("catalogs", "schemas", "tables", "functions") if layout == 8 else ())):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN governance")
        if layout == 8:
            connection.execute("DROP TABLE securables")
        connection.execute(f"PRAGMA user_version = {layout}")
    connection.close()
    with Session(str(tmp_path)) as session:
        session.sql("SET deltasql.governance = RECORD")
        session.sql("GRANT SELECT ON t TO bob")
        assert grants(session, "t") == [("bob", "SELECT")]
        session.sql("GRANT READ VOLUME ON VOLUME v TO bob")
        assert [row[0] for row in session.sql("SHOW GRANTS ON VOLUME v").collect()] == ["bob"]


def test_records_of_volumes(session: Session) -> None:
    session.sql("CREATE SCHEMA s")
    session.sql("CREATE VOLUME s.v")
    session.sql("GRANT READ VOLUME ON VOLUME s.v TO bob")
    session.sql("ALTER VOLUME s.v OWNER TO ann")
    session.sql("ALTER VOLUME s.v RENAME TO w")
    records = session.catalog.governance(Subject("VOLUME", ("spark_catalog", "s", "w")))
    assert (records.owner, dict(records.grants)) == ("ann", {"bob": ("READ VOLUME",)})
    session.sql("DROP VOLUME s.w")
    session.sql("CREATE VOLUME s.w")
    assert session.sql("SHOW GRANTS ON VOLUME s.w").collect() == []


def test_json() -> None:
    policy = Policy(("c", "s", "f"), (Argument("a", is_column=True), Argument("'x'", is_column=False)))
    full = Governance("ann", {"bob": ("SELECT",)}, {"carl": ("MODIFY",)}, policy, {"a": policy})
    assert Governance.from_json(json.loads(json.dumps(full.to_json()))) == full
    assert Governance().to_json() == {}
    securable = Securable("SHARE", "s", 1, "c", {"a": "b"}, ("TABLE t",), full)
    assert Securable.from_json(json.loads(json.dumps(securable.to_json()))) == securable
