"""The current time in statements: in-process evaluation gives what the engine gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql import connect

pytestmark = pytest.mark.spark

TABLE = (
    "CREATE TABLE t (id INT, at TIMESTAMP DEFAULT current_timestamp(), day DATE DEFAULT current_date(), "
    "clock TIMESTAMP_NTZ) "
    "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
)
STATEMENTS = (
    "INSERT INTO t (id) VALUES (1)",
    "INSERT INTO t VALUES (2, current_timestamp(), CURRENT_DATE, localtimestamp()), "
    "(3, NOW(), curdate(), localtimestamp())",
    "INSERT INTO t VALUES (4, CURRENT_TIMESTAMP, NULL, NULL)",
    "UPDATE t SET at = current_timestamp() WHERE id = 4",
    "MERGE INTO t USING (SELECT 5 AS id) AS s ON t.id = s.id "
    "WHEN NOT MATCHED THEN INSERT (id, at, day) VALUES (s.id, now(), NULL)",
)
DIFFERENCES = """
    SELECT id, abs(unix_seconds(at) - unix_seconds(current_timestamp())) < 300 AS near_now,
           abs(datediff(day, current_date())) <= 1 AS near_today,
           day = CAST(at AS DATE) AS same_day,
           abs(unix_seconds(CAST(clock AS TIMESTAMP)) - unix_seconds(at)) < 300 AS same_clock
    FROM t ORDER BY id
"""


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/St_Johns", "+14:00"])
def test_values(tmp_path: Path, zone: str) -> None:
    found = {}
    for compute in ("LOCAL", "ENGINE"):
        with connect(str(tmp_path / compute)) as session:
            session.sql(f"SET TIME ZONE '{zone}'")
            session.sql(f"SET deltasql.compute = {compute}")
            for sql in (TABLE, *STATEMENTS):
                session.sql(sql)
            session.sql("SET deltasql.compute = AUTO")
            found[compute] = [tuple(row) for row in session.sql(DIFFERENCES).collect()]
    assert found["LOCAL"] == found["ENGINE"]
    assert found["LOCAL"][1] == (2, True, True, True, True)


def test_one_statement_has_one_time(tmp_path: Path) -> None:
    with connect(str(tmp_path)) as session:
        session.sql("SET deltasql.compute = LOCAL")
        session.sql(TABLE)
        session.sql("INSERT INTO t (id, clock) VALUES (1, NULL), (2, NULL), (3, localtimestamp())")
        session.sql("INSERT INTO t (id, at) VALUES (4, current_timestamp())")
        rows = session.sql("SELECT id, at FROM t WHERE id < 4").collect()
        assert len({row["at"] for row in rows}) == 1
