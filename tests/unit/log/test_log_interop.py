"""delta-rs reads our tables and we read its."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import deltalake
import pyarrow as pa
import pytest

from deltasql.log import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint

ROWS = pa.table({"p": ["a b", "b%", "", None], "x": [1, 2, 3, 4]})


@pytest.fixture
def location(tmp_path: Path) -> str:
    # delta-rs decodes the escapes of a folder's name once too often.
    return str(tmp_path / "a table")


def ours(location: str) -> list[str]:
    return sorted(DeltaLog(location).snapshot().files(["location"])["location"].to_pylist())


def existing(location: str) -> list[str]:
    return sorted(str(path) for path in Path(location).rglob("*.parquet") if "_delta_log" not in str(path))


def test_a_table_of_delta_rs(tmp_path: Path) -> None:
    location = str(tmp_path / "a table")
    for _ in range(3):
        deltalake.write_deltalake(location, ROWS, partition_by=["p"], mode="append")
    table = deltalake.DeltaTable(location)
    assert ours(location) == existing(location)
    table.delete("x = 2")
    table.create_checkpoint()
    table.delete("p = 'a b'")
    snapshot = DeltaLog(location).snapshot()
    assert snapshot.segment.checkpoint is not None
    assert (snapshot.version, snapshot.num_files) == (table.version(), len(table.file_uris()))
    assert snapshot.schema.names == ("p", "x")
    assert all(Path(path).exists() for path in ours(location))
    values = snapshot.files(["partitionValues"])["partitionValues"].to_pylist()
    assert {value["p"] for value in values} == {None}
    assert snapshot.files(["stats"])["stats"].null_count == 0
    assert [entry.info["operation"] for entry in DeltaLog(location).history(2)] == ["DELETE", "DELETE"]


def test_delta_rs_reads_ours(create: Callable[..., DeltaLog], append: Callable[..., Commit]) -> None:
    log = create()
    for number in range(12):
        append(log, f"f{number}.parquet")
    transaction = Transaction(log, log.snapshot())
    transaction.record_read("x = 1", ["f3.parquet"])
    transaction.commit(
        operations.DELETE, {"predicate": ["x = 1"]}, [log.snapshot().add_files(["f3.parquet"])[0].remove(1)]
    )
    expected = {Path(path).name for path in ours(log.location)}
    table = deltalake.DeltaTable(Path(log.location).as_uri())
    assert (table.version(), table.metadata().id) == (13, "the-id")
    assert {Path(path).name for path in table.file_uris()} == expected
    assert [field.name for field in table.schema().fields] == ["x", "p"]
    assert table.history(1)[0]["operation"] == "DELETE"


def test_delta_rs_reads_our_checkpoint_alone(create: Callable[..., DeltaLog]) -> None:
    log = create(AddFile("p=1/f.parquet", {"p": "1"}, 5, 6, True, '{"numRecords":1}'), partition_columns=("p",))
    for number in range(3):
        Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [AddFile(f"p=2/{number}", {"p": "2"}, 5, 6)])
    write_checkpoint(log.store, log.snapshot())
    for version in range(3):
        Path(log.location, "_delta_log", f"{version:020d}.json").unlink()
    table = deltalake.DeltaTable(Path(log.location).as_uri())
    assert len(table.file_uris()) == 4
    actions = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    assert sorted(action["partition.p"] for action in actions) == ["1", "2", "2", "2"]


def test_delta_rs_goes_on_where_we_stopped(tmp_path: Path) -> None:
    location = str(tmp_path / "t")
    deltalake.write_deltalake(location, ROWS)
    log = DeltaLog(location)
    add = log.snapshot().add_files(log.snapshot().files(["path"])["path"].to_pylist())[0]
    # Files that are live already are not counted twice.
    add = replace(add, data_change=False)
    for _ in range(9):
        Transaction(log, log.snapshot()).commit(operations.OPTIMIZE, {}, [add])
    assert Path(location, "_delta_log", f"{9:020d}.crc").exists()
    deltalake.write_deltalake(location, ROWS, mode="append")
    deltalake.write_deltalake(location, ROWS, mode="overwrite")
    assert (log.snapshot().version, log.snapshot().num_files) == (11, 1)
    assert DeltaLog(location).snapshot().num_files == 1
