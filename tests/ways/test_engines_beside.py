"""`deltasql.engines = sail, spark`: queries on Sail, in a process of its own, have the answers of Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql import Result, Session, connect, errors
from deltasql.engines.sail import beside
from deltasql.schema.types import DataType

pytestmark = pytest.mark.spark

pytest.importorskip("pysail", reason="Sail is an extra")

TABLES = (
    "CREATE TABLE t AS SELECT CAST(id AS INT) AS i, id * 1000000007 AS l, CAST(id % 7 AS SMALLINT) AS s, "
    "CAST(id AS DOUBLE) / 4 AS d, CAST(id AS DECIMAL(12, 2)) / 8 AS m, concat('text ', id % 11) AS c, id % 2 = 0 AS b, "
    "DATE '2024-01-31' + CAST(id AS INT) AS day, TIMESTAMP '2024-03-10 01:30:00' + make_dt_interval(0, id) AS at, "
    "IF(id % 5 = 0, NULL, id % 3) AS n, array(id, id + 1) AS a, named_struct('x', id, 'y', CAST(id AS STRING)) AS r "
    "FROM range(200)",
    "CREATE TABLE parted (k INT, v STRING) PARTITIONED BY (k)",
    "INSERT INTO parted SELECT id % 4, concat('v', id) FROM range(40)",
    "DELETE FROM parted WHERE v = 'v7'",
    "CREATE TABLE empty (k INT, v STRING)",
    "CREATE VIEW seen AS SELECT n, count(*) AS rows FROM t GROUP BY n",
)
ON_SAIL = (
    "SELECT s + 1, count(*), sum(l), min(day), max(c), avg(m), count(DISTINCT n) FROM t GROUP BY s + 1",
    "SELECT n, sum(d / 2) AS total FROM t GROUP BY n HAVING count(*) > 3",
    "SELECT i + 1, l * 2, d / 3, m + 1, upper(c), NOT b, day + 1 AS next FROM t WHERE i % 3 = 1 AND c LIKE 'text 1%'",
    "SELECT t.c, parted.v FROM t JOIN parted ON t.i = parted.k WHERE t.i < 4",
    "SELECT t.i, parted.v FROM t LEFT JOIN parted ON t.i = parted.k AND parted.v > 'v2'",
    "SELECT c, i, row_number() OVER (PARTITION BY c ORDER BY i DESC) AS place FROM t",
    "SELECT at, hour(at), year(day), date_add(day, 1) FROM t",
    "WITH q AS (SELECT s, max(i) AS top FROM t GROUP BY s) SELECT t.* FROM t JOIN q ON t.i = q.top",
    "SELECT i FROM t UNION SELECT k FROM parted",
    "SELECT a[0], r.x, r.y, size(a) FROM t",
    "SELECT CASE WHEN n IS NULL THEN 'none' WHEN n > 1 THEN 'many' ELSE 'few' END AS kind, count(*) FROM t GROUP BY 1",
    "SELECT k * 2, count(*) FROM parted WHERE k + 1 > 2 GROUP BY k * 2",
    "SELECT upper(v), count(v) FROM empty GROUP BY upper(v)",
    "SELECT n + 1, rows FROM seen WHERE rows > 10",
    "SELECT upper(c) AS twice, lower(c) AS twice FROM t WHERE i < 3",
    "SELECT coalesce(n, -1) AS `odd name`, `i` + 0 AS `Of T` FROM t VERSION AS OF 0",
)
ON_SPARK = (
    "SELECT s, collect_set(n) FROM t GROUP BY s",
    "SELECT map(c, i) FROM t",
    "SELECT initcap(c) FROM t",
    "SELECT day + 1 FROM t",
    "SELECT parse_json('{\"a\": 1}') AS v, i + 1 FROM t WHERE i < 2",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("beside")
    with connect(str(path)) as session:
        for statement in TABLES:
            session.sql(statement)
    return path


@pytest.fixture
def sessions(folder: Path) -> Iterator[tuple[Session, Session]]:
    """One that asks Sail first, and one that asks Spark alone."""
    with connect(str(folder)) as first, connect(str(folder)) as second:
        first.sql("SET deltasql.engines = sail, spark")
        yield first, second


def columns(result: Result) -> list[tuple[str, DataType]]:
    return [(item.name, item.type) for item in result.schema]


def of_sail(session: Session, sql: str) -> bool:
    result = session.sql(sql)
    result.collect()
    return "Sail computes the query" in result.ways[-1].because


@pytest.mark.parametrize("sql", ON_SAIL)
def test_sail_has_the_rows_of_spark(sessions: tuple[Session, Session], sql: str) -> None:
    first, second = (session.sql(sql) for session in sessions)
    assert columns(first) == columns(second)
    assert sorted(map(str, first.collect())) == sorted(map(str, second.collect()))
    assert "Sail computes the query" in first.ways[-1].because
    one, other = (session.sql(sql).to_arrow() for session in sessions)
    assert one.schema.types == other.schema.types
    assert sorted(map(str, one.to_pylist())) == sorted(map(str, other.to_pylist()))
    assert first.count() == second.count()


@pytest.mark.parametrize("sql", ON_SPARK)
def test_spark_has_what_sail_refuses(sessions: tuple[Session, Session], sql: str) -> None:
    first, second = (session.sql(sql) for session in sessions)
    assert sorted(map(str, first.collect())) == sorted(map(str, second.collect()))
    assert "Sail computes the query" not in first.ways[-1].because


def test_the_first_rows_of_a_query(sessions: tuple[Session, Session]) -> None:
    result = sessions[0].sql("SELECT i + 1 AS j FROM t ORDER BY i DESC")
    assert [row[0] for row in result.head(3)] == [200, 199, 198]


@pytest.mark.parametrize("sql", ["SELECT missing + 1 FROM t", "SELECT upper(c, c) FROM t", "SELECT 1 / (i - i) FROM t"])
def test_errors_are_those_of_spark(sessions: tuple[Session, Session], sql: str) -> None:
    found = []
    for session in sessions:
        with pytest.raises(errors.DeltaSqlError) as raised:
            session.sql(sql).collect()
        found.append(str(raised.value))
    assert found[0] == found[1]


def test_a_session_sees_its_own_commits(sessions: tuple[Session, Session]) -> None:
    first, _ = sessions
    first.sql("CREATE OR REPLACE TABLE own AS SELECT 1 AS x")
    assert [row[0] for row in first.sql("SELECT x + 1 FROM own").collect()] == [2]
    first.sql("INSERT INTO own VALUES (5)")
    assert sorted(row[0] for row in first.sql("SELECT x + 1 FROM own").collect()) == [2, 6]


def test_settings_that_change_values_leave_queries_to_spark(sessions: tuple[Session, Session]) -> None:
    first, _ = sessions
    first.sql("SET spark.sql.caseSensitive = true")
    assert not of_sail(first, "SELECT i + 1 FROM t WHERE i = 1")


def test_a_process_that_dies_is_started_again(sessions: tuple[Session, Session]) -> None:
    first, _ = sessions
    assert of_sail(first, "SELECT i + 1 FROM t WHERE i = 1")
    process = beside._PROCESS._process
    assert process is not None
    process.kill()
    process.wait(10)
    # The query that finds out goes to Spark.
    assert [row[0] for row in first.sql("SELECT i + 1 FROM t WHERE i = 1").collect()] == [2]
    assert of_sail(first, "SELECT i + 2 FROM t WHERE i = 1")


def test_other_orders_are_refused(sessions: tuple[Session, Session]) -> None:
    with pytest.raises(errors.InvalidSettingError, match="spark or sail, spark"):
        sessions[0].sql("SET deltasql.engines = sail")


def test_explain_names_the_engines(sessions: tuple[Session, Session]) -> None:
    ((plan,),) = sessions[0].sql("EXPLAIN SELECT upper(c) FROM t").collect()
    assert "by the engine: " in plan
    assert "; Sail is asked before Spark" in plan


def test_row_filters_apply(tmp_path: Path) -> None:
    with connect(str(tmp_path), user="ada") as session:
        session.sql("CREATE TABLE t AS SELECT * FROM VALUES ('ada', 1), ('bob', 2) AS q (c, i)")
        session.sql("CREATE FUNCTION mine(c STRING) RETURN c = current_user()")
        session.sql("SET deltasql.governance.filters = true")
        session.sql("ALTER TABLE t SET ROW FILTER mine ON (c)")
        session.sql("SET deltasql.engines = sail, spark")
        assert session.sql("SELECT upper(c), current_user() FROM t").collect() == [("ADA", "ada")]
