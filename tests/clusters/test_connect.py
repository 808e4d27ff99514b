"""Spark Connect: a server that sees one of two disks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deltasql
from deltasql import connect
from deltasql.base.errors import ForeignColumnError, SparkError
from deltasql.clients.golden import run_file, temporary_sessions
from tests.clusters.servers import connect_server
from tests.clusters.statements import check_not_shared, check_refusals, run_script
from tests.column_cases import check_columns
from tests.session.state_grid import (
    CHANGES,
    check_in_threads,
    check_one_after_another,
    check_side_by_side,
    files_of_one_row,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.cluster

pytest.importorskip("grpc", reason="the extra 'connect' is not installed")

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"

INTERRUPTED = """
import os, signal, sys, threading
from deltasql import connect

signal.signal(signal.SIGINT, signal.default_int_handler)
warehouse, server = sys.argv[1:]
with connect(warehouse, server) as session:
    session.sql("CREATE TABLE t (id BIGINT)")
    threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        session.sql("INSERT INTO t SELECT id FROM range(100000000000) WHERE sha2(string(id), 512) = 'none'")
    except KeyboardInterrupt:
        print("cancelled")
    assert session.sql("SELECT count(*) FROM t").collect() == [(0,)]
    print(session.sql("INSERT INTO t SELECT 1").collect() == [(1, 1)])
"""


@pytest.fixture(scope="module", autouse=True)
def mode() -> Iterator[None]:
    """PySpark keeps there that this process speaks Connect; the modules that follow start a Spark of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
        yield


@pytest.fixture(scope="module")
def server(java: None, place: Path, hidden: Path | None) -> Iterator[str]:
    with connect_server(place / "server", hidden) as address:
        yield address
        end_client(address, place)


def end_client(address: str, place: Path) -> None:
    """While its server is there: at the end of the process the client would wait for an answer."""
    with connect(str(place / "none"), address) as session:
        session.sql("SELECT 1").df.sparkSession.stop()


def test_the_server_moves_files_of_a_shared_disk(server: str, disk: Path) -> None:
    with connect(str(disk / "shared"), server) as session:
        run_script(session)
        check_refusals(session)


def test_names_are_checked_where_no_row_is(server: str, disk: Path) -> None:
    with connect(str(disk / "empty"), server) as session:
        session.sql("CREATE TABLE t (id INT)")
        for sql in ("DELETE FROM t WHERE nothing = 1", "UPDATE t SET id = nothing"):
            with pytest.raises(SparkError) as caught:
                session.sql(sql)
            assert caught.value.condition.startswith("UNRESOLVED_COLUMN")


def test_what_was_set_ends_with_the_session(server: str, disk: Path) -> None:
    wrong = "SELECT CAST('x' AS INT)"
    with connect(str(disk / "first"), server) as first:
        first.sql("SET spark.sql.ansi.enabled = false")
        assert first.sql(wrong).collect() == [(None,)]
    with connect(str(disk / "second"), server) as second, pytest.raises(SparkError) as caught:
        second.sql(wrong).collect()
    assert caught.value.condition == "CAST_INVALID_INPUT"


def test_results_that_wait_keep_their_tables(server: str, disk: Path) -> None:
    with connect(str(disk / "waiting"), server) as session:
        for name in ("a", "b"):
            session.sql(f"CREATE TABLE {name} AS SELECT '{name}' AS x")
        first, second = session.sql("SELECT * FROM a AS t"), session.sql("SELECT * FROM b AS t")
        assert (first.collect(), second.collect(), first.df.count()) == ([("a",)], [("b",)], 1)
        spark = first.df.sparkSession
        assert temporary(spark)
    # The session of the server goes on, and others of this process share it.
    assert temporary(spark) == []


def temporary(spark: SparkSession) -> list[str]:
    return [table.name for table in spark.catalog.listTables() if table.isTemporary]


def test_a_session_that_deltasql_is_installed_in(server: str, disk: Path) -> None:
    with connect(str(disk / "none"), server) as session:
        spark = session.sql("SELECT 1").df.sparkSession
    deltasql.install(spark, str(disk / "installed"))
    try:
        spark.range(3).write.format("delta").saveAsTable("t")
        spark.sql("UPDATE t SET id = 7 WHERE id = 0")
        spark.table("t").filter("id = 7").writeTo("t").append()
        assert spark.sql("SELECT count(*) FROM {t} WHERE id = {n}", t=spark.table("t"), n=7).collect() == [(2,)]
        assert (spark.catalog.tableExists("t"), spark.catalog.currentDatabase()) == (True, "default")
        assert spark.read.format("delta").option("versionAsOf", 0).table("t").count() == 3
    finally:
        deltasql.uninstall(spark)
    assert not spark.catalog.tableExists("t")


