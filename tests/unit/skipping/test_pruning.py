from __future__ import annotations

import json

import pyarrow as pa
import pytest

from deltasql.log.skipping.conditions import NEVER
from deltasql.log.skipping.predicates import condition
from deltasql.log.skipping.pruning import matches_partition, prune
from deltasql.schema.types import (
    BINARY,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DecimalType,
    StructField,
    StructType,
    collated,
)
from tests.unit.skipping.file_lists import bounds, kept, struct, table

# By statistics

IDS = table([*bounds("id", (0, 9), (10, 19), (20, 29), (30, 30)), None, "{}", "not JSON", '{"minValues":{"id":"x"}}'])


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("id = 15", "1"),
        ("15 = id", "1"),
        ("id == 40", ""),
        ("id <=> 15", "1"),
        ("NOT id <=> 30", "012"),
        ("id IS DISTINCT FROM 30", "012"),
        ("id < 10", "0"),
        ("id <= 10", "01"),
        ("19 < id", "23"),
        ("id >= 19", "123"),
        ("id <> 30", "012"),
        ("id != 30 AND id > 25", "2"),
        ("NOT (id = 30)", "012"),
        ("NOT (id < 20 OR id > 29)", "2"),
        ("NOT (id < 20 AND id < 30)", "23"),
        ("id BETWEEN 5 AND 10", "01"),
        ("id NOT BETWEEN 5 AND 29", "03"),
        ("id BETWEEN SYMMETRIC 10 AND 5", "0123"),
        ("id NOT IN (30) AND NOT id IN (5)", "012"),
        ("NOT id NOT BETWEEN 5 AND 10", "01"),
        ("id BETWEEN NULL AND 3", ""),
        ("id IN (5, 25, 99)", "02"),
        ("id IN (5, NULL)", "0"),
        ("id NOT IN (30)", "012"),
        ("id NOT IN (30, NULL)", ""),
        ("id IN (5, other)", "0123"),
        ("id IN (SELECT 1)", "0123"),
        (f"id IN ({', '.join(str(value) for value in range(12, 40))})", "123"),
        (f"id IN ({', '.join(str(value) for value in range(100, 140))})", ""),
        ("id IS NULL", ""),
        ("id IS NOT NULL", "0123"),
        ("id = NULL", ""),
        ("id > 25.5", "23"),
        ("id = 15.5", ""),
        ("id <> 15.5", "0123"),
        ("id >= 29.5", "3"),
        ("id <= -0.5", ""),
        ("id > -1 AND id < 5", "0"),
        ("id > 1e1", "123"),
        ("id = 9007199254740993e0", "0123"),
        ("id > CAST(25 AS BIGINT)", "23"),
        ("id > CAST('25' AS INT)", "23"),
        ("id > 25L", "23"),
        ("id > 25BD", "23"),
        ("CAST(id AS BIGINT) > 25", "23"),
        ("CAST(id AS SMALLINT) > 25", "0123"),
        ("id > '25'", "23"),
        ("id > '2x'", "0123"),
        ("id < 99999999999999999999", "0123"),
        ("id > 99999999999999999999", ""),
        ("id > -99999999999999999999", "0123"),
        ("id = 99999999999999999999 OR id = 5", "0"),
        ("(id = 5) OR (id = 25)", "02"),
        ("id = 5 OR length(name) > 3", "0123"),
        ("id = 5 AND length(name) > 3", "0"),
        ("T.ID = 5", "0"),
        ("`Id` = 5", "0"),
        ("u.id = 5", "0123"),
        ("id + 1 = 5", "0"),
        ("id = 5 AND", "0123"),
        ("true", "0123"),
        ("false OR id = 5", "0"),
        ("1 = 1", "0123"),
        ("1 > 2", ""),
        ("NULL", ""),
        ("id = 5 AND name LIKE 'a\\\\_%'", "0"),
    ],
)
def test_integers(predicate: str, expected: str) -> None:
    found = kept(IDS, predicate, struct(id=INTEGER, name=STRING), alias="t")
    unknown = "" if condition(predicate, struct(id=INTEGER, name=STRING), (), "t") == NEVER else "4567"
    assert found in {expected + unknown, expected} if "NULL" in predicate else found == expected + unknown


def test_no_predicate() -> None:
    assert prune(IDS, None, struct(id=INTEGER), ()) is IDS
    assert matches_partition(IDS, None, struct(id=INTEGER), ()) is IDS


def test_all_kept_is_not_copied() -> None:
    assert prune(IDS, "id > -5", struct(id=INTEGER), ()) is IDS


