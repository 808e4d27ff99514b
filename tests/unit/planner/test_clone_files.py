"""CLONE of folders of Parquet files and of tables of Iceberg, without Spark: what the log names, and what is copied."""

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

ROWS = pa.table({"a": pa.array([1, 2], pa.int32()), "s": pa.array([{"x": 1}, None], pa.struct([("x", pa.int64())]))})


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with deltasql.connect(str(tmp_path / "warehouse")) as opened:
        yield opened
        assert not opened.spark_started


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a sign in its name that URIs escape."""
    root = tmp_path / "raw %"
    written(root / "x.parquet")
    written(root / "more" / "y.parquet", ROWS.select(["a"]))
    return root


def written(path: Path, table: pa.Table = ROWS) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)


def adds(session: Session, table: str, version: int = 0) -> list[dict[str, Any]]:
    log = Path(session.log(table).location) / "_delta_log" / f"{version:020}.json"
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return [line["add"] for line in lines if "add" in line]


def places(session: Session, table: str) -> set[Path]:
    found = session.log(table).snapshot().files(("location",))
    return {Path(place) for place in found["location"].to_pylist()}


def refused(session: Session, statement: str) -> DeltaSqlError:
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(statement)
    assert caught.value.caret is not None
    return caught.value


def test_a_shallow_clone_names_the_files_where_they_are(session: Session, folder: Path) -> None:
    (row,) = session.sql(f"create table c shallow clone PARQUET.`{folder}`").collect()
    assert row.source_num_of_files == 2
    assert row.num_copied_files == 0
    assert places(session, "c") == {folder / "x.parquet", folder / "more" / "y.parquet"}
    assert [json.loads(add["stats"])["numRecords"] for add in adds(session, "c")] == [2, 2]
    assert [row.col_name for row in session.sql("DESCRIBE c").collect()] == ["a", "s"]
    (told,) = session.sql("DESCRIBE HISTORY c").collect()
    assert told.operationParameters["source"].startswith("parquet.`file:/")
    assert told.operationParameters["sourceVersion"] == "-1"
    assert not (folder / "_delta_log").exists()


def test_a_deep_clone_copies_what_is_new(session: Session, folder: Path) -> None:
    statement = f"CREATE OR REPLACE TABLE c CLONE parquet.`{folder}` TBLPROPERTIES ('team' = 'sales')"
    (first,) = session.sql(statement).collect()
    assert first.num_copied_files == 2
    kept = {path for path in places(session, "c") if pq.read_table(path).equals(ROWS)}
    assert len(kept) == 1
    (folder / "more" / "y.parquet").unlink()
    written(folder / "z.parquet", ROWS.slice(1))
    (second,) = session.sql(statement).collect()
    assert (second.num_copied_files, second.num_removed_files) == (1, 1)
    now = places(session, "c")
    assert kept < now
    assert all(path.is_relative_to(session.log("c").location) for path in now)
    assert sum(pq.read_metadata(path).num_rows for path in now) == 3
    assert [row.value for row in session.sql("SHOW TBLPROPERTIES c ('team')").collect()] == ["sales"]


def test_a_clone_of_a_clone_of_files(session: Session, folder: Path) -> None:
    session.sql(f"CREATE TABLE c SHALLOW CLONE parquet.`{folder}`")
    session.sql("CREATE TABLE d SHALLOW CLONE c")
    assert places(session, "d") == places(session, "c")
    session.sql(f"CREATE OR REPLACE TABLE d SHALLOW CLONE parquet.`{folder}`")
    assert adds(session, "d", 1) == []


def test_partitions_have_no_types(session: Session, tmp_path: Path) -> None:
    written(tmp_path / "days" / "day=2024-01-01" / "x.parquet")
    error = refused(session, f"CREATE TABLE c CLONE parquet.`{tmp_path}/days`")
    assert error.condition == "DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME"
    assert "(day)" in error.message
    assert "CONVERT TO DELTA" in error.message


def test_what_is_no_source(session: Session, folder: Path) -> None:
    for rest, condition in (
        (f"parquet.`{folder}` VERSION AS OF 1", "UNSUPPORTED_FEATURE.TIME_TRAVEL"),
        (f"parquet.`{folder}/nothing`", "DELTA_EMPTY_DIRECTORY"),
        (f"csv.`{folder}`", "DELTA_CLONE_UNSUPPORTED_SOURCE"),
        (f"orc.`{folder}`", "DELTA_CLONE_UNSUPPORTED_SOURCE"),
    ):
        assert refused(session, f"CREATE TABLE c SHALLOW CLONE {rest}").condition == condition
    session.sql(f"CONVERT TO DELTA parquet.`{folder}`")
    error = refused(session, f"CREATE TABLE c CLONE parquet.`{folder}`")
    assert error.message.endswith(f"Write CLONE delta.`{folder}`.")
    error = refused(session, f"CREATE TABLE c CLONE parquet.`{folder}/more`")
    assert error.condition == "DELTA_CONVERT_NESTED_TABLE"
    assert session.sql("SHOW TABLES").collect() == []


def test_a_damaged_file_makes_no_clone(session: Session, folder: Path) -> None:
    (folder / "w.parquet").write_bytes(b"no Parquet")
    error = refused(session, f"CREATE TABLE c CLONE parquet.`{folder}`")
    assert error.condition == "DELTA_FAILED_READ_FILE_FOOTER"
    assert session.sql("SHOW TABLES").collect() == []


@pytest.mark.filterwarnings("ignore")
def test_a_table_of_icebergs(session: Session, tmp_path: Path) -> None:
    pytest.importorskip("pyiceberg")
    from pyiceberg import types
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.transforms import IdentityTransform

    from tests.iceberg_tables import append, iceberg_table

    root = tmp_path / "iceberg"
    fields = [types.NestedField(1, "a", types.IntegerType()), types.NestedField(2, "p", types.DateType())]
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "p"))
    table = iceberg_table(str(root), Schema(*fields), spec)
    columns = {"a": pa.array([1, 2], pa.int32()), "p": pa.array([0, 1], pa.int32()).cast(pa.date32())}
    append(table, **columns)
    session.sql(f"CREATE TABLE c SHALLOW CLONE iceberg.`{root}`")
    assert sorted(value for add in adds(session, "c") for value in add["partitionValues"].values()) == [
        "1970-01-01",
        "1970-01-02",
    ]
    assert all(path.is_relative_to(root) for path in places(session, "c"))
    statement = f"CREATE OR REPLACE TABLE d CLONE iceberg.`{root}`"
    (first,) = session.sql(statement).collect()
    append(table, **columns)
    (second,) = session.sql(statement).collect()
    assert (first.num_copied_files, second.num_copied_files, second.num_removed_files) == (2, 2, 0)
    assert len(session.sql("SHOW PARTITIONS d").collect()) == 2
