"""DataFrames written into tables: what holds for INSERT holds for them, and the options do what they say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deltasql import DeltaSqlError, Session, connect
from deltasql.log import operations
from deltasql.log.commit.transaction import Transaction

pytestmark = pytest.mark.spark


def actions(session: Session, table: str, kind: str) -> list[dict[str, Any]]:
    """Every action of a kind in the table's log, in order."""
    log = Path(session.log(table).location, "_delta_log")
    lines = [line for path in sorted(log.glob("*.json")) for line in path.read_text().splitlines()]
    return [found[kind] for line in lines if kind in (found := json.loads(line))]


def test_a_result_and_its_dataframe_are_written_alike(session: Session) -> None:
    rows = session.sql("SELECT 1 AS id")
    assert session.write(rows).saveAsTable("t").version == 0
    assert session.write(rows.df).mode("append").saveAsTable("t").collect() == [(1, 1)]
    assert session.sql("SELECT * FROM t").collect() == [(1,), (1,)]


def test_each_write_takes_options_in_any_case(session: Session) -> None:
    rows = session.sql("SELECT 1 AS id, 2 AS extra")
    session.sql("CREATE TABLE t (id INT)")
    session.write(rows).options(MERGESCHEMA=True, userMetadata="first").saveAsTable("t", mode="append")
    assert session.sql("SELECT * FROM t").columns == ["id", "extra"]
    assert session.sql("DESCRIBE HISTORY t").collect()[0].userMetadata == "first"


@pytest.mark.parametrize("mode", ["", "DRIVER"])
def test_a_write_of_what_it_reads_is_no_blind_append(session: Session, mode: str) -> None:
    if mode:
        session.sql(f"SET deltasql.io.mode = {mode}")
    session.write(session.sql("SELECT 1 AS id")).saveAsTable("t")
    session.write(session.sql("SELECT id + 1 AS id FROM t")).mode("append").saveAsTable("t")
    session.write(session.sql("SELECT 7 AS id")).mode("append").saveAsTable("t")
    assert [item["isBlindAppend"] for item in actions(session, "t", "commitInfo")] == [True, False, True]


def test_a_table_is_overwritten_with_its_own_rows(session: Session) -> None:
    session.write(session.sql("SELECT 1 AS id, '2020-01-02' AS birth")).saveAsTable("t")
    changed = session.sql("SELECT id, CAST(birth AS DATE) AS birth FROM t").df
    session.write(changed).mode("overwrite").option("overwriteSchema", True).saveAsTable("t")
    assert session.sql("SELECT typeof(birth), year(birth) FROM t").collect() == [("date", 2020)]


def test_relative_paths_and_path_options_name_one_table(elsewhere: Path) -> None:
    session = connect("warehouse")
    rows = session.sql("SELECT 1 AS id")
    session.write(rows).save("here")
    session.write(rows).mode("append").option("path", str(elsewhere / "here")).save()
    assert session.sql(f"SELECT count(*) FROM delta.`{elsewhere}/here`").collect() == [(2,)]
    session.write(rows).option("path", str(elsewhere / "there")).saveAsTable("named")
    assert (elsewhere / "there" / "_delta_log").is_dir()


