"""UPDATE, DELETE and MERGE of temporary views."""

from __future__ import annotations

import pytest

from deltasql.base.errors.base import DeltaSqlError
from deltasql.planner.changes import RowChange, TableChange
from tests.unit.planner.lab import Lab, columns

_SOURCE = "USING (SELECT 1 AS a, 'x' AS b) s"


@pytest.fixture
def views(lab: Lab) -> Lab:
    lab.run("CREATE SCHEMA s", "CREATE TABLE s.t (a INT, b STRING)", "USE s")
    lab.append("s.t")
    lab.run("CREATE TEMP VIEW v AS SELECT * FROM t", "CREATE TEMP VIEW w AS TABLE v", "USE default")
    lab.analyst.rows["SELECT x.b"] = columns("b STRING")
    lab.run("CREATE TEMP VIEW part AS SELECT x.b FROM s.t AS x", "CREATE TEMP VIEW same AS SELECT b AS B, A FROM s.t")
    lab.run("CREATE GLOBAL TEMP VIEW g AS SELECT t.* FROM s.t")
    return lab


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM v WHERE v.a = 1",
        "DELETE FROM W AS q WHERE q.a = 1 OR q.b = 'x'",
        "DELETE FROM part WHERE part.b = 'x'",
        "DELETE FROM global_temp.g WHERE a = 1",
        "UPDATE same SET same.a = 2 WHERE b = 'x'",
        "UPDATE part SET b = upper(b)",
        f"MERGE INTO v {_SOURCE} ON v.a = s.a WHEN MATCHED THEN UPDATE SET v.b = s.b WHEN NOT MATCHED THEN INSERT *",
    ],
)
def test_the_table_is_changed(views: Lab, sql: str) -> None:
    views.analyst.rows["SELECT 1 AS a, 'x' AS b"] = views.snapshot("s.t").schema
    change = views.plan(sql)
    assert isinstance(change, (RowChange, TableChange))
    assert change.commit.log.location == views.catalog.require(("s", "t")).location


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("SELECT * FROM s.t WHERE a > 1", "DELTA_UNEXPECTED_PARTIAL_SCAN"),
        ("SELECT a AS x, b FROM s.t", "DELTA_CANNOT_RESOLVE_COLUMN"),
        ("SELECT a + 1 AS a FROM s.t", "DELTA_CANNOT_RESOLVE_COLUMN"),
        ("SELECT CAST(a AS BIGINT) AS a FROM s.t", "DELTA_CANNOT_RESOLVE_COLUMN"),
        ("SELECT *, 1 AS c FROM s.t", "DELTA_CANNOT_RESOLVE_COLUMN"),
        ("SELECT * FROM s.t VERSION AS OF 0", "DELTA_FAILED_SCAN_WITH_HISTORICAL_VERSION"),
        ("SELECT DISTINCT * FROM s.t", "DELTA_UNSUPPORTED_SOURCE"),
        ("SELECT * FROM s.t LIMIT 1", "DELTA_UNSUPPORTED_SOURCE"),
        ("SELECT * FROM s.t AS x ORDER BY a", "DELTA_UNSUPPORTED_SOURCE"),
        ("SELECT x.* FROM s.t AS x JOIN s.t AS y ON x.a = y.a", "DELTA_UNSUPPORTED_SOURCE"),
        ("SELECT a FROM s.t UNION SELECT a FROM s.t", "DELTA_UNSUPPORTED_SOURCE"),
        ("WITH q AS (SELECT * FROM s.t) SELECT * FROM q", "DELTA_UNSUPPORTED_SOURCE"),
        ("SELECT 1 AS a", "DELTA_UNSUPPORTED_SOURCE"),
        ("SELECT * FROM lasting", "DELTA_CANNOT_WRITE_INTO_VIEW"),
    ],
)
@pytest.mark.parametrize("statement", ["DELETE FROM x", "UPDATE x SET a = 1", f"MERGE INTO x {_SOURCE} ON false"])
def test_other_views_are_refused(views: Lab, query: str, condition: str, statement: str) -> None:
    views.run("CREATE VIEW lasting AS SELECT * FROM s.t")
    views.analyst.rows[query] = views.snapshot("s.t").schema
    for name in ("s.t JOIN", "AS x JOIN", "UNION", "DISTINCT"):
        views.analyst.rows[name] = views.snapshot("s.t").schema
    views.analyst.rows["__deltasql_"] = views.snapshot("s.t").schema
    views.run(f"CREATE TEMP VIEW x AS {query}")
    statement += " WHEN MATCHED THEN DELETE" * statement.startswith("MERGE")
    with pytest.raises(DeltaSqlError) as caught:
        views.plan(statement)
    assert caught.value.condition == condition
    assert caught.value.caret is not None


@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        ("DELETE FROM part WHERE a = 1", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("UPDATE part AS p SET p.b = 'x' WHERE p.a = 1", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("UPDATE part SET b = a", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("UPDATE part SET a = 1", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        (f"MERGE INTO part {_SOURCE} ON part.b = s.b WHEN MATCHED THEN DELETE", "DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS"),
        ("INSERT INTO v VALUES (1, 'x')", "DELTA_CANNOT_WRITE_INTO_VIEW"),
        ("DELETE FROM gone", "DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS"),
        ("UPDATE gen SET a = 1", "DELTA_OPERATION_ON_TEMP_VIEW_WITH_GENERATED_COLS_NOT_SUPPORTED"),
    ],
)
def test_what_the_view_does_not_show(views: Lab, sql: str, condition: str) -> None:
    views.run("CREATE TABLE u (a INT)", "CREATE TEMP VIEW gone AS SELECT * FROM u", "CREATE OR REPLACE TABLE u (b INT)")
    views.run(
        "CREATE TABLE w (a INT, c INT GENERATED ALWAYS AS (a + 1))", "CREATE TEMP VIEW gen AS SELECT * FROM default.w"
    )
    views.analyst.rows["SELECT 1 AS a, 'x' AS b"] = views.snapshot("s.t").schema
    with pytest.raises(DeltaSqlError) as caught:
        views.plan(sql)
    assert caught.value.condition == condition


def test_a_view_of_generated_columns_may_lose_rows(views: Lab) -> None:
    views.run("CREATE TABLE w2 (a INT, c INT GENERATED ALWAYS AS (a + 1))", "CREATE TEMP VIEW gen AS SELECT * FROM w2")
    assert isinstance(views.plan("DELETE FROM gen"), TableChange)
