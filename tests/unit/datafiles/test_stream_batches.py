"""Rows of a data file as Arrow batches: deleted rows, partition values, columns of other files and types."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.files.reading import file_reader as arrow_rows
from deltasql.files.reading.file_reader import batches, fitted
from deltasql.log.actions.deletion_vectors import inline_vector
from deltasql.log.storage.stores import open_store
from deltasql.log.stream_source import StreamFile
from deltasql.schema.types import (
    INTEGER,
    LONG,
    PHYSICAL_NAME,
    STRING,
    TIMESTAMP,
    ArrayType,
    MapType,
    StructField,
    StructType,
)


def rows(path: Path, schema: StructType, target: pa.Schema, **of_file: Any) -> list[dict[str, Any]]:
    file = StreamFile(str(path), 1, of_file.pop("values", {}), **of_file)
    found = list(batches(file, schema, target, open_store(str(path.parent)), "Asia/Tokyo"))
    assert all(batch.schema.equals(target) for batch in found)
    return [row for batch in found for row in batch.to_pylist()]


@pytest.fixture
def numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ten rows that are read in batches of three."""
    monkeypatch.setattr(arrow_rows, "BATCH_ROWS", 3)
    pq.write_table(pa.table({"id": pa.array(range(10), pa.int32())}), tmp_path / "f.parquet")
    return tmp_path / "f.parquet"


ID = StructType((StructField("id", LONG),))
WIDE = pa.schema([("id", pa.int64())])


def ids(path: Path, **of_file: Any) -> list[int]:
    return [row["id"] for row in rows(path, ID, WIDE, **of_file)]


def test_all_rows_widened(numbers: Path) -> None:
    assert ids(numbers) == list(range(10))


def test_rows_that_a_vector_marks_do_not_count(numbers: Path) -> None:
    vector = inline_vector(np.array([0, 3, 4, 5, 9], np.uint64)).to_json()
    assert ids(numbers, vector=vector) == [1, 2, 6, 7, 8]


def test_of_marked_rows_no_others_count(numbers: Path) -> None:
    assert ids(numbers, marked=np.array([2, 3, 9], np.uint64)) == [2, 3, 9]


def test_partition_values_and_columns_that_the_file_lacks(numbers: Path) -> None:
    schema = StructType(
        (
            StructField("p", STRING),
            StructField("day", TIMESTAMP, metadata={PHYSICAL_NAME: "col-1"}),
            StructField("late", INTEGER),
        )
    )
    target = pa.schema([("p", pa.string()), ("day", pa.timestamp("us", "UTC")), ("late", pa.int32())])
    values = {"p": None, "col-1": "2024-01-02 09:00:00"}
    found = rows(numbers, schema, target, values=values, marked=np.array([4], np.uint64))
    assert found == [{"p": None, "day": datetime(2024, 1, 2, tzinfo=timezone.utc), "late": None}]
    zoned = rows(numbers, schema, target, values={"p": "x", "col-1": "2024-01-02T00:00:00.000000Z"})
    assert len(zoned) == 10
    assert zoned[0] == {"p": "x", "day": datetime(2024, 1, 2, tzinfo=timezone.utc), "late": None}


def test_what_the_version_says_of_its_changes(numbers: Path) -> None:
    fields = ("_change_type", STRING), ("_commit_version", LONG), ("_commit_timestamp", TIMESTAMP)
    schema = StructType((*ID, *(StructField(name, kind) for name, kind in fields)))
    stamp = pa.field("_commit_timestamp", pa.timestamp("us", "UTC"))
    target = pa.schema([*WIDE, ("_change_type", pa.string()), ("_commit_version", pa.int64()), stamp])
    one = np.array([1], np.uint64)
    (row,) = rows(numbers, schema, target, marked=one, change="delete", version=7, time_ms=1000)
    assert list(row.values()) == [1, "delete", 7, datetime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc)]


def test_fields_of_structs_in_arrays_and_maps() -> None:
    old = pa.struct([("col-a", pa.int32()), ("gone", pa.int32())])
    renamed = StructField("a", LONG, metadata={PHYSICAL_NAME: "col-a"})
    kind = StructType((renamed, StructField("b", STRING)))
    new = pa.struct([("a", pa.int64()), ("b", pa.string())])
    value, fresh = {"col-a": 1, "gone": 2}, {"a": 1, "b": None}
    assert fitted(pa.array([value, None], old), kind, new).to_pylist() == [fresh, None]
    listed = pa.array([[value], None, [], [None, value]], pa.list_(old))
    found = fitted(listed.slice(1), ArrayType(kind), pa.list_(new))
    assert found.to_pylist() == [None, [], [None, fresh]]
    mapped = pa.array([[("k", value)], None, []], pa.map_(pa.string(), old))
    assert fitted(mapped, MapType(STRING, kind), pa.map_(pa.string(), new)).to_pylist() == [[("k", fresh)], None, []]
