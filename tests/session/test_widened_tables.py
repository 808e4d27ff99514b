"""Files of before and after a change of type, read together: what is read is what a cast would give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from deltasql import DeltaSqlError, Session

pytestmark = pytest.mark.spark

VECTORIZED = "spark.sql.parquet.enableVectorizedReader"
WHOLE = ("TINYINT", "SMALLINT", "INT")
PAIRS = [
    *((old, new) for index, old in enumerate(WHOLE) for new in (*WHOLE[index + 1 :], "BIGINT")),
    *((old, new) for old in WHOLE for new in ("DOUBLE", "DECIMAL(10,0)", "DECIMAL(14,3)", "DECIMAL(30,4)")),
    ("BIGINT", "DECIMAL(20,0)"),
    ("BIGINT", "DECIMAL(38,5)"),
    ("FLOAT", "DOUBLE"),
    ("DATE", "TIMESTAMP_NTZ"),
    ("DECIMAL(5,2)", "DECIMAL(9,2)"),
    ("DECIMAL(5,2)", "DECIMAL(12,4)"),
    ("DECIMAL(12,2)", "DECIMAL(30,5)"),
]
COLUMNS = [f"c{index}" for index in range(len(PAIRS))]


@pytest.fixture(params=["vectorized", "row by row"])
def reader(request: pytest.FixtureRequest, session: Session) -> Iterator[Session]:
    """A session for each of Spark's two Parquet readers."""
    spark = session.sql("SELECT 1").df.sparkSession
    spark.conf.set(VECTORIZED, str(request.param == "vectorized").lower())
    yield session
    spark.conf.unset(VECTORIZED)


def value(kind: str, number: str) -> str:
    base = f"date_add(DATE'1999-12-31', CAST({number} AS INT))" if kind == "DATE" else f"CAST({number} AS {kind})"
    return f"IF({number} = 3, NULL, {base})"


def narrow_table(session: Session) -> None:
    columns = ", ".join(f"{name} {old}, a{name} ARRAY<{old}>" for name, (old, _) in zip(COLUMNS, PAIRS, strict=True))
    properties = "'delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported'"
    session.sql(f"CREATE TABLE t (k INT, {columns}) TBLPROPERTIES ({properties}, 'delta.checkpointInterval' = '2')")
    values = ", ".join(f"{value(old, 'id % 7')}, array({value(old, 'id % 5')})" for old, _ in PAIRS)
    session.sql(f"INSERT INTO t SELECT id, {values} FROM range(0, 50, 1, 1)")


def widen(session: Session) -> None:
    for name, (_, new) in zip(COLUMNS, PAIRS, strict=True):
        session.sql(f"ALTER TABLE t ALTER COLUMN {name} TYPE {new}, a{name}.element TYPE {new}")


def test_every_pair_is_read_as_a_cast_would_give_it(reader: Session) -> None:
    narrow_table(reader)
    casts = ", ".join(
        f"CAST({name} AS {new}), CAST(a{name} AS ARRAY<{new}>)" for name, (_, new) in zip(COLUMNS, PAIRS, strict=True)
    )
    expected = reader.sql(f"SELECT k, {casts} FROM t ORDER BY k").collect()
    conditions = [(name, f"{name} >= (SELECT max({name}) FROM t) OR {name} IS NULL") for name in COLUMNS]
    counts = [reader.sql(f"SELECT count(*) FROM t WHERE {text}").collect() for _, text in conditions]
    widen(reader)
    assert reader.sql("SELECT * FROM t ORDER BY k").collect() == expected
    assert [reader.sql(f"SELECT count(*) FROM t WHERE {text}").collect() for _, text in conditions] == counts
    assert reader.sql("UPDATE t SET k = k + 100 WHERE k < 10").collect() == [(10,)]
    moved = sorted((row[0] + 100 if row[0] < 10 else row[0], *row[1:]) for row in expected)
    assert sorted(reader.sql("SELECT * FROM t").collect(), key=lambda row: row[0]) == [*moved]


def test_statistics_of_old_files_still_prune(session: Session) -> None:
    session.sql(
        "CREATE TABLE t (a TINYINT, d DATE, n DECIMAL(4,1), l BIGINT) TBLPROPERTIES "
        "('delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported')"
    )
    for number in (1, 2, 3):
        session.sql(f"INSERT INTO t VALUES ({number}, DATE'2024-01-0{number}', {number}.5, {number})")
    session.sql("ALTER TABLE t ALTER COLUMN a TYPE DOUBLE, d TYPE TIMESTAMP_NTZ, n TYPE DECIMAL(9,3)")
    session.sql("ALTER TABLE t ALTER COLUMN l TYPE DECIMAL(22,1)")
    session.sql("INSERT INTO t VALUES (2.5, TIMESTAMP_NTZ'2024-01-02 12:00:00', 2.501, 2.1)")
    # Statistics cut times to milliseconds, so that a file of midnight may hold a later time.
    for condition, values, files in (
        ("a > 2.0D AND a < 3.0D", [2.5], 1),
        ("a = 2", [2.0], 1),
        ("d = TIMESTAMP_NTZ'2024-01-02 00:00:00'", [2.0], 1),
        ("d > TIMESTAMP_NTZ'2024-01-02 00:00:00' AND d < TIMESTAMP_NTZ'2024-01-03 00:00:00'", [2.5], 2),
        ("n = 2.5", [2.0], 1),
        ("n > 2.5 AND n < 3.5", [2.5], 1),
        ("l IN (2, 2.1)", [2.0, 2.5], 2),
    ):
        found = session.sql(f"SELECT a FROM t WHERE {condition} ORDER BY a")
        assert [row[0] for row in found.collect()] == values, condition
        read = session.sql(f"EXPLAIN SELECT a FROM t WHERE {condition}").collect()
        assert re.search(rf"files: {files} read \([\d,]+ bytes\), {4 - files} pruned", str(read)), condition


