"""DataFrames and streams that we write, read by others; and applications whose numbers all engines know."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake

import deltasql
from deltasql.base.engine_names import SAIL, VARIABLE
from tests.interop.readers import READERS
from tests.oracle.client import oracle

APP = "spark.databricks.delta.write.txnAppId"
VERSION = "spark.databricks.delta.write.txnVersion"


def test_what_one_engine_has_done_no_other_does_again(session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "t"

    def ours(value: int, version: int) -> int | None:
        rows = session.sql(f"SELECT CAST({value} AS BIGINT) AS id")
        return session.write(rows).mode("append").options(txnAppId="app", txnVersion=version).save(str(path)).version

    assert ours(1, 3) == 0
    assert DeltaTable(str(path)).transaction_version("app") == 3
    insert = f"INSERT INTO delta.`{path}` VALUES"
    oracle().run(f"SET {APP} = app", f"SET {VERSION} = 3", f"{insert} (20)", f"SET {VERSION} = 4", f"{insert} (2)")
    assert ours(40, 4) is None
    done = CommitProperties(app_transactions=[Transaction("app", 5)])
    write_deltalake(str(path), pa.table({"id": pa.array([3], pa.int64())}), mode="append", commit_properties=done)
    assert ours(50, 5) is None
    assert ours(4, 6) == 3
    for name, read in READERS.items():
        assert read(path, None) == [[1], [2], [3], [4]], name


def test_others_read_every_way_of_writing(session: deltasql.Session, tmp_path: Path) -> None:
    path = tmp_path / "t"
    session.write(session.sql("SELECT 1 AS id, 'a' AS p")).partitionBy("p").save(str(path))
    session.write(session.sql("SELECT 2 AS id, 'b' AS p, 1.5D AS x")).mode("append").option("mergeSchema", True).save(
        str(path)
    )
    session.write(session.sql("SELECT 3 AS id, 'b' AS p")).mode("overwrite").option(
        "partitionOverwriteMode", "dynamic"
    ).save(str(path))
    session.write(session.sql("SELECT 9 AS id, 'a' AS p")).mode("overwrite").option(
        "replaceWhere", "id = 1 OR id = 9"
    ).save(str(path))
    session.write(session.sql("SELECT 'x' AS id, 5 AS n")).mode("overwrite").option("overwriteSchema", True).save(
        str(path)
    )
    expected: list[list[Any]] = [
        [[1, "a"]],
        [[1, "a", None], [2, "b", "1.5"]],
        [[1, "a", None], [3, "b", None]],
        [[3, "b", None], [9, "a", None]],
        [["x", 5]],
    ]
    for name, read in READERS.items():
        assert [read(path, version) for version in range(5)] == expected, name


def test_others_read_what_a_stream_has_written(session: deltasql.Session, tmp_path: Path) -> None:
    if os.environ.get(VARIABLE) == SAIL:
        pytest.skip("streams need Spark")
    arriving, path = tmp_path / "in", tmp_path / "t"
    arriving.mkdir()
    for number in range(2):
        (arriving / f"{number}.json").write_text(json.dumps({"id": number, "p": "x"}))
    spark = session.sql("SELECT 1").df.sparkSession
    rows = spark.readStream.schema("id INT, p STRING").option("maxFilesPerTrigger", 1).json(str(arriving))
    writer = session.writeStream(rows).partitionBy("p").option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(availableNow=True).start(str(path))
    query.awaitTermination(120)
    assert DeltaTable(str(path)).transaction_version(query.id) == 1
    for name, read in READERS.items():
        assert read(path, None) == [[0, "x"], [1, "x"]], name
    history = oracle().run(f"DESCRIBE HISTORY delta.`{path}`")[0]["rows"]
    assert {row[4] for row in history} == {"STREAMING UPDATE"}
