"""What Spark says, without the names that deltasql made up."""

from __future__ import annotations

import pytest

from deltasql.engine.failures.spark_errors import _sentence, _translate
from deltasql.engine.failures.write_errors import Failure, WriteContext


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no column `x`, did you mean `a`, `__deltasql_file`", "no column `x`, did you mean `a`"),
        ("use [`__deltasql_rows`.`id`]", "use [`id`]"),
        ("not in WHERE: __deltasql_rows.id", "not in WHERE: id"),
        ("struct(a, __deltasql_file, __deltasql_row)", "struct(a)"),
        ("STRUCT<a: INT, __deltasql_file: STRING NOT NULL>", "STRUCT<a: INT>"),
        ('cannot cast "CAST(__x0 AS INT)"', 'cannot cast "CAST(value AS INT)"'),
        ("outside of SELECT, found: 'Filter CASE WHEN explode(a) THEN DELTASQL_CONSTRAINT|x", "outside of SELECT"),
    ],
)
def test_hidden_names_are_left_out(text: str, told: str) -> None:
    assert _sentence(f"[SOME] {text} SQLSTATE: 42000", "SOME") == told


def test_a_condition_in_a_case_of_ours() -> None:
    values = {"inputSql": '"struct(a, __deltasql_row)"', "inputType": '"STRUCT<a: INT>"', "sqlExpr": '"CASE WHEN x'}
    failure = Failure("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "42K09", "", values)
    error = _translate(failure, "", WriteContext("t"))
    assert error.message == 'The condition "struct(a)" is of type "STRUCT<a: INT>", not BOOLEAN.'