def test_a_partition_column_widens(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT, p TINYINT) PARTITIONED BY (p)")
    session.sql("INSERT INTO t VALUES (1, 1), (2, NULL)")
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
    session.sql("ALTER TABLE t ALTER COLUMN p TYPE DECIMAL(12,2)")
    session.sql("INSERT INTO t VALUES (3, 1), (4, 70000.25)")
    assert session.sql("SELECT a FROM t WHERE p = 1 ORDER BY a").collect() == [(1,), (3,)]
    session.sql("SET spark.sql.sources.partitionOverwriteMode = DYNAMIC")
    session.sql("INSERT OVERWRITE t VALUES (9, 1)")
    rows = session.sql("SELECT * FROM t ORDER BY a").collect()
    assert rows == [(2, None), (4, Decimal("70000.25")), (9, Decimal("1.00"))]


def test_column_mapping_and_time_travel(session: Session) -> None:
    properties = "('delta.enableTypeWidening' = 'true', 'delta.columnMapping.mode' = 'name')"
    session.sql(f"CREATE TABLE t (a SMALLINT, s STRUCT<x: FLOAT>) TBLPROPERTIES {properties}")
    session.sql("INSERT INTO t VALUES (1, named_struct('x', 0.5))")
    session.sql("ALTER TABLE t ALTER COLUMN a TYPE INT, s.x TYPE DOUBLE")
    session.sql("ALTER TABLE t RENAME COLUMN a TO c")
    session.sql("INSERT INTO t VALUES (70000, named_struct('x', 0.1))")
    assert session.sql("SELECT c, s.x FROM t ORDER BY c").collect() == [(1, 0.5), (70000, 0.1)]
    old = session.sql("SELECT * FROM t VERSION AS OF 1").df
    assert [field.dataType.simpleString() for field in old.schema] == ["smallint", "struct<x:float>"]


def test_a_failed_widening_leaves_the_table(session: Session) -> None:
    session.sql("CREATE TABLE t (a SMALLINT) TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
    session.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)")
    session.sql("INSERT INTO t VALUES (1)")
    with pytest.raises(DeltaSqlError) as caught:
        session.sql("INSERT WITH SCHEMA EVOLUTION INTO t SELECT 70000")
    assert caught.value.condition == "DELTA_CONSTRAINT_DATA_TYPE_MISMATCH"
    assert "DROP CONSTRAINT c" in str(caught.value)
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(
            "MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 1 AS a) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET *"
        )
    assert caught.value.condition == "DELTA_CONSTRAINT_DATA_TYPE_MISMATCH"
    with pytest.raises(DeltaSqlError) as caught:
        session.sql("ALTER TABLE t ALTER COLUMN a TYPE INT")
    assert caught.value.condition == "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"
    assert session.sql("SELECT * FROM t").collect() == [(1,)]
    assert session.log("t").snapshot().version == 2


def test_files_of_other_writers(session: Session, tmp_path: Path) -> None:
    """Writers differ in how a Parquet file holds small decimals and dictionaries."""
    import pyarrow as pa
    from deltalake import write_deltalake

    path = tmp_path / "theirs"
    batch = pa.table(
        {
            "b": pa.array([1, 2, None], pa.int8()),
            "n": pa.array([Decimal("1.25"), None, Decimal("-9.5")], pa.decimal128(6, 2)),
            "d": pa.array([datetime(2024, 1, 1).date(), None, datetime(1500, 1, 1).date()], pa.date32()),
            "f": pa.array([0.5, None, -1.5], pa.float32()),
        }
    )
    write_deltalake(str(path), batch)
    table = f"delta.`{path}`"
    session.sql(
        f"ALTER TABLE {table} SET TBLPROPERTIES "
        "('delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported')"
    )
    session.sql(f"ALTER TABLE {table} ALTER COLUMN b TYPE DECIMAL(12,1), n TYPE DECIMAL(20,6)")
    session.sql(f"ALTER TABLE {table} ALTER COLUMN d TYPE TIMESTAMP_NTZ, f TYPE DOUBLE")
    rows = session.sql(f"SELECT * FROM {table} ORDER BY n").collect()
    assert rows == [
        (Decimal("2.0"), None, None, None),
        (None, Decimal("-9.500000"), datetime(1500, 1, 1), -1.5),
        (Decimal("1.0"), Decimal("1.250000"), datetime(2024, 1, 1), 0.5),
    ]
