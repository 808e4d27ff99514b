"""What is told of names that Spark does not resolve: functions, procedures, functions of others that give rows."""

from __future__ import annotations

import pytest

from deltasql.engines.spark.failures import Failure, unresolved_error

ROUTINE = ("UNRESOLVED_ROUTINE", "routineName")
ROWS = ("UNRESOLVABLE_TABLE_VALUED_FUNCTION", "name")


@pytest.mark.parametrize(
    ("condition", "name", "sql", "told"),
    [
        (ROUTINE, "`s`.`p`", "/* nightly */ call s.p(1)", "There is no procedure s.p. A Python function"),
        (ROUTINE, "`p`", "DESC PROCEDURE p", "There is no procedure p."),
        (ROUTINE, "`cuont`", "SELECT cuont(1)", "There is no function cuont. Did you mean count?"),
        (ROUTINE, "`f`", "SELECT call(f(1))", "There is no function f. SHOW FUNCTIONS"),
        (ROWS, "`read_files`", "SELECT * FROM read_files('/x')", "Files are read by their format: SELECT * FROM csv."),
        (ROWS, "`f`", "SELECT * FROM f(1)", "There is no function f that gives rows. SHOW FUNCTIONS"),
    ],
)
def test_what_is_not_there(condition: tuple[str, str], name: str, sql: str, told: str) -> None:
    error = unresolved_error(Failure(condition[0], "42883", "Spark's words", {condition[1]: name}), sql)
    assert error is not None
    assert (error.condition, told in str(error)) == (condition[0], True)


def test_a_stream_in_a_query() -> None:
    failure = Failure("_LEGACY_ERROR_TEMP_1008", "XX000", "value is not a temp view of streaming logical plan", {})
    error = unresolved_error(failure, "SELECT * FROM STREAM t")
    assert error is not None
    assert error.condition == "DELTA_OPERATION_NOT_ALLOWED"
    assert unresolved_error(failure, "SELECT * FROM t") is None
