from __future__ import annotations

import io
import json
import math
from datetime import date
from decimal import Decimal
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.base.errors import PropertyValueError
from deltasql.files.statistics.of_footers import (
    _prefix,
    _upper_prefix,
    file_statistics,
    stats_json,
)
from deltasql.files.writing.arrow_files import directory_values, staged_files, utc_text, written_files
from deltasql.log.configuration.properties import IndexRule, index_rule, indexed_leaves
from deltasql.log.storage.stores import open_store
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
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)


def struct(**types: DataType) -> StructType:
    return StructType(tuple(StructField(name, kind) for name, kind in types.items()))


def footer(table: pa.Table, **options: Any) -> pq.FileMetaData:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return pq.read_metadata(sink)


def bounds(values: pa.Array, kind: DataType, **options: Any) -> tuple[Any, Any]:
    statistics = file_statistics(footer(pa.table({"a": values}), **options), struct(a=kind))
    return statistics["minValues"].get("a"), statistics["maxValues"].get("a")


def test_integers_and_null_count() -> None:
    statistics = file_statistics(footer(pa.table({"a": pa.array([3, None, -1], pa.int32())})), struct(a=INTEGER))
    assert statistics == {"numRecords": 3, "minValues": {"a": -1}, "maxValues": {"a": 3}, "nullCount": {"a": 1}}


def test_all_null_column_has_a_null_count_only() -> None:
    statistics = file_statistics(footer(pa.table({"a": pa.array([None, None], pa.int64())})), struct(a=LONG))
    assert statistics == {"numRecords": 2, "minValues": {}, "maxValues": {}, "nullCount": {"a": 2}}


def test_row_groups_are_merged() -> None:
    table = pa.table({"a": pa.array([5, 6, None, None, 1, 2], pa.int64())})
    statistics = file_statistics(footer(table, row_group_size=2), struct(a=LONG))
    assert (statistics["minValues"], statistics["maxValues"]) == ({"a": 1}, {"a": 6})
    assert statistics["nullCount"] == {"a": 2}


def test_missing_statistics_are_left_out() -> None:
    table = pa.table({"a": pa.array([5], pa.int64())})
    statistics = file_statistics(footer(table, write_statistics=False), struct(a=LONG, b=LONG))
    assert statistics == {"numRecords": 1, "minValues": {}, "maxValues": {}, "nullCount": {}}


@pytest.mark.parametrize("as_integer", [True, False])
def test_decimals_are_exact_and_unquoted(as_integer: bool) -> None:
    table = pa.table({"a": pa.array([Decimal("1.10"), Decimal("-22222222222222.20")], pa.decimal128(18, 2))})
    data = footer(table, store_decimal_as_integer=as_integer)
    text = stats_json(file_statistics(data, struct(a=DecimalType(18, 2))))
    assert '"minValues":{"a":-22222222222222.20}' in text
    assert '"maxValues":{"a":1.10}' in text
    assert json.loads(text, parse_float=Decimal)["minValues"]["a"] == Decimal("-22222222222222.20")


def test_dates() -> None:
    assert bounds(pa.array([date(2020, 2, 29), date(1, 1, 1)]), DATE) == ("0001-01-01", "2020-02-29")


def test_date_that_iso_cannot_spell_is_left_out() -> None:
    assert bounds(pa.array([0, 100_000_000], pa.int32()).cast(pa.date32()), DATE) == ("1970-01-01", None)


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_timestamps_are_cut_to_milliseconds_downwards(unit: str) -> None:
    scale = {"ms": 1, "us": 1000, "ns": 1_000_000}[unit]
    early, late = (-1, 1500) if unit == "ms" else (-scale + 1, 1500 * scale + 1)
    values = pa.array([early, late], pa.timestamp(unit, "UTC"))
    assert bounds(values, TIMESTAMP) == ("1969-12-31T23:59:59.999Z", "1970-01-01T00:00:01.500Z")


def test_timestamps_without_zone() -> None:
    values = pa.array([0], pa.timestamp("us"))
    assert bounds(values, TIMESTAMP_NTZ) == ("1970-01-01T00:00:00.000", "1970-01-01T00:00:00.000")


def test_timestamp_beyond_the_calendar_is_left_out() -> None:
    assert bounds(pa.array([2**62], pa.timestamp("us", "UTC")), TIMESTAMP) == (None, None)


def test_int96_has_no_bounds() -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": pa.array([0], pa.timestamp("us"))}), sink, use_deprecated_int96_timestamps=True)
    assert file_statistics(pq.read_metadata(sink), struct(a=TIMESTAMP))["minValues"] == {}


class _Footer:
    """A footer with another writer's name."""

    def __init__(self, inner: pq.FileMetaData) -> None:
        self._inner = inner
        self.created_by = "parquet-mr version 1.16.0"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def test_floats_are_the_shortest_spelling() -> None:
    data: Any = _Footer(footer(pa.table({"a": pa.array([0.1, 16777216.0], pa.float32()), "b": [1e300, -math.inf]})))
    text = stats_json(file_statistics(data, struct(a=FLOAT, b=DOUBLE)))
    assert '"minValues":{"a":0.1,"b":"-Infinity"},"maxValues":{"a":16777216.0,"b":1e+300}' in text


