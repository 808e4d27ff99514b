"""Errors of an installed session are exceptions of PySpark as well, so that jobs catch them as they do today."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import deltasql
from deltasql import DeltaSqlError, Session
from deltasql.base.errors import CheckViolationError, TableAlreadyExistsError, TableNotFoundError
from deltasql.clients.tables import DeltaTable

pytestmark = pytest.mark.spark


@pytest.fixture
def spark(session: Session, tmp_path: Path) -> Iterator[Any]:
    other = session.sql("SELECT 1").df.sparkSession.newSession()
    deltasql.install(other, str(tmp_path / "installed"))
    other.sql("CREATE TABLE t (id BIGINT, v STRING)")
    yield other
    deltasql.uninstall(other)


ANALYSIS: dict[str, Callable[[Any], Any]] = {
    "a statement": lambda spark: spark.sql("SELECT * FROM nowhere"),
    "spark.table": lambda spark: spark.table("nowhere"),
    "spark.read": lambda spark: spark.read.format("delta").load("/nowhere/at/all"),
    "df.write": lambda spark: spark.range(1).write.saveAsTable("t"),
    "df.writeTo": lambda spark: spark.range(1).writeTo("nowhere").append(),
    "listColumns": lambda spark: spark.catalog.listColumns("nowhere"),
    "listTables": lambda spark: spark.catalog.listTables("nowhere"),
    "setCurrentDatabase": lambda spark: spark.catalog.setCurrentDatabase("nowhere"),
    "forName": lambda spark: DeltaTable.forName(spark, "nowhere"),
    "forPath": lambda spark: DeltaTable.forPath(spark, "/nowhere/at/all"),
    "create": lambda spark: DeltaTable.create(spark).tableName("t").addColumn("id", "INT").execute(),
    "replace": lambda spark: DeltaTable.replace(spark).tableName("nowhere").addColumn("id", "INT").execute(),
    "delete": lambda spark: DeltaTable.forName(spark, "t").delete("nothing = 1"),
    "a merge": lambda spark: (
        DeltaTable.forName(spark, "t").merge(spark.range(1).alias("s"), "nothing = 1").whenMatchedDelete().execute()
    ),
}
PARSE: dict[str, Callable[[Any], Any]] = {
    "a statement": lambda spark: spark.sql("SELEC 1"),
    "a condition": lambda spark: DeltaTable.forName(spark, "t").delete("id ="),
    "a condition of a merge": lambda spark: DeltaTable.forName(spark, "t").merge(spark.range(1), "1, 2"),
    "a condition of a clause": lambda spark: (
        DeltaTable.forName(spark, "t").merge(spark.range(1), "1 = 1").whenMatchedDelete("1, 2")
    ),
    "a filter": lambda spark: DeltaTable.forName(spark, "t").optimize().where("1, 2"),
    "a type": lambda spark: DeltaTable.create(spark).tableName("n").addColumn("id", "1"),
    "an unknown type": lambda spark: DeltaTable.create(spark).tableName("n").addColumn("id", "NOTHING"),
}


@pytest.mark.parametrize("call", ANALYSIS.values(), ids=ANALYSIS)
def test_analysis_exceptions(spark: Any, call: Callable[[Any], Any]) -> None:
    from pyspark.errors import AnalysisException
    from pyspark.sql import utils

    with pytest.raises(AnalysisException) as caught:
        call(spark)
    assert isinstance(caught.value, DeltaSqlError)
    assert isinstance(caught.value, utils.AnalysisException)
    assert not isinstance(caught.value, utils.ParseException)


@pytest.mark.parametrize("call", PARSE.values(), ids=PARSE)
def test_parse_exceptions(spark: Any, call: Callable[[Any], Any]) -> None:
    from pyspark.errors import ParseException

    with pytest.raises(ParseException):
        call(spark)


def test_the_methods_of_an_exception(spark: Any) -> None:
    with pytest.raises(TableAlreadyExistsError, match="t already exists") as caught:
        spark.sql("CREATE TABLE t (id INT)")
    error: Any = caught.value
    assert (error.getCondition(), error.getSqlState()) == (error.condition, error.sqlstate)
    assert error.getErrorClass() == "TABLE_OR_VIEW_ALREADY_EXISTS"
    assert error.getMessage() == f"[{error.condition}] {error.desc}"
    assert error.getMessageParameters()["table"] == "t"
    assert error.getQueryContext() == []
    assert error.getBreakingChangeInfo() is None
    assert type(error).__name__ == "TableAlreadyExistsError"
    assert str(error).startswith("[TABLE_OR_VIEW_ALREADY_EXISTS] ")
    assert error.help.startswith("TABLE_OR_VIEW_ALREADY_EXISTS")
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is TableAlreadyExistsError
    assert str(copied) == str(error)


def test_errors_of_data_and_of_other_sessions_are_none(spark: Any, session: Session) -> None:
    from pyspark.errors import PySparkException

    spark.sql("ALTER TABLE t ADD CONSTRAINT positive CHECK (id > 0)")
    with pytest.raises(CheckViolationError) as caught:
        spark.sql("INSERT INTO t VALUES (-1, 'x')")
    assert not isinstance(caught.value, PySparkException)
    with pytest.raises(TableNotFoundError) as missing:
        session.sql("SELECT * FROM nowhere")
    assert not isinstance(missing.value, PySparkException)
