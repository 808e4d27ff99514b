"""Tasks that fail, that run twice, and whose executor is killed: of a write there is all or nothing, and that once."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deltasql import Session, connect
from deltasql.base.errors.base import DeltaSqlError
from tests.clusters.conftest import spark_of
from tests.clusters.servers import cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.cluster

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
    "spark.executor.memory": "1g",
    "spark.sql.shuffle.partitions": "4",
    "spark.task.maxFailures": "3",
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.quantile": "0.1",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.minTaskRuntime": "200ms",
}

TABLES = {
    "plain": "",
    "parted": "PARTITIONED BY (k)",
    "marked": "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true')",
}
ROWS = 40


@pytest.fixture(scope="module")
def spark(java: None, place: Path) -> Iterator[SparkSession]:
    """A session of two executors, with functions that do ill."""
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch, cluster(place / "cluster", workers=2) as master, spark_of(master):
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        session = SparkSession.builder.master(master).config(map=SETTINGS).getOrCreate()
        for name, function in functions().items():
            session.udf.register(name, function, "int")
        yield session


def functions() -> dict[str, Callable[..., int]]:
    """Each gives its first argument back. Within a function, so that workers need no module of the tests."""

    def failing(x: int) -> int:
        """Every task fails the first time, late."""
        from pyspark import TaskContext

        context = TaskContext.get()
        if context is not None and context.attemptNumber() == 0 and x % 10 == 9:
            raise ValueError("on purpose")
        return x

    def slow(x: int) -> int:
        """One task hangs the first time, so that it is tried elsewhere while it runs."""
        import time

        from pyspark import TaskContext

        context = TaskContext.get()
        if context is not None and context.attemptNumber() == 0 and x == ROWS - 1:
            time.sleep(60)
        return x

    def deadly(x: int, marker: str, times: int) -> int:
        """Kills the executor that it runs in, in the midst of a task, so many times."""
        import os
        import signal
        import time
        from pathlib import Path as Folder

        while x == ROWS - 1 and (kills := len(list(Folder(marker).iterdir()))) < times:
            # Other tasks of the executor are over by then, and what they leave behind dies with it.
            time.sleep(2)
            try:
                Folder(marker, str(kills)).touch(exist_ok=False)
            except FileExistsError:
                # The same task on the other host was first.
                continue
            daemon = Folder(f"/proc/{os.getppid()}/stat").read_text()
            os.kill(int(daemon.rpartition(")")[2].split()[1]), signal.SIGKILL)
            time.sleep(60)
        return x

    return {"failing": failing, "slow": slow, "deadly": deadly}


@pytest.fixture
def session(spark: SparkSession, disk: Path, request: pytest.FixtureRequest) -> Iterator[Session]:
    with connect(str(disk / request.node.name.replace("[", "-").replace("]", "")), spark=spark) as opened:
        yield opened


def files(session: Session, table: str) -> tuple[set[str], set[str]]:
    """The data files of a table by its log, and those that are there."""
    root = Path(session.sql(f"DESCRIBE DETAIL {table}").collect()[0]["location"].removeprefix("file:"))
    live: set[str] = set()
    ever: set[str] = set()
    for commit in sorted((root / "_delta_log").glob("*.json")):
        actions: list[dict[str, Any]] = [json.loads(line) for line in commit.read_text().splitlines()]
        live -= {action["remove"]["path"] for action in actions if "remove" in action}
        added = {action[kind]["path"] for action in actions for kind in ("add", "cdc") if kind in action}
        live |= added
        ever |= added
    found = {str(path.relative_to(root)) for path in root.rglob("*.parquet") if "_delta_log" not in path.parts}
    return ever, found


def check(session: Session, table: str, version: int, total: int) -> None:
    """Each row is there once, and every file was named by some commit."""
    rows = session.sql(f"SELECT count(*), count(DISTINCT id), sum(v) FROM {table}").collect()
    assert rows == [(ROWS, ROWS, total)]
    assert session.sql(f"DESCRIBE HISTORY {table} LIMIT 1").collect()[0]["version"] == version
    named, there = files(session, table)
    assert named == there


SUM = sum(range(ROWS))


@pytest.mark.parametrize(
    ("table", "function"), [("plain", "slow"), ("parted", "slow"), ("parted", "failing"), ("marked", "failing")]
)
def test_attempts_that_fail_or_are_overtaken_leave_nothing(session: Session, table: str, function: str) -> None:
    session.sql(f"CREATE TABLE {table} (id INT, v INT, k INT) {TABLES[table]}")
    done = session.sql(
        f"INSERT INTO {table} SELECT {function}(CAST(id AS INT)), CAST(id AS INT), CAST(id % 3 AS INT) "
        f"FROM range(0, {ROWS}, 1, 4)"
    )
    assert done.collect() == [(ROWS, ROWS)]
    check(session, table, 1, SUM)
    done = session.sql(
        f"MERGE INTO {table} AS t USING (SELECT {function}(CAST(id AS INT)) AS id FROM range(0, {ROWS}, 1, 4)) AS s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = v + 1"
    )
    assert done.collect() == [(ROWS, ROWS, 0, 0)]
    check(session, table, 2, SUM + ROWS)


@pytest.mark.parametrize("table", ["plain", "parted"])
def test_an_executor_is_killed_in_a_merge(session: Session, table: str, tmp_path: Path) -> None:
    session.sql(f"CREATE TABLE {table} (id INT, v INT, k INT) {TABLES[table]}")
    session.sql(
        f"INSERT INTO {table} SELECT CAST(id AS INT), CAST(id AS INT), CAST(id % 3 AS INT) FROM range(0, {ROWS}, 1, 4)"
    )
    merge = (
        f"MERGE INTO {table} AS t USING (SELECT CAST(id AS INT) AS id FROM range(0, {ROWS}, 1, 4)) AS s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = deadly(t.id, '{}', {}) + 1"
    )
    once, always = tmp_path / "once", tmp_path / "always"
    once.mkdir()
    always.mkdir()
    done = session.sql(merge.format(once, 1)).collect()
    assert len(list(once.iterdir())) == 1
    assert done == [(ROWS, ROWS, 0, 0)]
    check(session, table, 2, SUM + ROWS)
    if table != "plain":
        return
    with pytest.raises(DeltaSqlError):
        session.sql(merge.format(always, 99))
    check(session, table, 2, SUM + ROWS)
