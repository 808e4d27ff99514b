"""VALUES of plain literals: which are read without Spark, as what, and which are left to it."""

from __future__ import annotations

from datetime import timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from deltasql.base.errors.base import LeftToEngineError
from deltasql.schema.text import type_text
from deltasql.sql.row_literals import as_type, literal_constant, literal_rows
from tests.unit.planner.lab import columns

PARIS = ZoneInfo("Europe/Paris")


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("NULL", "void", None),
        ("true", "boolean", True),
        ("2147483647", "int", 2**31 - 1),
        ("-2147483648", "int", -(2**31)),
        ("2147483648", "bigint", 2**31),
        ("-9223372036854775808", "bigint", -(2**63)),
        ("9223372036854775808", "decimal(19,0)", Decimal(2**63)),
        ("- 5", "int", -5),
        ("-128Y", "tinyint", -128),
        ("7s", "smallint", 7),
        ("7L", "bigint", 7),
        ("1.50", "decimal(3,2)", Decimal("1.50")),
        (".05", "decimal(2,2)", Decimal("0.05")),
        ("-0.00", "decimal(2,2)", Decimal("0.00")),
        ("5BD", "decimal(1,0)", Decimal(5)),
        (
            "-12345678901234567890.123456789012345678",
            "decimal(38,18)",
            Decimal("-12345678901234567890.123456789012345678"),
        ),
        ("1e3", "double", 1000.0),
        ("-2.5D", "double", -2.5),
        ("0.1f", "float", 0.10000000149011612),
        ("'it''s' \"two\" r'\\n'", "string", "it'stwo\\n"),
        (r"'\u00e9\t\%'", "string", "é\t\\%"),
        ("X'00fF'", "binary", b"\0\xff"),
        ("DATE '1970-01-02'", "date", 1),
        ("TIMESTAMP'1970-01-01 01:00:00.5'", "timestamp", 500_000),
        ("TIMESTAMP_LTZ '1970-01-01T00:00:01Z'", "timestamp", 1_000_000),
        ("TIMESTAMP_NTZ'1970-01-01'", "timestamp_ntz", 0),
    ],
)
def test_literals(text: str, kind: str, value: Any) -> None:
    found = literal_constant(text, PARIS)
    assert (type_text(found.type), found.value, type(found.value)) == (kind, value, type(value))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "x",
            "1 + 1",
            "(1)",
            "+1",
            "- -1",
            "a.b",
            "current_date()",
            "array(1)",
            "CAST('1' AS INT)",
            "1L 2",
            "'a' b",
        ),
        *("128Y", "-32769S", "9223372036854775808L", "1e400", "1e-400", "1e39F", "-0D", "-0e0", "-0F", "1e3BD"),
        *("0.000000000000000000000000000000000000001", "123456789012345678901234567890123456789", "-'1'", "-TRUE"),
        *("X'0'", "X'0g'", 'X"00"', "DATE'2024-1-1'", "DATE'2024-02-30'", "DATE 5", "TIMESTAMP'2024-01-01 24:00:00'"),
        *(
            "TIMESTAMP'2024-01-01 10:00'",
            "TIMESTAMP'2024-01-01Z'",
            "TIMESTAMP'1969-01-01'",
            "TIMESTAMP_NTZ'2024-01-01 00:00:00Z'",
        ),
        *(
            "INTERVAL '1' DAY",
            "INTERVAL 1 DAY",
            "'${x}'",
            r"'\ud83d'",
            r"'\377'",
            "DEFAULT",
            ":x",
            "?",
            "`NULL`",
            "1_000",
        ),
        # Halfway between two singles once it is a double, but not before.
        "1.0000000596046447753906250000001F",
    ],
)
def test_what_is_left_to_spark(text: str) -> None:
    with pytest.raises(LeftToEngineError):
        literal_constant(text, PARIS)
    assert literal_rows(f"VALUES ({text})", PARIS) is None


NOW = 1_732_662_000_123_456
"""2024-11-26 23:00:00.123456 UTC."""


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("current_timestamp()", "timestamp", NOW),
        ("CURRENT_TIMESTAMP", "timestamp", NOW),
        ("now ( )", "timestamp", NOW),
        ("current_date", "date", 20_054),
        ("curdate()", "date", 20_054),
        ("localtimestamp()", "timestamp_ntz", NOW + 3_600_000_000),
    ],
)
def test_the_current_time(text: str, kind: str, value: int) -> None:
    constant = literal_constant(text, PARIS, NOW)
    assert (type_text(constant.type), constant.value) == (kind, value)


@pytest.mark.parametrize("text", ["now", "curdate", "localtimestamp", "current_timestamp(1)", "`current_date`"])
def test_calls_that_are_left_to_spark(text: str) -> None:
    with pytest.raises(LeftToEngineError):
        literal_constant(text, PARIS, NOW)


def test_the_current_date_needs_a_zone() -> None:
    with pytest.raises(LeftToEngineError):
        literal_constant("current_date()", None, NOW)


