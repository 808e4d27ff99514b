"""Tables that Iceberg reads as well: PyIceberg sees the rows that we see, after every statement."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deltasql import DeltaSqlError, Session

pytestmark = [
    pytest.mark.spark,
    # Of PyIceberg and what it reads dates with.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

PROPERTIES = "'delta.enableIcebergCompatV2' = 'true', 'delta.universalFormat.enabledFormats' = 'iceberg'"
COLUMNS = (
    "k INT, p DATE, s STRUCT<x: STRING, d: DECIMAL(10,2)>, l ARRAY<INT>, m MAP<STRING, STRUCT<y: ARRAY<INT>>>, "
    "ts TIMESTAMP, n TIMESTAMP_NTZ, f FLOAT, b BINARY, o BOOLEAN, y TINYINT"
)


def iceberg(session: Session, table: str) -> Any:
    from pyiceberg.table import StaticTable

    return StaticTable.from_metadata(session.log(table).snapshot().location)


def same_rows(session: Session, table: str) -> int:
    """How many rows there are, after a look that PyIceberg reads the same ones, and in the same columns."""
    ours = session.sql(f"SELECT * FROM {table}").to_arrow()
    theirs = iceberg(session, table).scan().to_arrow()
    assert theirs.column_names == ours.column_names
    assert rows(theirs) == rows(ours)
    return int(ours.num_rows)


def rows(table: Any) -> list[str]:
    return sorted(repr(plain(list(row.values()))) for row in table.to_pylist())


def plain(value: Any) -> Any:
    """Moments without the class of their zone. An empty map is none: PyIceberg reads no NULL there."""
    if value == []:
        return None
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.isoformat() if hasattr(value, "isoformat") else value


def properties(session: Session, table: str) -> dict[str, str]:
    found: dict[str, str] = iceberg(session, table).metadata.properties
    return found


STATEMENTS = (
    "INSERT INTO t VALUES (1, DATE'2024-01-01', named_struct('x', 'v', 'd', 1.25), array(1, NULL), "
    "map('k', named_struct('y', array(1, NULL))), TIMESTAMP'2024-01-01 10:00:00.123456', "
    "TIMESTAMP_NTZ'2024-01-01 10:00:00', 1.5, X'41', true, 7), "
    "(2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    "INSERT INTO t (k, p) SELECT id, DATE'2024-01-02' FROM range(3, 20, 1, 1)",
    "UPDATE t SET l = array(k) WHERE k % 7 = 0",
    "DELETE FROM t WHERE k = 3",
    "MERGE INTO t USING (SELECT 2 AS k UNION ALL SELECT 1000) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET f = 2.5 "
    "WHEN NOT MATCHED THEN INSERT (k, p) VALUES (s.k, DATE'2025-01-01')",
    "ALTER TABLE t ADD COLUMN z ARRAY<ARRAY<STRING>>",
    "INSERT INTO t (k, z) VALUES (5000, array(array('a', NULL)))",
    "ALTER TABLE t RENAME COLUMN p TO q",
    # The old name of a partition column is free.
    "ALTER TABLE t RENAME COLUMN l TO p",
    "INSERT INTO t (k, q, p) VALUES (6000, DATE'2024-01-01', array(5))",
    "ALTER TABLE t DROP COLUMN m",
    "OPTIMIZE t",
    "RESTORE TABLE t TO VERSION AS OF 4",
    "INSERT OVERWRITE t (k) VALUES (7)",
    "TRUNCATE TABLE t",
    "INSERT INTO t (k) VALUES (8)",
    f"CREATE OR REPLACE TABLE t (a STRING, k INT) TBLPROPERTIES ({PROPERTIES})",
    "INSERT INTO t VALUES ('a', 1)",
    f"CREATE OR REPLACE TABLE t TBLPROPERTIES ({PROPERTIES}) AS SELECT 1.5D AS k, 'x' AS w",
    "VACUUM t",
)


def test_every_statement(session: Session) -> None:
    session.sql(f"CREATE TABLE t ({COLUMNS}) PARTITIONED BY (p) TBLPROPERTIES ({PROPERTIES})")
    assert same_rows(session, "t") == 0
    counts = []
    for text in STATEMENTS:
        session.sql(text)
        counts.append(same_rows(session, "t"))
        assert properties(session, "t")["delta-version"] == str(session.log("t").snapshot().version)
    assert counts == [2, 19, 19, 18, 19, 19, 20, 20, 20, 21, 21, 21, 18, 1, 0, 1, 0, 1, 1, 1]
    table = iceberg(session, "t")
    snapshots = table.metadata.snapshots
    assert [item.sequence_number for item in snapshots] == list(range(1, len(snapshots) + 1))
    assert [str(item.summary.operation.value) for item in snapshots[:5]] == [
        "append", "append", "overwrite", "overwrite", "overwrite",
    ]  # fmt: skip
    third = table.scan(snapshot_id=snapshots[1].snapshot_id).to_arrow()
    assert third.num_rows == 19


def test_filters_skip_files_and_no_rows(session: Session) -> None:
    session.sql(
        "CREATE TABLE t (k INT, w STRING, ts TIMESTAMP, d DECIMAL(20,3), f DOUBLE, p STRING) PARTITIONED BY (p) "
        f"TBLPROPERTIES ({PROPERTIES})"
    )
    for number in range(3):
        session.sql(
            f"INSERT INTO t VALUES ({number}, '{'ü' * 40}{number}', TIMESTAMP'2024-01-0{number + 1} 00:00:00.000999', "
            f"{number}.125, double('NaN'), 'p{number}'), ({number + 10}, NULL, NULL, -{number}.125, -1.5, NULL)"
        )
    table = iceberg(session, "t")
    assert len(list(table.scan().plan_files())) == 6
    filters = {
        "k = 1": (1, 1),
        "k >= 11": (2, 2),
        "p = 'p2'": (1, 1),
        "p IS NULL AND k = 12": (1, 1),
        "ts >= '2024-01-03T00:00:00.000999+00:00'": (1, 1),
        "d < -1": (2, 2),
        f"w = '{'ü' * 40}1'": (3, 1),
        "w IS NULL": (3, 3),
    }
    for text, (files, found) in filters.items():
        scan = table.scan(row_filter=text)
        assert (len(list(scan.plan_files())), scan.to_arrow().num_rows) == (files, found), text


def test_an_upgrade(session: Session) -> None:
    session.sql(f"CREATE TABLE t ({COLUMNS}) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    for text in STATEMENTS[:5]:
        session.sql(text)
    session.sql("REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2))")
    assert same_rows(session, "t") == 19
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.universalFormat.config.iceberg.owner' = 'me')")
    assert properties(session, "t")["owner"] == "me"
    session.sql("DELETE FROM t WHERE k < 5")
    assert same_rows(session, "t") == 16


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """PyIceberg is not installed, as far as one can see."""
    from deltasql.log.configuration import row_ids

    monkeypatch.setattr(row_ids, "find_spec", lambda name: None)
    yield monkeypatch
    monkeypatch.undo()


def test_a_conversion_that_fails_is_made_up_for(
    session: Session, broken: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken.undo()
    session.sql(f"CREATE TABLE t (k INT) TBLPROPERTIES ({PROPERTIES})")
    session.sql("INSERT INTO t VALUES (1), (2)")
    from deltasql.log.configuration import row_ids

    broken.setattr(row_ids, "find_spec", lambda name: None)
    with caplog.at_level(logging.WARNING, "deltasql.log.upkeep.post_commit"):
        session.sql("INSERT INTO t VALUES (3)")
        session.sql("DELETE FROM t WHERE k = 1")
    assert "[DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED] Version 2 of t is committed" in caplog.text
    assert "pip install 'deltasql[uniform]'" in caplog.text
    assert properties(session, "t")["delta-version"] == "1"
    broken.undo()
    session.sql("INSERT INTO t VALUES (4)")
    assert same_rows(session, "t") == 3
    assert len(iceberg(session, "t").metadata.snapshots) == 2


def test_without_the_library(session: Session, broken: pytest.MonkeyPatch) -> None:
    session.sql("CREATE TABLE t (k INT) TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true')")
    for text in (
        f"CREATE TABLE u (k INT) TBLPROPERTIES ({PROPERTIES})",
        "ALTER TABLE t SET TBLPROPERTIES ('delta.universalFormat.enabledFormats' = 'iceberg')",
        "REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2))",
    ):
        with pytest.raises(DeltaSqlError) as caught:
            session.sql(text)
        assert caught.value.condition == "DELTA_MISSING_ICEBERG_CLASS"
        assert "deltasql[uniform]" in str(caught.value)
    assert session.log("t").snapshot().version == 0


def test_the_format_waits_for_files_of_others(session: Session) -> None:
    session.sql("CREATE TABLE t (l ARRAY<INT>) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    session.sql("INSERT INTO t VALUES (array(1))")
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true')")
    session.sql("INSERT INTO t VALUES (array(2))")
    with pytest.raises(DeltaSqlError) as caught:
        session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.universalFormat.enabledFormats' = 'iceberg')")
    assert caught.value.condition == "DELTA_ICEBERG_COMPAT_VIOLATION.FILES_NOT_ICEBERG_COMPAT"
    assert "1 of the files of t" in str(caught.value)
    session.sql("REORG TABLE t APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2))")
    assert same_rows(session, "t") == 2


def test_vacuum_leaves_the_metadata(session: Session) -> None:
    session.sql(f"CREATE TABLE t (k INT) TBLPROPERTIES ({PROPERTIES})")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("INSERT OVERWRITE t VALUES (2)")
    folder = Path(session.log("t").snapshot().location, "metadata")
    before = {path.name for path in folder.iterdir()}
    session.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
    session.sql("VACUUM t RETAIN 0 HOURS")
    assert before <= {path.name for path in folder.iterdir()}
    assert same_rows(session, "t") == 1