def test_maximum_of_floats_is_left_out_where_the_writer_hides_nan() -> None:
    assert bounds(pa.array([1.0, math.nan]), DOUBLE) == (1.0, None)


def test_nan_of_one_row_group_hides_the_maximum_of_all() -> None:
    groups = [SimpleNamespace(min_raw=1.0, max_raw=5.0), SimpleNamespace(min_raw=0.5, max_raw=math.nan)]
    chunks = [
        SimpleNamespace(
            statistics=SimpleNamespace(
                **vars(group), has_min_max=True, has_null_count=True, null_count=0, physical_type="DOUBLE"
            ),
            num_values=3,
            path_in_schema="a",
        )
        for group in groups
    ]
    data: Any = _Footer(footer(pa.table({"a": [1.0]})))
    data.num_row_groups = 2
    data.row_group = lambda number: SimpleNamespace(num_columns=1, num_rows=3, column=lambda index: chunks[number])
    statistics = file_statistics(data, struct(a=DOUBLE))
    assert (statistics["minValues"], statistics["maxValues"]) == ({"a": 0.5}, {})


def test_booleans_and_binary_have_a_null_count_only() -> None:
    statistics = file_statistics(footer(pa.table({"a": [True, None]})), struct(a=BOOLEAN))
    assert statistics == {"numRecords": 2, "minValues": {}, "maxValues": {}, "nullCount": {"a": 1}}


def test_nested_fields() -> None:
    table = pa.table({"a": [{"x": 1, "y": {"z": "q"}}, None]})
    schema = struct(a=struct(x=LONG, y=struct(z=STRING)))
    assert file_statistics(footer(table), schema) == {
        "numRecords": 2,
        "minValues": {"a": {"x": 1, "y": {"z": "q"}}},
        "maxValues": {"a": {"x": 1, "y": {"z": "q"}}},
        "nullCount": {"a": {"x": 1, "y": {"z": 1}}},
    }


@pytest.mark.parametrize(("lists", "count"), [([[1], [2, 3]], {"a": 0}), ([[1], []], {}), ([[1], None], {})])
def test_null_count_of_an_array_only_where_it_is_sure(lists: list[Any], count: dict[str, int]) -> None:
    statistics = file_statistics(footer(pa.table({"a": lists})), struct(a=ArrayType(LONG)))
    assert statistics["nullCount"] == count


def test_null_count_of_a_map() -> None:
    table = pa.table({"a": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64()))})
    assert file_statistics(footer(table), struct(a=MapType(STRING, LONG)))["nullCount"] == {"a": 0}


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("a" * 32, "a" * 32, "a" * 32),
        ("a" * 40, "a" * 32, "a" * 32 + "\x7f"),
        ("a" * 32 + "é", "a" * 32, "a" * 32 + "\U0010ffff"),
        ("a" * 31 + "😀b", "a" * 31 + "😀", "a" * 31 + "😀\x7f"),
        ("a" * 32 + "\U0010ffff" + "b", "a" * 32, "a" * 32 + "\U0010ffff\x7f"),
        ("a" * 32 + "\U0010ffff", "a" * 32, "a" * 32 + "\U0010ffff"),
        ("\U0010ffff" * 40, "\U0010ffff" * 16, None),
    ],
)
def test_long_strings_are_cut(text: str, low: str, high: str | None) -> None:
    assert (_prefix(text, 32), _upper_prefix(text, 32)) == (low, high)


def test_string_that_is_not_unicode_is_left_out() -> None:
    table = pa.table({"a": pa.array([b"\xff"], pa.binary())})
    assert file_statistics(footer(table), struct(a=STRING))["minValues"] == {}


def test_first_leaves_and_named_columns() -> None:
    schema = StructType(
        (
            StructField("p", STRING),
            StructField("s", struct(x=LONG, Y=LONG)),
            StructField("d e", LONG, metadata={"delta.columnMapping.physicalName": "col-1"}),
        )
    )

    def paths(configuration: dict[str, str]) -> list[tuple[str, ...]]:
        return [leaf.path for leaf in indexed_leaves(schema, ["P"], index_rule(configuration))]

    assert paths({}) == [("s", "x"), ("s", "Y"), ("col-1",)]
    assert paths({"delta.dataSkippingNumIndexedCols": "2"}) == [("s", "x"), ("s", "Y")]
    assert paths({"delta.dataSkippingNumIndexedCols": "-1"}) == [("s", "x"), ("s", "Y"), ("col-1",)]
    assert paths({"delta.dataSkippingNumIndexedCols": "0"}) == []
    assert paths({"delta.dataSkippingStatsColumns": "S.y, `d e`"}) == [("s", "Y"), ("col-1",)]
    assert paths({"delta.dataSkippingStatsColumns": "s"}) == [("s", "x"), ("s", "Y")]


