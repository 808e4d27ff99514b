"""Rows keep their ids when they move: over both ways of a rewrite, each in one pass and in two."""

from __future__ import annotations

import pytest

from deltasql import Session
from deltasql.engines.spark.rewrites import rewrite

pytestmark = pytest.mark.spark

PROPERTIES = {
    "copy on write": "",
    "change feed": ", 'delta.enableChangeDataFeed' = 'true'",
    "deletion vectors": ", 'delta.enableDeletionVectors' = 'true'",
    "vectors, feed, mapping": ", 'delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true'"
    ", 'delta.columnMapping.mode' = 'name'",
}
STATEMENTS = (
    "UPDATE t SET v = 'b' WHERE id IN (1, 4)",
    "DELETE FROM t WHERE id = 2",
    """MERGE INTO t USING (SELECT id, 'm' AS v, 0 AS p FROM range(5, 12, 3)) s ON t.id = s.id
       WHEN MATCHED AND s.id = 8 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *
       WHEN NOT MATCHED BY SOURCE AND t.id = 0 THEN UPDATE SET p = 9""",
    "MERGE INTO t USING (SELECT 50 AS id, 'n' AS v, 0 AS p) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
    "INSERT INTO t REPLACE WHERE id < 4 AND id > 2 SELECT 3 AS id, 'r' AS v, 1 AS p",
    "UPDATE t SET v = 'c' WHERE id = 4",
)


def ids(session: Session) -> dict[int, tuple[int, int]]:
    rows = session.sql("SELECT id, _metadata.row_id, _metadata.row_commit_version FROM t").collect()
    assert len({row[1] for row in rows}) == len(rows)
    return {row[0]: (row[1], row[2]) for row in rows}


@pytest.mark.parametrize("few", [64, 0], ids=["one pass", "two passes"])
@pytest.mark.parametrize("kind", PROPERTIES)
def test_ids_of_rows_that_move(kind: str, few: int, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewrite, "FEW_FILES", few)
    by = "PARTITIONED BY (p)" if kind == "copy on write" else ""
    properties = f"'delta.enableRowTracking' = 'true'{PROPERTIES[kind]}"
    session.sql(f"CREATE TABLE t (id INT, v STRING, p INT) {by} TBLPROPERTIES ({properties})")
    session.sql("INSERT INTO t SELECT id, 'a', id % 2 FROM range(10)")
    first = ids(session)
    assert {version for _, version in first.values()} == {1}
    for statement in STATEMENTS:
        session.sql(statement)
    last = ids(session)
    # Inserted rows, 3 by INSERT … REPLACE WHERE, have new ids.
    kept = {key: value for key, value in last.items() if key not in {3, 11, 50}}
    assert {key: value[0] for key, value in kept.items()} == {
        key: value[0] for key, value in first.items() if key not in {2, 3, 8}
    }
    assert {key: value[1] for key, value in kept.items() if value[1] != 1} == {0: 4, 1: 2, 4: 7, 5: 4}
    new = [last[key] for key in (11, 50, 3)]
    assert [version for _, version in new] == [4, 5, 6]
    assert min(row_id for row_id, _ in new) > max(row_id for row_id, _ in first.values())
    infos = [entry.info for entry in reversed(session.log("t").history())]
    tags = [info.get("tags") for info in infos if info["operation"] in {"UPDATE", "DELETE", "MERGE"}]
    assert tags == [{"delta.rowTracking.preserved": "true"}] * 5


@pytest.mark.parametrize("statement", ["OPTIMIZE t", "OPTIMIZE t ZORDER BY (id)", "REORG TABLE t APPLY (PURGE)"])
def test_other_files_hold_the_same_ids(statement: str, session: Session) -> None:
    properties = "'delta.enableRowTracking' = 'true', 'delta.enableDeletionVectors' = 'true'"
    session.sql(f"CREATE TABLE t (id INT, v STRING, p INT) PARTITIONED BY (p) TBLPROPERTIES ({properties})")
    session.sql("INSERT INTO t SELECT id, 'a', id % 2 FROM range(6)")
    session.sql("INSERT INTO t VALUES (7, 'b', 1), (8, 'b', 0)")
    session.sql("UPDATE t SET v = 'c' WHERE id IN (2, 7)")
    session.sql("DELETE FROM t WHERE id = 1")
    before = ids(session)
    version = session.sql(statement).version
    assert version == 5
    assert ids(session) == before
    assert session.log("t").history()[0].info["tags"] == {"delta.rowTracking.preserved": "true"}


def test_rows_of_a_table_that_tracks_no_more_lose_nothing_else(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, v STRING) TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    session.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    session.sql("UPDATE t SET v = 'x' WHERE id = 1")
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'false')")
    session.sql("UPDATE t SET v = 'y' WHERE id = 2")
    assert sorted(session.sql("SELECT * FROM t").collect()) == [(1, "x"), (2, "y")]
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    assert len(ids(session)) == 2