def test_a_moment_without_a_zone_needs_the_sessions() -> None:
    with pytest.raises(LeftToEngineError):
        literal_constant("TIMESTAMP'2024-01-01 00:00:00'", None)
    assert literal_constant("TIMESTAMP'1960-01-01'", timezone.utc).value == -315_619_200_000_000


@pytest.mark.parametrize(
    ("rows", "kind", "values"),
    [
        ("(1), (2L), (NULL)", "bigint", (1, 2, None)),
        ("1, (2)", "int", (1, 2)),
        ("(1), (2.55)", "decimal(12,2)", (Decimal("1.00"), Decimal("2.55"))),
        ("(1), (2.5), (1e0)", "double", (1.0, 2.5, 1.0)),
        ("(NULL), (NULL)", "void", (None, None)),
    ],
)
def test_the_type_of_a_column(rows: str, kind: str, values: tuple[Any, ...]) -> None:
    found = literal_rows(f"VALUES {rows}", None)
    assert found is not None
    assert (type_text(found.columns[0].type), found.columns[0].values) == (kind, values)
    assert found.schema.names == ("col1",)


@pytest.mark.parametrize(
    "query",
    [
        *(
            "VALUES (1), ('a')",
            "VALUES (1), (1.5F)",
            "VALUES (1), (TRUE)",
            "VALUES (DATE'2024-01-01'), ('x')",
            "VALUES",
        ),
        *("VALUES (1, 2), (3)", "VALUES (1) AS t", "(VALUES (1))", "VALUES (1),", "SELECT 1", "VALUES /*+ x */ (1)"),
        *("VALUES (12345678901234567890123456789012345678), (0.1)", "VALUES (1) LIMIT 1", "VALUES ()"),
    ],
)
def test_rows_that_are_left_to_spark(query: str) -> None:
    assert literal_rows(query, PARIS) is None


def test_too_many_rows_are_left_to_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltasql.sql.row_literals.MOST_ROWS", 3)
    assert literal_rows("VALUES (1), (2), (3)", PARIS) is not None
    assert literal_rows("VALUES (1), (2), (3), (4)", PARIS) is None


@pytest.mark.parametrize(
    ("text", "target", "value"),
    [
        ("1.5", "INT", 1),
        ("-1.5", "BIGINT", -1),
        ("2.675", "DECIMAL(5,2)", Decimal("2.68")),
        ("-2.675", "DECIMAL(5,2)", Decimal("-2.68")),
        ("0.1", "FLOAT", 0.10000000149011612),
        ("-0.0", "DOUBLE", 0.0),
        ("1e3", "INT", 1000),
        ("1e3", "DECIMAL(5,1)", Decimal("1000.0")),
        ("1.50", "STRING", "1.50"),
        ("'-012'", "SMALLINT", -12),
        ("'1.25'", "DECIMAL(5,1)", Decimal("1.3")),
        ("'2024-03-31 02:30:00'", "TIMESTAMP", 1_711_848_600_000_000),
        ("'2024-10-27 02:30:00'", "TIMESTAMP", 1_729_989_000_000_000),
        ("DATE'2024-01-31'", "TIMESTAMP_NTZ", 1_706_659_200_000_000),
        ("DATE'2024-01-31'", "STRING", "2024-01-31"),
        ("'ü'", "BINARY", b"\xc3\xbc"),
    ],
)
def test_store_assignment(text: str, target: str, value: Any) -> None:
    found = literal_constant(text, PARIS)
    (field,) = columns(f"c {target}")
    assert as_type(found.value, found.type, field.type, PARIS) == value


@pytest.mark.parametrize(
    ("text", "target"),
    [
        *(("128", "TINYINT"), ("3e9", "INT"), ("1.5e0", "INT"), ("1000", "DECIMAL(3,0)"), ("99.95", "DECIMAL(3,1)")),
        *(
            ("1e39", "FLOAT"),
            ("1e-40", "FLOAT"),
            ("1e0", "STRING"),
            ("0.0000001", "STRING"),
            ("'x'", "INT"),
            ("' 1'", "INT"),
        ),
        *(("'1e3'", "DECIMAL(5,1)"), ("'1'", "DOUBLE"), ("'yes'", "BOOLEAN"), ("TRUE", "INT"), ("1", "BOOLEAN")),
        *(("1", "TIMESTAMP"), ("TIMESTAMP'2024-01-01'", "DATE"), ("TIMESTAMP_NTZ'2024-01-01'", "TIMESTAMP")),
        *(
            ("X'00'", "STRING"),
            ("DATE'2024-01-01'", "INT"),
            ("'2024'", "DATE"),
            ("'x'", "ARRAY<STRING>"),
            ("1.5F", "DECIMAL(5,1)"),
        ),
    ],
)
def test_casts_that_are_left_to_spark(text: str, target: str) -> None:
    found = literal_constant(text, PARIS)
    (field,) = columns(f"c {target}")
    with pytest.raises(LeftToEngineError):
        as_type(found.value, found.type, field.type, PARIS)
