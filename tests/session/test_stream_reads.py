"""Tables as streams: a snapshot, then what each version adds, from a checkpoint on; and what stops them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deltasql import DeltaSqlError, Session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = pytest.mark.spark


class Query:
    """A query that starts, reads what there is, and ends; the next run goes on from its checkpoint."""

    def __init__(self, session: Session, checkpoint: Path) -> None:
        self.session, self.checkpoint = session, checkpoint

    def run(self, table: str = "t", **options: Any) -> list[list[tuple[Any, ...]]]:
        """The rows of each batch, sorted."""
        found: list[list[tuple[Any, ...]]] = []

        def keep(rows: DataFrame, number: int) -> None:
            found.append(sorted((tuple(row) for row in rows.collect()), key=repr))

        reader = self.session.readStream.options(**options).table(table)
        writer = reader.writeStream.foreachBatch(keep).option("checkpointLocation", str(self.checkpoint))
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination(120)
        return found

    def rows(self, table: str = "t", **options: Any) -> list[tuple[Any, ...]]:
        return sorted((row for batch in self.run(table, **options) for row in batch), key=repr)

    def offset(self) -> dict[str, Any]:
        """The last one, as Spark has it in the checkpoint."""
        last = max((self.checkpoint / "offsets").glob("[0-9]*"), key=lambda path: int(path.name))
        found: dict[str, Any] = json.loads(last.read_text().splitlines()[-1])
        return found


@pytest.fixture
def query(session: Session, tmp_path: Path) -> Query:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("INSERT INTO t VALUES (2)")
    return Query(session, tmp_path / "checkpoint")


def test_a_snapshot_and_then_what_comes(query: Query) -> None:
    assert query.rows() == [(1,), (2,)]
    assert query.offset() == {
        "sourceVersion": 1,
        "reservoirId": query.session.log("t").snapshot().metadata.id,
        "reservoirVersion": 3,
        "index": -1,
        "isStartingVersion": False,
    }
    assert query.rows() == []
    query.session.sql("INSERT INTO t VALUES (3)")
    query.session.sql("INSERT INTO t VALUES (4)")
    assert query.rows() == [(3,), (4,)]


@pytest.mark.parametrize("options", [{"maxFilesPerTrigger": 1}, {"maxBytesPerTrigger": "1b", "startingVersion": 0}])
def test_a_batch_is_no_bigger_than_the_limit(query: Query, options: dict[str, Any]) -> None:
    query.session.sql("INSERT INTO t SELECT /*+ REPARTITION(2) */ 10 + id FROM range(2)")
    batches = [batch for batch in query.run(**options) if batch]
    assert sorted(row for batch in batches for row in batch) == [(1,), (2,), (10,), (11,)]
    assert len(batches) >= 3


def test_updates_stop_a_stream_unless_they_are_to_be_skipped(query: Query) -> None:
    session = query.session
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    session.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ CAST(10 + id AS INT) FROM range(3)")
    query.rows()
    session.sql("UPDATE t SET id = 20 WHERE id = 10")
    session.sql("INSERT INTO t VALUES (30)")
    with pytest.raises(Exception, match="DELTA_SOURCE_TABLE_IGNORE_CHANGES"):
        query.rows()
    kept = query.checkpoint
    query.checkpoint = kept.parent / "fresh"
    assert query.rows() == [(1,), (11,), (12,), (2,), (20,), (30,)]
    query.checkpoint = kept
    assert query.rows(skipChangeCommits=True) == [(30,)]


def test_the_change_feed_as_a_stream(query: Query) -> None:
    session = query.session
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    assert query.rows(readChangeFeed=True) == [(1, "insert", 3, at(session, 3)), (2, "insert", 3, at(session, 3))]
    session.sql("UPDATE t SET id = 20 WHERE id = 2")
    session.sql("DELETE FROM t WHERE id = 1")
    assert query.rows(readChangeFeed=True) == [
        (1, "delete", 5, at(session, 5)),
        (2, "update_preimage", 4, at(session, 4)),
        (20, "update_postimage", 4, at(session, 4)),
    ]


def at(session: Session, version: int) -> Any:
    return next(row.timestamp for row in session.sql("DESCRIBE HISTORY t").collect() if row.version == version).replace(
        tzinfo=None
    )


def test_the_change_feed_of_vectors(query: Query) -> None:
    session = query.session
    properties = "'delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'true'"
    session.sql(f"CREATE TABLE v (id INT) TBLPROPERTIES ({properties})")
    session.sql("INSERT INTO v SELECT /*+ COALESCE(1) */ CAST(id AS INT) FROM range(4)")
    session.sql("DELETE FROM v WHERE id = 2")
    found = query.rows("v", readChangeFeed=True, startingVersion=2)
    assert [row[:3] for row in found] == [(2, "delete", 2)]
    with pytest.raises(Exception, match="DELTA_MISSING_CHANGE_DATA"):
        Query(session, query.checkpoint.parent / "other").rows("t", readChangeFeed=True)


def test_new_columns_stop_a_running_stream_and_the_next_one_reads_them(query: Query) -> None:
    session = query.session
    found: list[tuple[Any, ...]] = []
    reader = session.readStream.table("t")
    writer = reader.writeStream.foreachBatch(lambda rows, _: found.extend(map(tuple, rows.collect())))
    running = writer.option("checkpointLocation", str(query.checkpoint)).start()
    try:
        running.processAllAvailable()
        session.sql("ALTER TABLE t ADD COLUMN extra STRING")
        session.sql("INSERT INTO t VALUES (3, 'x')")
        with pytest.raises(Exception, match="DELTA_SCHEMA_CHANGED_WITH_VERSION"):
            running.awaitTermination(60)
    finally:
        running.stop()
    assert sorted(found) == [(1,), (2,)]
    assert query.rows() == [(3, "x")]


def test_a_rename_needs_a_new_checkpoint(query: Query) -> None:
    session = query.session
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    query.rows()
    session.sql("ALTER TABLE t RENAME COLUMN id TO key")
    session.sql("INSERT INTO t VALUES (3)")
    with pytest.raises(Exception, match="DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG"):
        query.rows()
    assert Query(session, query.checkpoint.parent / "fresh").rows() == [(1,), (2,), (3,)]


def test_every_type_partitions_mapping_and_widening(query: Query) -> None:
    session = query.session
    session.sql(
        "CREATE TABLE w (i INT, p STRING, d DATE, s STRUCT<a: INT, b: ARRAY<STRUCT<x: INT>>>, m MAP<STRING, INT>,"
        " n DECIMAL(10, 2), at TIMESTAMP, ntz TIMESTAMP_NTZ, flag BOOLEAN, raw BINARY, f DOUBLE)"
        " PARTITIONED BY (p, d)"
        " TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true')"
    )
    session.sql(
        "INSERT INTO w VALUES (1, 'a b', DATE '2024-01-02', named_struct('a', 1, 'b', array(named_struct('x', 2))),"
        " map('k', 3), 1.25, TIMESTAMP '2024-01-02 03:04:05', TIMESTAMP_NTZ '2024-01-02 03:04:05', true, X'01', 0.5),"
        " (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
    )
    session.sql("ALTER TABLE w ALTER COLUMN i TYPE BIGINT")
    session.sql("ALTER TABLE w ADD COLUMNS (s.c STRING, late INT)")
    session.sql("INSERT INTO w (i) VALUES (5000000000)")
    expected = sorted((tuple(row) for row in session.table("w").collect()), key=repr)
    assert query.rows("w") == expected
    assert len(expected) == 3


def test_timestamps_as_partitions(query: Query) -> None:
    session = query.session
    session.sql("SET spark.sql.session.timeZone = Asia/Tokyo")
    session.sql("CREATE TABLE w (id INT, at TIMESTAMP) PARTITIONED BY (at)")
    session.sql("INSERT INTO w VALUES (1, TIMESTAMP '2024-01-02 03:04:05')")
    assert query.rows("w") == [tuple(row) for row in session.table("w").collect()]


def test_a_stream_from_a_table_into_a_table(query: Query) -> None:
    session = query.session

    def copy() -> None:
        rows = session.readStream.table("t").selectExpr("id * 2 AS id")
        writer = session.writeStream(rows).option("checkpointLocation", str(query.checkpoint))
        writer.trigger(availableNow=True).toTable("doubled").awaitTermination(120)

    copy()
    session.sql("INSERT INTO t VALUES (3)")
    copy()
    assert session.sql("SELECT * FROM doubled ORDER BY id").collect() == [(2,), (4,), (6,)]


def test_a_table_that_grows_while_its_stream_runs(query: Query) -> None:
    session = query.session
    found: list[Any] = []
    reader = session.readStream.load(session.log("t").location)
    writer = reader.writeStream.foreachBatch(lambda rows, _: found.extend(row.id for row in rows.collect()))
    running = writer.option("checkpointLocation", str(query.checkpoint)).start()
    try:
        running.processAllAvailable()
        session.sql("INSERT INTO t VALUES (3)")
        running.processAllAvailable()
    finally:
        running.stop()
    assert sorted(found) == [1, 2, 3]


@pytest.mark.parametrize(
    ("read", "condition"),
    [
        (
            lambda r: r.options(startingVersion=0, startingTimestamp="2020-01-01").table("t"),
            "DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET",
        ),
        (lambda r: r.option("startingVersion", "x").table("t"), "DELTA_ILLEGAL_OPTION"),
        (lambda r: r.option("versionAsOf", 0).table("t"), "DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS"),
        (lambda r: r.option("schemaTrackingLocation", "/x").table("t"), "DELTA_STREAMING_UNSUPPORTED_OPTION"),
        (lambda r: r.option("withEventTimeOrder", True).table("t"), "DELTA_STREAMING_UNSUPPORTED_OPTION"),
        (lambda r: r.schema("id INT"), "DELTA_UNSUPPORTED_SCHEMA_DURING_READ"),
        (lambda r: r.load(), "DELTA_MISSING_PATH"),
        (lambda r: r.table("nope"), "TABLE_OR_VIEW_NOT_FOUND"),
        (lambda r: r.table("odd"), "DELTA_STREAMING_UNSUPPORTED_COLUMN"),
    ],
)
def test_what_is_refused_before_a_query_starts(query: Query, read: Callable[[Any], object], condition: str) -> None:
    query.session.sql("CREATE TABLE odd (id INT, v VARIANT)")
    with pytest.raises(DeltaSqlError) as caught:
        read(query.session.readStream)
    assert caught.value.condition == condition
