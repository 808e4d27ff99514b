"""Catalogs of a Spark session that is handed in, and rows that Spark computes of tables with lent credentials."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import deltasql
from tests.unity.conftest import TOKEN, rows
from tests.unity.server import UnityServer
from tests.unity.test_credentials import GuardedS3, lending, s3

__all__ = ["lending", "s3"]


@pytest.fixture
def spark(server: UnityServer, tmp_path: Path) -> Iterator[SparkSession]:
    with deltasql.connect(str(tmp_path / "first")) as session:
        found = session.sql("SELECT 1").df.sparkSession.newSession()
    settings = {"": "io.unitycatalog.spark.UCSingleCatalog", ".uri": server.uri, ".token": TOKEN}
    for name, value in settings.items():
        found.conf.set(f"spark.sql.catalog.main{name}", value)
    yield found
    for name in settings:
        found.conf.unset(f"spark.sql.catalog.main{name}")


@pytest.mark.spark
@pytest.mark.usefixtures("lending")
def test_a_session_that_is_handed_in(
    spark: SparkSession, lending: Callable[..., None], s3: GuardedS3, tmp_path: Path
) -> None:
    lending()
    with deltasql.connect(str(tmp_path / "warehouse"), spark) as session:
        assert {("main",), ("spark_catalog",)} <= {*rows(session, "SHOW CATALOGS")}
        session.sql("CREATE TABLE main.sales.t (id INT, name STRING)")
        session.sql("INSERT INTO main.sales.t SELECT id, concat('n', id) FROM range(5)")
        query = "SELECT name, row_number() OVER (ORDER BY id DESC) AS place FROM main.sales.t ORDER BY id"
        frame = session.sql(query).df
        assert [row.place for row in frame.collect()] == [5, 4, 3, 2, 1]
        shown = frame._jdf.queryExecution().toString() + session.sql("SET").df._show_string(1000, False)
    secrets = [TOKEN, *(f"secret-of-{key}" for key in set(s3.used))]
    assert not [secret for secret in secrets if secret in shown]
    assert s3.denied == 0
