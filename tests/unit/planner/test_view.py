"""Temporary views and common table expressions as text."""

from __future__ import annotations

import pytest

from deltasql.errors.refused import WrongObjectError
from deltasql.errors.view import ViewAlreadyExistsError, ViewNotFoundError
from deltasql.planner.changes import SparkCommand
from deltasql.planner.ctes import cte_views
from deltasql.planner.effects import View, ViewChange
from tests.unit.planner.lab import Lab


@pytest.mark.parametrize(
    ("sql", "name", "view"),
    [
        ("CREATE TEMP VIEW v AS SELECT 1", "v", View("SELECT 1")),
        ("create or replace temporary view `My V` as select 1;", "My V", View("select 1")),
        ("CREATE TEMP VIEW v (a, b COMMENT 'x') AS SELECT 1, 2", "v", View("SELECT 1, 2", ("a", "b"))),
        ("CREATE TEMP VIEW v COMMENT 'c' AS SELECT 1", "v", View("SELECT 1")),
    ],
)
def test_a_temporary_view_is_kept_as_text(lab: Lab, sql: str, name: str, view: View) -> None:
    change = lab.plan(sql)
    assert isinstance(change, ViewChange)
    assert (change.name, change.view) == (name, view)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIEW v AS SELECT 1",
        "CREATE GLOBAL TEMP VIEW v AS SELECT 1",
        "CREATE TEMP VIEW v USING csv",
        "DROP VIEW v",
    ],
)
def test_other_statements_are_left_to_spark(lab: Lab, sql: str) -> None:
    lab.analyst.started = True
    assert isinstance(lab.plan(sql), SparkCommand)


def test_a_view_is_dropped_without_spark(lab: Lab) -> None:
    lab.run("CREATE TEMP VIEW v AS SELECT 1")
    lab.analyst.started = True
    assert lab.plan("DROP VIEW IF EXISTS V") == ViewChange("V", None, if_exists=True)
    lab.analyst.started = False
    assert lab.plan("DROP VIEW w") == ViewChange("w", None)


def test_a_table_is_no_view_and_a_view_no_table(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a INT)", "CREATE TEMP VIEW v AS SELECT 1")
    with pytest.raises(WrongObjectError, match="Write DROP TABLE t"):
        lab.plan("DROP VIEW t")
    with pytest.raises(WrongObjectError, match="Write DROP VIEW v"):
        lab.plan("DROP TABLE IF EXISTS v")


def test_views_come_and_go() -> None:
    views: dict[str, View] = {}
    ViewChange("V", View("SELECT 1")).apply(views)
    with pytest.raises(ViewAlreadyExistsError):
        ViewChange("v", View("SELECT 2")).apply(views)
    ViewChange("v", View("SELECT 2"), or_replace=True).apply(views)
    assert views == {"v": View("SELECT 2")}
    ViewChange("v", None).apply(views)
    with pytest.raises(ViewNotFoundError):
        ViewChange("v", None).apply(views)
    ViewChange("v", None, if_exists=True).apply(views)


def test_common_table_expressions_become_views() -> None:
    text = "WITH a AS (SELECT 1), `B c` (x, y) AS (SELECT f(1), 2) , d (SELECT 3)"
    first = View("SELECT 1", scope={})
    second = View("SELECT f(1), 2", ("x", "y"), scope={"a": first})
    third = View("SELECT 3", scope={"a": first, "b c": second})
    assert cte_views(text, {}) == {"a": first, "b c": second, "d": third}
