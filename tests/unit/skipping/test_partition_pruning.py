"""Files are left out by their partition values."""

from __future__ import annotations

import pytest

from deltasql.log.skipping.conditions import ALWAYS, NEVER, UNKNOWN
from deltasql.log.skipping.predicates import condition
from deltasql.log.skipping.pruning import matches_partition, partition_only
from deltasql.schema.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
)
from tests.unit.skipping.file_lists import bounds, kept, struct, table

PARTS = table(
    [None] * 6,
    p=["1", "2", "3", None, "", "10"],
    q=["a", "b%", "É", None, "", "a"],
    d=["2020-01-01", "2020-01-02", "2020-01-03", None, "", "2020-01-10"],
)
PART_SCHEMA = struct(p=INTEGER, q=STRING, d=DATE, a=LONG)


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("p = 2", "1"),
        ("p > 2", "25"),
        ("p > 1.5 AND p < 3.5", "12"),
        ("p IS NULL", "34"),
        ("p IS NOT NULL", "0125"),
        ("p <=> NULL", "34"),
        ("NOT p <=> 2", "02345"),
        ("p <> 2", "025"),
        ("p IN (1, 10)", "05"),
        ("p NOT IN (1, 10)", "12"),
        ("d >= '2020-01-03'", "25"),
        ("d = DATE '2020-01-03' OR t.q = 'a'", "025"),
        ("q LIKE 'b_'", "1"),
        ("q NOT LIKE '%a%'", "12"),
        ("q > 'b'", "12"),
        ("P = 1 AND TRUE", "0"),
    ],
)
def test_partitions(predicate: str, expected: str) -> None:
    assert kept(PARTS, predicate, PART_SCHEMA, "p", "q", "d", alias="t") == expected
    exact = matches_partition(PARTS, predicate, PART_SCHEMA, ["p", "q", "d"], "t")
    assert exact is not None
    assert "".join(exact["path"].to_pylist()) == expected


@pytest.mark.parametrize(
    "predicate", ["p + 1 = 2", "a = 1", "p = 1 OR a = 2", "p = 'x'", "upper(q) = 'A'", "p IN (SELECT 1)"]
)
def test_not_exact(predicate: str) -> None:
    assert matches_partition(PARTS, predicate, PART_SCHEMA, ["p", "q", "d"]) is None


@pytest.mark.parametrize(
    ("kind", "values", "predicate", "expected"),
    [
        (BOOLEAN, ["true", "false", None], "p", "0"),
        (BOOLEAN, ["true", "false", None], "NOT p", "1"),
        (BOOLEAN, ["true", "false", None], "p IS NOT TRUE", "12"),
        (BOOLEAN, ["true", "false", None], "p IS TRUE", "0"),
        (BOOLEAN, ["true", "false", None], "p = false", "1"),
        (DecimalType(10, 2), ["1.50", "2.00", None], "p >= 1.5", "01"),
        (DOUBLE, ["1.5", "NaN", "Infinity"], "p > 2", "12"),
        (DOUBLE, ["1.5", "NaN", "Infinity"], "p <> 1.5", "12"),
        (FLOAT, ["0.1", "0.2", None], "p > 0.1", "01"),
        (TIMESTAMP, ["2020-01-01T00:00:00.000000Z", "2020-01-02T00:00:00.000000Z", None], "p < DATE '2020-01-02'", "0"),
        (TIMESTAMP, ["2020-01-01 00:00:00", "2020-01-02 00:00:00.5", None], "p > '2020-01-02 00:00:00'", "1"),
        (TIMESTAMP_NTZ, ["2020-01-01 00:00:00", "2020-01-02 00:00:00.5", None], "p > '2020-01-02'", "1"),
    ],
)
def test_partition_types(kind: DataType, values: list[str | None], predicate: str, expected: str) -> None:
    files, schema = table([None] * 3, p=values), struct(p=kind)
    assert kept(files, predicate, schema, "p", timezone="UTC") == expected
    exact = matches_partition(files, predicate, schema, ["p"], timezone="UTC")
    assert exact is not None
    assert "".join(exact["path"].to_pylist()) == expected


@pytest.mark.parametrize(
    ("kind", "value", "constant"),
    [
        (INTEGER, "x", "1"),
        (DATE, "1", "'2020-01-01'"),
        (TIMESTAMP, "2020-01-01 00:00:00", "'2020-01-01Z'"),
        (BOOLEAN, "yes", "true"),
        (DecimalType(5, 0), "NaN", "1"),
    ],
)
def test_partition_value_that_is_not_understood(kind: DataType, value: str, constant: str) -> None:
    files, schema = table([None], p=[value]), struct(p=kind)
    assert kept(files, f"p = {constant}", schema, "p") == "0"
    assert matches_partition(files, f"p = {constant}", schema, ["p"]) is None


def test_partition_and_statistics() -> None:
    files = table(bounds("a", (0, 1), (2, 3), (0, 1)), p=["1", "1", "2"])
    schema = struct(a=LONG, p=INTEGER)
    assert kept(files, "p = 1 AND a > 1", schema, "p") == "1"
    assert kept(files, "p = 2 OR a > 1", schema, "p") == "12"
    assert kept(files, "p = 2 AND a > 1", schema, "p") == ""


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("p = 1 AND upper(t.Q) = 'A'", True),
        ("p = a", False),
        ("p > rand()", False),
        ("p IN (SELECT 1)", False),
        ("u.p = 1", False),
        ("p.x = 1", False),
        ("TRUE", True),
    ],
)
def test_partition_only(predicate: str, expected: bool) -> None:
    assert partition_only(predicate, ["p", "q"], "T") is expected


def test_constants() -> None:
    assert condition("1 = 1", PART_SCHEMA, ()) == ALWAYS
    assert condition("'a' > 'b'", PART_SCHEMA, ()) == NEVER
    assert condition("DATE '2020-01-01' > 5", PART_SCHEMA, ()) == UNKNOWN
