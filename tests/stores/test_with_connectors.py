"""Spark's executors read and write S3 through their own connector, and delta-spark reads and changes what they wrote.

Jars come from a Maven repository, so that these run with the oracle. Ours and delta-spark have a process each for all
of these tests: a Spark has the jars that it was started with, and to find these takes longer than most statements.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.stores.conftest import Store
from tests.stores.proxy import Proxy, Request

pytestmark = [pytest.mark.spark, pytest.mark.oracle]

Run = Callable[..., Any]
"""Runs statements one after another, and returns the rows of the last as lists."""

OURS = """
import json, os, sys
import deltasql

for line in sys.stdin:
    environment, place, mode, *statements = json.loads(line)
    os.environ.update(environment)
    # A session for each script, as each script of a user has.
    with deltasql.connect(place) as session:
        session.sql(f"SET deltasql.io.mode = {mode}")
        for statement in statements:
            rows = session.sql(statement).collect()
        session.sql("RESET")
    print(json.dumps([list(row) for row in rows], default=str), flush=True)
"""

THEIRS = """
import json, os, sys
from pyspark.sql import SparkSession
from deltasql.engines.spark.session.local import EXCLUDES, PACKAGES, connector_settings
from tests.oracle.engine import PACKAGE, SETTINGS

jars = connector_settings("s3a")
keys = {"endpoint": "AWS_ENDPOINT_URL", "access.key": "AWS_ACCESS_KEY_ID", "secret.key": "AWS_SECRET_ACCESS_KEY"}
settings = {
    **SETTINGS,
    PACKAGES: f"{PACKAGE},{jars[PACKAGES]}",
    EXCLUDES: jars[EXCLUDES],
    # We read what it says of a version.
    "spark.databricks.delta.writeChecksumFile.enabled": "true",
    "spark.hadoop.fs.s3a.path.style.access": "true",
    "spark.hadoop.fs.s3a.endpoint.region": os.environ["AWS_REGION"],
    **{f"spark.hadoop.fs.s3a.{name}": os.environ[variable] for name, variable in keys.items()},
}
builder = SparkSession.builder.master("local[2]")
for key, value in settings.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
for line in sys.stdin:
    for statement in json.loads(line):
        rows = spark.sql(statement).collect()
    print(json.dumps([list(row) for row in rows], default=str), flush=True)
"""


class Engine:
    """A process that runs scripts of statements, one after another; it works in `folder`."""

    def __init__(self, script: str, folder: Path) -> None:
        folder.mkdir()
        self._log = folder / "log"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", script],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=folder,
                env={**os.environ, "DELTASQL_MASTER": "local[2]", "PYTHONPATH": str(Path(__file__).parents[2])},
            )

    def ask(self, script: object) -> Any:
        """What the last statement gave."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(script) + "\n")
        self._process.stdin.flush()
        told = self._process.stdout.readline()
        assert told, self._log.read_text(errors="replace")
        return json.loads(told)

    def close(self) -> None:
        """Ends the process, and its JVM with it."""
        try:
            self._process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()


@pytest.fixture(scope="module")
def our_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = Engine(OURS, tmp_path_factory.mktemp("ours") / "work")
    yield engine
    engine.close()


@pytest.fixture
def ours(our_engine: Engine, s3: Store) -> Run:
    """Runs statements of ours in the bucket of the test: where, in which mode of input and output, and which."""
    return lambda *script: our_engine.ask([s3.environment, *script])


@pytest.fixture
def theirs(s3: Store, tmp_path: Path) -> Iterator[Run]:
    """Runs statements of delta-spark."""
    engine = Engine(THEIRS, tmp_path / "theirs")
    yield lambda *script: engine.ask(script)
    engine.close()


def test_executors_and_delta_spark(s3: Store, ours: Run, theirs: Run) -> None:
    """The table is partitioned, has deletion vectors and a change data feed: whatever moves to its place does."""
    written = ours(
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
    assert written == [
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
    assert theirs(f"SELECT id, p, s.x FROM {table} ORDER BY id") == written
    changed = theirs(
        f"INSERT INTO {table} VALUES (30, 'theirs', named_struct('x', 0.5D))",
        f"DELETE FROM {table} WHERE id < 2",
        f"SELECT id, p, s.x FROM {table} ORDER BY id",
    )
    feed = "SELECT id, _change_type FROM table_changes('t', 5) ORDER BY id"
    for mode in ("EXECUTORS", "DRIVER"):
        assert ours(s3.url("wh"), mode, "SELECT id, p, s.x FROM t ORDER BY id") == changed
        assert ours(s3.url("wh"), mode, feed) == [[0, "delete"], [1, "delete"], [30, "insert"]]


USUAL = "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol"


def test_executors_write_files_where_they_stay(s3: Store, proxied: Callable[..., Proxy], ours: Run) -> None:
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
        rows = ours(s3.url("wh"), "EXECUTORS", *settings, *statements)
        assert rows == [[40, 780]]
        seen[table] = [one for one in proxy.requests() if f"/{table}/" in one.path and "_delta_log" not in one.path]
    puts = [one for one in seen["t"] if one.method == "PUT"]
    assert len({one.path for one in puts}) == len(puts) == 2
    assert not any(one.is_copy for one in seen["t"])
    assert sum(one.is_copy for one in seen["usual"]) == 2
    assert len(seen["t"]) < len(seen["usual"])


def test_optimize_and_vacuum(s3: Store, ours: Run) -> None:
    """OPTIMIZE by executors leaves the files that it replaced, and VACUUM only those that the table needs."""
    rows = ours(
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
