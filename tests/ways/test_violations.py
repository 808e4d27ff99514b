"""Rows that violate a constraint, and VALUES that replace rows: in-process evaluation gives what the engine gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql import DeltaSqlError, Session, connect

pytestmark = pytest.mark.spark

COLUMNS = (
    "id INT NOT NULL, k BIGINT, s STRING, d DATE, n DECIMAL(20,4), b BOOLEAN, x DOUBLE, p STRING, "
    "v STRUCT<a: INT>, l ARRAY<INT>"
)
ROW = "(1, 2, 'a', DATE'2024-01-31', 1.5, true, 0.5D, 'one', NULL, NULL)"
TABLES = {
    "plain": f"CREATE TABLE t ({COLUMNS})",
    "partitioned": f"CREATE TABLE t ({COLUMNS}) PARTITIONED BY (p)",
    "vectors": f"CREATE TABLE t ({COLUMNS}) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
}
CONSTRAINTS = ("k > 0", "s <> 'bad' OR k > 100", "n < 10 AND d > DATE'2000-01-01'", "b OR id > 5", "1 < k", "x >= 0")
# Where several rows violate a constraint, Spark reports one of them: of VALUES the first.
STATEMENTS = (
    f"INSERT INTO t VALUES {ROW}",
    "INSERT INTO t VALUES (NULL, 2, 'a', NULL, 1, true, NULL, 'one', NULL, NULL)",
    "INSERT INTO t VALUES (1, 0, 'bad', DATE'1999-01-01', 12345678901.25, false, -1D, 'one', NULL, NULL)",
    "INSERT INTO t VALUES (1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    "INSERT INTO t VALUES (1, -9223372036854775808, 'ä\"\\\\\\n😀', DATE'0001-01-01', 0, false, 1D, 'two', NULL, NULL)",
    f"INSERT INTO t VALUES {ROW}, (2, -1, 'b', NULL, -0.0001, true, 1D, 'two', NULL, NULL), "
    "(3, -2, 'bad', DATE'9999-12-31', 10, false, 1D, 'one', NULL, NULL)",
    "INSERT INTO t (id, k) VALUES (7, 3), (8, NULL)",
    f"INSERT OVERWRITE t VALUES {ROW}, (2, 5, NULL, DATE'2024-01-31', 3, true, 1D, 'two', NULL, NULL)",
    f"INSERT OVERWRITE t VALUES {ROW}, (2, 0, NULL, DATE'2024-01-31', 3, true, 1D, 'two', NULL, NULL)",
    f"INSERT INTO t REPLACE WHERE id = 1 VALUES {ROW}",
    f"INSERT INTO t REPLACE WHERE id = 2 VALUES {ROW}",
    "UPDATE t SET k = -k WHERE id = 1",
    "UPDATE t SET id = NULL",
    "UPDATE t SET s = 'bad', n = 100 WHERE id = 1",
    "UPDATE t SET d = NULL, b = false WHERE id = 1",
    "MERGE INTO t USING (SELECT 1 AS id, -3 AS k) AS s ON s.id = t.id WHEN MATCHED THEN UPDATE SET k = s.k",
    "MERGE INTO t USING (SELECT 90 AS id, -3 AS k) AS s ON s.id = t.id WHEN NOT MATCHED THEN INSERT (id, k) "
    "VALUES (s.id, s.k)",
    "MERGE INTO t USING (SELECT 91 AS id, NULL AS k) AS s ON s.id = t.id WHEN NOT MATCHED THEN INSERT (id, k) "
    "VALUES (s.id, s.k)",
    "INSERT INTO t SELECT id + 10, k - 2, s, d, n, b, x, p, v, l FROM t WHERE id = 1",
    "INSERT INTO t SELECT NULL, k, s, d, n, b, x, p, v, l FROM t WHERE id = 1",
)


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[tuple[Session, Session]]:
    """A session that computes in this process where it can, and one whose engine computes all rows."""
    with connect(str(tmp_path / "auto")) as auto, connect(str(tmp_path / "engine")) as engine:
        auto.sql("SET deltasql.compute = AUTO")
        engine.sql("SET deltasql.compute = ENGINE")
        yield auto, engine


def answer(session: Session, sql: str) -> object:
    """The rows of a statement, or the text of its error, and the table afterwards."""
    try:
        found: object = [tuple(row) for row in session.sql(sql).collect()]
    except DeltaSqlError as error:
        found = str(error)
    rows = sorted(map(repr, session.sql("SELECT * FROM t").collect()))
    return found, rows, len(session.sql("DESCRIBE HISTORY t").collect())


@pytest.mark.parametrize(
    ("table", "constraint"),
    [("plain", None), *(("plain", text) for text in CONSTRAINTS), ("partitioned", "k > 0"), ("vectors", "k > 0")],
)
def test_the_same_errors_and_rows(sessions: tuple[Session, Session], table: str, constraint: str | None) -> None:
    for session in sessions:
        session.sql(TABLES[table])
        session.sql(f"INSERT INTO t VALUES {ROW}")
        if constraint is not None:
            session.sql(f"ALTER TABLE t ADD CONSTRAINT c CHECK ({constraint})")
    for sql in STATEMENTS:
        auto, engine = (answer(session, sql) for session in sessions)
        assert auto == engine, sql


def test_values_are_one_file(sessions: tuple[Session, Session]) -> None:
    for session in sessions:
        session.sql(f"CREATE TABLE t ({COLUMNS}, CHECK (k > 0))")
        rows = ", ".join(ROW for _ in range(50))
        session.sql(f"INSERT INTO t VALUES {rows}")
        assert session.sql("DESCRIBE DETAIL t").collect()[0]["numFiles"] == 1
        session.sql(f"INSERT OVERWRITE t VALUES {rows}")
        assert session.sql("DESCRIBE DETAIL t").collect()[0]["numFiles"] == 1
