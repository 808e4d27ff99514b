"""DEFAULT: in the rows of an INSERT, in MERGE, and as a column declares it."""

from __future__ import annotations

from typing import Any

import pytest

from deltasql.base.errors import (
    ColumnDefaultsNotEnabledError,
    DefaultNotConstantError,
    DefaultNotDeterministicError,
    DefaultSubqueryError,
    GeneratedWithDefaultError,
    IdentityWithDefaultError,
    NestedDefaultError,
)
from deltasql.plan.operators import Rewrite
from deltasql.planner.changes import RowChange
from deltasql.planner.computed_columns import replace_defaults
from deltasql.schema.types import INTEGER, StructField
from tests.unit.planner.lab import Lab, columns

FIELDS = [StructField("a", INTEGER), StructField("b", INTEGER, metadata={"CURRENT_DEFAULT": "42"})]
ENABLED = "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("VALUES (1, DEFAULT), (default, 2)", "VALUES (1, 42), (NULL, 2)"),
        ("(VALUES (1, DEFAULT))", "(VALUES (1, 42))"),
        ("VALUES (f(1, 2), DEFAULT), (array(1, 2)[0], DEFAULT)", "VALUES (f(1, 2), 42), (array(1, 2)[0], 42)"),
        ("VALUES DEFAULT, 1, DEFAULT", "VALUES NULL, 1, NULL"),
        ("SELECT 1, DEFAULT", "SELECT 1, 42"),
        ("SELECT f(1, 2), DEFAULT", "SELECT f(1, 2), 42"),
        ("VALUES (1, f(DEFAULT))", "VALUES (1, f(DEFAULT))"),
        ("VALUES (1, 'DEFAULT')", "VALUES (1, 'DEFAULT')"),
        ("SELECT 1, DEFAULT FROM default.t, default", "SELECT 1, 42 FROM default.t, default"),
        ("WITH x AS (VALUES 1), y AS (VALUES 2) TABLE x", "WITH x AS (VALUES 1), y AS (VALUES 2) TABLE x"),
        ("WITH x AS (f), y AS (g) SELECT 1, DEFAULT FROM x", "WITH x AS (f), y AS (g) SELECT 1, 42 FROM x"),
        ("SELECT `default`, DEFAULT + 1 FROM t", "SELECT `default`, DEFAULT + 1 FROM t"),
        ("SELECT 1", "SELECT 1"),
    ],
)
def test_default_stands_for_the_columns_default(query: str, expected: str) -> None:
    assert replace_defaults(query, FIELDS) == expected


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        ("INT", "5"),
        ("TINYINT", "-128"),
        ("BIGINT", "NULL"),
        ("DOUBLE", "1.5"),
        ("DECIMAL(4, 2)", "99.99"),
        ("BOOLEAN", "TRUE"),
        ("STRING", "'x y'"),
        ("DATE", "DATE'2024-01-31'"),
        ("DATE", "current_date()"),
        ("TIMESTAMP", "now()"),
        ("STRING", "current_user"),
        ("ARRAY<INT>", "NULL"),
    ],
)
def test_spark_is_not_asked_about_plain_values(lab: Lab, kind: str, default: str) -> None:
    lab.run(f"CREATE TABLE t (a {kind} DEFAULT {default}) {ENABLED}")
    assert dict(lab.snapshot("t").schema.fields[0].metadata) == {"CURRENT_DEFAULT": default}
    assert lab.analyst.asked == []


@pytest.mark.parametrize(
    ("kind", "default"),
    [("TINYINT", "128"), ("INT", "1.5"), ("DECIMAL(4, 2)", "100"), ("DATE", "'2024-01-31'"), ("STRING", "upper('x')")],
)
def test_spark_evaluates_what_must_be_converted(lab: Lab, kind: str, default: str) -> None:
    lab.analyst.values = {f"CAST(CAST(({default}) AS {kind.replace(' ', '')}) AS STRING)": None}
    lab.run(f"CREATE TABLE t (a {kind} DEFAULT {default}) {ENABLED}")
    assert len(lab.analyst.asked) == 1


@pytest.mark.parametrize(
    ("default", "kind"),
    [
        ("(SELECT 1)", DefaultSubqueryError),
        ("b + 1", DefaultNotConstantError),
        ("a", DefaultNotConstantError),
        ("max(1)", DefaultNotConstantError),
        ("uuid()", DefaultNotDeterministicError),
    ],
)
def test_no_constant(fails: Any, default: str, kind: type[Exception]) -> None:
    fails(f"CREATE TABLE t (a INT DEFAULT {default}, b INT) {ENABLED}", kind, at=default)


def test_one_value_for_a_column(fails: Any) -> None:
    fails("CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a) DEFAULT 1)", GeneratedWithDefaultError, at="b")
    fails("CREATE TABLE t (b BIGINT GENERATED ALWAYS AS IDENTITY DEFAULT 1)", IdentityWithDefaultError, at="b")


def test_the_feature_is_named_with_the_statement_that_enables_it(lab: Lab, fails: Any) -> None:
    error = fails("CREATE TABLE t (a INT DEFAULT 1)", ColumnDefaultsNotEnabledError)
    assert error.message.endswith(f"Add {ENABLED} to the statement.")
    lab.run("CREATE TABLE t (a INT, s STRUCT<x: INT>)")
    error = fails("ALTER TABLE t ALTER a SET DEFAULT 1", ColumnDefaultsNotEnabledError)
    enabling = error.message.partition("Run: ")[2]
    lab.run(enabling, "ALTER TABLE t ALTER a SET DEFAULT 1")
    assert "allowColumnDefaults" in lab.snapshot("t").protocol.features
    fails("ALTER TABLE t ALTER s.x SET DEFAULT 1", NestedDefaultError, at="s.x")
    lab.run("ALTER TABLE t ALTER s.x DROP DEFAULT", "ALTER TABLE t ALTER a DROP DEFAULT")
    assert dict(lab.snapshot("t").schema.fields[0].metadata) == {}


def test_merge_fills_and_names_defaults(lab: Lab) -> None:
    lab.run(f"CREATE TABLE t (a INT, b INT DEFAULT 42, c INT) {ENABLED}", "CREATE TABLE s (a INT)")
    lab.analyst.rows = {"s": columns("a INT")}
    change = lab.plan(
        "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = DEFAULT, c = DEFAULT "
        "WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a)"
    )
    assert isinstance(change, RowChange)
    assert isinstance(change.operator, Rewrite)
    update, insert = change.operator.actions
    assert update.values == ("t.a", "CAST(42 AS INT)", "CAST(NULL AS INT)")
    assert insert.values[1:] == ("CAST(42 AS INT)", "CAST(NULL AS INT)")