@pytest.mark.parametrize("key", ["NumIndexedCols", "StringPrefixLength"])
def test_a_rule_that_is_none(key: str) -> None:
    with pytest.raises(PropertyValueError):
        index_rule({f"delta.dataSkipping{key}": "many"})


def test_tight_bounds_and_prefix_zero() -> None:
    data = footer(pa.table({"a": ["x"]}))
    statistics = file_statistics(data, struct(a=STRING), (), IndexRule(string_prefix=0), tight_bounds=True)
    assert statistics == {"numRecords": 1, "minValues": {}, "maxValues": {}, "nullCount": {"a": 0}, "tightBounds": True}


# Staged files


def write(path: Path, **columns: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def test_staged_files(tmp_path: Path) -> None:
    schema = struct(a=LONG, p=STRING, ts=TIMESTAMP)
    folder = tmp_path / "new" / "deltasql_origin=file%3A%2Fx%25201.parquet"
    first = write(folder / "p=bar+%2521" / "ts=2024-01-01 10%3A00%3A00" / "part-1.parquet", a=[1, 2])
    write(folder / "p=__HIVE_DEFAULT_PARTITION__" / "ts=__HIVE_DEFAULT_PARTITION__" / "part-2.parquet", a=[3])
    empty = write(folder / "p=c" / "ts=2024-01-01 00%3A00%3A00.5" / "part-3.parquet", a=pa.array([], pa.int64()))
    write(tmp_path / "new" / "_part.parquet", a=[9])
    write(tmp_path / "new" / "_temporary" / "0" / "part-4.parquet", a=[9])
    nulls, found = staged_files(
        str(tmp_path),
        written_files(open_store(str(tmp_path)), "new"),
        schema,
        ["p", "ts"],
        {},
        timezone="Europe/Berlin",
    )
    assert found.add.path == (
        "new/deltasql_origin=file%253A%252Fx%2525201.parquet"
        + "/p=bar+%252521/ts=2024-01-01%2010%253A00%253A00/part-1.parquet"
    )
    assert found.add.partition_values == {"p": "bar+%21", "ts": "2024-01-01T09:00:00.000000Z"}
    assert found.add.size == first.stat().st_size
    assert found.add.modification_time == first.stat().st_mtime_ns // 1_000_000
    assert found.rows == 2
    assert found.origin == "file:/x%201.parquet"
    assert found.location == str(first)
    assert json.loads(found.add.stats or "")["maxValues"] == {"a": 2}
    assert nulls.add.partition_values == {"p": None, "ts": None}
    assert not empty.exists()


def test_staged_files_by_physical_name(tmp_path: Path) -> None:
    schema = StructType((StructField("p", STRING, metadata={"delta.columnMapping.physicalName": "col-1"}),))
    write(tmp_path / "d" / "col-1=x" / "part.parquet", a=[1])
    write(tmp_path / "d" / "p=y" / "part.parquet", a=[1])
    files = staged_files(
        str(tmp_path),
        written_files(open_store(str(tmp_path)), "d"),
        schema,
        ["p"],
        {"delta.enableDeletionVectors": "true"},
    )
    assert [item.add.partition_values for item in files] == [{"col-1": "x"}, {"col-1": "y"}]
    assert json.loads(files[0].add.stats or "")["tightBounds"] is True


def test_only_files_that_the_job_has_committed_are_staged(tmp_path: Path) -> None:
    kept = write(tmp_path / "d" / "p=a b%2F1" / "part-1-x.parquet", a=[1])
    left = write(tmp_path / "d" / "p=a b%2F1" / "part-1-y.parquet", a=[1])
    never = "p=z/part-2.parquet"
    found = written_files(open_store(str(tmp_path)), "d", {"p=a b%2F1/part-1-x.parquet", never})
    assert [str(item.path) for item in found] == ["d/p=a b%2F1/part-1-x.parquet"]
    assert (kept.exists(), left.exists()) == (True, False)


def test_staged_file_outside_its_partition(tmp_path: Path) -> None:
    write(tmp_path / "d" / "part.parquet", a=[1])
    with pytest.raises(ValueError, match="partition column p"):
        staged_files(str(tmp_path), written_files(open_store(str(tmp_path)), "d"), struct(p=STRING), ["p"], {})


def test_nothing_staged(tmp_path: Path) -> None:
    assert (
        staged_files(str(tmp_path), written_files(open_store(str(tmp_path)), "missing"), struct(a=LONG), [], {}) == []
    )


def test_directory_values() -> None:
    assert directory_values(PurePosixPath("d/a%3Db=x%2Fy/c=__HIVE_DEFAULT_PARTITION__/f=1.parquet")) == {
        "a=b": "x/y",
        "c": None,
    }


def test_utc_text() -> None:
    from zoneinfo import ZoneInfo

    assert utc_text("2024-07-01 00:30:00.25", ZoneInfo("Europe/Berlin")) == "2024-06-30T22:30:00.250000Z"
    assert utc_text("2024-07-01T00:30:00.000001Z", ZoneInfo("Europe/Berlin")) == "2024-07-01T00:30:00.000001Z"
