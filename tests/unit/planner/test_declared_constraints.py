"""CHECK constraints of CREATE TABLE: kept as ADD CONSTRAINT keeps them."""

from __future__ import annotations

from typing import Any

import pytest

from deltasql.base.errors import (
    ColumnClauseError,
    ConstraintDeclaredTwiceError,
    NonBooleanConstraintError,
    ParseSyntaxError,
)
from deltasql.schema.types import BOOLEAN, INTEGER
from tests.unit.planner.lab import Lab


@pytest.fixture(autouse=True)
def answers(lab: Lab) -> None:
    lab.analyst.kinds = {"a > 0": BOOLEAN, "b > 0": BOOLEAN, "a + 1": INTEGER}


def test_in_the_list_and_behind_a_column(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a INT CONSTRAINT `The One` CHECK (a > 0), b INT, CONSTRAINT other CHECK ( b > 0 -- x\n))")
    kept = dict(lab.snapshot("t").configuration)
    assert kept == {"delta.constraints.the one": "a > 0", "delta.constraints.other": "b > 0"}
    assert "checkConstraints" in lab.snapshot("t").protocol.features
    lab.run("ALTER TABLE t DROP CONSTRAINT `the one`")
    assert list(lab.snapshot("t").configuration) == ["delta.constraints.other"]


def test_the_statement_that_is_shown_makes_the_same_table(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a INT, CONSTRAINT c CHECK (a > 0))")
    shown: Any = lab.plan("SHOW CREATE TABLE t")
    lab.run(shown.rows[0][0].replace("spark_catalog.default.t", "u", 1))
    assert lab.snapshot("u").configuration == lab.snapshot("t").configuration
    assert lab.snapshot("u").protocol == lab.snapshot("t").protocol


def test_wrong_ones(lab: Lab, fails: Any) -> None:
    fails("CREATE TABLE t (a INT, CONSTRAINT c CHECK (a + 1))", NonBooleanConstraintError, at="a + 1")
    twice = "CREATE TABLE t (a INT CONSTRAINT c CHECK (a > 0), b INT, CONSTRAINT C CHECK (b > 0))"
    fails(twice, ConstraintDeclaredTwiceError, at="b > 0")
    fails("CREATE TABLE t (CONSTRAINT c CHECK (a > 0))", ParseSyntaxError)
    lab.run("CREATE TABLE t (a INT)")
    fails("ALTER TABLE t REPLACE COLUMNS (a INT CONSTRAINT c CHECK (a > 0))", ColumnClauseError, at="a")
    assert dict(lab.snapshot("t").configuration) == {}
