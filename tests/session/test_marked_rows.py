"""DML on tables that mark rows instead of rewriting files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deltasql import DeltaSqlError, Row, Session

pytestmark = pytest.mark.spark

PROPERTIES = "'delta.enableDeletionVectors' = 'true'"
SOURCE = "(SELECT * FROM VALUES (1, 'm'), (12, 'm'), (99, 'n') AS s(id, v))"


@pytest.fixture(params=["one job", "two jobs", "a source too big to send around"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables take one way through, large ones another: the limits are lowered."""
    if request.param != "one job":
        monkeypatch.setattr("deltasql.engines.spark.rewrites.rewrite.FEW_BYTES", 0)
    if request.param == "a source too big to send around":
        monkeypatch.setattr("deltasql.engines.spark.rewrites.row_actions.BROADCAST_ROWS", 0)


@pytest.fixture
def numbers(session: Session) -> Session:
    """A table `t` with ids 0–9 in one file and 10–19 in another."""
    session.sql(f"CREATE TABLE t (id INT, v STRING) TBLPROPERTIES ({PROPERTIES})")
    for start in (0, 10):
        session.sql(
            f"INSERT INTO t SELECT /*+ COALESCE(1) */ cast(id AS INT), 'v' || id FROM range({start}, {start + 10})"
        )
    return session


def actions(session: Session, version: int) -> list[dict[str, Any]]:
    log = Path(session.log("t").location, "_delta_log", f"{version:020d}.json")
    return [json.loads(line) for line in log.read_text().splitlines()]


def adds(session: Session, version: int) -> list[dict[str, Any]]:
    return [item["add"] for item in actions(session, version) if "add" in item]


def ids(session: Session, condition: str = "true") -> list[int]:
    return [row.id for row in session.sql(f"SELECT id FROM t WHERE {condition} ORDER BY id").collect()]


def vector_files(session: Session) -> list[Path]:
    return list(Path(session.log("t").location).glob("deletion_vector_*.bin"))


@pytest.mark.usefixtures("way")
def test_a_delete_writes_a_vector_and_no_data(numbers: Session) -> None:
    assert numbers.sql("DELETE FROM t WHERE id IN (3, 4, 15)").collect() == [(3,)]
    assert ids(numbers) == [0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19]
    first, second = adds(numbers, 3)
    assert (first["deletionVector"]["cardinality"], second["deletionVector"]["cardinality"]) in {(1, 2), (2, 1)}
    assert first["deletionVector"]["pathOrInlineDv"] == second["deletionVector"]["pathOrInlineDv"]
    assert json.loads(first["stats"]) | {"minValues": 0, "maxValues": 0} == {
        "numRecords": 10,
        "minValues": 0,
        "maxValues": 0,
        "nullCount": {"id": 0, "v": 0},
        "tightBounds": False,
    }
    assert len(vector_files(numbers)) == 1


@pytest.mark.usefixtures("way")
def test_a_second_delete_adds_to_the_vector(numbers: Session) -> None:
    numbers.sql("DELETE FROM t WHERE id = 3")
    numbers.sql("DELETE FROM t WHERE id <= 4")
    (add,) = adds(numbers, 4)
    assert add["deletionVector"]["cardinality"] == 5
    (removed,) = [item["remove"] for item in actions(numbers, 4) if "remove" in item]
    assert removed["path"] == add["path"]
    assert removed["deletionVector"]["cardinality"] == 1
    assert ids(numbers, "id < 10") == [5, 6, 7, 8, 9]


@pytest.mark.usefixtures("way")
def test_a_file_without_a_live_row_leaves_the_table(numbers: Session) -> None:
    numbers.sql("DELETE FROM t WHERE id < 5")
    result = numbers.sql("DELETE FROM t WHERE id < 10")
    assert (result.collect(), adds(numbers, 4)) == ([(5,)], [])
    assert result.metrics["numRemovedFiles"] == 1
    assert result.metrics["numDeletionVectorsRemoved"] == 1
    assert ids(numbers) == list(range(10, 20))


@pytest.mark.usefixtures("way")
def test_an_update_writes_only_the_new_rows(numbers: Session) -> None:
    result = numbers.sql("UPDATE t SET v = upper(v) WHERE id % 10 = 3")
    assert result.collect() == [(2,)]
    assert result.metrics["numCopiedRows"] == 0
    assert result.metrics["numDeletionVectorsAdded"] == 2
    new = [add for add in adds(numbers, 3) if "deletionVector" not in add]
    assert sum(json.loads(add["stats"])["numRecords"] for add in new) == 2
    assert numbers.sql("SELECT * FROM t WHERE id % 10 = 3 ORDER BY id").collect() == [(3, "V3"), (13, "V13")]
    assert numbers.sql("SELECT count(*) FROM t").collect() == [(20,)]