def test_a_lost_race_of_one_application_is_told(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    first = session.write(session.sql("SELECT 1 AS id")).mode("append").option("txnAppId", "a").option("txnVersion", 1)
    log = session.log("t")
    transaction = Transaction(log, log.snapshot())
    first.saveAsTable("t")
    from deltasql.log.actions.actions import SetTransaction

    with pytest.raises(DeltaSqlError, match="DELTA_CONCURRENT_TRANSACTION"):
        transaction.commit(operations.WRITE, {}, [SetTransaction("a", 1)])


def test_the_number_of_an_application_is_in_the_commit_of_its_rows(session: Session) -> None:
    writer = session.write(session.sql("SELECT 1 AS id")).mode("append").options(txnAppId="app", txnVersion=7)
    assert writer.saveAsTable("t").version == 0
    assert writer.saveAsTable("t").version is None
    assert [(item["appId"], item["version"]) for item in actions(session, "t", "txn")] == [("app", 7)]


def test_a_stage_that_fails_leaves_nothing(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT NOT NULL)")
    root = Path(session.log("t").location)
    before = set(root.rglob("*"))
    with pytest.raises(DeltaSqlError, match="NOT_NULL"):
        session.write(session.sql("SELECT CAST(NULL AS INT) AS id")).mode("append").saveAsTable("t")
    assert set(root.rglob("*")) == before


def test_structs_go_by_name(session: Session) -> None:
    session.sql("CREATE TABLE s (p STRUCT<a: INT, b: INT>)")
    swapped = session.sql("SELECT named_struct('b', 20, 'a', 10) AS p")
    session.write(swapped).insertInto("s")
    session.write(swapped).mode("append").saveAsTable("s")
    assert {tuple(row) for row in session.sql("SELECT p.a, p.b FROM s").collect()} == {(10, 20)}
    with pytest.raises(DeltaSqlError, match="UNEXPECTED_COLUMN_NAME"):
        session.write(session.sql("SELECT named_struct('b', 1, 'c', 2) AS p")).insertInto("s")


@pytest.mark.parametrize("value", ["array()", "map('k', NULL)", "named_struct('x', array(NULL))"])
def test_nested_voids_are_refused(session: Session, value: str) -> None:
    session.sql("CREATE TABLE s (k INT)")
    rows = session.sql(f"SELECT 1 AS k, {value} AS v")
    writes: tuple[Callable[[], object], ...] = (
        lambda: session.write(rows).saveAsTable("made"),
        lambda: session.write(rows).mode("append").option("mergeSchema", True).saveAsTable("s"),
        lambda: session.write(rows).mode("overwrite").option("overwriteSchema", True).saveAsTable("s"),
    )
    for write in writes:
        with pytest.raises(DeltaSqlError, match="DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE"):
            write()


def test_a_session_that_overwrites_partitions_does_not_replace_the_schema(session: Session) -> None:
    session.sql("CREATE TABLE s (a INT, p INT) PARTITIONED BY (p)")
    session.sql("INSERT INTO s VALUES (1, 1)")
    session.sql("SET spark.sql.sources.partitionOverwriteMode = dynamic")
    writer = (
        session.write(session.sql("SELECT 1 AS a, 2 AS p, 3 AS c")).mode("overwrite").option("overwriteSchema", True)
    )
    with pytest.raises(DeltaSqlError, match="DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE"):
        writer.saveAsTable("s")
    writer.option("partitionOverwriteMode", "static").saveAsTable("s")
    assert [tuple(row) for row in session.sql("SELECT * FROM s").collect()] == [(1, 2, 3)]


def test_data_change_false_moves_rows(session: Session) -> None:
    session.write(session.sql("SELECT 1 AS id")).saveAsTable("t")
    session.write(session.sql("SELECT * FROM t")).mode("overwrite").option("dataChange", False).saveAsTable("t")
    assert [item["dataChange"] for item in actions(session, "t", "add")] == [True, False]
    assert [item["dataChange"] for item in actions(session, "t", "remove")] == [False]


@pytest.mark.parametrize(
    ("write", "condition"),
    [
        (lambda w: w.mode("merge"), "INVALID_SAVE_MODE"),
        (lambda w: w.format("parquet"), "DELTA_OPERATION_NOT_ALLOWED"),
        (lambda w: w.bucketBy(4, "id"), "DELTA_OPERATION_NOT_ALLOWED"),
        (lambda w: w.save(), "DELTA_OPERATION_NOT_ALLOWED"),
        (lambda w: w.partitionBy("id").insertInto("t"), "DELTA_OPERATION_NOT_ALLOWED"),
        (lambda w: w.option("mergeSchema", True).insertInto("t"), "DELTA_OPERATION_NOT_ALLOWED"),
        (lambda w: w.options(replaceUsing="id,").saveAsTable("t", mode="overwrite"), "DELTA_ILLEGAL_OPTION"),
        (lambda w: w.option("dataChange", "no").saveAsTable("t"), "DELTA_ILLEGAL_OPTION"),
        (
            lambda w: w.option("partitionOverwriteMode", "some").saveAsTable("t", mode="overwrite"),
            "DELTA_ILLEGAL_OPTION",
        ),
        (
            lambda w: w.options(replaceWhere="id = 1", dataChange=False).saveAsTable("t", mode="overwrite"),
            "DELTA_REPLACE_WHERE_WITH_FILTER_DATA_CHANGE_UNSET",
        ),
        (
            lambda w: w.options(overwriteSchema=True, dataChange=False).saveAsTable("t", mode="overwrite"),
            "DELTA_DATA_CHANGE_FALSE",
        ),
        (
            lambda w: w.option("replaceWhere", "id = 2").saveAsTable("t", mode="overwrite"),
            "DELTA_REPLACE_WHERE_MISMATCH",
        ),
        (lambda w: w.clusterBy("id").saveAsTable("t", mode="append"), "DELTA_CREATE_TABLE_WITH_DIFFERENT_CLUSTERING"),
        (lambda w: w.mode("append").saveAsTable("v"), "DELTA_CANNOT_WRITE_INTO_VIEW"),
    ],
)
def test_what_a_writer_refuses(session: Session, write: Callable[[Any], object], condition: str) -> None:
    session.write(session.sql("SELECT 1 AS id")).saveAsTable("t")
    session.sql("CREATE TEMPORARY VIEW v AS SELECT 1 AS id")
    with pytest.raises(DeltaSqlError) as caught:
        write(session.write(session.sql("SELECT 1 AS id")))
    assert caught.value.condition.startswith(condition)
    assert session.log("t").snapshot().version == 0


def test_what_is_no_dataframe(session: Session) -> None:
    import pandas as pd

    with pytest.raises(DeltaSqlError, match=r"NOT_A_DATAFRAME.*, not list\. .*createDataFrame"):
        session.write([1, 2])
    # No stream comes out of rows in memory.
    rows: Any = pd.DataFrame({"id": [1]})
    with pytest.raises(DeltaSqlError, match=r"NOT_A_DATAFRAME.*, not pandas\.DataFrame\. .*createDataFrame"):
        session.writeStream(rows)


def test_write_to_in_all_its_ways(session: Session) -> None:
    from pyspark.sql import functions as F

    rows = session.sql("SELECT 1 AS id, 1 AS day")
    session.writeTo(rows, "t").using("delta").partitionedBy(F.col("day")).tableProperty("custom", "x").create()
    assert session.log("t").snapshot().partition_columns == ("day",)
    session.writeTo(session.sql("SELECT 2 AS id, 1 AS day"), "t").overwrite("day = 1")
    assert session.sql("SELECT id FROM t").collect() == [(2,)]
    session.writeTo(session.sql("SELECT 3 AS id, 1 AS day, 4 AS x"), "t").withSchemaEvolution().append()
    assert session.sql("SELECT x FROM t ORDER BY id").collect() == [(None,), (4,)]
    session.writeTo(rows, "t").overwrite((F.col("day") == 1) & F.col("id").isin(1, 2))
    assert session.sql("SELECT id FROM t ORDER BY id").collect() == [(1,), (3,)]
    with pytest.raises(DeltaSqlError, match="DELTA_OPERATION_NOT_ALLOWED"):
        session.writeTo(rows, "t").overwrite(1)
    with pytest.raises(DeltaSqlError, match="DELTA_OPERATION_NOT_ALLOWED"):
        session.writeTo(rows, "t").partitionedBy(F.col("day") + 1)
    session.writeTo(rows, "t").clusterBy("id").createOrReplace()
    assert session.sql("DESCRIBE DETAIL t").collect()[0].clusteringColumns == ["id"]


def test_a_dataframe_of_another_spark_session(session: Session) -> None:
    other = session.sql("SELECT 1").df.sparkSession.newSession()
    rows = other.sql("SELECT TIMESTAMP '2020-01-01 00:00:00' AS at, 1 AS id")
    session.write(rows).saveAsTable("t")
    session.write(other.sql("SELECT TIMESTAMP '2020-01-01 00:00:00' AS at, 1 AS id")).mode("overwrite").option(
        "replaceWhere", "id = 1"
    ).saveAsTable("t")
    assert '"at"' in actions(session, "t", "add")[0]["stats"]
    assert session.sql("SELECT count(*) FROM t").collect() == [(1,)]