def test_no_files() -> None:
    assert prune(IDS.slice(0, 0), "id = 1", struct(id=INTEGER), ()).num_rows == 0


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("s = 'b'", "0"),
        ("s = 'zz'", ""),
        ("s LIKE 'm%'", "1"),
        ("s LIKE 'm%x_'", "1"),
        ("s LIKE '%m'", "01"),
        ("s LIKE 'mmm'", "1"),
        ("s NOT LIKE 'b%'", "01"),
        ("startswith(s, 'a')", "0"),
        ("startswith(s, 'a%')", "01"),
        ("s LIKE 'b%' ESCAPE '!'", "01"),
        ("s LIKE 'n!%' ESCAPE '!'", "01"),
        ("NOT s LIKE 'b%'", "01"),
        ("NOT s NOT LIKE 'b%'", "0"),
        ("s LIKE ANY ('b%', 'n%')", "01"),
        ("s COLLATE UTF8_LCASE = 'n'", "01"),
        ("s LIKE NULL", ""),
        ("s ILIKE 'B'", "01"),
        ("s > 'n'", "1"),
        ('s = "b"', "0"),
        ("s = r'b'", "0"),
        ("s = 'b\\n'", "01"),
        ("s = 'b' 'c'", "0"),
        ("s = 5", "01"),
        ("s <> 'b'", "01"),
    ],
)
def test_strings(predicate: str, expected: str) -> None:
    files = table(bounds("s", ("apple", "cherry"), ("ma", "o")))
    assert kept(files, predicate, struct(s=STRING)) == expected


def test_cut_strings_are_no_proof_of_equality() -> None:
    long = "a" * 32
    files = table(bounds("s", (long, long), ("x", "x")))
    assert kept(files, f"s <> '{long}'", struct(s=STRING)) == "01"
    assert kept(files, "s <> 'x'", struct(s=STRING)) == "0"


def test_null_counts() -> None:
    files = table([*bounds("a", (1, 1), nulls=0), *bounds("a", (1, 1), nulls=3), *bounds("a", (None, None), nulls=9)])
    assert kept(files, "a IS NULL", struct(a=INTEGER)) == "12"
    assert kept(files, "a IS NOT NULL", struct(a=INTEGER)) == "01"
    assert kept(files, "a > 0", struct(a=INTEGER)) == "01"
    assert kept(files, "NOT a <=> 1", struct(a=INTEGER)) == "12"
    assert kept(files, "a IS NOT NULL", struct(a=ArrayType(LONG))) == "01"
    assert kept(files, "a = X'01'", struct(a=BINARY)) == "012"


def test_dates() -> None:
    files = table(bounds("d", ("2020-01-01", "2020-01-31"), ("2020-02-01", "2020-02-29"), ("+12020-01-01", "x")))
    schema = struct(d=DATE)
    assert kept(files, "d = DATE '2020-02-10'", schema) == "12"
    assert kept(files, "d = '2020-02-10'", schema) == "12"
    assert kept(files, "d < CAST('2020-02-01' AS DATE)", schema) == "02"
    assert kept(files, "d >= to_date('2020-02-01')", schema) == "12"
    assert kept(files, "d = '2020-2-1'", schema) == "012"
    assert kept(files, "d = DATE '2020-02-30'", schema) == "012"
    assert kept(files, "d = current_date()", schema) == "2"
    assert kept(files, "d < TIMESTAMP '2020-01-01 00:00:00'", schema, timezone="UTC") == "012"


STAMPS = bounds(
    "t",
    ("2020-01-01T00:00:00.000-08:00", "2020-01-01T10:00:00.000-08:00"),
    ("2020-01-02T00:00:00.000Z", "2020-01-02T10:00:00.123Z"),
)


@pytest.mark.parametrize("more", [[], bounds("t", ("2020-01-02T00:00:00", "2020-01-02T00:00:00"))])
def test_timestamps(more: list[str | None]) -> None:
    files, schema, rest = table([*STAMPS, *more]), struct(t=TIMESTAMP), "2" if more else ""
    assert kept(files, "t < TIMESTAMP '2020-01-01 09:00:00Z'", schema) == "0" + rest
    assert kept(files, "t > TIMESTAMP '2020-01-02T10:00:00.123999+00:00'", schema) == "1" + rest
    assert kept(files, "t > TIMESTAMP '2020-01-02 10:00:00.124001Z'", schema) == "" + rest
    assert kept(files, "t < '2020-01-01 10:00:00'", schema) == "01" + rest
    assert kept(files, "t < '2020-01-01 09:00:00'", schema, timezone="Europe/Berlin") == "" + rest
    assert kept(files, "t < DATE '2020-01-02'", schema, timezone="Europe/Berlin") == "0" + rest
    assert kept(files, "t < DATE '2020-01-02'", schema) == "01" + rest


