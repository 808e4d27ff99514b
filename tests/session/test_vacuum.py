"""VACUUM and FSCK of tables that Spark wrote: what is left in the files, and who still reads them."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from deltasql import Session
from deltasql.base.errors import InventorySchemaError

pytestmark = pytest.mark.spark


@pytest.fixture
def unchecked(session: Session) -> Session:
    session.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
    return session


def data_files(session: Session) -> list[Path]:
    root = Path(session.log("t").location)
    return sorted(path for path in root.rglob("*.parquet") if "_delta_log" not in path.parts)


def test_a_dropped_column_leaves_the_files(unchecked: Session) -> None:
    """DROP COLUMN, REORG, VACUUM: the way to take data out for good."""
    unchecked.sql(
        "CREATE TABLE t (id INT, ssn STRING, name STRING) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    unchecked.sql("INSERT INTO t VALUES (1, '078-05-1120', 'Ann'), (2, '219-09-9999', 'Bob')")
    unchecked.sql("INSERT INTO t VALUES (3, '457-55-5462', 'Cyd')")
    unchecked.sql("ALTER TABLE t DROP COLUMN ssn")
    assert {len(pq.read_schema(file).names) for file in data_files(unchecked)} == {3}
    unchecked.sql("REORG TABLE t APPLY (PURGE)")
    assert any(b"219-09-9999" in file.read_bytes() for file in data_files(unchecked))
    removed = unchecked.sql("VACUUM t RETAIN 0 HOURS").metrics["numDeletedFiles"]
    assert removed >= 2
    assert [len(pq.read_schema(file).names) for file in data_files(unchecked)] == [2]
    assert not any(b"219-09-9999" in file.read_bytes() for file in data_files(unchecked))
    assert unchecked.sql("SELECT * FROM t ORDER BY id").collect() == [(1, "Ann"), (2, "Bob"), (3, "Cyd")]


def test_rows_stay_with_vectors_and_change_data(unchecked: Session) -> None:
    unchecked.sql(
        "CREATE TABLE t (a BIGINT) TBLPROPERTIES "
        "('delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true')"
    )
    unchecked.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ id FROM range(9)")
    unchecked.sql("DELETE FROM t WHERE a = 1")
    unchecked.sql("UPDATE t SET a = 20 WHERE a = 2")
    unchecked.sql("VACUUM t RETAIN 0 HOURS")
    assert unchecked.sql("SELECT count(*), sum(a) FROM t").collect() == [(8, 53)]
    unchecked.sql("FSCK REPAIR TABLE t")
    assert unchecked.sql("SELECT count(*) FROM t").collect() == [(8,)]
    unchecked.sql("VACUUM t RETAIN 0 HOURS DRY RUN")


def test_an_inventory_names_the_files(unchecked: Session) -> None:
    unchecked.sql("CREATE TABLE t (a INT)")
    unchecked.sql("INSERT INTO t VALUES (1)")
    unchecked.sql("INSERT INTO t VALUES (2)")
    unchecked.sql("INSERT OVERWRITE t VALUES (3)")
    first, *_ = old = [file for file in data_files(unchecked) if pq.read_table(file)["a"].to_pylist() != [3]]
    assert len(old) == 2
    columns = "AS f (path, length, isDir, modificationTime)"
    root = unchecked.log("t").location
    rows = [f"('{root}/_delta_log/00000000000000000000.json', 1L, false, 0L)", f"('{root}', 0L, true, 0L)"]
    rows += ["('/elsewhere/f', 1L, false, 0L)", "(NULL, NULL, NULL, NULL)"]
    live = next(str(file) for file in data_files(unchecked) if file not in old)
    rows += [f"('{path}', 1L, false, 0L)" for path in (live, live.replace(root, f"{root}/"), f"{root}/../f")]
    listed = f"(SELECT * FROM VALUES ('file://{first}', 7L, false, 0L), {', '.join(rows)} {columns})"
    result = unchecked.sql(f"VACUUM t USING INVENTORY {listed} RETAIN 0 HOURS")
    assert (result.metrics["numDeletedFiles"], result.metrics["sizeOfDataToDelete"]) == (1, 7)
    assert set(old) & set(data_files(unchecked)) == set(old[1:])
    unchecked.sql(f"CREATE TEMPORARY VIEW listed AS SELECT * FROM VALUES ('{old[1]}', 7L, false, 0L) {columns}")
    assert unchecked.sql("VACUUM t USING INVENTORY listed RETAIN 0 HOURS DRY RUN").collect() == [(f"file:{old[1]}",)]
    unchecked.sql("VACUUM t USING INVENTORY listed RETAIN 0 HOURS")
    assert unchecked.sql("SELECT * FROM t").collect() == [(3,)]
    with pytest.raises(InventorySchemaError, match="length int"):
        unchecked.sql("VACUUM t USING INVENTORY (SELECT 'a' AS path, 1 AS length)")


def test_restored_rows_are_the_old_ones(session: Session) -> None:
    session.sql("CREATE TABLE t (a BIGINT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    session.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ id FROM range(9)")
    session.sql("DELETE FROM t WHERE a < 4")
    session.sql("ALTER TABLE t ADD COLUMN b INT")
    session.sql("UPDATE t SET b = 1")
    session.sql("RESTORE t TO VERSION AS OF 1")
    assert session.sql("SELECT * FROM t ORDER BY a").collect() == [(n,) for n in range(9)]
    session.sql("RESTORE t TO VERSION AS OF 4")
    assert session.sql("SELECT * FROM t ORDER BY a").collect() == [(n, 1) for n in range(4, 9)]
