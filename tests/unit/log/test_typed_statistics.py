"""Statistics of checkpoints as typed structs and as JSON, and histograms of sizes."""

from __future__ import annotations

import datetime as dt
import json
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from deltasql.log.actions.actions import (
    BOUNDARIES,
    FileTotals,
    Metadata,
)
from deltasql.log.replay.stats_struct import parse_stats, stats_to_json, stats_type
from deltasql.schema.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DecimalType,
    StructField,
    StructType,
)


def test_histogram() -> None:
    assert len(BOUNDARIES) == 95
    totals = FileTotals().after([{"size": 8192}, {"size": 8191}], [])
    assert totals is not None
    assert totals.bin_files is not None
    assert totals.bin_bytes is not None
    assert (totals.bin_files[:2], totals.bin_bytes[:2]) == ((1, 1), (8191, 8192))
    assert totals.after([], [{"path": "a"}]) is None
    assert not FileTotals().after([], [{"size": 1}]).is_plausible  # type: ignore[union-attr]


SCHEMA = StructType(
    (
        StructField("i", LONG),
        StructField("f", DOUBLE),
        StructField("d", DecimalType(38, 18)),
        StructField("s", STRING),
        StructField("day", DATE),
        StructField("t", TIMESTAMP),
        StructField("n", TIMESTAMP_NTZ),
        StructField("b", BOOLEAN),
        StructField("bin", BINARY),
        StructField("list", ArrayType(LONG)),
        StructField("struct", StructType((StructField("x", LONG), StructField("y", STRING)))),
        StructField("last", LONG),
    )
)


def test_which_columns_have_statistics() -> None:
    kind = stats_type(Metadata("1", SCHEMA, ("i",), {"delta.dataSkippingNumIndexedCols": "10"}))
    assert kind is not None
    assert [field.name for field in kind.field("minValues").type] == ["f", "d", "s", "day", "t", "n", "struct"]
    nulls = kind.field("nullCount").type
    assert [field.name for field in nulls] == ["f", "d", "s", "day", "t", "n", "b", "bin", "list", "struct"]
    assert [field.name for field in nulls.field("struct").type] == ["x"]
    named = stats_type(Metadata("1", SCHEMA, (), {"delta.dataSkippingStatsColumns": "last,struct.Y"}))
    assert named is not None
    assert [field.name for field in named.field("nullCount").type] == ["struct", "last"]
    assert stats_type(Metadata("1", SCHEMA, (), {"delta.dataSkippingNumIndexedCols": "0"})) is None


STATS = (
    '{"numRecords":3,"minValues":{"i":9007199254740993,"f":-0.5,"d":1.000000000000000001,"s":"a\\"é","day":"0001-01-01",'
    '"t":"2000-01-01T00:00:00.000-08:00","n":"9999-12-31T23:59:59.999","struct":{"x":1}},"nullCount":{"i":0,"list":2}}'
)


@pytest.mark.parametrize("odd", [None, '{"numRecords":1,"minValues":{"f":"NaN","day":"no day"},"tightBounds":false}'])
def test_statistics_as_structs(odd: str | None) -> None:
    kind = stats_type(Metadata("1", SCHEMA))
    assert kind is not None
    parsed = parse_stats(pa.array([STATS, None, odd or "{}", "broken" if odd else None]), kind).to_pylist()
    low = parsed[0]["minValues"]
    assert (low["i"], low["f"], low["d"]) == (9007199254740993, -0.5, Decimal("1.000000000000000001"))
    assert (low["s"], low["day"].year, low["struct"]) == ('a"é', 1, {"x": 1, "y": None})
    assert (low["t"].isoformat(), low["n"].isoformat()) == ("2000-01-01T08:00:00+00:00", "9999-12-31T23:59:59.999000")
    assert parsed[0]["nullCount"]["list"] == 2
    assert (parsed[1], parsed[3]) == (None, None)
    if odd:
        assert str(parsed[2]["minValues"]["f"]) == "nan"
        assert (parsed[2]["minValues"]["day"], parsed[2]["tightBounds"]) == (None, False)


def test_typed_statistics_as_json() -> None:
    kind = stats_type(Metadata("1", SCHEMA))
    assert kind is not None
    text = stats_to_json(parse_stats(pa.array([STATS, None]), kind)).to_pylist()
    assert text[1] is None
    assert '"d":1.000000000000000001' in text[0]
    assert '"t":"2000-01-01T08:00:00.000Z"' in text[0]
    assert json.loads(text[0])["minValues"]["day"] == "0001-01-01"


def test_typed_statistics_of_any_kind_as_json() -> None:
    moment = dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, dt.timezone.utc)
    values: dict[str, Any] = {
        "numRecords": 1,
        "minValues": {"f": 1e300, "d": Decimal("-0.000000000000000001"), "s": 'a"b\\c\n\u0001é\u2028', "t": moment},
        "maxValues": {"f": float("nan"), "n": moment.replace(tzinfo=None), "struct": {"x": -(2**63), "y": None}},
        "tightBounds": False,
    }
    infinite = {"minValues": {"f": -math.inf}, "maxValues": {"f": math.inf}}
    kind = stats_type(Metadata("1", SCHEMA))
    texts = stats_to_json(pa.array([values, None, {}, infinite], kind)).to_pylist()
    found = json.loads(texts[0], parse_float=Decimal)
    assert found["minValues"] == {
        "f": Decimal("1e300"),
        "d": Decimal("-1e-18"),
        "s": values["minValues"]["s"],
        "t": "1969-12-31T23:59:59.999Z",
    }
    assert found["maxValues"] == {"f": "NaN", "n": "1969-12-31T23:59:59.999", "struct": {"x": -(2**63)}}
    assert found["tightBounds"] is False
    assert texts[1:3] == [None, None]
    assert json.loads(texts[3]) == {"minValues": {"f": "-Infinity"}, "maxValues": {"f": "Infinity"}}
