"""Streams into tables: one commit a batch, each batch once, whatever dies in between."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deltasql import DeltaSqlError, Session, connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = pytest.mark.spark


class Source:
    """Files of JSON that arrive one after another, and the checkpoint of the query that reads them."""

    def __init__(self, session: Session, place: Path) -> None:
        self.session, self.files, self.checkpoint = session, place / "in", place / "checkpoint"
        self.files.mkdir()
        self._count = 0

    def arrive(self, *rows: dict[str, Any]) -> None:
        self._count += 1
        text = "\n".join(json.dumps(row) for row in rows)
        (self.files / f"{self._count:04}.json").write_text(text)

    def rows(self, schema: str = "id INT, v STRING") -> DataFrame:
        spark = self.session.sql("SELECT 1").df.sparkSession
        return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).json(str(self.files))

    def run(self, table: str = "t", schema: str = "id INT, v STRING", **options: Any) -> StreamingQuery:
        """Everything that has arrived, into the table."""
        writer = self.session.writeStream(self.rows(schema)).option("checkpointLocation", str(self.checkpoint))
        query = writer.options(**options).trigger(availableNow=True).toTable(table)
        query.awaitTermination(120)
        return query

    def forget_commit(self, batch: int) -> None:
        """The checkpoint as a query leaves it that dies after the table's commit and before its own."""
        for path in (self.checkpoint / "commits").glob(f"*{batch}*"):
            path.unlink()


@pytest.fixture
def source(session: Session, tmp_path: Path) -> Source:
    return Source(session, tmp_path)


def told(session: Session, table: str, kind: str) -> list[dict[str, Any]]:
    log = Path(session.log(table).location, "_delta_log")
    lines = [line for path in sorted(log.glob("*.json")) for line in path.read_text().splitlines()]
    return [found[kind] for line in lines if kind in (found := json.loads(line))]


def test_each_batch_is_a_commit_with_its_number(source: Source) -> None:
    source.arrive({"id": 1, "v": "a"})
    source.arrive({"id": 2, "v": "b"})
    query = source.run()
    assert source.session.sql("SELECT * FROM t ORDER BY id").collect() == [(1, "a"), (2, "b")]
    notes = told(source.session, "t", "txn")
    assert [(note["appId"], note["version"]) for note in notes] == [(query.id, 0), (query.id, 1)]
    created, *batches = told(source.session, "t", "commitInfo")
    assert created["operation"] == "CREATE TABLE"
    assert [item["operation"] for item in batches] == ["STREAMING UPDATE"] * 2
    assert batches[1]["operationParameters"] == {"outputMode": "Append", "queryId": query.id, "epochId": "1"}


def test_a_relative_checkpoint_is_below_the_directory_of_the_session(tmp_path: Path) -> None:
    place = tmp_path / "there"
    place.mkdir()
    with connect(str(tmp_path / "warehouse"), directory=str(place)) as session:
        source = Source(session, place)
        source.checkpoint = Path("checkpoint")
        source.arrive({"id": 1, "v": "a"})
        source.run()
    assert (place / "checkpoint" / "commits").is_dir()


def test_a_batch_that_is_run_again_is_not_written_again(source: Source) -> None:
    source.arrive({"id": 1})
    first = source.run()
    source.forget_commit(0)
    source.arrive({"id": 2})
    second = source.run()
    assert second.id == first.id
    assert source.session.sql("SELECT id FROM t ORDER BY id").collect() == [(1,), (2,)]
    assert [note["version"] for note in told(source.session, "t", "txn")] == [0, 1]


def test_another_query_with_the_same_numbers_writes(source: Source, tmp_path: Path) -> None:
    source.arrive({"id": 1})
    source.run()
    source.checkpoint = tmp_path / "another"
    source.run()
    assert source.session.sql("SELECT count(*) FROM t").collect() == [(2,)]


def test_complete_mode_replaces_the_rows(source: Source) -> None:
    session = source.session

    def count() -> None:
        writer = session.writeStream(source.rows().groupBy("v").count()).outputMode("complete")
        writer = writer.option("checkpointLocation", str(source.checkpoint)).trigger(availableNow=True)
        writer.toTable("counts").awaitTermination(120)

    source.arrive({"id": 1, "v": "a"}, {"id": 2, "v": "b"})
    count()
    source.arrive({"id": 3, "v": "a"})
    count()
    assert session.sql("SELECT * FROM counts ORDER BY v").collect() == [("a", 2), ("b", 1)]
    assert told(session, "counts", "commitInfo")[-1]["operationParameters"]["outputMode"] == "Complete"


