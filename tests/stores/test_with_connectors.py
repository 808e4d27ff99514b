"""Spark's executors read and write S3 through their own connector, and delta-spark reads and changes what they wrote.

Jars come from a Maven repository, so that these run with the oracle. Each Spark has a process of its own: one that
runs has the jars that it was started with.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.engine import PACKAGE
from tests.stores.conftest import Store
from tests.stores.proxy import Proxy, Request

pytestmark = [pytest.mark.spark, pytest.mark.oracle]

OURS = """
import json, sys
import deltasql

place, mode, *statements = json.loads(sys.argv[1])
with deltasql.connect(place) as session:
    session.sql(f"SET deltasql.io.mode = {mode}")
    for statement in statements:
        rows = session.sql(statement).collect()
print(json.dumps([list(row) for row in rows], default=str))
"""

THEIRS = """
import json, os, sys
from pyspark.sql import SparkSession
from deltasql.engine.session.connectors import EXCLUDES, PACKAGES, connector_settings

package, *statements = json.loads(sys.argv[1])
jars = connector_settings("s3a")
keys = {"endpoint": "AWS_ENDPOINT_URL", "access.key": "AWS_ACCESS_KEY_ID", "secret.key": "AWS_SECRET_ACCESS_KEY"}
settings = {
    PACKAGES: f"{package},{jars[PACKAGES]}",
    EXCLUDES: jars[EXCLUDES],
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.hadoop.fs.s3a.path.style.access": "true",
    "spark.hadoop.fs.s3a.endpoint.region": os.environ["AWS_REGION"],
    **{f"spark.hadoop.fs.s3a.{name}": os.environ[variable] for name, variable in keys.items()},
    **{"spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.sql.shuffle.partitions": "2"},
}
builder = SparkSession.builder.master("local[2]")
for key, value in settings.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
for statement in statements:
    rows = spark.sql(statement).collect()
print(json.dumps([list(row) for row in rows], default=str))
"""


def run(script: str, folder: Path, *arguments: str) -> Any:
    """What the last statement gave, in a process of its own that works in `folder`."""
    command = [sys.executable, "-c", script, json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTASQL_MASTER", "local[2]")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


def test_executors_and_delta_spark(s3: Store, tmp_path: Path) -> None:
    """The table is partitioned, has deletion vectors and a change data feed: whatever moves to its place does."""
    ours = run(
        OURS,
        tmp_path,
        s3.url("wh"),
        "EXECUTORS",
        "CREATE TABLE t (id BIGINT, p STRING, s STRUCT<x: DOUBLE>) PARTITIONED BY (p) TBLPROPERTIES "
        "('delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true')",
        "INSERT INTO t SELECT id, IF(id % 3 = 0, NULL, 'a b/' || id % 3), named_struct('x', id / 2) FROM range(9)",
        "UPDATE t SET s = named_struct('x', -1D) WHERE id = 4",
        "DELETE FROM t WHERE id = 5",
        "MERGE INTO t USING (SELECT * FROM VALUES (6L), (20L) AS v(id)) n ON t.id = n.id "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, p) VALUES (n.id, 'new')",
        "SELECT id, p, s.x FROM t ORDER BY id",
    )
    assert ours == [
        [0, None, 0.0],
        [1, "a b/1", 0.5],
        [2, "a b/2", 1.0],
        [3, None, 1.5],
        [4, "a b/1", -1.0],
        [7, "a b/1", 3.5],
        [8, "a b/2", 4.0],
        [20, "new", None],
    ]
    table = f"delta.`{s3.url('wh/t').replace('s3://', 's3a://')}`"
    assert run(THEIRS, tmp_path, PACKAGE, f"SELECT id, p, s.x FROM {table} ORDER BY id") == ours
    theirs = run(
        THEIRS,
        tmp_path,
        PACKAGE,
        f"INSERT INTO {table} VALUES (30, 'theirs', named_struct('x', 0.5D))",
        f"DELETE FROM {table} WHERE id < 2",
        f"SELECT id, p, s.x FROM {table} ORDER BY id",
    )
    changed = "SELECT id, _change_type FROM table_changes('t', 5) ORDER BY id"
    for mode in ("EXECUTORS", "DRIVER"):
        assert run(OURS, tmp_path, s3.url("wh"), mode, "SELECT id, p, s.x FROM t ORDER BY id") == theirs
        assert run(OURS, tmp_path, s3.url("wh"), mode, changed) == [[0, "delete"], [1, "delete"], [30, "insert"]]


USUAL = "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol"


def test_executors_write_files_where_they_stay(s3: Store, proxied: Callable[..., Proxy], tmp_path: Path) -> None:
    """No file is copied, and each is put once; Spark's own committer copies each."""
    insert = "INSERT INTO {} SELECT id, 'a b/' || id % 2 FROM range(0, 40, 1, 2)"
    make = "CREATE TABLE {} (id BIGINT, p STRING) PARTITIONED BY (p)"
    proxy = proxied()
    seen: dict[str, list[Request]] = {}
    for table, settings in (
        ("warm", []),
        ("t", []),
        ("usual", [f"SET spark.sql.sources.commitProtocolClass = {USUAL}"]),
    ):
        statements = (make.format(table), insert.format(table), f"SELECT count(*), sum(id) FROM {table}")
        rows = run(OURS, tmp_path, s3.url("wh"), "EXECUTORS", *settings, *statements)
        assert rows == [[40, 780]]
        seen[table] = [one for one in proxy.requests() if f"/{table}/" in one.path and "_delta_log" not in one.path]
    puts = [one for one in seen["t"] if one.method == "PUT"]
    assert len({one.path for one in puts}) == len(puts) == 2
    assert not any(one.is_copy for one in seen["t"])
    assert sum(one.is_copy for one in seen["usual"]) == 2
    assert len(seen["t"]) < len(seen["usual"])


def test_optimize_and_vacuum(s3: Store, tmp_path: Path) -> None:
    """OPTIMIZE by executors leaves the files that it replaced, and VACUUM only those that the table needs."""
    rows = run(
        OURS,
        tmp_path,
        s3.url("wh"),
        "EXECUTORS",
        "SET spark.databricks.delta.retentionDurationCheck.enabled = false",
        "CREATE TABLE t (id BIGINT)",
        *(f"INSERT INTO t SELECT id FROM range({start}, {start + 3})" for start in (0, 3)),
        "OPTIMIZE t ZORDER BY (id)",
        "VACUUM t RETAIN 0 HOURS",
        "SELECT count(*), sum(id) FROM t",
    )
    assert rows == [[6, 15]]
