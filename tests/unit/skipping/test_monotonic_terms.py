"""Functions of columns that keep their order: what they skip, and that they never skip too much."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltasql.log.skipping.pruning import matches_partition, prune
from deltasql.schema.types import (
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    StructField,
    StructType,
)
from tests.samples import examples
from tests.unit.skipping.file_lists import table


def files_of(column: str, *pairs: tuple[Any, Any]) -> pa.Table:
    texts = [
        json.dumps({"numRecords": 9, "minValues": {column: low}, "maxValues": {column: high}, "nullCount": {column: 0}})
        for low, high in pairs
    ]
    return table(texts)


def kept(files: pa.Table, kind: DataType, predicate: str, zone: str = "UTC") -> str:
    schema = StructType((StructField("c", kind),))
    return "".join(prune(files, predicate, schema, (), timezone=zone)["path"].to_pylist())


DATES = files_of("c", ("2019-01-01", "2019-12-31"), ("2020-01-01", "2020-01-31"), ("2020-02-01", "2020-12-31"))


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("year(c) = 2020", "12"),
        ("YEAR(C) < 2020", "0"),
        ("year(c) >= 2020", "12"),
        ("2019 >= year(c)", "0"),
        ("year(c) <> 2019", "12"),
        ("NOT year(c) = 2019", "12"),
        ("year(c) IN (2018, 2019)", "0"),
        ("year(c) BETWEEN 2020 AND 2021", "12"),
        ("year(c) = 2019.5", ""),
        ("year(c) > 2019.5", "12"),
        ("year(c) = 99999", "012"),
        ("to_date(c) = '2020-01-15'", "1"),
        ("CAST(c AS DATE) = DATE'2020-01-15'", "1"),
        ("c::date < '2020-01-01'", "0"),
        ("date(c) > '2020-01-31'", "2"),
        ("date_format(c, 'yyyy-MM-dd') = '2020-01-15'", "1"),
        ("date_format(c, 'yyyy-MM-dd') < '2020-01-01'", "0"),
        ("date_format(c, 'yyyy-MM') = '2020-01'", "012"),
        ("date_format(c, 'dd-MM-yyyy') = '15-01-2020'", "012"),
        ("trunc(c, 'MM') = '2020-01-01'", "1"),
        ("trunc(c, 'YEAR') >= '2020-01-01'", "12"),
        ("trunc(c, 'MONTH') < '2019-06-01'", "0"),
        ("date_add(c, 3) < '2020-01-01'", "0"),
        ("date_sub(c, 1) >= '2020-01-31'", "2"),
        ("to_date(c, 'yyyy') = '2020-01-15'", "012"),
        ("month(c) = 1", "012"),
        ("isnull(c)", ""),
        ("isnotnull(c)", "012"),
        ("NOT isnotnull(c)", ""),
        ("(c < '2020-01-01') IS TRUE", "0"),
        ("(c < '2020-01-01') IS FALSE", "12"),
        ("(c < '2020-01-01') = TRUE", "0"),
        ("(c < '2020-01-01') IS NOT TRUE", "012"),
        ("coalesce(c, DATE'2020-01-15') < '2020-01-01'", "012"),
    ],
)
def test_dates(predicate: str, expected: str) -> None:
    assert kept(DATES, DATE, predicate) == expected


TIMES = files_of(
    "c",
    ("2020-01-01T00:00:00.000Z", "2020-01-01T22:59:59.000Z"),
    ("2020-01-01T23:00:00.000Z", "2020-01-02T22:59:59.000Z"),
    ("2020-02-01T00:00:00.000Z", "2020-02-01T10:00:00.000Z"),
)


@pytest.mark.parametrize(
    ("predicate", "zone", "expected"),
    [
        ("to_date(c) = '2020-01-02'", "UTC", "1"),
        ("to_date(c) = '2020-01-01'", "UTC", "01"),
        ("CAST(c AS DATE) = '2020-01-01'", "Europe/Berlin", "0"),
        ("CAST(c AS DATE) = '2020-01-01'", "+01:00", "0"),
        ("year(c) < 2020", "America/New_York", "0"),
        ("year(c) < 2020", "UTC", ""),
        ("date_trunc('MONTH', c) = TIMESTAMP'2020-02-01 00:00:00'", "UTC", "2"),
        ("date_trunc('day', c) >= '2020-01-10'", "UTC", "2"),
        ("date_format(c, 'yyyy-MM-dd') >= '2020-01-10'", "UTC", "2"),
        ("hour(c) = 3", "UTC", "012"),
    ],
)
def test_timestamps_in_the_zone_of_the_session(predicate: str, zone: str, expected: str) -> None:
    assert kept(TIMES, TIMESTAMP, predicate, zone) == expected


def test_days_of_timestamps_without_a_zone() -> None:
    files = files_of("c", ("2020-01-01T00:00:00.000", "2020-01-01T23:59:59.999"), ("2020-01-02T00:00:00", "2020-01-03"))
    assert kept(files, TIMESTAMP_NTZ, "to_date(c) = '2020-01-03'", "Asia/Tokyo") == "1"
    assert kept(files, TIMESTAMP_NTZ, "year(c) > 2020", "Asia/Tokyo") == ""


def test_a_day_that_begins_twice() -> None:
    # In Havana clocks go back from 01:00 to 00:00 on 2020-11-01: both hours are of the same day; before 00:00 of the
    # first it was October. A margin keeps what lies near.
    near = files_of(
        "c", ("2020-11-01T03:30:00Z", "2020-11-01T03:40:00Z"), ("2020-12-01T00:00:00Z", "2020-12-02T00:00:00Z")
    )
    assert kept(near, TIMESTAMP, "to_date(c) = '2020-11-01'", "America/Havana") == "0"


STRINGS = files_of("c", ("apple", "avocado"), ("banana", "cherry"), ("cz", "d"))


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("substring(c, 1, 1) = 'a'", "0"),
        ("substr(c, 1, 2) = 'ch'", "1"),
        ("left(c, 2) = 'cz'", "2"),
        ("left(c, 1) = 'cz'", ""),
        ("left(c, 5) = 'd'", "2"),
        ("left(c, 1) >= 'b'", "12"),
        ("left(c, 1) > 'b'", "12"),
        ("left(c, 1) <= 'b'", "01"),
        ("left(c, 1) < 'b'", "0"),
        ("left(c, 1) <> 'b'", "012"),
        ("left(c, 1) IN ('a', 'x')", "0"),
        ("substring(c, 2, 1) = 'a'", "012"),
        ("substring(c, 1) = 'd'", "012"),
        ("left(c, 1) LIKE 'a%'", "012"),
        ("CAST(c AS STRING) = 'banana'", "1"),
        ("upper(c) = 'A'", "012"),
    ],
)
def test_beginnings_of_strings(predicate: str, expected: str) -> None:
    assert kept(STRINGS, STRING, predicate) == expected


NUMBERS = files_of("c", (0, 9), (10, 19), (2**31 - 5, 2**31 - 1))


@pytest.mark.parametrize(
    ("kind", "predicate", "expected"),
    [
        (INTEGER, "c + 1 = 10", "02"),
        (LONG, "c + 1 = 10", "0"),
        (SHORT, "c + 1 = 10", "0"),
        (INTEGER, "1 + c > 15", "12"),
        (INTEGER, "c - 5 < 3", "0"),
        (INTEGER, "5 - c > 0", "0"),
        (INTEGER, "5 - c < -10", "12"),
        (LONG, "c + 1 > 5.5", "012"),
        (LONG, "c + 1 > 10.5", "12"),
        (LONG, "c * 2 > 30", "012"),
        (LONG, "c + 1L = 10", "012"),
        (INTEGER, "coalesce(c, 100) = 15", "1"),
        (INTEGER, "coalesce(c, 15) > 100", "2"),
        (INTEGER, "CAST(c AS BIGINT) + 1 = 10", "02"),
        (FLOAT, "CAST(c AS DOUBLE) < 10", "0"),
        (DOUBLE, "c < 10", "0"),
        (DecimalType(10, 0), "CAST(c AS DECIMAL(12, 1)) < 10", "0"),
        (DecimalType(10, 0), "CAST(c AS DECIMAL(5, 0)) < 10", "012"),
    ],
)
def test_sums(kind: DataType, predicate: str, expected: str) -> None:
    assert kept(NUMBERS, kind, predicate) == expected


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("year(c) = 2020", "12"),
        ("to_date(c) >= '2020-06-01'", "2"),
        ("date_format(c, 'yyyy-MM-dd') >= '2020-06-01'", None),
        ("trunc(c, 'MM') = '2020-06-01'", None),
        ("date_add(c, 1) = '2020-01-02'", "1"),
    ],
)
def test_whole_partitions_only_where_the_outcome_is_certain(predicate: str, expected: str | None) -> None:
    files = table(["{}"] * 4, c=["2019-12-31", "2020-01-01", "2020-06-01", None])
    found = matches_partition(files, predicate, StructType((StructField("c", DATE),)), ["c"])
    assert (None if found is None else "".join(found["path"].to_pylist())) == expected


RECENT = [date.today() - timedelta(days=days) for days in (400, 40, 4)]


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("c >= current_date() - 10", "2"),
        ("c > date_sub(current_date(), 100)", "12"),
        ("c >= current_date() - INTERVAL 10 DAYS", "2"),
        ("c >= date_add(current_date(), -10)", "2"),
        ("c = current_date()", ""),
        ("current_date() < c", ""),
        ("c <= current_date() - 10", "012"),
        ("c <> current_date()", "012"),
        ("c >= current_date() - INTERVAL 1 MONTH", "012"),
        ("c >= add_months(current_date(), -1)", "012"),
        ("NOT c < current_date() - 10", "2"),
    ],
)
def test_what_is_recent(predicate: str, expected: str) -> None:
    files = files_of("c", *((day.isoformat(), day.isoformat()) for day in RECENT))
    assert kept(files, DATE, predicate) == expected
    parts = table(["{}"] * 3, c=[day.isoformat() for day in RECENT])
    schema = StructType((StructField("c", DATE),))
    assert "".join(prune(parts, predicate, schema, ["c"])["path"].to_pylist()) == expected
    # The clock moves on: what is kept may not be deleted as a whole.
    assert matches_partition(parts, predicate, schema, ["c"]) is None


def test_moments_that_are_recent() -> None:
    files = files_of("c", *((f"{day}T00:00:00Z", f"{day}T23:00:00Z") for day in RECENT))
    assert kept(files, TIMESTAMP, "c > now() - INTERVAL 10 DAYS") == "2"
    assert kept(files, TIMESTAMP, "c > current_timestamp() - INTERVAL 10 HOURS") == "012"
    assert kept(files, TIMESTAMP, "to_date(c) >= current_date() - 10") == "2"


ZONES = ["America/Havana", "America/Sao_Paulo", "Asia/Tehran", "Pacific/Apia", "Europe/Berlin", "+05:30"]


@examples(max_examples=400)
@given(
    zone=st.sampled_from(ZONES),
    moment=st.datetimes(datetime(2010, 1, 1), datetime(2021, 1, 1)),
    op=st.sampled_from(["=", "<>", "<", "<=", ">", ">="]),
    days=st.integers(-2, 2),
)
def test_the_local_day_of_a_moment(zone: str, moment: datetime, op: str, days: int) -> None:
    where = timezone(timedelta(hours=5, minutes=30)) if zone[0] == "+" else ZoneInfo(zone)
    day = moment.replace(tzinfo=timezone.utc).astimezone(where).date()
    other = day + timedelta(days=days)
    is_true = {
        "=": day == other,
        "<>": day != other,
        "<": day < other,
        "<=": day <= other,
        ">": day > other,
        ">=": day >= other,
    }[op]
    text = moment.isoformat(timespec="milliseconds") + "Z"
    found = kept(files_of("c", (text, text)), TIMESTAMP, f"to_date(c) {op} '{other}'", zone)
    assert not is_true or found
