"""DECIMAL and common types in texts for Sail: casts where the types of operands are known."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deltasql.engines.sail.dialect.inlining import SailScope
from deltasql.engines.sail.dialect.order import values_alike
from deltasql.engines.sail.guards.exact_types import OperandRows, common_type, unlike_names, unqualified
from deltasql.engines.sail.guards.text_checks import with_checks
from deltasql.schema.type_lattice import MOST_DIGITS
from deltasql.schema.types import (
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    VOID,
    DataType,
    DecimalType,
    StructField,
    StructType,
)

_KINDS: dict[str, DataType] = {
    "d": DecimalType(10, 2),
    "w": DecimalType(38, 18),
    "i": INTEGER,
    "l": LONG,
    "f": DOUBLE,
    "g": FLOAT,
    "s": STRING,
}
COLUMNS = StructType(tuple(StructField(name, kind) for name, kind in _KINDS.items()))


def rows(kind: Callable[[SailScope, str], DataType | None] = lambda scope, text: None) -> OperandRows:
    return OperandRows(lambda scope: COLUMNS, kind)


@pytest.mark.parametrize(
    ("sql", "safe"),
    [
        ("d * 2", "CAST((d * CAST(2 AS DECIMAL(1,0))) AS DECIMAL(12,2))"),
        ("100L - d", "CAST((CAST(100L AS DECIMAL(3,0)) - d) AS DECIMAL(11,2))"),
        ("d + -3", "CAST((d + CAST(-3 AS DECIMAL(1,0))) AS DECIMAL(11,2))"),
        # In brackets it is written out, with a plus it is not.
        ("d + (2)", "CAST((d + CAST((2) AS DECIMAL(1,0))) AS DECIMAL(11,2))"),
        ("d + +2", "CAST((d + CAST((+2) AS DECIMAL(10,0))) AS DECIMAL(13,2))"),
        # A TINYINT that is written out has the digits of its type.
        ("d + 3Y", "CAST((d + CAST(3Y AS DECIMAL(3,0))) AS DECIMAL(11,2))"),
        ("d + i", "CAST((d + CAST(i AS DECIMAL(10,0))) AS DECIMAL(13,2))"),
        ("d % 2", "CAST((d % CAST(2 AS DECIMAL(1,0))) AS DECIMAL(3,2))"),
        # One digit more than the quotient has, of which Sail cuts the others off.
        ("d / 3", "CAST((CAST(d AS DECIMAL(38,3)) / CAST(3 AS DECIMAL(1,0))) AS DECIMAL(14,6))"),
        ("d / d", "CAST((CAST(d AS DECIMAL(38,10)) / d) AS DECIMAL(23,13))"),
        # Beyond 38 digits whole ones come first.
        ("w + i", "CAST((w + CAST(i AS DECIMAL(10,0))) AS DECIMAL(38,17))"),
        ("w * w", "CAST((w * w) AS DECIMAL(38,6))"),
        ("d * f", "(CAST(d AS DOUBLE) * CAST(f AS DOUBLE))"),
        ("g + i", "(CAST(g AS DOUBLE) + CAST(i AS DOUBLE))"),
        ("d - s", "(CAST(d AS DOUBLE) - CAST(s AS DOUBLE))"),
        ("round(d, 1)", "CAST(round(d, 1) AS DECIMAL(10,1))"),
        ("round(d)", "CAST(round(d) AS DECIMAL(9,0))"),
        ("nullif(d, 0)", "CAST(nullif(d, 0) AS DECIMAL(10,2))"),
        ("pmod(d, 3)", "CAST(PMOD(d, CAST(3 AS DECIMAL(1,0))) AS DECIMAL(3,2))"),
        ("avg(DISTINCT d) OVER w", "CAST(avg(DISTINCT CAST(d AS DECIMAL(11,3))) OVER w AS DECIMAL(14,6))"),
        ("nvl(d, 0)", "coalesce(CAST(d AS DECIMAL(12,2)), CAST(0 AS DECIMAL(12,2)))"),
        ("nvl2(s, i, l)", "CASE WHEN (s) IS NOT NULL THEN CAST(i AS BIGINT) ELSE l END"),
        ("IF(i > 1, d, 0)", "IF((i > 1) AND TRUE, CAST(d AS DECIMAL(12,2)), CAST(0 AS DECIMAL(12,2)))"),
        ("CASE i WHEN 1 THEN l ELSE 0 END", "CASE i WHEN 1 THEN l ELSE CAST(0 AS BIGINT) END"),
        ("CASE WHEN i > 1 THEN 'a' ELSE s END", "CASE WHEN (i > 1) AND TRUE THEN 'a' ELSE s END"),
    ],
)
def test_what_spark_would_have_computed(sql: str, safe: str) -> None:
    assert with_checks(sql, decimals=True, rows=rows()) == safe


def test_types_that_are_not_known_are_guarded() -> None:
    for sql in ("x * 2", "avg(x)", "round(x, i)", "transform(a, x -> x * 2)", "nvl(x, 0)"):
        assert "types are not known before it runs" in with_checks(sql, decimals=True, rows=rows()), sql
    # Two DECIMAL have the same sum there.
    assert "<>" in with_checks("x + y", decimals=True, rows=rows())
    assert "not known" not in with_checks("x * 2", rows=rows())


def test_the_engine_is_asked_for_what_the_columns_do_not_tell() -> None:
    asked = list[tuple[SailScope, str]]()

    def kind(scope: SailScope, text: str) -> DataType | None:
        asked.append((scope, text))
        return DecimalType(20, 2)

    sql = "WITH c AS (SELECT 1) SELECT sum(d) * 2 FROM t JOIN c WHERE i > 0"
    assert "DECIMAL(22,2)" in with_checks(sql, decimals=True, rows=rows(kind))
    (scope, text), *_ = asked
    assert (scope.before, scope.relation) == ("WITH c AS (SELECT 1) ", "FROM t JOIN c")
    assert text.endswith("ELSE sum(d) END")


def test_names_of_the_select_hide_columns_behind_its_from() -> None:
    sql = "SELECT s AS d FROM t ORDER BY d * 2"
    assert with_checks(sql, decimals=True, rows=rows()).count("DECIMAL(12,2)") == 0
    grouped = "SELECT d * 2 FROM t GROUP BY d * 2"
    assert with_checks(grouped, decimals=True, rows=rows()).count("AS DECIMAL(12,2)") == 2


@pytest.mark.parametrize(
    ("kinds", "common"),
    [
        ([INTEGER, LONG], LONG),
        ([INTEGER, FLOAT], DOUBLE),
        ([DecimalType(10, 2), INTEGER], DecimalType(12, 2)),
        ([DecimalType(10, 2), DOUBLE], DOUBLE),
        ([DecimalType(38, 0), DecimalType(38, 10)], None),
        ([VOID, STRING], STRING),
        ([VOID], VOID),
        ([STRING, INTEGER], None),
        ([DATE, DATE], DATE),
    ],
)
def test_common_types(kinds: list[DataType], common: DataType | None) -> None:
    assert common_type(kinds) == common


def test_columns_of_one_name_are_none() -> None:
    assert unlike_names(StructType((*COLUMNS, StructField("D", INTEGER)))).find("d") is None
    assert unqualified("t.d + `x`.`y z` * c.t.d", COLUMNS) == "d + `y z` * t.d"
    assert unqualified("s.field", COLUMNS) == "s.field"


def test_constants_of_values_have_one_type() -> None:
    assert values_alike("VALUES (1, 'a'), (2L, NULL)") == "VALUES (CAST(1 AS BIGINT), 'a'), (2L, NULL)"
    assert values_alike("SELECT * FROM VALUES (1.5), (2D) AS v(a)") == (
        "SELECT * FROM VALUES (CAST(1.5 AS DOUBLE)), (2D) AS v(a)"
    )
    for same in ("VALUES (1), (2)", "VALUES (1), (x)", "VALUES (1), ('a')", "VALUES (1), (2, 3)", "SELECT values(1)"):
        assert values_alike(same) == same


def test_most_digits() -> None:
    wide = OperandRows(
        lambda scope: StructType((StructField("n", DecimalType(MOST_DIGITS, 0)),)), lambda scope, text: None
    )
    assert with_checks("n / 7", decimals=True, rows=wide).endswith("AS DECIMAL(38,6))")
