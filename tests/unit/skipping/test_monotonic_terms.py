"""Functions of columns that keep their order: what they skip, and that they never skip too much."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
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


def files_of(column: str, *pairs: tuple[Any, Any]) -> pa.Table:
    texts = [
        json.dumps({"numRecords": 9, "minValues": {column: low}, "maxValues": {column: high}, "nullCount": {column: 0}})
        for low, high in pairs
    ]
    return _files(texts)


def _files(texts: Sequence[str], **partitions: Sequence[str | None]) -> pa.Table:
    rows = [{name: values[index] for name, values in partitions.items()} for index in range(len(texts))]
    kind = pa.struct([(name, pa.string()) for name in partitions])
    return pa.table(
        {
            "path": [str(index) for index in range(len(texts))],
            "stats": pa.array(texts, pa.string()),
            "partitionValues": pa.array(rows, kind),
        }
    )


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
    files = _files(["{}"] * 4, c=["2019-12-31", "2020-01-01", "2020-06-01", None])
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
    parts = _files(["{}"] * 3, c=[day.isoformat() for day in RECENT])
    schema = StructType((StructField("c", DATE),))
    assert "".join(prune(parts, predicate, schema, ["c"])["path"].to_pylist()) == expected
    # The clock moves on: what is kept may not be deleted as a whole.
    assert matches_partition(parts, predicate, schema, ["c"]) is None


def test_moments_that_are_recent() -> None:
    files = files_of("c", *((f"{day}T00:00:00Z", f"{day}T23:00:00Z") for day in RECENT))
    assert kept(files, TIMESTAMP, "c > now() - INTERVAL 10 DAYS") == "2"
    assert kept(files, TIMESTAMP, "c > current_timestamp() - INTERVAL 10 HOURS") == "012"
    assert kept(files, TIMESTAMP, "to_date(c) >= current_date() - 10") == "2"


# Against DuckDB: random rows, statistics made by the rules, random predicates

SCHEMA = StructType(
    tuple(
        StructField(name, kind)
        for name, kind in (("i", INTEGER), ("s", STRING), ("d", DATE), ("t", TIMESTAMP), ("x", DOUBLE))
    )
)
ROW = st.fixed_dictionaries(
    {
        "i": st.none() | st.integers(-6, 6) | st.sampled_from([2**31 - 1, -(2**31)]),
        "s": st.none() | st.text("ab%_é", max_size=4),
        "d": st.none()
        | st.dates(date(2019, 12, 1), date(2021, 2, 1))
        | st.sampled_from([date(1, 1, 1), date(9999, 12, 31)]),
        "t": st.none() | st.datetimes(datetime(2019, 12, 30), datetime(2020, 1, 3)),
        "x": st.none() | st.floats(-3, 3) | st.sampled_from([math.nan, math.inf, -math.inf]),
    }
)
TERMS = {
    "i": ["i", "i + 2", "1 + i", "i - 1", "3 - i", "coalesce(i, 2)"],
    "s": ["s", "left(s, 1)", "left(s, 2)", "substring(s, 1, 2)", "substring(s, 2, 1)"],
    "d": [
        "d",
        "CAST(d AS DATE)",
        "date_add(d, 2)",
        "trunc(d, 'MM')",
        "trunc(d, 'YEAR')",
        "date_format(d, 'yyyy-MM-dd')",
    ],
    "t": [
        "CAST(t AS DATE)",
        "to_date(t)",
        "date_format(t, 'yyyy-MM-dd')",
        "date_trunc('DAY', t)",
        "date_trunc('HOUR', t)",
    ],
    "y": ["year(d)", "year(t)"],
    "x": ["x", "CAST(x AS DOUBLE)"],
}
CONSTANTS: dict[str, st.SearchStrategy[str]] = {
    "i": st.integers(-8, 8).map(str),
    "s": st.text("ab%_é", max_size=3).map(lambda text: f"'{text}'"),
    "d": st.dates(date(2019, 12, 1), date(2021, 2, 1)).map(lambda day: f"'{day}'"),
    "t": st.dates(date(2019, 12, 30), date(2020, 1, 3)).map(lambda day: f"'{day}'"),
    "y": st.integers(2018, 2022).map(str),
    "x": st.sampled_from(["-1.5D", "0.0D", "2.25D"]),
}
DUCK = {
    "date_add(d, 2)": "(d + 2)",
    "trunc(d, 'MM')": "CAST(date_trunc('month', d) AS DATE)",
    "trunc(d, 'YEAR')": "CAST(date_trunc('year', d) AS DATE)",
    "date_format(d, 'yyyy-MM-dd')": "strftime(d, '%Y-%m-%d')",
    "date_format(t, 'yyyy-MM-dd')": "strftime(t, '%Y-%m-%d')",
    "to_date(t)": "CAST(t AS DATE)",
    **{
        f"{term}": f"CAST({term.replace('i', 'CAST(i AS BIGINT)', 1)} AS BIGINT)"
        for term in ("i + 2", "1 + i", "i - 1", "3 - i")
    },
}


@st.composite
def comparisons(draw: st.DrawFn) -> tuple[str, str]:
    """A predicate for us and the same for DuckDB."""
    kind = draw(st.sampled_from(sorted(TERMS)))
    term = draw(st.sampled_from(TERMS[kind]))
    first, second = draw(CONSTANTS[kind]), draw(CONSTANTS[kind])
    shape = draw(
        st.sampled_from(
            ["{t} {op} {a}", "{a} {op} {t}", "{t} BETWEEN {a} AND {b}", "{t} IN ({a}, {b})", "{t} NOT IN ({a}, {b})"]
        )
    )
    op = draw(st.sampled_from(["=", "<>", "<", "<=", ">", ">="]))
    theirs = [text.replace("D", "") if kind == "x" else text for text in (first, second)]
    return (
        shape.format(t=term, op=op, a=first, b=second),
        shape.format(t=DUCK.get(term, term), op=op, a=theirs[0], b=theirs[1]),
    )


def joined(inner: st.SearchStrategy[tuple[str, str]]) -> st.SearchStrategy[tuple[str, str]]:
    pairs = st.tuples(st.sampled_from(["({} AND {})", "({} OR {})"]), inner, inner)
    both = pairs.map(lambda item: (item[0].format(item[1][0], item[2][0]), item[0].format(item[1][1], item[2][1])))
    return both | inner.map(lambda item: (f"NOT ({item[0]})", f"NOT ({item[1]})"))


PREDICATES = st.recursive(comparisons(), joined, max_leaves=4)


def statistics(rows: Sequence[dict[str, Any]]) -> str:
    low, high, nulls = {}, {}, {}
    for name in rows[0]:
        values = [row[name] for row in rows if row[name] is not None]
        nulls[name] = len(rows) - len(values)
        if values:
            key = (lambda item: (math.isnan(item), item if not math.isnan(item) else 0)) if name == "x" else None
            low[name], high[name] = json_value(min(values, key=key)), json_value(max(values, key=key))
    return json.dumps({"numRecords": len(rows), "minValues": low, "maxValues": high, "nullCount": nulls})


def json_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds") + "Z"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value.isoformat() if isinstance(value, date) else value


def duckdb_files(connection: Any, content: Sequence[Sequence[dict[str, Any]]], predicate: str) -> set[str]:
    """The files that hold a row for which the predicate is TRUE."""
    kinds = pa.schema(
        [
            ("f", pa.string()),
            ("i", pa.int32()),
            ("s", pa.string()),
            ("d", pa.date32()),
            ("t", pa.timestamp("us")),
            ("x", pa.float64()),
        ]
    )
    rows = [{"f": str(number), **row} for number, group in enumerate(content) for row in group]
    connection.register("rows", pa.Table.from_pylist(rows, kinds))
    return {name for (name,) in connection.sql(f"SELECT DISTINCT f FROM rows WHERE {predicate}").fetchall()}


@pytest.fixture(scope="module")
def connection() -> Any:
    with duckdb.connect() as opened:
        yield opened


@examples(max_examples=400)
@given(content=st.lists(st.lists(ROW, min_size=1, max_size=3), min_size=1, max_size=4), pair=PREDICATES)
def test_no_file_with_a_row_is_dropped(connection: Any, content: Any, pair: tuple[str, str]) -> None:
    ours, theirs = pair
    files = _files([statistics(rows) for rows in content])
    found = set(prune(files, ours, SCHEMA, (), timezone="UTC")["path"].to_pylist())
    assert duckdb_files(connection, content, theirs) <= found, ours


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
