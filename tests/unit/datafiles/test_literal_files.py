"""Rows of literals as Parquet files: types, names and ids of columns, partitions, statistics. No JVM."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.files.reading.file_tables import literal_table
from deltasql.files.statistics.of_footers import float_bounds
from deltasql.files.writing.arrow_files import staged_files, write_literals
from deltasql.log.storage.stores import open_store
from deltasql.plan.operators import Literals
from deltasql.schema.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    ID,
    INTEGER,
    LONG,
    PHYSICAL_NAME,
    SHORT,
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

Columns: TypeAlias = Mapping[str, tuple[DataType, tuple[Any, ...]]]


def rows_of(columns: Columns) -> Literals:
    schema = StructType(tuple(StructField(name, kind) for name, (kind, _) in columns.items()))
    return Literals(schema, tuple(values for _, values in columns.values()))


EVERY: Columns = {
    "bo": (BOOLEAN, (True, None, False)),
    "by": (BYTE, (-128, None, 127)),
    "sh": (SHORT, (-32768, None, 1)),
    "i": (INTEGER, (-(2**31), None, 1)),
    "l": (LONG, (-(2**63), None, 2**63 - 1)),
    "f": (FLOAT, (0.5, None, -1.5)),
    "d": (DOUBLE, (0.0, None, 1e300)),
    "d9": (DecimalType(9, 2), (Decimal("-1.50"), None, Decimal("1234567.89"))),
    "d18": (DecimalType(18, 0), (Decimal(-1), None, Decimal(10**17))),
    "d38": (DecimalType(38, 10), (Decimal("-0.0000000001"), None, Decimal("9999999999999999999999999999.9999999999"))),
    "s": (STRING, ("", None, "日本😀")),
    "b": (BINARY, (b"", None, b"\0\xff")),
    "da": (DATE, (-719162, None, 19753)),
    "ts": (TIMESTAMP, (-1, None, 1706696430000001)),
    "tn": (TIMESTAMP_NTZ, (-1, None, 1706696430000001)),
}


def test_every_type(tmp_path: Path) -> None:
    rows = rows_of(EVERY)
    write_literals(open_store(str(tmp_path)), "new", rows, (), stores_partitions=False)
    (file,) = (tmp_path / "new").iterdir()
    assert file.name.startswith("part-00000-")
    assert file.name.endswith("-c000.snappy.parquet")
    footer = pq.read_metadata(file)
    kinds = [(item.physical_type, str(item.logical_type)) for item in map(footer.schema.column, range(len(EVERY)))]
    utc, clock = (f"Timestamp(isAdjustedToUTC={flag}, timeUnit=microseconds" for flag in ("true", "false"))
    wanted = [
        *(
            ("BOOLEAN", "None"),
            ("INT32", "Int(bitWidth=8, isSigned=true)"),
            ("INT32", "Int(bitWidth=16, isSigned=true)"),
        ),
        *(("INT32", "None"), ("INT64", "None"), ("FLOAT", "None"), ("DOUBLE", "None")),
        *(("INT32", "Decimal(precision=9, scale=2)"), ("INT64", "Decimal(precision=18, scale=0)")),
        *(
            ("FIXED_LEN_BYTE_ARRAY", "Decimal(precision=38, scale=10)"),
            ("BYTE_ARRAY", "String"),
            ("BYTE_ARRAY", "None"),
        ),
        *(("INT32", "Date"), ("INT64", utc), ("INT64", clock)),
    ]
    assert [(kind, text.split(", is_from")[0]) for kind, text in kinds] == wanted
    assert footer.metadata == {b"deltasql.bounds.nan": b"none"}
    assert footer.row_group(0).column(0).compression == "SNAPPY"
    assert pq.ParquetFile(file).read() == literal_table(rows)
    read = literal_table(rows).to_pylist()
    assert (read[2]["d38"], read[2]["s"], read[0]["l"]) == (EVERY["d38"][1][2], "日本😀", -(2**63))
    assert set(read[1].values()) == {None}


def test_physical_names_and_field_ids(tmp_path: Path) -> None:
    schema = StructType((StructField("a b", INTEGER, metadata={ID: 7, PHYSICAL_NAME: "col-7"}),))
    write_literals(open_store(str(tmp_path)), "new", Literals(schema, ((1,),)), (), stores_partitions=False)
    (file,) = (tmp_path / "new").iterdir()
    (field,) = pq.read_schema(file)
    assert (field.name, field.metadata) == ("col-7", {b"PARQUET:field_id": b"7"})


PARTITIONED: Columns = {
    "a": (INTEGER, (1, 2, 3, 4, 5)),
    "s": (STRING, ("x/y=%", "", None, "x/y=%", "__HIVE_DEFAULT_PARTITION__")),
    "d": (DATE, (19753, None, None, 19753, None)),
    "t": (TIMESTAMP, (1706696430500000, None, None, 1706696430500000, None)),
    "n": (DecimalType(5, 2), (Decimal("1.50"), None, None, Decimal("1.50"), None)),
    "b": (BOOLEAN, (False, None, None, False, None)),
}
BY = ("s", "d", "t", "n", "b")
NOTHING = dict.fromkeys(BY)
VALUES = {"s": "x/y=%", "d": "2024-01-31", "t": "2024-01-31T10:20:30.500000Z", "n": "1.50", "b": "false"}


@pytest.mark.parametrize("stores_partitions", [False, True])
def test_partitions(tmp_path: Path, stores_partitions: bool) -> None:
    rows = rows_of(PARTITIONED)
    written = write_literals(open_store(str(tmp_path)), "new", rows, BY, stores_partitions=stores_partitions)
    found = staged_files(str(tmp_path), written, rows.schema, BY, {})
    contents = [(item.add.partition_values, pq.ParquetFile(item.location).read()) for item in found]
    assert sorted((str(values), table["a"].to_pylist()) for values, table in contents) == sorted(
        [(str(VALUES), [1, 4]), (str(NOTHING), [2, 3, 5])]
    )
    columns = ["a", *BY] if stores_partitions else ["a"]
    assert all(table.column_names == columns for _, table in contents)
    if stores_partitions:
        texts = next(table["s"].to_pylist() for values, table in contents if values == NOTHING)
        assert texts == ["", None, None]


@pytest.mark.parametrize(
    ("values", "bounds"),
    [
        ((1.5, -2.0, None), (-2.0, 1.5)),
        ((0.0, -0.0), (-0.0, 0.0)),
        ((0.0, 0.0), (0.0, 0.0)),
        ((-0.0, 5.0), (-0.0, 5.0)),
        ((-0.0, -5.0), (-5.0, -0.0)),
        ((math.nan, 1.0), (1.0, None)),
        ((math.nan, None), (None, None)),
        ((None,), (None, None)),
        ((math.inf, -math.inf), (-math.inf, math.inf)),
    ],
)
def test_bounds_of_floats(values: tuple[float | None, ...], bounds: tuple[float | None, float | None]) -> None:
    structs = pa.array([None, *({"y": value} for value in values)], pa.struct([("y", pa.float32())]))
    columns = {"x": pa.array([None, *values], pa.float64()), "s": structs, "i": range(len(structs))}
    found = float_bounds(pa.table(columns))
    assert repr(found) == repr({"x": bounds, "s.y": bounds})


def test_statistics_of_floats_are_whole(tmp_path: Path) -> None:
    """Arrow's footers do not say whether a value is NaN, and write zero as the negative one."""
    rows = rows_of({"f": (FLOAT, (0.0, 1.5)), "d": (DOUBLE, (0.0, 0.0))})
    written = write_literals(open_store(str(tmp_path)), "new", rows, (), stores_partitions=False)
    (known,) = staged_files(str(tmp_path), written, rows.schema, (), {})
    assert known.add.stats == (
        '{"numRecords":2,"minValues":{"f":0.0,"d":0.0},"maxValues":{"f":1.5,"d":0.0},"nullCount":{"f":0,"d":0}}'
    )
    (unknown,) = staged_files(str(tmp_path), [replace(item, floats=None) for item in written], rows.schema, (), {})
    assert '"maxValues":{}' in str(unknown.add.stats)


