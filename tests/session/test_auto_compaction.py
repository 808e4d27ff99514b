"""Auto compaction beside the golden files: failures, renamed partition columns, rows at random, two sessions, Spark."""

from __future__ import annotations

import logging
import random
from collections import Counter
from pathlib import Path

import pytest

from deltasql import Session, connect
from deltasql.base.errors import StorageError
from deltasql.base.session_settings import COMPUTE, IO_MODE

COMPACTS = "TBLPROPERTIES ('delta.autoOptimize.autoCompact' = 'true', 'delta.columnMapping.mode' = 'name')"
AFTER_THREE = "SET spark.databricks.delta.autoCompact.minNumFiles = 3"


@pytest.fixture
def opened(tmp_path: Path) -> Session:
    session = connect(str(tmp_path / "warehouse"))
    session.sql(AFTER_THREE)
    return session


def operations(session: Session, table: str = "t") -> list[str]:
    return [row["operation"] for row in session.sql(f"DESCRIBE HISTORY {table}").collect()][::-1]


def files(session: Session, table: str = "t") -> int:
    return int(session.sql(f"DESCRIBE DETAIL {table}").collect()[0]["numFiles"])


def test_a_failure_leaves_the_write_and_a_warning(
    opened: Session, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise StorageError("put", "/t", "the disk is full")

    opened.sql(f"CREATE TABLE t (id INT) {COMPACTS}")
    opened.sql("INSERT INTO t VALUES (1)")
    opened.sql("INSERT INTO t VALUES (2)")
    with monkeypatch.context() as patched, caplog.at_level(logging.WARNING):
        patched.setattr("deltasql.session.execution.open_transaction.auto_compaction", fail)
        assert opened.sql("INSERT INTO t VALUES (3)").version == 3
    assert "no auto compaction of" in caplog.text
    assert (files(opened), operations(opened)[-1]) == (3, "WRITE")
    opened.sql("INSERT INTO t VALUES (4)")
    assert (files(opened), operations(opened)[-1]) == (1, "OPTIMIZE")
    assert not opened.spark_started


@pytest.mark.spark
@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "STRING", "INT"])
def test_partition_columns_with_other_names_in_the_files(opened: Session, kind: str) -> None:
    value = {"DATE": "'2024-01-01'", "TIMESTAMP": "'2024-01-01 01:02:03'", "STRING": "'a=b/ü'", "INT": "7"}[kind]
    opened.sql(f"CREATE TABLE t (id INT, `p q` {kind}) PARTITIONED BY (`p q`) {COMPACTS}")
    opened.sql("ALTER TABLE t RENAME COLUMN `p q` TO r")
    for number in range(4):
        opened.sql(f"INSERT INTO t VALUES ({number}, CAST({value} AS {kind})), ({number}, NULL)")
    # Both partitions at the third INSERT, each with one more file since.
    assert (operations(opened).count("OPTIMIZE"), files(opened)) == (1, 4)
    rows = opened.sql(f"SELECT count(*), count(r), min(r) = CAST({value} AS {kind}) FROM t").collect()
    assert rows == [(8, 4, True)]


@pytest.mark.spark
@pytest.mark.parametrize("vectors", ["true", "false"])
@pytest.mark.parametrize("seed", range(4))
def test_rows_are_those_of_a_table_without_it(opened: Session, seed: int, vectors: str) -> None:
    draw, model = random.Random(seed), Counter[tuple[int, int]]()
    opened.sql(f"CREATE TABLE t (id INT, p INT) PARTITIONED BY (p) {COMPACTS}")
    opened.sql(f"ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')")
    for number in range(40):
        part = draw.randrange(3)
        match draw.choice(["INSERT", "INSERT", "UPDATE", "DELETE", "OVERWRITE"] if number % 10 else ["OVERWRITE"]):
            case "INSERT":
                opened.sql(f"INSERT INTO t VALUES ({number}, {part}), ({number}, {part})")
                model[number, part] += 2
            case "UPDATE":
                opened.sql(f"UPDATE t SET p = {part} WHERE id % 3 = {part}")
                old, model = model, Counter()
                for (key, place), times in old.items():
                    model[key, part if key % 3 == part else place] += times
            case "DELETE":
                opened.sql(f"DELETE FROM t WHERE p = {part} AND id < {number // 2}")
                model = Counter({row: n for row, n in model.items() if not (row[1] == part and row[0] < number // 2)})
            case "OVERWRITE":
                opened.sql(f"INSERT OVERWRITE t PARTITION (p = {part}) VALUES ({number})")
                model = Counter({row: n for row, n in model.items() if row[1] != part}) + Counter({(number, part): 1})
    assert Counter(map(tuple, opened.sql("SELECT * FROM t").collect())) == model
    assert "OPTIMIZE" in operations(opened)
    assert connect(opened.catalog.warehouse).sql("SELECT count(*) FROM t").collect() == [(model.total(),)]


def test_another_session_writes_meanwhile(opened: Session) -> None:
    """A statement that has read files before they were put together finds its rows in the new ones."""
    opened.sql(f"CREATE TABLE t (id INT) {COMPACTS}")
    opened.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    opened.sql("INSERT INTO t VALUES (1), (2)")
    opened.sql("INSERT INTO t VALUES (3)")
    pending = connect(opened.catalog.warehouse).begin("DELETE FROM t WHERE id = 1")
    opened.sql("INSERT INTO t VALUES (4)")
    assert operations(opened)[-1] == "OPTIMIZE"
    pending.commit()
    assert opened.sql("SELECT id FROM t ORDER BY id").collect() == [(2,), (3,), (4,)]


@pytest.mark.spark
def test_files_of_executors(opened: Session) -> None:
    opened.sql(f"SET {COMPUTE.name} = ENGINE")
    opened.sql(f"SET {IO_MODE.name} = EXECUTORS")
    opened.sql(f"CREATE TABLE t {COMPACTS} AS SELECT /*+ REPARTITION(4) */ id FROM range(100)")
    assert (operations(opened), files(opened)) == (["CREATE TABLE AS SELECT", "OPTIMIZE"], 1)
    assert opened.sql("SELECT count(*), sum(id) FROM t").collect() == [(100, 4950)]


@pytest.mark.spark
def test_batches_of_a_stream(opened: Session, tmp_path: Path) -> None:
    opened.sql("CREATE TABLE source (id INT)")
    for number in range(4):
        opened.sql(f"INSERT INTO source VALUES ({number})")
    opened.sql(f"CREATE TABLE t (id INT) {COMPACTS}")
    rows = opened.readStream.option("maxFilesPerTrigger", "1").table("source")
    writer = opened.writeStream(rows).option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer.trigger(availableNow=True).toTable("t").awaitTermination()
    assert operations(opened)[1:] == [*["STREAMING UPDATE"] * 3, "OPTIMIZE", "STREAMING UPDATE"]
    assert opened.sql("SELECT count(*), sum(id) FROM t").collect() == [(4, 6)]


def test_the_table_s_target_says_which_files_are_small(opened: Session) -> None:
    opened.sql(f"CREATE TABLE t (id INT) {COMPACTS}")
    opened.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.targetFileSize' = '100')")
    for number in range(4):
        opened.sql(f"INSERT INTO t VALUES ({number})")
    assert files(opened) == 4
    opened.sql("SET spark.databricks.delta.autoCompact.maxFileSize = 1mb")
    opened.sql("INSERT INTO t VALUES (4)")
    assert files(opened) == 1
    assert not opened.spark_started