def test_timestamps_without_zone() -> None:
    files = table(bounds("t", ("2020-01-01T00:00:00.000", "2020-01-01T10:00:00.000"), ("2020-01-02", "2020-01-02")))
    schema = struct(t=TIMESTAMP_NTZ)
    assert kept(files, "t >= '2020-01-01 10:00:00.0005'", schema) == "01"
    assert kept(files, "t > TIMESTAMP_NTZ '2020-01-01 10:00:00.001'", schema) == "1"
    assert kept(files, "t < DATE '2020-01-02'", schema) == "0"
    assert kept(files, "t < TIMESTAMP '2020-01-02 00:00:00'", schema, timezone="UTC") == "01"


def test_floats() -> None:
    files = table(
        [
            '{"numRecords":1,"minValues":{"f":0.1},"maxValues":{"f":0.1},"nullCount":{"f":0}}',
            '{"numRecords":1,"minValues":{"f":1},"maxValues":{"f":"NaN"},"nullCount":{"f":0}}',
            '{"numRecords":1,"minValues":{"f":"-Infinity"},"maxValues":{"f":"Infinity"},"nullCount":{"f":0}}',
        ]
    )
    assert kept(files, "f > 0.1", struct(f=FLOAT), ignores_nan=False) == "012"
    assert kept(files, "f > 0.1", struct(f=DOUBLE), ignores_nan=False) == "12"
    assert kept(files, "f > 0.1", struct(f=DOUBLE)) == "012", "a bound of another writer may leave out NaN"
    assert kept(files, "f < 0", struct(f=DOUBLE)) == "2"
    assert kept(files, "f = 16777217", struct(f=FLOAT)) == "012"
    assert kept(files, "f > 1e300", struct(f=DOUBLE), ignores_nan=False) == "12"
    assert kept(files, "f <> 0.1", struct(f=DOUBLE)) == "012"
    assert kept(files, "f = 0.1F", struct(f=FLOAT)) == "02"


def test_widened_float_has_no_usable_statistics() -> None:
    changes = {"delta.typeChanges": [{"fromType": "float", "toType": "double"}]}
    schema = StructType((StructField("f", DOUBLE, metadata=changes),))
    assert kept(table(bounds("f", (0.1, 0.1))), "f > 0.1", schema) == "0"


def test_decimals() -> None:
    files = table(
        [
            '{"numRecords":1,"minValues":{"a":1234567890123456789.01},"maxValues":{"a":1234567890123456789.02}}',
            '{"numRecords":1,"minValues":{"a":-5},"maxValues":{"a":7.00}}',
        ]
    )
    schema = struct(a=DecimalType(21, 2))
    assert kept(files, "a = 1234567890123456789.01", schema) == "0"
    assert kept(files, "a > 1234567890123456789.02", schema) == ""
    assert kept(files, "a > 7.001", schema) == "0"
    assert kept(files, "a >= CAST(7 AS DECIMAL(5, 1))", schema) == "01"
    assert kept(files, "a > CAST(7.05 AS DECIMAL(5, 1))", schema) == "01"
    assert kept(files, "a > 8e0", schema) == "01"
    assert kept(files, "a > 0.0000000000000000000000001", schema) == "01"
    odd = table(['{"minValues":{"a":-5},"maxValues":{"a":7.00}}', '{"minValues":{"a":1.123},"maxValues":{"a":"9"}}'])
    assert kept(odd, "a > 10", schema) == "1"


def test_nested_and_mapped_columns() -> None:
    inner = StructType((StructField("x", LONG, metadata={"delta.columnMapping.physicalName": "c-2"}),))
    schema = StructType((StructField("s", inner, metadata={"delta.columnMapping.physicalName": "c-1"}),))
    files = table(
        [json.dumps({"minValues": {"c-1": {"c-2": low}}, "maxValues": {"c-1": {"c-2": low}}}) for low in (1, 2)]
    )
    assert kept(files, "s.x = 2", schema) == "1"
    assert kept(files, "t.S.X = 2", schema, alias="t") == "1"
    assert kept(files, "s.y = 2", schema) == "01"
    assert kept(files, "s IS NULL", schema) == "01"
    assert kept(files, "s.x = 2 AND s IS NOT NULL", schema) == "1"


