"""Sail compares values of every pair of types to Spark's results, or the comparison is refused.

DELTASQL_GRID=all asks all of the grid; else it is a sample.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest

from tests.sail.comparisons import ANSWERS, comparisons, results
from tests.sail.process import SailProcess

_KEPT: dict[str, str] = json.loads(ANSWERS.read_text(encoding="utf-8"))
_EVERY = 1 if os.environ.get("DELTASQL_GRID") == "all" else 13


@pytest.fixture
def zoned(sail: SailProcess) -> Iterator[SailProcess]:
    yield sail
    sail.rows("SET spark.sql.session.timeZone = UTC")


def test_every_comparison_has_an_answer_of_spark() -> None:
    assert list(_KEPT) == [comparison.key for comparison in comparisons()]


def test_results_are_those_of_spark_or_an_error(zoned: SailProcess) -> None:
    differing = list[str]()
    for comparison in sorted(comparisons()[::_EVERY], key=lambda item: item.zone):
        zoned.rows(f"SET spark.sql.session.timeZone = {comparison.zone}")
        answer = zoned.answer(comparison.sql)
        if "e" not in answer and (found := results(answer["r"])) != _KEPT[comparison.key]:
            differing.append(f"{comparison.key}: {_KEPT[comparison.key]} on Spark, {found} on Sail")
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize(
    ("condition", "keys"),
    [
        ("d = 0.3", [2]),
        ("d IN (0, 0.3)", [2]),
        ("d > 0.3", [1]),
        ("nullif(d, 0.3) IS NULL", [2]),
        ("CASE d WHEN 0.3 THEN true ELSE false END", [2]),
        ("f = 16777217", []),
        ("f = '0.1'", []),
        ("d BETWEEN 0.3 AND 0.4", [1, 2]),
        ("ts >= DATE '2024-01-01'", [1]),
        ("tn = TIMESTAMP '2024-01-01 00:00:00'", [1]),
    ],
)
def test_conditions_of_columns(zoned: SailProcess, condition: str, keys: list[int]) -> None:
    zoned.rows("SET spark.sql.session.timeZone = America/New_York")
    zoned.rows("CREATE OR REPLACE TABLE compared (k INT, d DOUBLE, f FLOAT, ts TIMESTAMP, tn TIMESTAMP_NTZ)")
    zoned.rows(
        "INSERT INTO compared VALUES (1, 0.30000000000000004D, 16777217F, TIMESTAMP '2024-01-01 00:00:00-05:00', "
        "TIMESTAMP_NTZ '2024-01-01 00:00:00'), (2, 0.3D, 0.1F, TIMESTAMP '2024-01-01 00:00:00Z', "
        "TIMESTAMP_NTZ '2024-01-01 05:00:00'), (3, 1e-17D, 1F, NULL, NULL)"
    )
    where = f"{condition} AND abs(k) > 0"
    assert zoned.rows(f"SELECT k FROM compared WHERE {where} ORDER BY k") == [[key] for key in keys]
    zoned.rows(f"DELETE FROM compared WHERE {where}")
    left = [[key] for key in (1, 2, 3) if key not in keys]
    assert zoned.rows("SELECT k FROM compared ORDER BY k") == left
