"""ANALYZE TABLE … COMPUTE DELTA STATISTICS says of a file what its writer said, and more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deltasql import Session
from deltasql.base.errors import LostDataFileError

pytestmark = pytest.mark.spark

COLUMNS = (
    "b TINYINT, i INT, l BIGINT, f FLOAT, d DOUBLE, n DECIMAL(38, 3), t STRING, y BOOLEAN, x BINARY, day DATE, "
    "ts TIMESTAMP, ntz TIMESTAMP_NTZ, s STRUCT<a: INT, deep: STRUCT<z: STRING>>, list ARRAY<INT>, m MAP<STRING, INT>"
)
ROWS = """
    (1, 1, 1, 1.5, -0.0, 1.001, 'ärger', true, X'00', DATE '0001-01-01', TIMESTAMP '1969-12-31 23:59:59.9995',
     TIMESTAMP_NTZ '2024-02-29 12:00:00.123456', named_struct('a', 1, 'deep', named_struct('z', 'q')), array(1), map()),
    (-1, NULL, 9223372036854775807, 0.1, 1e300, -99999999999999999999999999999999999.999, repeat('z', 40), NULL, NULL,
     DATE '9999-12-31', TIMESTAMP '9999-12-31 00:00:00', NULL, named_struct('a', NULL, 'deep', NULL), array(), NULL),
    (NULL, -5, NULL, NULL, NULL, NULL, '', false, X'FF', NULL, NULL, NULL, NULL, NULL, map('k', 1))
"""


def stats_of(session: Session, table: str) -> list[Any]:
    texts = session.log(table).snapshot().live_adds(("stats",))["stats"].to_pylist()
    return [None if text is None else json.loads(text) for text in texts]


def forget_statistics(session: Session, table: str) -> None:
    """Takes the statistics out of the log, as writers leave them out that compute none."""
    folder = Path(session.log(table).location) / "_delta_log"
    for path in folder.glob("*.crc"):
        path.unlink()
    for path in folder.glob("*.json"):
        actions = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for action in actions:
            action.get("add", {}).pop("stats", None)
        path.write_text("".join(json.dumps(action) + "\n" for action in actions), encoding="utf-8")


def contains(more: Any, less: Any) -> bool:
    """Whether all that `less` says stands in `more`."""
    if isinstance(less, dict):
        return isinstance(more, dict) and all(key in more and contains(more[key], less[key]) for key in less)
    return bool(more == less)


@pytest.mark.parametrize("mapping", ["none", "name"])
def test_it_says_what_the_writer_said(session: Session, mapping: str) -> None:
    session.sql(f"CREATE TABLE t ({COLUMNS}) TBLPROPERTIES ('delta.columnMapping.mode' = '{mapping}')")
    session.sql(f"INSERT INTO t SELECT * FROM VALUES {ROWS}")
    before = [item for item in stats_of(session, "t") if item["numRecords"]]
    forget_statistics(session, "t")
    rows = session.sql("SELECT count(*) FROM t").collect()
    session.sql("ANALYZE TABLE t COMPUTE DELTA STATISTICS")
    after = stats_of(session, "t")
    assert sum(item["numRecords"] for item in after) == 3
    for less in before:
        assert any(contains(more, less) for more in after), (less, after)
    assert session.sql("SELECT count(*) FROM t").collect() == rows


def test_nan_and_deletion_vectors(session: Session) -> None:
    session.sql(
        "CREATE TABLE t (id INT, d DOUBLE, list ARRAY<INT>) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    session.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 2.0D, NULL), (2, double('NaN'), array())")
    session.sql("DELETE FROM t WHERE id = 1")
    session.sql("ANALYZE TABLE t COMPUTE DELTA STATISTICS")
    (found,) = stats_of(session, "t")
    # All rows of the file count, those that are marked too.
    assert found["numRecords"] == 2
    assert found["tightBounds"] is False
    assert found["minValues"] == {"id": 1, "d": 2.0}
    assert found["maxValues"] == {"id": 2}
    assert found["nullCount"] == {"id": 0, "d": 0, "list": 1}
    assert session.sql("SELECT id FROM t WHERE d > 1").collect() == [(2,)]
    assert session.sql("SELECT id FROM t WHERE id = 1").collect() == []


def test_old_files_of_a_changed_table(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT, day DATE) TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
    session.sql("INSERT INTO t VALUES (7, DATE '2024-01-02')")
    session.sql("ALTER TABLE t ALTER COLUMN a TYPE DECIMAL(20, 2)")
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.feature.timestampNtz' = 'supported')")
    session.sql("ALTER TABLE t ALTER COLUMN day TYPE TIMESTAMP_NTZ")
    session.sql("ALTER TABLE t ADD COLUMN late STRING")
    session.sql("ANALYZE TABLE t COMPUTE DELTA STATISTICS")
    (found,) = stats_of(session, "t")
    assert found["minValues"] == {"a": 7.0, "day": "2024-01-02T00:00:00.000"}
    assert found["nullCount"] == {"a": 0, "day": 0, "late": 1}
    assert session.sql("SELECT a FROM t WHERE day >= TIMESTAMP_NTZ '2024-01-02' AND late IS NULL").count() == 1


def test_a_lost_file_is_told_and_nothing_changes(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT)")
    session.sql("INSERT INTO t VALUES (1)")
    (place,) = session.log("t").snapshot().files(("location",))["location"].to_pylist()
    Path(place).unlink()
    with pytest.raises(LostDataFileError):
        session.sql("ANALYZE TABLE t COMPUTE DELTA STATISTICS")
    assert session.log("t").snapshot().version == 1
