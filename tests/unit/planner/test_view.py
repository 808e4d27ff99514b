"""Views and common table expressions as text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deltasql.base.errors import (
    AlteredViewNotFoundError,
    AlterTemporaryViewError,
    AlterViewOfTableError,
    DuplicateViewColumnError,
    ParseSyntaxError,
    RecursiveViewError,
    TemporaryViewNameError,
    ViewAlreadyExistsError,
    ViewArityError,
    ViewNotFoundError,
    WrongObjectError,
)
from deltasql.base.errors.base import DeltaSqlError
from deltasql.plan.operators import SqlQuery
from deltasql.planner.binding import bind
from deltasql.planner.catalog_changes import View, ViewChange
from deltasql.planner.changes import QueryRows, SparkCommand
from deltasql.planner.scope import cte_views
from deltasql.schema.types import INTEGER, STRING, StructField, StructType
from deltasql.session.execution.run import change_views
from deltasql.sql.queries.query_facts import derived_columns
from tests.unit.planner.lab import Lab, columns, scans_of


def made(lab: Lab, sql: str) -> View:
    change = lab.plan(sql)
    assert isinstance(change, ViewChange)
    assert change.view is not None
    return change.view


@pytest.mark.parametrize(
    ("sql", "name", "query"),
    [
        ("CREATE TEMP VIEW v AS SELECT 1", "v", "SELECT 1"),
        ("create or replace temporary view `My V` as select 1;", "my v", "select 1"),
        ("CREATE TEMP VIEW v COMMENT 'c' AS SELECT 1", "v", "SELECT 1"),
        ("CREATE /* a */ GLOBAL TEMP VIEW V AS -- b\n SELECT 1", "global_temp.v", "SELECT 1"),
    ],
)
def test_a_temporary_view_is_kept_as_text(lab: Lab, sql: str, name: str, query: str) -> None:
    change = lab.plan(sql)
    assert isinstance(change, ViewChange)
    assert change.view is not None
    assert (change.name, change.view.query, change.view.columns) == (name, query, ())


def test_columns_have_the_names_and_comments_that_were_given(lab: Lab) -> None:
    view = made(lab, "CREATE TEMP VIEW v (a, `b c` COMMENT 'x') AS SELECT 1, '2' AS two")
    assert view.creation is not None
    assert view.creation.names == ("1", "two")
    assert view.creation.schema == StructType(
        (StructField("a", INTEGER), StructField("b c", STRING, metadata={"comment": "x"}))
    )


def test_names_mean_what_they_meant_when_the_view_was_made(lab: Lab) -> None:
    lab.run("CREATE SCHEMA s", "CREATE TABLE t (a INT)", "CREATE TABLE s.t (b INT)", "USE s")
    lab.run("CREATE TEMP VIEW v AS SELECT * FROM t", "USE default", "CREATE TEMP VIEW t AS SELECT 1 AS c")
    rows = lab.plan("SELECT * FROM v")
    assert isinstance(rows, QueryRows)
    assert [scan.table.name for scan in scans_of(rows.operator)] == ["t"]
    assert [scan.schema.names for scan in scans_of(rows.operator)] == [("b",)]


def test_settings_mean_what_they_meant_when_the_view_was_made(lab: Lab) -> None:
    lab.run("SET spark.sql.session.timeZone=Asia/Tokyo", "SET spark.sql.shuffle.partitions=3")
    lab.run("CREATE TEMP VIEW v AS SELECT 1 AS a", "CREATE TEMP VIEW w AS SELECT * FROM v")
    assert view_of(lab, "SELECT * FROM v").settings == {}
    lab.run("SET spark.sql.session.timeZone=UTC", "SET spark.sql.ansi.enabled=false")
    assert view_of(lab, "SELECT * FROM v").settings == {
        "spark.sql.session.timeZone": "Asia/Tokyo",
        "spark.sql.ansi.enabled": None,
    }
    (below,) = view_of(lab, "SELECT * FROM w").relations.values()
    assert isinstance(below, SqlQuery)
    assert below.settings["spark.sql.session.timeZone"] == "Asia/Tokyo"


def test_files_are_skipped_in_the_time_zone_of_the_view(lab: Lab) -> None:
    lab.run("CREATE TABLE t (ts TIMESTAMP)", "SET spark.sql.session.timeZone=Asia/Tokyo")
    lab.append("t", stats='{"minValues":{"ts":"2024-01-01T00:00:00Z"},"maxValues":{"ts":"2024-01-01T00:00:00Z"}}')
    lab.run("CREATE TEMP VIEW v AS SELECT ts FROM t WHERE ts = '2024-01-01 09:00:00'")
    lab.run("SET spark.sql.session.timeZone=UTC")
    (scan,) = scans_of(view_of(lab, "SELECT * FROM v"))
    assert scan.files.num_rows == 1


def view_of(lab: Lab, sql: str) -> SqlQuery:
    rows = lab.plan(sql)
    assert isinstance(rows, QueryRows)
    assert isinstance(rows.operator, SqlQuery)
    (view,) = rows.operator.relations.values()
    assert isinstance(view, SqlQuery)
    return view


@pytest.mark.parametrize(
    ("sql", "kind", "message"),
    [
        ("CREATE VIEW w USING csv", ParseSyntaxError, "CREATE VIEW w AS SELECT"),
        ("CREATE TEMP VIEW w WITH SCHEMA BINDING AS SELECT 1 AS a", AlterTemporaryViewError, "WITH SCHEMA"),
        ("CREATE TEMP VIEW s.w AS SELECT 1", TemporaryViewNameError, "CREATE TEMPORARY VIEW w"),
        ("CREATE TEMP VIEW v AS SELECT 1", ViewAlreadyExistsError, "OR REPLACE"),
        ("CREATE TEMP VIEW V AS SELECT * FROM nope", ViewAlreadyExistsError, "OR REPLACE"),
        ("CREATE TEMP VIEW spark_one AS SELECT 1", ViewAlreadyExistsError, "OR REPLACE"),
        ("CREATE OR REPLACE TEMP VIEW v AS SELECT * FROM v", RecursiveViewError, "v → v"),
        ("CREATE OR REPLACE TEMP VIEW `V` AS SELECT * FROM u, x", RecursiveViewError, "v → x → v"),
        ("CREATE OR REPLACE TEMP VIEW v AS (TABLE session.x)", RecursiveViewError, "v → x → v"),
        ("ALTER VIEW v AS SELECT 1 FROM (SELECT * FROM x)", RecursiveViewError, "v → x → v"),
        ("CREATE TEMP VIEW w AS SELECT 1 AS a, 2 AS A", DuplicateViewColumnError, "two columns A"),
        ("CREATE TEMP VIEW w (b, B) AS SELECT 1, 2", DuplicateViewColumnError, "two columns B"),
        ("CREATE TEMP VIEW w (b) AS SELECT 1, 2 AS c", ViewArityError, "names 1 column, and its query gives 2: 1, c"),
        ("ALTER VIEW w AS SELECT 1", AlteredViewNotFoundError, "no view w"),
        ("ALTER VIEW t AS SELECT 1", AlterViewOfTableError, "ALTER TABLE t"),
        ("ALTER VIEW v RENAME TO U", ViewAlreadyExistsError, "U already"),
        ("ALTER VIEW v RENAME TO s.w", TemporaryViewNameError, "RENAME TO w"),
        ("ALTER VIEW w RENAME TO w2", AlteredViewNotFoundError, "no view w"),
        ("ALTER VIEW v SET TBLPROPERTIES ('a' = 'b')", AlterTemporaryViewError, "SET TBLPROPERTIES"),
        ("ALTER VIEW v UNSET TBLPROPERTIES('a')", AlterTemporaryViewError, "UNSET TBLPROPERTIES"),
        ("DROP VIEW t", WrongObjectError, "Write DROP TABLE t"),
        ("DROP VIEW IF EXISTS default.t", WrongObjectError, "Write DROP TABLE default.t"),
        ("DROP VIEW s.nope", ViewNotFoundError, "IF EXISTS s.nope"),
        ("CREATE OR REPLACE TEMP VIEW IF NOT EXISTS v AS SELECT 1", ParseSyntaxError, "not for temporary views"),
        ("REPLACE TEMP VIEW v AS SELECT 1", ParseSyntaxError, "CREATE OR REPLACE"),
        ("CREATE TEMP VIEW w (a INT) AS SELECT 1", ParseSyntaxError, "types that its query gives"),
        ("CREATE TEMP VIEW w AS SELEC 1", ParseSyntaxError, "Did you mean SELECT"),
    ],
)
def test_what_is_refused(lab: Lab, sql: str, kind: type[DeltaSqlError], message: str) -> None:
    lab.run("CREATE SCHEMA s", "CREATE TABLE t (a INT)", "CREATE TEMP VIEW v AS SELECT 1 AS a")
    lab.run("CREATE TEMP VIEW u AS SELECT 2 AS a", "CREATE TEMP VIEW x AS SELECT * FROM v")
    lab.analyst.view_names.add(("spark_one",))
    before = dict(lab.views)
    with pytest.raises(kind, match=message) as caught:
        lab.plan(sql)
    assert caught.value.caret is not None
    assert lab.views == before


def test_a_view_may_take_the_name_of_the_table_that_it_reads(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a INT)", "CREATE TEMP VIEW t AS SELECT * FROM t")
    (scan,) = scans_of(view_of(lab, "SELECT * FROM t"))
    assert scan.table.name == "t"
    lab.run("CREATE OR REPLACE TEMP VIEW u AS SELECT * FROM t")
    with pytest.raises(RecursiveViewError, match="t → u → t"):
        lab.plan("CREATE OR REPLACE TEMP VIEW t AS SELECT * FROM u")


def test_a_view_of_files_is_left_to_spark(lab: Lab) -> None:
    assert isinstance(lab.plan("CREATE TEMP VIEW v USING csv"), SparkCommand)


def test_a_view_of_a_dataframe_is_dropped_and_renamed_by_spark(lab: Lab) -> None:
    lab.analyst.view_names.add(("v",))
    assert lab.plan("DROP VIEW v") == SparkCommand("DROP VIEW v", {})
    assert lab.plan("ALTER VIEW v RENAME TO w") == SparkCommand("ALTER VIEW v RENAME TO w", {})


def test_a_dataframe_that_took_the_name_later_is_read(lab: Lab) -> None:
    lab.run("CREATE TEMP VIEW v AS SELECT 1 AS a")
    lab.analyst.view_names.add(("v",))
    rows = lab.plan("SELECT * FROM v")
    assert isinstance(rows, QueryRows)
    assert rows.operator.relations == {}  # type: ignore[union-attr]


def test_a_view_is_dropped_without_spark(lab: Lab) -> None:
    lab.run("CREATE TEMP VIEW v AS SELECT 1 AS a", "CREATE GLOBAL TEMP VIEW v AS SELECT 2 AS b")
    assert lab.plan("DROP VIEW IF EXISTS V") == ViewChange("v", None, if_exists=True)
    assert lab.plan("DROP VIEW Global_Temp.`V`") == ViewChange("global_temp.v", None)
    assert lab.plan("DROP VIEW IF EXISTS w") == ViewChange("w", None, if_exists=True)


def test_a_view_gets_another_name_or_query(lab: Lab) -> None:
    lab.run("CREATE TEMP VIEW v AS SELECT 1 AS a", "ALTER VIEW v RENAME TO `W x`")
    assert set(lab.views) == {"w x"}
    lab.run("ALTER VIEW `w X` SELECT 2 AS b")
    assert lab.views["w x"].query == "SELECT 2 AS b"


def test_a_table_is_no_view_and_a_view_no_table(lab: Lab) -> None:
    lab.run("CREATE TEMP VIEW v AS SELECT 1 AS a")
    with pytest.raises(WrongObjectError, match="Write DROP VIEW v"):
        lab.plan("DROP TABLE IF EXISTS v")


def test_views_come_and_go() -> None:
    views: dict[str, View] = {}
    change_views(ViewChange("v", View("SELECT 1")), views)
    with pytest.raises(ViewAlreadyExistsError):
        change_views(ViewChange("v", View("SELECT 2")), views)
    change_views(ViewChange("v", View("SELECT 2"), or_replace=True), views)
    assert views == {"v": View("SELECT 2")}
    change_views(ViewChange("w", views["v"], renamed="v"), views)
    assert set(views) == {"w"}
    change_views(ViewChange("w", None), views)
    with pytest.raises(ViewNotFoundError):
        change_views(ViewChange("w", None), views)
    change_views(ViewChange("w", None, if_exists=True), views)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT 1 AS one, 'a' AS two", "one INT, two STRING"),
        ("SELECT * FROM t", "a INT, b STRING"),
        ("SELECT b, a + 1 AS c FROM default.t WHERE a > 0 AND b IS NOT NULL", "b STRING, c INT"),
        ("SELECT x.* FROM t AS x", None),
        ("SELECT a c FROM t", None),
        ("SELECT nope FROM t", None),
        ("SELECT *", None),
        ("SELECT a FROM t WHERE a", None),
        ("SELECT a FROM t WHERE nope = 1", None),
        ("SELECT a FROM t GROUP BY a", None),
        ("SELECT a FROM t LIMIT 1", None),
        ("SELECT DISTINCT a FROM t", None),
        ("SELECT a FROM t, t AS s", None),
        ("SELECT a FROM t UNION SELECT 1", None),
        ("SELECT 1 AS x WHERE true", None),
        ("SELECT a, FROM t", None),
        ("SELECT FROM t", None),
        ("WITH t AS (SELECT 1 AS a) SELECT a FROM t", None),
        ("SELECT a FROM t TABLESAMPLE (1 ROWS)", None),
        ("VALUES (1)", None),
        ("", None),
    ],
)
def test_which_columns_need_no_spark(lab: Lab, query: str, expected: str | None) -> None:
    lab.run("CREATE TABLE t (a INT, b STRING)")
    sql, relations = bind(lab.context(query), query)
    found = derived_columns(query, SqlQuery(sql, relations))
    assert found == (None if expected is None else columns(expected))


def test_common_table_expressions_become_views() -> None:
    text = "WITH a AS (SELECT 1), `B c` (x, y) AS (SELECT f(1), 2) , d (SELECT 3)"
    first = View("SELECT 1", scope={})
    second = View("SELECT f(1), 2", ("x", "y"), scope={"a": first})
    third = replace(View("SELECT 3"), scope={"a": first, "b c": second})
    assert cte_views(text, {}) == {"a": first, "b c": second, "d": third}