def test_nulls_of_nested_types(tmp_path: Path) -> None:
    inner = StructType((StructField("b", INTEGER, metadata={ID: 3, PHYSICAL_NAME: "col-b"}),))
    schema = StructType(
        (
            StructField("i", INTEGER, metadata={ID: 1, PHYSICAL_NAME: "col-i"}),
            StructField("s", inner, metadata={ID: 2, PHYSICAL_NAME: "col-s"}),
            StructField("a", ArrayType(inner), metadata={ID: 4, PHYSICAL_NAME: "col-a"}),
            StructField("m", MapType(STRING, DOUBLE), metadata={ID: 5, PHYSICAL_NAME: "col-m"}),
        )
    )
    nulls = (None, None)
    rows = Literals(schema, ((1, 2), nulls, nulls, nulls))
    written = write_literals(open_store(str(tmp_path)), "new", rows, (), stores_partitions=False)
    (file,) = (tmp_path / "new").iterdir()
    table = pq.read_table(file)
    assert table.to_pylist() == [{"col-i": 1, **ALL_NULL}, {"col-i": 2, **ALL_NULL}]
    struct = table.schema.field("col-s")
    assert struct.type.field(0).name == "col-b"
    assert struct.type.field(0).metadata == {b"PARQUET:field_id": b"3"}
    assert table.schema.field("col-a").type.value_type == struct.type
    (staged,) = staged_files(str(tmp_path), written, schema, (), {})
    assert '"nullCount":{"col-i":0,"col-s":{"col-b":2}' in str(staged.add.stats)


ALL_NULL = {"col-s": None, "col-a": None, "col-m": None}
