"""Times for clients that read no zones."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pyarrow as pa
import pytest

from deltasql.clients.server.statements import ClockRows, RowsAtHand, keeps_zones

NOON = datetime(2024, 7, 1, 12)


@pytest.mark.parametrize(
    ("headers", "keeps"),
    [
        ({"user-agent": ["grpc-java-netty/1.71.0"]}, False),
        ({"user-agent": ["grpc-java-netty/1.71.0"], "zones": ["KEEP"]}, True),
        ({"user-agent": ["ADBC Flight SQL Driver v1.5 grpc-go/1.7"]}, True),
        ({}, True),
    ],
)
def test_who_reads_zones(headers: dict[str, list[Any]], keeps: bool) -> None:
    assert keeps_zones(headers) is keeps


@pytest.mark.parametrize(("zone", "hour"), [("UTC", 12), ("Asia/Kolkata", 17), ("Europe/Paris", 14), ("+09:00", 21)])
def test_the_clock_of_a_zone(zone: str, hour: int) -> None:
    nested = pa.struct([pa.field("x", pa.timestamp("us", "UTC"))])
    table = pa.table(
        {
            "at": pa.array([NOON, None], pa.timestamp("us", "UTC")),
            "a": pa.array([1, 2]),
            "n": pa.array([NOON, None], pa.timestamp("us")),
            "s": pa.array([{"x": NOON}, None], nested),
        }
    )
    rows = ClockRows(RowsAtHand(table, zone))
    found = rows.table()
    assert found.schema == rows.schema
    assert found.schema.types == [pa.timestamp("us"), pa.int64(), pa.timestamp("us"), nested]
    assert [value and value.hour for value in found["at"].to_pylist()] == [hour, None]
    assert found["n"].to_pylist() == [NOON, None]
