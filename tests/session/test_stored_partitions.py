"""Tables whose files hold the partition columns too: after the data, and never the place to read them from."""

from __future__ import annotations

import pytest

from deltasql import DeltaSqlError, Session

pytestmark = pytest.mark.spark

FEATURE = "'delta.feature.materializePartitionColumns' = 'supported'"


def columns(session: Session, table: str) -> set[tuple[str, ...]]:
    """The columns of the table's files, in order, without that of change feeds."""
    import pyarrow.parquet as pq

    files = session.log(table).snapshot().files(("location",)).column("location").to_pylist()
    return {tuple(name for name in pq.read_schema(file).names if name != "_change_type") for file in files}


@pytest.mark.parametrize(
    "more", ["", ", 'delta.enableDeletionVectors' = 'true'", ", 'delta.enableChangeDataFeed' = 'true'"]
)
def test_every_statement_writes_them(session: Session, more: str) -> None:
    session.sql(
        "CREATE TABLE t (k INT, p STRING, v STRING, d TIMESTAMP, q DATE) PARTITIONED BY (p, d, q) "
        f"TBLPROPERTIES ({FEATURE}{more})"
    )
    session.sql("INSERT INTO t VALUES (1, 'a/b', 'x', TIMESTAMP'2024-01-01 10:00:00', DATE'2024-01-01')")
    session.sql("INSERT INTO t VALUES (2, '', 'y', NULL, NULL), (3, '__HIVE_DEFAULT_PARTITION__', 'z', NULL, NULL)")
    session.sql("UPDATE t SET v = 'u', p = 'new' WHERE k = 1")
    session.sql("MERGE INTO t USING (SELECT 2 AS k) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 'm'")
    session.sql("INSERT OVERWRITE t PARTITION (p = 'o') BY NAME SELECT 4 AS k, 'w' AS v, d, q FROM t WHERE k = 1")
    assert columns(session, "t") == {("k", "v", "p", "d", "q")}
    rows = session.sql("SELECT k, p, v, q FROM t ORDER BY k").collect()
    assert [row[:3] for row in rows] == [(1, "new", "u"), (2, None, "m"), (3, None, "z"), (4, "o", "w")]
    values = session.log("t").snapshot().files(("partitionValues",)).column("partitionValues").to_pylist()
    assert {frozenset(value) for value in values} == {frozenset({"p", "d", "q"})}
    assert session.sql("SELECT k FROM t WHERE p = 'new' AND q = DATE'2024-01-01'").collect() == [(1,)]


def test_with_column_mapping(session: Session) -> None:
    session.sql(
        f"CREATE TABLE t (p INT, k INT) PARTITIONED BY (p) TBLPROPERTIES ({FEATURE}, 'delta.columnMapping.mode' = 'id')"
    )
    session.sql("INSERT INTO t VALUES (1, 10), (2, 20)")
    schema = session.log("t").snapshot().schema
    names = {field.name: str(field.metadata["delta.columnMapping.physicalName"]) for field in schema}
    assert columns(session, "t") == {(names["k"], names["p"])}
    session.sql("ALTER TABLE t RENAME COLUMN p TO q")
    assert session.sql("SELECT * FROM t WHERE q = 2").collect() == [(2, 20)]


def test_switched_on_later(session: Session) -> None:
    session.sql("CREATE TABLE t (k INT, p INT) PARTITIONED BY (p)")
    session.sql("INSERT INTO t VALUES (1, 1)")
    session.sql(f"ALTER TABLE t SET TBLPROPERTIES ({FEATURE})")
    session.sql("INSERT INTO t VALUES (2, 2)")
    assert columns(session, "t") == {("k",), ("k", "p")}
    assert session.sql("SELECT * FROM t ORDER BY k").collect() == [(1, 1), (2, 2)]
    session.sql("INSERT INTO t VALUES (3, 1)")
    session.sql("OPTIMIZE t")
    assert columns(session, "t") == {("k", "p")}
    assert session.sql("SELECT * FROM t ORDER BY k").collect() == [(1, 1), (2, 2), (3, 1)]


@pytest.mark.parametrize("statement", ["OPTIMIZE t", "OPTIMIZE t ZORDER BY (k)", "REORG TABLE t APPLY (PURGE)"])
def test_rows_that_move_keep_them(session: Session, statement: str) -> None:
    session.sql(
        "CREATE TABLE t (p STRING, k INT, d TIMESTAMP, n DECIMAL(5,2), b BINARY) PARTITIONED BY (p, d, n, b) "
        f"TBLPROPERTIES ({FEATURE}, 'delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true')"
    )
    for number in (1, 2):
        session.sql(
            f"INSERT INTO t VALUES ('a/b', {number}, TIMESTAMP'2024-01-01 10:00:00.123', 1.25, X'4142'), "
            f"(NULL, {number + 2}, NULL, NULL, NULL)"
        )
    session.sql("DELETE FROM t WHERE k = 1")
    before = session.sql("SELECT * FROM t ORDER BY k").collect()
    session.sql(statement)
    assert session.sql("SELECT * FROM t ORDER BY k").collect() == before
    names = [str(item.metadata["delta.columnMapping.physicalName"]) for item in session.log("t").snapshot().schema]
    assert {frozenset(item) for item in columns(session, "t")} == {frozenset(names)}
    assert rows_in_files(session, "p") == {"a/b", None}
    stats = session.log("t").snapshot().files(("stats",)).column("stats").to_pylist()
    assert not any(name in text for name in (names[0], *names[2:]) for text in stats)


def rows_in_files(session: Session, name: str) -> set[object]:
    """The distinct values of a column, as the files hold it."""
    import pyarrow.parquet as pq

    snapshot = session.log("t").snapshot()
    (physical,) = (item.metadata["delta.columnMapping.physicalName"] for item in snapshot.schema if item.name == name)
    places = snapshot.files(("location",)).column("location").to_pylist()
    return {value for place in places for value in pq.ParquetFile(place).read([physical])[physical].to_pylist()}


def test_iceberg_wants_them(session: Session) -> None:
    session.sql(
        "CREATE TABLE t (k INT, p DATE) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true')"
    )
    session.sql("INSERT INTO t VALUES (1, DATE'2024-01-01'), (2, NULL)")
    session.sql("UPDATE t SET k = 3 WHERE p IS NULL")
    fields = {field.name: field.metadata for field in session.log("t").snapshot().schema}
    names = tuple(str(fields[name]["delta.columnMapping.physicalName"]) for name in ("k", "p"))
    assert columns(session, "t") == {names}
    assert session.sql("SELECT * FROM t WHERE p IS NULL").collect() == [(3, None)]


def test_a_partitioned_table_with_files_comes_too_late(session: Session) -> None:
    session.sql("CREATE TABLE t (k INT, p INT) PARTITIONED BY (p) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    session.sql("INSERT INTO t VALUES (1, 1)")
    with pytest.raises(DeltaSqlError) as caught:
        session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableIcebergCompatV1' = 'true')")
    assert caught.value.condition == "DELTA_ICEBERG_COMPAT_VIOLATION.FILES_NOT_ICEBERG_COMPAT"
    assert session.log("t").snapshot().version == 1