def test_new_columns_need_mergeschema(source: Source) -> None:
    source.arrive({"id": 1})
    source.run(schema="id INT")
    source.arrive({"id": 2, "v": "x"})
    with pytest.raises(Exception, match="DELTA_METADATA_MISMATCH"):
        source.run()
    source.run(mergeSchema=True)
    assert source.session.sql("SELECT * FROM t ORDER BY id").collect() == [(1, None), (2, "x")]


def test_constraints_hold_and_a_batch_that_breaks_one_leaves_nothing(source: Source) -> None:
    source.session.sql("CREATE TABLE t (id INT CONSTRAINT positive CHECK (id > 0), v STRING)")
    source.arrive({"id": -1})
    with pytest.raises(Exception, match="DELTA_VIOLATE_CONSTRAINT"):
        source.run()
    assert told(source.session, "t", "txn") == []
    assert source.session.log("t").snapshot().version == 0


def test_a_path_is_made_by_its_first_batch(source: Source, tmp_path: Path) -> None:
    source.arrive({"id": 1, "v": "a"})
    writer = source.session.writeStream(source.rows()).partitionBy("v").queryName("to_path")
    query = writer.option("checkpointLocation", str(source.checkpoint)).trigger(availableNow=True)
    query.start(str(tmp_path / "made")).awaitTermination(120)
    assert (tmp_path / "made" / "_delta_log").is_dir()
    assert source.session.sql(f"SELECT * FROM delta.`{tmp_path}/made`").collect() == [(1, "a")]


def test_a_later_use_does_not_move_the_table(source: Source) -> None:
    session = source.session
    session.sql("CREATE SCHEMA other")
    source.arrive({"id": 1})
    writer = session.writeStream(source.rows()).option("checkpointLocation", str(source.checkpoint))
    session.sql("USE other")
    writer.trigger(availableNow=True).toTable("default.t").awaitTermination(120)
    assert session.sql("SELECT count(*) FROM default.t").collect() == [(1,)]


def test_merge_in_foreachbatch_is_idempotent_by_settings(source: Source) -> None:
    """The way to write updates: a session of the batch's own, its MERGE noted under the query's name."""
    import deltasql

    session = source.session
    session.sql("CREATE TABLE t (id INT, v STRING)")

    def upsert(rows: DataFrame, number: int) -> None:
        rows.createOrReplaceTempView("batch")
        with deltasql.connect(str(Path(session.log("t").location).parent), spark=rows.sparkSession) as inner:
            inner.sql("SET spark.databricks.delta.write.txnAppId = upserts")
            inner.sql(f"SET spark.databricks.delta.write.txnVersion = {number}")
            matched = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
            inner.sql(f"MERGE INTO t USING batch AS s ON s.id = t.id {matched}")

    def run() -> None:
        writer = source.rows().writeStream.foreachBatch(upsert).option("checkpointLocation", str(source.checkpoint))
        writer.trigger(availableNow=True).start().awaitTermination(120)

    source.arrive({"id": 1, "v": "a"})
    run()
    source.forget_commit(0)
    source.arrive({"id": 1, "v": "b"})
    run()
    assert session.sql("SELECT * FROM t").collect() == [(1, "b")]
    assert [note["version"] for note in told(session, "t", "txn")] == [0, 1]


@pytest.mark.parametrize(
    ("start", "condition"),
    [
        (lambda w: w.outputMode("update"), "DELTA_UNSUPPORTED_OUTPUT_MODE"),
        (lambda w: w.start(), "DELTA_OPERATION_NOT_ALLOWED"),
        (lambda w: w.format("parquet"), "DELTA_OPERATION_NOT_ALLOWED"),
    ],
)
def test_what_a_stream_refuses(source: Source, start: Callable[[Any], object], condition: str) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        start(source.session.writeStream(source.rows()))
    assert caught.value.condition == condition


def test_a_void_column_is_refused_before_the_query_starts(source: Source) -> None:
    rows = source.rows().selectExpr("id", "NULL AS nothing")
    with pytest.raises(DeltaSqlError, match="DELTA_NULL_SCHEMA_IN_STREAMING_WRITE"):
        source.session.writeStream(rows).option("checkpointLocation", str(source.checkpoint)).toTable("t")
