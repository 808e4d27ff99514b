"""Folders of Parquet files as tables: which files count, which types columns have, what footers say of them."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.base.errors import (
    EmptySourceError,
    NestedTableError,
    SourceFileError,
    SourceSchemaError,
    UnknownParquetTypeError,
)
from deltasql.files.foreign.tables import SourceTable, source_statistics, source_table
from deltasql.files.statistics.of_footers import file_statistics, stats_json
from deltasql.log.actions.actions import Metadata
from deltasql.log.storage.stores import Stores
from deltasql.schema.text import type_text

ROWS = pa.table({"a": pa.array([1, 2], pa.int32())})


def written(path: Path, table: pa.Table = ROWS, **options: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, **options)
    return path


def found(folder: Path) -> SourceTable:
    return source_table(Stores(), "parquet", str(folder))


def columns(folder: Path) -> dict[str, str]:
    return {field.name: type_text(field.type) for field in found(folder).schema}


def test_hidden_files_and_folders_are_none_of_the_table(tmp_path: Path) -> None:
    for name in ("x", "_y.parquet", ".z.parquet", "_temporary/0/x.parquet", ".sub/x.parquet", "_p=1/x", "sub/deep/x"):
        written(tmp_path / name)
    (tmp_path / "_SUCCESS").write_bytes(b"")
    assert [file.path for file in found(tmp_path).files] == ["_p=1/x", "sub/deep/x", "x"]


def test_objects_that_stand_for_folders_are_no_files(tmp_path: Path) -> None:
    written(tmp_path / "p=1" / "x.parquet")
    for name in ("p=2", "sub_$folder$"):
        (tmp_path / name).write_bytes(b"")
    assert [file.path for file in found(tmp_path).files] == ["p=1/x.parquet"]


def test_an_empty_file_is_no_parquet_file(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"")
    with pytest.raises(SourceFileError, match=r"x\.parquet"):
        found(tmp_path)


def test_partitions_are_named_by_folders(tmp_path: Path) -> None:
    written(tmp_path / "P=a%2Fb %C3%BC" / "no" / "q=__HIVE_DEFAULT_PARTITION__" / "x")
    assert found(tmp_path).files[0].partitions == (("P", "a/b ü"), ("q", None))


def test_a_folder_without_a_value_is_no_partition(tmp_path: Path) -> None:
    written(tmp_path / "p=" / "x")
    with pytest.raises(SourceFileError, match="p= names no partition"):
        found(tmp_path)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(EmptySourceError):
        found(tmp_path / "nothing")


def test_a_table_below(tmp_path: Path) -> None:
    written(tmp_path / "x")
    written(tmp_path / "t" / "_delta_log" / "00000000000000000000.json")
    with pytest.raises(NestedTableError, match=r"around a table .*/t\."):
        found(tmp_path)


def test_what_a_stream_has_written_is_what_its_log_names(tmp_path: Path) -> None:
    places = [written(tmp_path / name) for name in ("a b", "old", "torn", "last")]

    def line(place: Path, action: str = "add") -> str:
        return json.dumps({"path": f"file://{place}".replace(" ", "%20"), "size": 1, "isDir": False, "action": action})

    log = tmp_path / "_spark_metadata"
    log.mkdir()
    (log / "0").write_text("v1\nnot read")
    (log / "1.compact").write_text("\n".join(["v1", line(places[0]), line(places[1])]))
    (log / "2").write_text("\n".join(["v1", line(places[1], "delete"), line(places[3])]))
    assert [file.path for file in found(tmp_path).files] == ["a b", "last"]
    (log / "2").write_text("v1\n{")
    with pytest.raises(SourceFileError, match="damaged"):
        found(tmp_path)


TYPES: dict[str, tuple[pa.DataType, str]] = {
    "boolean": (pa.bool_(), "boolean"),
    "int8": (pa.int8(), "tinyint"),
    "int16": (pa.int16(), "smallint"),
    "int32": (pa.int32(), "int"),
    "int64": (pa.int64(), "bigint"),
    "uint8": (pa.uint8(), "smallint"),
    "uint16": (pa.uint16(), "int"),
    "uint32": (pa.uint32(), "bigint"),
    "uint64": (pa.uint64(), "decimal(20,0)"),
    "single": (pa.float32(), "float"),
    "double": (pa.float64(), "double"),
    "small": (pa.decimal128(5, 2), "decimal(5,2)"),
    "large": (pa.decimal128(38, 10), "decimal(38,10)"),
    "text": (pa.string(), "string"),
    "bytes": (pa.binary(), "binary"),
    "day": (pa.date32(), "date"),
    "utc": (pa.timestamp("us", "UTC"), "timestamp"),
    "clock": (pa.timestamp("ms"), "timestamp_ntz"),
    "list": (pa.list_(pa.int32()), "array<int>"),
    "map": (pa.map_(pa.string(), pa.list_(pa.int64())), "map<string,array<bigint>>"),
    "struct": (pa.struct([("x", pa.list_(pa.struct([("y", pa.int8())])))]), "struct<x:array<struct<y:tinyint>>>"),
}


def test_types_are_those_of_spark(tmp_path: Path) -> None:
    written(tmp_path / "x", pa.schema([(name, kind) for name, (kind, _) in TYPES.items()]).empty_table())
    assert columns(tmp_path) == {name: text for name, (_, text) in TYPES.items()}


def test_old_timestamps(tmp_path: Path) -> None:
    rows = pa.table({"at": pa.array([datetime(2024, 1, 1)], pa.timestamp("us"))})
    written(tmp_path / "x", rows, use_deprecated_int96_timestamps=True)
    assert columns(tmp_path) == {"at": "timestamp"}


def test_decimals_as_integers(tmp_path: Path) -> None:
    rows = pa.table({"a": pa.array([Decimal("-1.25"), Decimal("3.50")], pa.decimal128(9, 2))})
    written(tmp_path / "x", rows, store_decimal_as_integer=True)
    assert columns(tmp_path) == {"a": "decimal(9,2)"}
    assert json.loads(statistics(tmp_path)[0])["minValues"] == {"a": -1.25}


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (pa.time64("us"), r"TIME\(microseconds\)"),
        (pa.time32("ms"), r"TIME\(milliseconds\)"),
        (pa.timestamp("ns"), "nanoseconds"),
        (pa.float16(), "FLOAT16"),
        (pa.binary(16), "FIXED_LEN_BYTE_ARRAY"),
    ],
)
def test_types_that_delta_has_not(tmp_path: Path, kind: pa.DataType, told: str) -> None:
    written(tmp_path / "x.parquet", pa.schema([("s", pa.struct([("t", kind)]))]).empty_table())
    with pytest.raises(UnknownParquetTypeError, match=rf"x\.parquet has column s\.t of type .*{told}"):
        found(tmp_path)


def test_what_spark_says_of_a_file_wins_if_it_can_be_read(tmp_path: Path) -> None:
    field = {"name": "a", "type": "short", "nullable": False, "metadata": {"comment": "c", "delta.x": 1}}
    for name, said in (("x", {"type": "struct", "fields": [field]}), ("y", {"type": "struct", "fields": 1})):
        rows = ROWS.replace_schema_metadata({"org.apache.spark.sql.parquet.row.metadata": json.dumps(said)})
        written(tmp_path / name, rows)
    (column,) = found(tmp_path).schema
    # Of the second file what Parquet says, and both have one type there.
    assert (type_text(column.type), column.nullable, dict(column.metadata)) == ("int", True, {"comment": "c"})


def test_files_of_other_columns(tmp_path: Path) -> None:
    written(tmp_path / "1", pa.table({"a": pa.array([1], pa.int8()), "s": pa.array([{"x": 1}])}))
    written(tmp_path / "2", pa.table({"b": ["x"], "A": pa.array([1], pa.int32()), "s": pa.array([{"y": 1.5}])}))
    assert columns(tmp_path) == {"a": "int", "s": "struct<x:bigint,y:double>", "b": "string"}


@pytest.mark.parametrize("other", [pa.int64(), pa.string(), pa.list_(pa.int32())])
def test_files_of_other_types(tmp_path: Path, other: pa.DataType) -> None:
    written(tmp_path / "1")
    written(tmp_path / "2.parquet", pa.schema([("a", other)]).empty_table())
    with pytest.raises(SourceSchemaError, match=r"2\.parquet .* column a is .*, and int in those before it"):
        found(tmp_path)


def statistics(folder: Path, **configuration: str) -> list[str]:
    table = found(folder)
    metadata = Metadata("id", table.schema, configuration={f"delta.{key}": text for key, text in configuration.items()})
    return source_statistics(table, metadata)


VALUES = pa.table(
    {
        "i": pa.array([3, None, -1], pa.int32()),
        "u": pa.array([2**32 - 1, 0, 1], pa.uint32()),
        "v": pa.array([2**64 - 1, 0, 1], pa.uint64()),
        "f": [1.5, None, -0.5],
        "d": pa.array([Decimal("1.10"), None, Decimal("-2.00")], pa.decimal128(30, 2)),
        "t": ["b" * 50, "ä", None],
        "b": [b"x", None, b""],
        "o": [True, None, False],
        "day": [date(2024, 1, 1), None, date(1969, 12, 31)],
        "at": pa.array([datetime(2024, 1, 1, 1, 2, 3, 456789, tzinfo=timezone.utc)] * 3, pa.timestamp("us", "UTC")),
        "c": pa.array([datetime(1960, 1, 1), None, None], pa.timestamp("ms")),
        "s": pa.array([{"x": 1, "y": {"z": "q"}}, None, {"x": None, "y": None}]),
        "l": pa.array([[1, 2], [], None]),
        "m": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int64())),
        "n": pa.array([None, None, None], pa.int64()),
    }
)


@pytest.mark.parametrize("groups", [1, 10])
def test_statistics_are_those_of_our_own_files(tmp_path: Path, groups: int) -> None:
    path = written(tmp_path / "x", VALUES, row_group_size=groups)
    schema = found(tmp_path).schema
    own = file_statistics(pq.read_metadata(path), schema)
    theirs = json.loads(statistics(tmp_path)[0])
    # pyarrow does not tell how large a number without a sign is: its raw bytes have one.
    for name in ("u", "v"):
        for bounds in ("minValues", "maxValues"):
            own[bounds].pop(name, None)
            assert theirs[bounds].pop(name) in {0, 2**32 - 1, 2**64 - 1}
    assert theirs == json.loads(stats_json(own))


def test_properties_say_which_statistics_there_are(tmp_path: Path) -> None:
    written(tmp_path / "x", VALUES)
    few = json.loads(statistics(tmp_path, dataSkippingStatsColumns="i", enableDeletionVectors="true")[0])
    assert few == {"numRecords": 3, "minValues": {"i": -1}, "maxValues": {"i": 3}, "nullCount": {"i": 1}} | {
        "tightBounds": True
    }


def test_columns_are_found_without_case(tmp_path: Path) -> None:
    written(tmp_path / "1")
    written(tmp_path / "2", pa.table({"A": pa.array([7], pa.int32())}))
    assert json.loads(statistics(tmp_path)[1])["maxValues"] == {"a": 7}


def damaged(data: bytes, number: int) -> bytes:
    """`data` with a few bytes of its footer changed."""
    rng = random.Random(number)
    footer = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4])):
        place = rng.randrange(footer, len(data))
        new = rng.choice([b"\xff", b"\xff\xff\xff\xff\x0f", bytes([rng.randrange(256)])])
        changed[place : place + len(new)] = new
    return bytes(changed[: len(data)])


def test_damage_is_a_typed_error_that_names_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", VALUES)
    whole, told = path.read_bytes(), []
    for number in range(400):
        path.write_bytes(damaged(whole, number))
        with suppress(SourceFileError, UnknownParquetTypeError):
            statistics(tmp_path)
            continue
        told.append(number)
    assert len(told) > 100


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: b"hello world", "does not end like a Parquet file"),
        (lambda data: data[:-4] + b"PARE", "encrypted"),
        (lambda data: data[: len(data) // 2], "does not end like a Parquet file"),
        (lambda data: data[:-8] + b"\xff\xff\xff\x7fPAR1", "footer"),
    ],
)
def test_what_is_no_parquet_file(tmp_path: Path, change: Callable[[bytes], bytes], reason: str) -> None:
    path = written(tmp_path / "x.parquet")
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(SourceFileError, match=reason):
        found(tmp_path)


def test_long_footers_are_read_with_two_requests(tmp_path: Path) -> None:
    rows = pa.table({f"column_{number}": [number] for number in range(1500)})
    written(tmp_path / "x", rows)
    assert len(found(tmp_path).schema) == 1500
