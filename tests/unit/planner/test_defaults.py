"""DEFAULT in the rows of an INSERT."""

from __future__ import annotations

import pytest

from deltasql.planner.defaults import replace_defaults
from deltasql.schema.types import INTEGER, StructField

FIELDS = [StructField("a", INTEGER), StructField("b", INTEGER, metadata={"CURRENT_DEFAULT": "42"})]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("VALUES (1, DEFAULT), (default, 2)", "VALUES (1, 42), (NULL, 2)"),
        ("VALUES (1, f(DEFAULT))", "VALUES (1, f(DEFAULT))"),
        ("VALUES (1, 'DEFAULT')", "VALUES (1, 'DEFAULT')"),
        ("SELECT default FROM default.t", "SELECT default FROM default.t"),
        ("SELECT 1", "SELECT 1"),
    ],
)
def test_default_stands_for_the_columns_default(query: str, expected: str) -> None:
    assert replace_defaults(query, FIELDS) == expected
