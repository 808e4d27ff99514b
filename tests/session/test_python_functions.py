"""Functions of Python: those that a Spark session has registered, and those of the catalog beside other threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from deltasql import Session
from deltasql.base.errors import PythonFunctionFailedError


@pytest.fixture
def spark(session: Session) -> SparkSession:
    return session.sql("SELECT 1").df.sparkSession


@pytest.mark.spark
def test_a_registered_function_is_usable_in_changes(spark: SparkSession, tmp_path: Path) -> None:
    spark.udf.register("registered_twice", lambda x: None if x is None else x * 2, "int")
    with Session(str(tmp_path / "given"), spark) as session:
        session.sql("CREATE TABLE t (id INT, v INT)")
        session.sql("INSERT INTO t VALUES (1, 10), (2, NULL)")
        session.sql("UPDATE t SET v = registered_twice(v) WHERE registered_twice(id) = 2")
        session.sql("INSERT INTO t SELECT registered_twice(id) + 10, v FROM t WHERE id = 2")
        session.sql("DELETE FROM t WHERE registered_twice(id) = 4")
        merge = (
            "MERGE INTO t USING (SELECT 6 AS id) AS s ON registered_twice(t.id) = s.id WHEN NOT MATCHED THEN INSERT *"
        )
        session.sql(merge.replace("INSERT *", "INSERT (id, v) VALUES (s.id, registered_twice(s.id))"))
        assert sorted(map(tuple, session.sql("SELECT * FROM t").collect()), key=str) == [(1, 20), (14, None), (6, 12)]
    spark.sql("DROP TEMPORARY FUNCTION registered_twice")


@pytest.mark.spark
def test_an_error_leaves_the_table(spark: SparkSession, tmp_path: Path) -> None:
    with Session(str(tmp_path / "given"), spark) as session:
        session.sql("CREATE TABLE t (id INT)")
        session.sql("INSERT INTO t VALUES (1), (0)")
        session.sql("CREATE FUNCTION inverse(x INT) RETURNS INT LANGUAGE PYTHON AS $$\nreturn 1 // x\n$$")
        with pytest.raises(PythonFunctionFailedError) as caught:
            session.sql("UPDATE t SET id = inverse(id)")
        assert (caught.value.line, caught.value.reason) == (2, "ZeroDivisionError: integer division or modulo by zero")
        assert caught.value.function == "spark_catalog.default.inverse"
        assert session.log("t").snapshot().version == 1


@pytest.mark.spark
def test_sessions_with_functions_of_one_name(spark: SparkSession, tmp_path: Path) -> None:
    def value(number: int) -> int:
        with Session(str(tmp_path / str(number)), spark) as session:
            session.sql(f"CREATE FUNCTION f() RETURNS INT LANGUAGE PYTHON AS $$ return {number} $$")
            (row,) = session.sql("SELECT f()").collect()
            return int(row[0])

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(value, range(3))) == [0, 1, 2]
