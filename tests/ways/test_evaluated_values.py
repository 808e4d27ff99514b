"""Values of expressions, and pairs of rows, that this process evaluates over Arrow tables."""

from __future__ import annotations

import pyarrow as pa
import pytest

from deltasql.base.errors.base import LeftToEngineError
from deltasql.engines.local import sources
from deltasql.engines.local.selections import rows_of, values
from deltasql.schema.types import DOUBLE, INTEGER, LONG, STRING, StructField, StructType
from deltasql.sql.evaluated import RowScope, row_expression

COLUMNS = StructType(
    (StructField("a", INTEGER), StructField("n", LONG), StructField("v", STRING), StructField("x", DOUBLE))
)
NAN = float("nan")
TABLE = pa.table(
    {
        "a": pa.array([1, None, 3], pa.int32()),
        "n": pa.array([1, 2, 2**63 - 1]),
        "v": pa.array(["x", None, "ü"]),
        "x": pa.array([NAN, -0.0, None]),
    }
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a = 1", [True, None, False]),
        ("a <> 1 OR v IS NULL", [False, True, True]),
        ("NOT (a = 1 AND n = 1)", [False, True, True]),
        ("a <=> CAST(NULL AS INT)", [False, True, False]),
        ("a <=> 3", [False, False, True]),
        ("a IS DISTINCT FROM 3", [True, True, False]),
        ("a IS NOT DISTINCT FROM CAST(NULL AS INT)", [False, True, False]),
        ("a IN (1, 3)", [True, None, True]),
        ("a NOT IN (1, 4)", [False, None, True]),
        ("a IN (CAST(1 AS INT), CAST(NULL AS INT))", [True, None, None]),
        ("a IN (9223372036854775807, 3L)", [False, None, True]),
        ("v IN ('x', 'y')", [True, None, False]),
        ("x IN (0.0D, 2.0D)", [False, True, None]),
        ("n IN (a, 2)", [True, True, False]),
        ("a NOT BETWEEN 0 AND n", [False, None, False]),
        ("v >= 'x'", [True, None, True]),
        ("n - 1", [0, 1, 2**63 - 2]),
        ("CAST(a AS BIGINT)", [1, None, 3]),
        ("'c'", ["c", "c", "c"]),
        ("CAST(NULL AS INT)", [None, None, None]),
        ("(a - 3) % 2", [0, None, 0]),
        ("(a - 4) % 2", [-1, None, -1]),
        ("a * 2 - n % 2", [1, None, 5]),
        ("a / 4", [0.25, None, 0.75]),
        ("x + 1.5", [NAN, 1.5, None]),
        ("CAST(n AS DOUBLE)", [1.0, 2.0, 2.0**63]),
        ("x = x", [True, True, None]),
        ("x <> 0", [True, False, None]),
        ("x <=> 0", [False, True, False]),
        ("x > 5", [True, False, None]),
        ("5 <= x", [True, False, None]),
        ("x < 5", [False, True, None]),
        ("x <= x - 1", [True, False, None]),
        ("a = 1 = (v IS NULL)", [False, None, True]),
        ("a < n = true", [False, None, True]),
        ("a::BIGINT - -1", [2, None, 4]),
        ("1 = 1 AND 2 > 3", [False, False, False]),
    ],
)
def test_values(text: str, found: list[object]) -> None:
    expression = row_expression(text, RowScope({"t": COLUMNS}))
    # NaN is equal to nothing but its own text.
    assert list(map(repr, values(expression, rows_of("t", TABLE)).to_pylist())) == list(map(repr, found))


def test_a_long_list() -> None:
    text = f"a IN ({', '.join(map(str, range(2, 2000)))})"
    assert values(row_expression(text, RowScope({"t": COLUMNS})), rows_of("t", TABLE)).to_pylist() == [
        False,
        None,
        True,
    ]


@pytest.mark.parametrize("text", ["n + 1", "n * 2", "-2 - n"])
def test_a_number_that_does_not_fit_is_left_to_an_engine(text: str) -> None:
    expression = row_expression(text, RowScope({"t": COLUMNS}))
    with pytest.raises(LeftToEngineError):
        values(expression, rows_of("t", TABLE))


@pytest.mark.parametrize(
    ("on", "met"),
    [
        ("t.a = s.a", [(0, 0), (0, 2), (2, 1)]),
        ("s.n = t.a AND t.v = 'x'", [(0, 0)]),
        ("t.a < s.a", [(0, 1)]),
        ("t.a <=> s.a", [(0, 0), (0, 2), (1, 3), (2, 1)]),
        ("t.a = 1 OR s.a = 3", [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (2, 1)]),
    ],
)
def test_pairs(on: str, met: list[tuple[int, int]]) -> None:
    source = pa.table({"a": pa.array([1, 3, 1, None], pa.int32()), "n": pa.array([1, 2, 3, 4])})
    scope = RowScope({"t": COLUMNS, "s": StructType(COLUMNS.fields[:2])})
    left, right = sources.equal_pairs(rows_of("t", TABLE), rows_of("s", source), row_expression(on, scope), 1 << 20)
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == met


@pytest.mark.parametrize("on", ["t.a < s.a", "t.a = s.a"])
def test_pairs_beyond_the_limit_of_memory_are_left_to_an_engine(on: str) -> None:
    rows = pa.table({"a": pa.array([1, 1], pa.int32())})
    scope = RowScope({"t": StructType(COLUMNS.fields[:1]), "s": StructType(COLUMNS.fields[:1])})
    with pytest.raises(LeftToEngineError):
        sources.equal_pairs(rows_of("t", rows), rows_of("s", rows), row_expression(on, scope), 200)
