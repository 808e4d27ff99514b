"""Constants in their texts: what they stand for, and which are not certain."""

from __future__ import annotations

from datetime import timezone, tzinfo
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from deltasql.schema.text import type_text
from deltasql.sql.constants import (
    clock_time,
    date_days,
    date_text,
    exact_number,
    interval_days,
    moment,
    number,
    unquote,
)

PARIS = ZoneInfo("Europe/Paris")


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("'it''s'", "it's"),
        ('"a""b"', 'a"b'),
        (r"'a\nb\\c\'d'", "a\nb\\c'd"),
        (r"'\u00e9\U0001F600\101'", "é😀A"),
        (r"'50\% \_x \q'", r"50\% \_x q"),
        (r"r'a\n'", r"a\n"),
        (r"'\''''", "''"),
    ],
)
def test_texts(literal: str, value: str) -> None:
    assert unquote(literal) == value


@pytest.mark.parametrize(
    ("written", "kind", "value"),
    [
        ("127y", "tinyint", 127),
        ("2147483648", "bigint", 2**31),
        ("1e2", "double", 100.0),
        ("1.50", "decimal(3,2)", Decimal("1.50")),
        ("1e2bd", None, None),
        ("128Y", None, None),
        ("1e400", None, None),
        ("1e-400", None, None),
        ("1.0000000596046448F", None, None),
        ("1" * 39, None, None),
    ],
)
def test_numbers(written: str, kind: str | None, value: object) -> None:
    found = number(written)
    assert (found and type_text(found.type), found and found.value) == (kind, value)


@pytest.mark.parametrize(("text", "value"), [("007", Decimal(7)), ("-.5", Decimal("-0.5")), ("1e2", None), ("", None)])
def test_exact_numbers(text: str, value: Decimal | None) -> None:
    assert exact_number(text) == value


def test_dates() -> None:
    assert date_days("1970-01-02") == 1
    assert date_text(-1) == "1969-12-31"
    assert date_days("2023-02-29") is None
    assert date_days("20230201") is None


@pytest.mark.parametrize(
    ("text", "zone", "micros"),
    [
        ("1970-01-01 00:00:01", timezone.utc, 1_000_000),
        ("1970-01-01T01:00:00.5+01:00", None, 500_000),
        ("1970-01-01", PARIS, -3_600_000_000),
        ("1969-12-31", ZoneInfo("UTC"), -86_400_000_000),
        ("1969-12-31", PARIS, None),
        ("1970-01-01", None, None),
        ("1970-01-01Z", None, None),
        ("1970-01-01 24:00:00", timezone.utc, None),
        ("0001-01-01 00:00:00+01:00", None, None),
    ],
)
def test_moments(text: str, zone: tzinfo | None, micros: int | None) -> None:
    assert moment(text, zone) == micros


def test_clock_times_name_no_zone() -> None:
    assert clock_time("1970-01-01 00:00:00.000001") == 1
    assert clock_time("1970-01-01 00:00:00Z") is None


def test_intervals_of_days() -> None:
    assert interval_days("7", "days") == 7
    assert interval_days("7", "HOUR") is None
    assert interval_days("x", "DAY") is None
