"""CONVERT TO DELTA without Spark: what the log says of a folder of Parquet files, and who may convert it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deltasql
from deltasql import DeltaSqlError, Session
from deltasql.base.errors import ConcurrentModificationError

ROWS = pa.table({"a": pa.array([1, 2], pa.int32())})


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with deltasql.connect(str(tmp_path / "warehouse")) as opened:
        yield opened
        assert not opened.spark_started


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "raw"


def written(path: Path, table: pa.Table = ROWS) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return path


def actions(folder: Path, kind: str) -> list[dict[str, Any]]:
    log = folder / "_delta_log" / f"{0:020}.json"
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return [line[kind] for line in lines if kind in line]


def convert(session: Session, folder: Path, rest: str = "") -> deltasql.Result:
    return session.sql(f"CONVERT TO DELTA parquet.`{folder}` {rest}")


def refused(session: Session, folder: Path, rest: str, condition: str) -> DeltaSqlError:
    """The error, of a statement that has written nothing."""
    before = sorted(folder.rglob("*"))
    with pytest.raises(DeltaSqlError) as caught:
        convert(session, folder, rest)
    assert caught.value.condition == condition
    assert sorted(folder.rglob("*")) == before
    return caught.value


VALUES = {
    ("INT", "007"): "7",
    ("INT", "-1"): "-1",
    ("BIGINT", "9223372036854775807"): "9223372036854775807",
    ("DECIMAL(5,1)", "2.25"): "2.3",
    ("DOUBLE", "1e3"): "1e3",
    ("DOUBLE", "-inf"): "-Infinity",
    ("FLOAT", "nan"): "NaN",
    ("BOOLEAN", "True"): "true",
    ("BOOLEAN", "0"): "false",
    ("DATE", "2024-1-2"): "2024-01-02",
    ("TIMESTAMP", "2024-07-01 10%3A00%3A00"): "2024-07-01T08:00:00.000000Z",
    ("TIMESTAMP", "2024-07-01T10%3A00%3A00.5Z"): "2024-07-01T10:00:00.500000Z",
    ("TIMESTAMP_NTZ", "2024-07-01 10%3A00%3A00"): "2024-07-01 10:00:00",
    ("STRING", "a%2Fb"): "a/b",
    ("VARCHAR(3)", "abc"): "abc",
    ("INT", "__HIVE_DEFAULT_PARTITION__"): None,
}


@pytest.mark.parametrize(("kind", "text"), list(VALUES))
def test_partition_values_are_as_the_log_has_them(session: Session, folder: Path, kind: str, text: str) -> None:
    session.settings.set("spark.sql.session.timeZone", "Europe/Paris")
    written(folder / f"p={text}" / "x")
    convert(session, folder, f"PARTITIONED BY (p {kind})")
    (add,) = actions(folder, "add")
    assert add["partitionValues"] == {"p": VALUES[kind, text]}
    assert session.log(f"delta.`{folder}`").snapshot().files(("location",))["location"].to_pylist() == [
        str(folder / f"p={text}" / "x")
    ]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("INT", "1.5"),
        ("INT", "2147483648"),
        ("TINYINT", "x"),
        ("DECIMAL(2,1)", "10"),
        ("DOUBLE", "1_0"),
        ("BOOLEAN", "maybe"),
        ("DATE", "2024-13-01"),
        ("TIMESTAMP_NTZ", "2024-01-01T00%3A00%3A00Z"),
    ],
)
def test_texts_that_are_no_values(session: Session, folder: Path, kind: str, text: str) -> None:
    written(folder / f"p={text}" / "x")
    error = refused(session, folder, f"PARTITIONED BY (p {kind})", "DELTA_FAILED_CAST_PARTITION_VALUE")
    assert error.caret is not None
    assert error.caret.sql[error.caret.start : error.caret.end] == "p"
    session.settings.set("spark.databricks.delta.convert.partitionValues.ignoreCastFailure", "true")
    convert(session, folder, f"PARTITIONED BY (p {kind})")
    assert actions(folder, "add")[0]["partitionValues"] == {"p": None}


def test_a_column_that_is_in_files_and_in_folders(session: Session, folder: Path) -> None:
    written(folder / "p=7" / "x", pa.table({"P": pa.array(["1", "2"]), "a": [1, 2]}))
    convert(session, folder, "PARTITIONED BY (p INT)")
    (metadata,) = actions(folder, "metaData")
    fields = json.loads(metadata["schemaString"])["fields"]
    assert [(field["name"], field["type"]) for field in fields] == [("p", "integer"), ("a", "long")]
    (add,) = actions(folder, "add")
    assert "p" not in json.loads(add["stats"])["minValues"]


def test_two_who_convert_at_once(session: Session, folder: Path) -> None:
    written(folder / "x")
    text = f"CONVERT TO DELTA parquet.`{folder}`"
    with deltasql.connect(session.catalog.warehouse) as other, session.begin(text) as pending:
        other.sql(text)
        with pytest.raises(ConcurrentModificationError):
            pending.commit()
    assert session.sql(text).version is None
    assert len(actions(folder, "add")) == 1


def test_paths_with_odd_names(session: Session, folder: Path) -> None:
    written(folder / "a b%20" / "ü#1?.parquet")
    convert(session, folder)
    assert actions(folder, "add")[0]["path"] == "a%20b%2520/ü%231%3F.parquet"
    assert session.sql(f"FSCK REPAIR TABLE delta.`{folder}` DRY RUN").collect() == []


def test_a_folder_inside_of_a_table(session: Session, folder: Path) -> None:
    written(folder / "x")
    convert(session, folder)
    below = written(folder / "more" / "deep" / "x").parent
    refused(session, below, "", "DELTA_CONVERT_NESTED_TABLE")
    refused(session, folder.parent, "", "DELTA_CONVERT_NESTED_TABLE")


def test_no_file_is_touched_and_all_are_counted(session: Session, folder: Path) -> None:
    places = [written(folder / name) for name in ("x", "y", "z")]
    before = [(place.stat().st_mtime_ns, place.read_bytes()) for place in places]
    result = convert(session, folder, "NO STATISTICS")
    assert (result.version, result.collect(), result.metrics) == (0, [], {"numConvertedFiles": 3})
    assert [(place.stat().st_mtime_ns, place.read_bytes()) for place in places] == before
    assert all("stats" not in add for add in actions(folder, "add"))
    assert [add["modificationTime"] for add in actions(folder, "add")] == [time // 1_000_000 for time, _ in before]


@pytest.mark.parametrize("name", ["parquet", "PARQUET"])
def test_a_table_may_be_called_like_a_format(session: Session, folder: Path, name: str) -> None:
    session.sql("CREATE SCHEMA parquet")
    session.sql("CREATE TABLE parquet.t (a INT)")
    assert session.sql(f"CONVERT TO DELTA {name}.t").version is None
    written(folder / "x")
    assert convert(session, folder).version == 0


def test_a_folder_in_an_object_store(session: Session) -> None:
    root = "memory:///convert/raw"
    store = session.stores.open(root)
    for number in range(3):
        sink = pa.BufferOutputStream()
        pq.write_table(ROWS, sink)
        store.put(f"p={number}/x", sink.getvalue())
    store.put("p=9", b"")
    session.sql(f"CONVERT TO DELTA parquet.`{root}/` PARTITIONED BY (p INT)")
    snapshot = session.log(f"delta.`{root}`").snapshot()
    assert snapshot.num_files == 3
    with pytest.raises(DeltaSqlError, match="inside of a table"):
        session.sql(f"CONVERT TO DELTA parquet.`{root}/p=1`")
