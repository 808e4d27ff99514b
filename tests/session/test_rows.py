"""Statements with rows through the public surface, on Spark."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

import deltasql
from deltasql import DeltaSqlError, Row, Session
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog, Snapshot
from deltasql.session.execution import commit

pytestmark = pytest.mark.spark


def data_files(session: Session, table: str) -> set[Path]:
    return set(Path(session.log(table).location).rglob("*.parquet"))


def test_a_query_gives_rows_in_every_form(people: Session) -> None:
    result = people.sql("SELECT id, name, tags FROM people ORDER BY id")
    assert result.columns == ["id", "name", "tags"]
    assert [field.name for field in result.schema] == ["id", "name", "tags"]
    rows = result.collect()
    assert rows == [(1, "ann", ["a"]), (2, "bob", None), (3, None, [])]
    assert isinstance(rows[0], Row)
    assert (rows[0].name, rows[1]["id"]) == ("ann", 2)
    assert result.count() == 3
    assert result.to_arrow().num_rows == 3
    assert list(result.toPandas()["id"]) == [1, 2, 3]
    assert result.df.filter("id > 1").count() == 2


def test_parameters_are_values_not_text(people: Session) -> None:
    found = people.sql("SELECT id FROM people WHERE name = :name", args={"name": "x' OR '1' = '1"})
    assert found.collect() == []
    assert people.sql("SELECT id FROM people WHERE name = ? AND id < ?", args=["ann", 5]).collect() == [(1,)]
    values = people.sql(
        "SELECT :d AS d, :n AS n, :l AS l", args={"d": date(2024, 1, 31), "n": Decimal("1.20"), "l": [1, 2]}
    )
    assert values.collect() == [(date(2024, 1, 31), Decimal("1.20"), [1, 2])]


def test_dml_reports_what_it_did(people: Session) -> None:
    inserted = people.sql("INSERT INTO people (id) VALUES (4), (5)")
    assert inserted.collect() == [(2, 2)]
    assert inserted.metrics["numOutputRows"] == 2
    updated = people.sql("UPDATE people SET name = upper(name) WHERE id <= 2")
    assert (updated.collect(), updated.version) == ([(2,)], 3)
    deleted = people.sql("DELETE FROM people WHERE id > 3")
    assert deleted.collect() == [(2,)]
    merged = people.sql(
        "MERGE INTO people t USING (SELECT 1 AS id, 'x' AS name UNION ALL SELECT 9, 'y') s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)"
    )
    assert merged.collect() == [Row(MERGED, (2, 1, 0, 1))]
    assert merged.collect()[0].num_inserted_rows == 1


MERGED = ("num_affected_rows", "num_updated_rows", "num_deleted_rows", "num_inserted_rows")


def test_a_statement_without_effect_commits_nothing(people: Session) -> None:
    result = people.sql("DELETE FROM people WHERE id = 99")
    assert (result.collect(), result.version) == ([(0,)], None)
    assert people.log("people").snapshot().version == 1


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("INSERT INTO people VALUES (NULL, 'x', NULL)", "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"),
        ("UPDATE people SET id = NULL WHERE id = 1", "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"),
        ("INSERT INTO people (id) SELECT 3000000000", "CAST_OVERFLOW_IN_TABLE_INSERT"),
        ("UPDATE people SET id = 3000000000", "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE"),
        ("UPDATE people SET id = 1 / 0", "DIVIDE_BY_ZERO"),
        ("DELETE FROM people WHERE nope = 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ],
)
def test_a_failed_statement_leaves_nothing_behind(people: Session, statement: str, condition: str) -> None:
    before = data_files(people, "people")
    with pytest.raises(DeltaSqlError) as caught:
        people.sql(statement)
    assert caught.value.condition == condition
    assert "\tat org.apache" not in str(caught.value)
    assert people.log("people").snapshot().version == 1
    assert data_files(people, "people") == before


def test_ambiguous_source_rows_are_named(people: Session) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        people.sql(
            "MERGE INTO people t USING (SELECT 2 AS id, explode(array('x', 'y')) AS name) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET name = s.name"
        )
    assert caught.value.condition == "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"
    assert "t.id = 2" in str(caught.value)


def test_a_lost_race_is_a_conflict_and_staged_files_go(people: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    rival = deltasql.connect(people.catalog.warehouse)

    def outrun(log: DeltaLog, snapshot: Snapshot | None) -> Transaction:
        monkeypatch.undo()
        rival.sql("ALTER TABLE people ADD COLUMN late INT")
        return Transaction(log, snapshot)

    before = data_files(people, "people")
    people.sql("SET deltasql.retry.statements = none")
    monkeypatch.setattr(commit, "Transaction", outrun)
    with pytest.raises(deltasql.base.errors.ConcurrentModificationError) as caught:
        people.sql("UPDATE people SET name = 'z' WHERE id = 1")
    assert caught.value.condition == "DELTA_METADATA_CHANGED"
    assert "ADD COLUMNS" in str(caught.value)
    assert data_files(people, "people") == before


def test_a_blind_append_wins_in_the_end(people: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    rival = deltasql.connect(people.catalog.warehouse)

    def outrun(log: DeltaLog, snapshot: Snapshot | None) -> Transaction:
        monkeypatch.undo()
        rival.sql("INSERT INTO people (id) VALUES (10)")
        return Transaction(log, snapshot)

    monkeypatch.setattr(commit, "Transaction", outrun)
    result = people.sql("INSERT INTO people (id) VALUES (11)")
    assert (result.version, result.attempts) == (3, 2)
    assert people.sql("SELECT count(*) FROM people").collect() == [(5,)]


def test_the_sessions_spark_settings_are_left_as_found(people: Session) -> None:
    keys = ["spark.sql.shuffle.partitions", "spark.sql.adaptive.enabled", "spark.sql.parquet.outputTimestampType"]
    conf = people.sql("SELECT 1").df.sparkSession.conf
    before = [conf.get(key) for key in keys]
    people.sql("UPDATE people SET name = 'n'")
    with pytest.raises(DeltaSqlError):
        people.sql("UPDATE people SET id = NULL")
    assert [conf.get(key) for key in keys] == before


def test_a_session_that_was_handed_in_stays_open(people: Session, tmp_path: Path) -> None:
    spark = people.sql("SELECT 1").df.sparkSession
    spark.range(3).createOrReplaceTempView("from_outside")
    with deltasql.connect(str(tmp_path / "other"), spark) as other:
        other.sql("CREATE TABLE t AS SELECT id FROM from_outside")
        assert other.sql("SELECT sum(id) FROM t").collect() == [(3,)]
    assert spark.range(1).count() == 1
    spark.catalog.dropTempView("from_outside")


def test_zeros_are_equal_whoever_reads_the_files(session: Session) -> None:
    """Spark looks a value up in the dictionary of a column before it reads a file, bit by bit."""
    session.sql("SET deltasql.io.mode = EXECUTORS")
    session.sql("CREATE TABLE t AS SELECT id, -0.0D AS g, named_struct('f', FLOAT(-0.0)) AS s FROM range(0, 100, 1, 1)")
    counted = session.sql("SELECT count_if(g = 0), count(*) FROM t WHERE g = 0 AND s.f = 0").collect()
    assert counted == [(100, 100)]


def test_views_see_their_tables_as_they_are_when_read(people: Session) -> None:
    people.sql("CREATE TEMP VIEW named AS SELECT id FROM people WHERE name IS NOT NULL")
    assert people.sql("SELECT count(*) FROM named").collect() == [(2,)]
    people.sql("INSERT INTO people VALUES (4, 'dan', NULL)")
    assert people.sql("SELECT count(*) FROM named").collect() == [(3,)]
    people.sql("DROP VIEW named")
    with pytest.raises(DeltaSqlError, match="TABLE_OR_VIEW_NOT_FOUND"):
        people.sql("SELECT * FROM named")


def test_one_statement_reads_one_version(people: Session) -> None:
    people.sql("INSERT INTO people SELECT id + 10, name, tags FROM people")
    assert people.sql("SELECT count(*) FROM people a JOIN people@v1 b ON a.id = b.id").collect() == [(3,)]


def test_a_large_merge_finds_the_touched_files_first(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    # The limit is lowered so that a small table takes the way of a large one.
    monkeypatch.setattr("deltasql.engines.spark.rewrites.rewrite.FEW_BYTES", 0)
    session.sql("CREATE TABLE t (id BIGINT, v STRING, p INT) PARTITIONED BY (p)")
    session.sql("INSERT INTO t SELECT id, 'old', cast(id % 3 AS INT) FROM range(30)")
    source = "(SELECT id, 'new' AS v, cast(id % 3 AS INT) AS p FROM range(27, 33))"
    merged = session.sql(
        f"MERGE INTO t USING {source} s ON t.id = s.id WHEN MATCHED AND s.id = 27 THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.id < 2 THEN UPDATE SET v = 'gone'"
    )
    assert merged.collect() == [(8, 4, 1, 3)]
    rows = session.sql("SELECT v, count(*), min(id), max(id) FROM t GROUP BY v ORDER BY v").collect()
    assert rows == [("gone", 2, 0, 1), ("new", 5, 28, 32), ("old", 25, 2, 26)]
    assert session.sql("UPDATE t SET v = 'u' WHERE id = 5").collect() == [(1,)]
    assert session.sql("DELETE FROM t WHERE id = 5").collect() == [(1,)]
    inserted = session.sql(f"MERGE INTO t USING {source} s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *")
    assert inserted.collect() == [(1, 0, 0, 1)]
    with pytest.raises(DeltaSqlError, match="MULTIPLE_SOURCE_ROW"):
        session.sql(
            "MERGE INTO t USING (SELECT 3 AS id UNION ALL SELECT 3) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET v = 'x'"
        )


def test_a_merge_with_a_source_too_big_to_send_around(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltasql.engines.spark.rewrites.rewrite.FEW_BYTES", 0)
    monkeypatch.setattr("deltasql.engines.spark.rewrites.row_actions.BROADCAST_ROWS", 0)
    session.sql("CREATE TABLE t AS SELECT id, 'old' AS v FROM range(20)")
    merged = session.sql(
        "MERGE INTO t USING (SELECT id, 'new' AS v FROM range(15, 25)) s ON t.id = s.id "
        "WHEN MATCHED AND s.id > 15 THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    assert merged.collect() == [(9, 4, 0, 5)]
    assert session.sql("SELECT count(*), count_if(v = 'new') FROM t").collect() == [(25, 9)]
    only = "WHEN NOT MATCHED THEN INSERT *"
    again = session.sql(f"MERGE INTO t USING (SELECT id, 'x' AS v FROM range(30)) s ON t.id = s.id {only}")
    assert again.collect() == [(5, 0, 0, 5)]
