"""The values of seeds as SQL."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

pytestmark = [pytest.mark.dbt, pytest.mark.filterwarnings("default")]


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (None, "int", "NULL"),
        (True, None, "TRUE"),
        (Decimal("1E+3"), None, "1000"),
        (Decimal("0.10"), None, "0.10"),
        (date(2024, 5, 1), None, "DATE '2024-05-01'"),
        (datetime(2024, 5, 1, 9), None, "TIMESTAMP '2024-05-01 09:00:00'"),
        ("it's \\ %s", None, r"'it\'s \\ %s'"),
        ("007", "string", "'007'"),
        ("7", "INT", "7"),
        ("-7.50", "decimal(10,2)", "-7.50"),
        ("7.50", "int", "CAST('7.50' AS int)"),
        ("007", "bigint", "CAST('007' AS bigint)"),
        ("NaN", "double", "CAST('NaN' AS double)"),
        ("true", "boolean", "TRUE"),
        ("2024-05-01", "date", "DATE '2024-05-01'"),
        ("2024-5-1", "date", "CAST('2024-5-1' AS date)"),
        ("P1", "varchar(3)", "CAST('P1' AS varchar(3))"),
    ],
)
def test_literal(value: Any, kind: str | None, expected: str) -> None:
    from dbt.adapters.deltasql.literals import seed_literal

    assert seed_literal(value, kind).replace("''", r"\'") == expected


def test_places_of_bindings() -> None:
    from dbt.adapters.deltasql.literals import bound

    assert bound("SELECT '%' LIKE %s", None) == "SELECT '%' LIKE %s"
    assert bound("VALUES (%s, %s)", [1, None]) == "VALUES (1, NULL)"
    with pytest.raises(ValueError, match="1 places for 2 values"):
        bound("VALUES (%s)", [1, 2])