def test_builders_of_delta(server: str, disk: Path) -> None:
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F

    with connect(str(disk / "none"), server) as session:
        spark = session.sql("SELECT 1").df.sparkSession
    deltasql.install(spark, str(disk / "builders"), delta=True)
    try:
        tables = import_module("delta.tables")
        table = (
            tables.DeltaTable.create(spark).tableName("t").addColumn("id", "BIGINT").addColumn("v", "STRING").execute()
        )
        spark.range(3).withColumn("v", F.lit("old")).write.mode("append").saveAsTable("t")
        target, source = table.toDF(), spark.range(2, 5).withColumn("v", F.lit("it's"))
        merge = table.merge(source, target.id == source.id).whenMatchedUpdate(set={"v": F.upper(source.v)})
        assert merge.whenNotMatchedInsertAll().execute().collect() == [(3, 1, 0, 2)]
        source.alias("s").mergeInto("t", F.col("t.id") == F.col("s.id")).whenMatched(F.col("s.id") > 3).delete().merge()
        table.update(target.id == 0, {"v": F.lit("zero")})
        rows = sorted(map(tuple, table.toDF().collect()))
        assert rows == [(0, "zero"), (1, "old"), (2, "IT'S"), (3, "it's")]
        with pytest.raises(ForeignColumnError):
            table.delete(spark.range(1).id == 1)
        with pytest.raises(AnalysisException, match="nowhere"):
            tables.DeltaTable.forName(spark, "nowhere")
        assert table.history(1).select("operation").collect() == [("UPDATE",)]
    finally:
        deltasql.uninstall(spark)


def test_columns_as_sql(server: str, disk: Path) -> None:
    with connect(str(disk / "none"), server) as session:
        check_columns(session.sql("SELECT 1").df.sparkSession)


def test_an_interrupt_cancels_the_statement_alone(server: str, disk: Path) -> None:
    """In a process of its own: libraries of other tests handle SIGINT, too."""
    script = [sys.executable, "-c", INTERRUPTED, str(disk / "stopped"), server]
    run = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert (run.returncode, run.stdout) == (0, "cancelled\nTrue\n"), run.stderr


@pytest.mark.parametrize("name", ["view/meaning", "update/update", "insert/replace_where", "table/check_constraints"])
def test_goldens(server: str, name: str) -> None:
    outcome = run_file(GOLDEN / f"{name}.sql", temporary_sessions(server))
    assert outcome.ok, f"{outcome.defects}\n{outcome.diff}"


def test_a_disk_that_is_not_shared_is_told(server: str, own_disk: Path) -> None:
    with connect(str(own_disk / "told"), server) as session:
        check_not_shared(session)


def test_the_driver_needs_no_shared_disk(server: str, own_disk: Path) -> None:
    with connect(str(own_disk / "driver"), server) as session:
        session.sql("SET deltasql.io.mode = DRIVER")
        run_script(session)
        check_refusals(session)


@pytest.mark.parametrize("check", [check_one_after_another, check_side_by_side, check_in_threads])
def test_the_state_of_a_session(check: Callable[..., None], server: str, disk: Path, tmp_path: Path) -> None:
    """A change of a session's state is seen by all its later statements, and by no other session on the server."""
    files = files_of_one_row(disk / check.__name__ / "files")
    check(CHANGES, lambda warehouse: connect(str(warehouse), server), disk / check.__name__, files)


def test_the_time_zone_of_the_server_counts(server: str, disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the literals of the first statement as well, before which nothing is known of the server."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    with connect(str(disk / "zone"), server) as session:
        session.sql("CREATE TABLE t (at TIMESTAMP)")
    with connect(str(disk / "zone"), server) as session:
        session.sql("INSERT INTO t VALUES (TIMESTAMP '2024-01-01 00:00:00')")
    with connect(str(disk / "zone"), server) as session:
        assert session.sql("SELECT CAST(at AS STRING) AS s FROM t").collect() == [("2024-01-01 00:00:00",)]