@pytest.mark.usefixtures("way")
def test_a_merge_of_every_clause(numbers: Session) -> None:
    merged = numbers.sql(
        f"MERGE INTO t USING {SOURCE} s ON t.id = s.id WHEN MATCHED AND s.id = 12 THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.id = 19 THEN UPDATE SET v = 'alone' "
        "WHEN NOT MATCHED BY SOURCE AND t.id = 18 THEN DELETE"
    )
    assert merged.collect() == [Row(list(merged.columns), (5, 2, 2, 1))]
    changed = numbers.sql("SELECT * FROM t WHERE v NOT LIKE 'v%' ORDER BY id").collect()
    assert changed == [(1, "m"), (19, "alone"), (99, "n")]
    assert ids(numbers) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 19, 99]


@pytest.mark.usefixtures("way")
def test_a_merge_that_would_change_a_row_twice_changes_nothing(numbers: Session) -> None:
    source = "(SELECT 3 AS id UNION ALL SELECT 3)"
    with pytest.raises(DeltaSqlError, match="DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"):
        numbers.sql(f"MERGE INTO t USING {source} s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'x'")
    assert numbers.sql("DESCRIBE HISTORY t").collect()[0].version == 2
    assert numbers.sql(f"MERGE INTO t USING {source} s ON t.id = s.id WHEN MATCHED THEN DELETE").collect() == [
        (1, 0, 1, 0)
    ]
    assert vector_files(numbers) != []


def test_rows_chosen_by_the_clock_are_chosen_once(numbers: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltasql.engines.spark.rewrites.rewrite.FEW_BYTES", 0)
    condition = "unix_micros(current_timestamp()) % 2 = id % 2"
    (changed,) = numbers.sql(f"UPDATE t SET v = 'even or odd' WHERE {condition}").collect()
    assert changed == (10,)
    assert numbers.sql("SELECT count(*), count_if(v = 'even or odd') FROM t").collect() == [(20, 10)]


@pytest.mark.usefixtures("way")
def test_partitions_mapped_columns_and_replace_where(session: Session) -> None:
    session.sql(
        "CREATE TABLE t (id INT, `a b` STRING, p STRING) PARTITIONED BY (p) "
        f"TBLPROPERTIES ({PROPERTIES}, 'delta.columnMapping.mode' = 'name')"
    )
    session.sql("INSERT INTO t SELECT cast(id AS INT), 'x', 'p' || id % 3 FROM range(9)")
    session.sql("ALTER TABLE t RENAME COLUMN `a b` TO c")
    session.sql("UPDATE t SET c = 'u', p = 'p9' WHERE id IN (0, 1)")
    session.sql("INSERT INTO t REPLACE WHERE id > 6 SELECT 7, 'r', 'p1'")
    assert session.sql("SELECT id, c, p FROM t WHERE c <> 'x' ORDER BY id").collect() == [
        (0, "u", "p9"),
        (1, "u", "p9"),
        (7, "r", "p1"),
    ]
    assert ids(session) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert session.sql("DELETE FROM t WHERE p = 'p1'").collect() == [(2,)]
    assert ids(session) == [0, 1, 2, 3, 5, 6]


def test_files_without_statistics_get_their_row_count_from_the_footer(session: Session) -> None:
    session.sql(
        f"CREATE TABLE t (id INT, v STRING) TBLPROPERTIES ({PROPERTIES}, 'delta.dataSkippingNumIndexedCols' = '0')"
    )
    session.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    session.sql("DELETE FROM t WHERE id = 1")
    (add,) = adds(session, 2)
    assert json.loads(add["stats"])["numRecords"] == 2
    assert ids(session) == [2]


def test_what_was_staged_goes_when_the_statement_fails(numbers: Session) -> None:
    numbers.sql("ALTER TABLE t ADD CONSTRAINT short CHECK (length(v) < 5)")
    with pytest.raises(DeltaSqlError, match="DELTA_VIOLATE_CONSTRAINT"):
        numbers.sql("UPDATE t SET v = 'much too long' WHERE id = 1")
    assert vector_files(numbers) == []
    assert ids(numbers) == list(range(20))
