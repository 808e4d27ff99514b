"""EXECUTE IMMEDIATE, and what has nothing to do."""

from __future__ import annotations

from datetime import date

import pytest

from deltasql.base.errors import ImmediateTextError, UnnamedParameterError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.planner.catalog_changes import CatalogChoice, ViewChange
from deltasql.planner.changes import Answer, QueryRows, SparkCommand
from tests.unit.planner.lab import Lab


@pytest.mark.parametrize(
    ("values", "text", "expected"),
    [
        ("1, 'a'", "SELECT ?, ?", "SELECT 1, 'a'"),
        ("(1, 'a')", "SELECT ?, ?", "SELECT 1, 'a'"),
        ("1 AS a, 'b' b", "SELECT :b, :a", "SELECT 'b', 1"),
        ("(1 AS a, 'b' AS `b`)", "SELECT :b, :a", "SELECT 'b', 1"),
        ("x, y", "SELECT :y, :x", "SELECT DATE '2024-01-31', 7"),
        ("x, y", "SELECT ?, ?", "SELECT 7, DATE '2024-01-31'"),
        ("session.x AS a", "SELECT :a", "SELECT 7"),
        ("INTERVAL 1 DAY", "SELECT ?", "SELECT 9"),
        ("f(1, 2), array(1, 2)[0] e", "SELECT :e", None),
        ("NULL", "SELECT ?", "SELECT NULL"),
        ("x + 1", "SELECT ?", "SELECT 8"),
        ("DATE '2024-01-31' AS d", "SELECT :d", "SELECT DATE '2024-01-31'"),
        ("1", "SELECT ':a', ?", "SELECT ':a', 1"),
    ],
)
def test_values_go_into_the_text(lab: Lab, values: str, text: str, expected: str | None) -> None:
    known = {"x": 7, "y": date(2024, 1, 31), "session.x": 7, "INTERVAL 1 DAY": 9, "NULL": None, "x + 1": 8}
    lab.analyst.values.update(known, **{"DATE '2024-01-31'": date(2024, 1, 31), "f(1, 2)": 1, "array(1, 2)[0]": 1})
    written = text.replace("'", "''")
    sql = f"EXECUTE IMMEDIATE '{written}' USING {values}"
    if expected is None:
        with pytest.raises(UnnamedParameterError, match="f\\(1, 2\\) has none"):
            lab.plan(sql)
        return
    rows = lab.plan(sql)
    assert isinstance(rows, QueryRows)
    assert rows.operator.sql == expected  # type: ignore[union-attr]


def test_a_row_goes_into_variables(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a INT)")
    change = lab.plan("EXECUTE IMMEDIATE 'SELECT 1, a FROM t' INTO x, session.`y z`")
    assert isinstance(change, SparkCommand)
    assert change.sql.startswith("SET VARIABLE (x, session.`y z`) = (\nSELECT 1, a FROM __deltasql_")
    assert len(change.relations) == 1


def test_a_text_may_be_a_variable(lab: Lab) -> None:
    lab.analyst.values.update({"q": "CREATE TEMP VIEW v AS SELECT 1", "n": 1})
    assert isinstance(lab.plan("EXECUTE IMMEDIATE q"), ViewChange)
    with pytest.raises(ImmediateTextError):
        lab.plan("EXECUTE IMMEDIATE n")


def test_the_place_of_an_error_is_in_the_text(lab: Lab) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        lab.plan("EXECUTE IMMEDIATE 'SELECT * FROM nope'")
    assert caught.value.caret is not None
    assert caught.value.caret.sql == "SELECT * FROM nope"


@pytest.mark.parametrize(
    "sql",
    [
        "CACHE LAZY TABLE names_s.names_t",
        "UNCACHE TABLE IF EXISTS names_s.names_t",
        "REFRESH TABLE names_s.names_t",
        "ANALYZE TABLE names_s.names_t COMPUTE STATISTICS",
    ],
)
def test_what_spark_knows_is_sparks_to_keep(lab: Lab, sql: str) -> None:
    lab.analyst.names.add(("names_s", "names_t"))
    assert lab.plan(sql) == SparkCommand(sql, {})


def test_the_schema_comes_before_the_catalog_of_its_name(lab: Lab) -> None:
    assert lab.plan("USE spark_catalog") == CatalogChoice("spark_catalog")
    lab.run("CREATE SCHEMA spark_catalog", "USE spark_catalog")
    assert lab.plan("SHOW CURRENT SCHEMA") == Answer(
        lab.plan("SHOW CURRENT SCHEMA").schema,  # type: ignore[union-attr]
        (("spark_catalog", "spark_catalog"),),
    )
