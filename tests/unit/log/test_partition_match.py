from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pytest

from deltasql.log.actions import Metadata
from deltasql.log.partition_match import in_partitions, partition_matcher, typed_value
from deltasql.schema.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    StructField,
    StructType,
)

MAPPED = StructField("n", LONG, True, {"delta.columnMapping.physicalName": "col-1", "delta.columnMapping.id": 1})
METADATA = Metadata("1", StructType((MAPPED, StructField("d", DATE))), ("n", "d"), {"delta.columnMapping.mode": "name"})


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        (None, LONG, None),
        ("", STRING, None),
        ("-7", LONG, -7),
        ("1.50", DecimalType(5, 2), Decimal("1.50")),
        ("1.0E10", DOUBLE, 1e10),
        ("TRUE", BOOLEAN, True),
        ("2024-02-29", DATE, date(2024, 2, 29)),
        ("2024-01-01T10:00:00.123Z", TIMESTAMP, datetime(2024, 1, 1, 10, 0, 0, 123000, timezone.utc)),
        ("2024-01-01T10:00:00+02:00", TIMESTAMP, datetime(2024, 1, 1, 8, tzinfo=timezone.utc)),
        ("2024-01-01 10:00:00.1234567", TIMESTAMP_NTZ, datetime(2024, 1, 1, 10, 0, 0, 123456)),
        ("é\x01", BINARY, b"\xe9\x01"),
        ("a b", STRING, "a b"),
    ],
)
def test_values(text: str | None, kind: DataType, value: Any) -> None:
    assert typed_value(text, kind) == value


def test_a_test_over_typed_values() -> None:
    matches = partition_matcher(METADATA, lambda row: row["n"] is not None and row["n"] > 9 and row["d"].year == 2024)
    assert matches({"col-1": "10", "d": "2024-05-05"})
    assert not matches({"col-1": "9", "d": "2024-05-05"})
    assert not matches({"col-1": None, "d": "2024-05-05"})


def test_null_is_no_match_and_doubt_is_one() -> None:
    assert not partition_matcher(METADATA, lambda _: None)({"col-1": "1", "d": None})
    assert partition_matcher(METADATA, lambda row: row["n"] > 1)({"col-1": None, "d": None})
    assert partition_matcher(METADATA, lambda _: False)({"col-1": "no number", "d": None})
    local = Metadata("1", StructType((StructField("t", TIMESTAMP),)), ("t",))
    assert partition_matcher(local, lambda _: False)({"t": "2024-01-01 00:00:00"})
    assert not partition_matcher(local, lambda _: False)({"t": "2024-01-01T00:00:00Z"})


def test_whole_partitions() -> None:
    matches = in_partitions(METADATA, [{"col-1": "1", "d": None}])
    assert matches({"d": "", "col-1": "1"})
    assert not matches({"col-1": "2", "d": None})