def test_columns_that_compare_by_other_rules() -> None:
    files = table(bounds("s", ("a", "b")))
    of_char = StructField("s", STRING, metadata={"__CHAR_VARCHAR_TYPE_STRING": "char(5)"})
    for field in (of_char, StructField("s", collated("UNICODE_CI"))):
        schema = StructType((field,))
        assert kept(files, "s = 'x'", schema) == "0"
    inside = StructType((StructField("o", StructType((StructField("s", collated("UTF8_LCASE")),))),))
    nested = table(['{"numRecords":1,"minValues":{"o":{"s":"a"}},"maxValues":{"o":{"s":"b"}}}'])
    assert kept(nested, "o.s = 'B'", inside) == "0"


def test_partitions_by_columns_that_compare_by_other_rules() -> None:
    files = table([None] * 2, p=["a", "B"])
    schema = StructType((StructField("p", collated("UTF8_LCASE")), StructField("x", LONG)))
    for predicate in ("p = 'A'", "p <> 'a'", "p IN ('b')", "p < 'b'", "p LIKE 'A%'", "p IS NOT NULL"):
        assert kept(files, predicate, schema, "p") == "01"


def test_decimals_that_other_writers_have_rounded() -> None:
    """delta-rs writes DECIMAL as DOUBLE, of at most 17 digits, and what LONG cannot hold as its limit."""

    def stored(bound: str) -> pa.Table:
        return table([f'{{"numRecords":1,"minValues":{{"a":{bound}}},"maxValues":{{"a":{bound}}}}}'])

    for bound, value, kind in (
        ("1.2345678901234568e+16", "12345678901234567.89", DecimalType(20, 2)),
        ("100000000000000.0", "99999999999999.99", DecimalType(18, 2)),
        ("0.12345678901234568", "0.123456789012345678", DecimalType(18, 18)),
        ("-1.2345678901234568e+16", "-12345678901234567.89", DecimalType(20, 2)),
        ("-9223372036854775808", f"-{'9' * 38}", DecimalType(38, 0)),
        ("9223372036854775807", "9" * 38, DecimalType(38, 0)),
        ("1e38", "9" * 38, DecimalType(38, 0)),
    ):
        for where in (f"a = {value}", f"a IN ({value})", f"a BETWEEN {value} AND {value}", f"a <> {bound}"):
            assert kept(stored(bound), where, struct(a=kind)) == "0", (bound, where)
    assert kept(stored("1.2345678901234568e+16"), "a = 12345678901234600", struct(a=DecimalType(20, 2))) == ""
    assert kept(stored("12345678901.23"), "a = 12345678901.24", struct(a=DecimalType(20, 2))) == ""


def test_negative_constants_keep_their_digits() -> None:
    exact = table([f'{{"numRecords":1,"minValues":{{"a":-{"8" * 38}}},"maxValues":{{"a":-{"8" * 38}}}}}'])
    assert kept(exact, f"a = -{'8' * 38}", struct(a=DecimalType(38, 0))) == "0"
    assert kept(exact, f"a = -{'8' * 37}7", struct(a=DecimalType(38, 0))) == ""


@pytest.mark.parametrize("count", [700, 3000])
def test_chains_of_conditions(count: int) -> None:
    """As programs write them: one comparison for each key."""
    files = table([f'{{"numRecords":1,"minValues":{{"a":{key}}},"maxValues":{{"a":{key}}}}}' for key in (5, count + 5)])
    schema = struct(a=LONG)
    assert kept(files, " OR ".join(f"a = {key}" for key in range(count)), schema) == "0"
    assert kept(files, " AND ".join(f"a <> {key}" for key in range(count)), schema) == "1"
    assert kept(files, f"NOT ({' OR '.join(f'a = {key}' for key in range(count))})", schema) == "1"
    assert kept(files, " OR ".join(f"(a = {key} AND a < {count})" for key in range(count)), schema) == "0"


@pytest.mark.parametrize(
    "text", ["null", " null ", "[]", "1", '"x"', "{", "}", "", " ", "nul", "{}{}", '{} {"numRecords":1}']
)
def test_statistics_that_are_no_object(text: str) -> None:
    """They say nothing, and neither end the process nor move those of other files."""
    exact = '{"numRecords":1,"minValues":{"a":1},"maxValues":{"a":1},"nullCount":{"a":0}}'
    for files in (table([text, exact]), table([exact, text])):
        assert sorted(kept(files, "a = 2", struct(a=LONG))) == [
            "0" if files.column("stats")[0].as_py() == text else "1"
        ]
