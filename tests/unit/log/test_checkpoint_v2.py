"""V2 checkpoints that we write: their files, their hint, and what becomes of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import deltalake
import pyarrow.parquet as pq
import pytest

from deltasql.base.errors import InvalidCheckpointError, StorageError
from deltasql.log import operations
from deltasql.log.actions.actions import Action, AddFile, DomainMetadata, SetTransaction
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.log_segment import read_last_checkpoint
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.upkeep.checkpoint_writer import TopLevel, write_checkpoint
from deltasql.log.upkeep.post_commit import clean_up_log

Create = Callable[..., DeltaLog]
Append = Callable[..., Commit]
File = Callable[[str], Path]

FEATURES = frozenset({"v2Checkpoint"})
V2 = Protocol(3, 7, FEATURES, FEATURES | {"domainMetadata"})
COMMITS = "?" * 20 + ".json"
DAY = 24 * 60 * 60
BOTH = pytest.mark.parametrize("top_level", ["json", "parquet"])


@pytest.fixture
def location(tmp_path: Path) -> str:
    # delta-rs decodes the escapes of a folder's name once too often.
    return str(tmp_path / "a table")


@pytest.fixture
def log(create: Create) -> DeltaLog:
    """Version 1: three live files, a tombstone, a transaction and a domain."""
    log = create(protocol=V2, partition_columns=("p",), configuration={"delta.checkpointPolicy": "v2"})
    files = [AddFile(f"p=a/f{n}", {"p": "a"}, 10 + n, 1, True, f'{{"numRecords":{n}}}') for n in range(4)]
    small: list[Action] = [SetTransaction("app", 3, 4), DomainMetadata("d", "{}")]
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [*files, *small])
    Transaction(log, log.snapshot()).commit(operations.DELETE, {}, [files[0].remove(4_000_000_000_000)])
    return log


def forget(log_file: File, *patterns: str) -> None:
    for pattern in patterns:
        for file in log_file("x").parent.glob(pattern):
            file.unlink()


def top_level_of(log_file: File, version: int) -> Path:
    (found,) = log_file("x").parent.glob(f"{version:020d}.checkpoint.*-*")
    return found


def sidecars(log_file: File) -> list[Path]:
    return sorted(log_file("_sidecars").glob("*.parquet"))


@BOTH
def test_all_state_survives(
    log: DeltaLog, log_file: File, monkeypatch: pytest.MonkeyPatch, top_level: TopLevel
) -> None:
    monkeypatch.setattr("deltasql.log.upkeep.checkpoint_writer._SIDECAR_ROWS", 2)
    before = log.snapshot()
    assert write_checkpoint(log.store, before, top_level)
    assert not write_checkpoint(log.store, before, top_level)
    forget(log_file, "*.crc", COMMITS)
    after = DeltaLog(log.location).snapshot()
    assert (after.version, after.segment.commits) == (2, ())
    assert (after.protocol, after.metadata) == (before.protocol, before.metadata)
    assert (after.transactions, after.domains) == (before.transactions, before.domains)
    assert after.totals == before.totals
    assert after.files().equals(before.files())
    assert after.tombstones().to_pylist() == before.tombstones().to_pylist()
    # Adds and tombstones fill the sidecars in turn.
    assert [pq.read_table(file)["add"].null_count for file in sidecars(log_file)] == [0, 1]
    assert len(deltalake.DeltaTable(Path(log.location).as_uri()).file_uris()) == 3


def test_checkpoint_metadata_come_first(log: DeltaLog, log_file: File) -> None:
    write_checkpoint(log.store, log.snapshot())
    lines = [json.loads(line) for line in top_level_of(log_file, 2).read_text().splitlines()]
    assert [next(iter(line)) for line in lines] == [
        "checkpointMetadata",
        "protocol",
        "metaData",
        "txn",
        "domainMetadata",
        "sidecar",
    ]
    (sidecar,) = sidecars(log_file)
    assert lines[-1]["sidecar"] == {
        "path": sidecar.name,
        "sizeInBytes": sidecar.stat().st_size,
        "modificationTime": sidecar.stat().st_mtime_ns // 1_000_000,
    }
    tags = {"sidecarNumActions": "4", "sidecarSizeInBytes": str(sidecar.stat().st_size), "numOfAddFiles": "3"}
    assert lines[0]["checkpointMetadata"] == {"version": 2, "tags": tags}
    assert pq.read_schema(sidecar).names == ["add", "remove"]


def test_the_hint(log: DeltaLog, log_file: File) -> None:
    write_checkpoint(log.store, log.snapshot())
    found = read_last_checkpoint(log.store)
    assert found is not None
    assert (found.version, found.size, found.files) == (2, 10, 3)
    values: dict[str, Any] = json.loads(log_file("_last_checkpoint").read_text())
    (sidecar,) = sidecars(log_file)
    hint = values["v2Checkpoint"]
    assert values["sizeInBytes"] == hint["sizeInBytes"] + sidecar.stat().st_size
    assert hint["path"] == top_level_of(log_file, 2).name
    assert [next(iter(action)) for action in hint["nonFileActions"]][:3] == [
        "checkpointMetadata",
        "protocol",
        "metaData",
    ]
    assert [item["path"] for item in hint["sidecarFiles"]] == [sidecar.name]


def test_a_hint_stays_small(log: DeltaLog, log_file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltasql.log.upkeep.checkpoint_writer._MOST_IN_HINT", 0)
    write_checkpoint(log.store, log.snapshot())
    hint = json.loads(log_file("_last_checkpoint").read_text())["v2Checkpoint"]
    assert hint.keys() == {"path", "sizeInBytes", "modificationTime"}


def test_no_file_no_sidecar(create: Create, log_file: File) -> None:
    log = create(protocol=V2, configuration={"delta.checkpointPolicy": "v2"})
    assert write_checkpoint(log.store, log.snapshot())
    assert not log_file("_sidecars").exists()
    forget(log_file, "*.crc", COMMITS)
    snapshot = DeltaLog(log.location).snapshot()
    assert (snapshot.num_files, snapshot.metadata.id) == (0, "the-id")


@pytest.mark.parametrize("policy", ["classic", None])
def test_the_feature_alone_changes_nothing(create: Create, log_file: File, policy: str | None) -> None:
    log = create(protocol=V2, configuration={} if policy is None else {"delta.checkpointPolicy": policy})
    write_checkpoint(log.store, log.snapshot())
    assert log_file(f"{0:020d}.checkpoint.parquet").exists()


def test_the_policy_without_the_feature(create: Create, log_file: File) -> None:
    """Another writer's slip: readers are not told to expect sidecars."""
    log = create(configuration={"delta.checkpointPolicy": "v2"})
    write_checkpoint(log.store, log.snapshot())
    assert log_file(f"{0:020d}.checkpoint.parquet").exists()


def test_every_tenth_version_has_one(create: Create, append: Append, location: str, log_file: File) -> None:
    log = create(protocol=V2, configuration={"delta.checkpointPolicy": "V2"})
    for number in range(21):
        append(log, f"f{number}")
    assert top_level_of(log_file, 10).suffix == ".json"
    assert top_level_of(log_file, 20).suffix == ".json"
    fresh = DeltaLog(location).snapshot()
    assert fresh.segment.checkpoint is not None
    assert fresh.segment.checkpoint.version == 20
    assert fresh.files(["path"])["path"].to_pylist() == [f"f{number}" for number in range(21)]


@pytest.mark.parametrize("damage", ["missing", "half", "empty"])
@pytest.mark.parametrize("what", ["sidecar", "top level"])
def test_a_damaged_one_is_done_without_or_named(log: DeltaLog, log_file: File, what: str, damage: str) -> None:
    write_checkpoint(log.store, log.snapshot())
    forget(log_file, "*.crc")
    broken = top_level_of(log_file, 2) if what == "top level" else sidecars(log_file)[0]
    data = broken.read_bytes()
    broken.write_bytes(data[: len(data) // 2] if damage == "half" else b"")
    if damage == "missing":
        broken.unlink()
    snapshot = DeltaLog(log.location).snapshot()
    assert snapshot.files(["path"])["path"].to_pylist() == ["p=a/f1", "p=a/f2", "p=a/f3"]
    assert snapshot.segment.checkpoint is None
    if what == "top level" and damage != "half":
        return
    forget(log_file, COMMITS)
    with pytest.raises(InvalidCheckpointError) as caught:
        DeltaLog(log.location).snapshot().files()
    assert broken.name in caught.value.message


def test_sidecars_by_absolute_address(log: DeltaLog, log_file: File) -> None:
    """A sidecar always lies in the log's own folder, however its path is spelled."""
    write_checkpoint(log.store, log.snapshot())
    forget(log_file, "*.crc", COMMITS)
    (sidecar,) = sidecars(log_file)
    top = top_level_of(log_file, 2)
    top.write_text(top.read_text().replace(sidecar.name, sidecar.as_uri()))
    assert DeltaLog(log.location).snapshot().num_files == 3


@pytest.fixture
def aged(create: Create, append: Append, log_file: File) -> Callable[[TopLevel], DeltaLog]:
    """Versions 0 to 6, V2 checkpoints at 3 and 5, all of it 40 days old but version 6."""

    def made(top_level: TopLevel) -> DeltaLog:
        log = create(protocol=V2, configuration={"delta.checkpointPolicy": "v2"})
        for number in range(1, 7):
            append(log, f"f{number}")
            if number in (3, 5):
                write_checkpoint(log.store, log.snapshot(), top_level)
        old = log_file(f"{6:020d}.json").stat().st_mtime - 40 * DAY
        for file in log_file("x").parent.rglob("*"):
            if file.is_file() and not file.name.startswith(f"{6:020d}"):
                os.utime(file, (old, old))
        return DeltaLog(log.location)

    return made


@BOTH
def test_clean_up(aged: Callable[[TopLevel], DeltaLog], log_file: File, top_level: TopLevel) -> None:
    """What goes takes its sidecars along; a classic name stays, by which old readers find the protocol."""
    log = aged(top_level)
    assert len(sidecars(log_file)) == 2
    expired = clean_up_log(log.store, log.snapshot())
    assert not log_file(f"{4:020d}.json").exists()
    (kept,) = sidecars(log_file)
    assert kept.name.startswith(f"{5:020d}")
    assert expired[-1].startswith("_delta_log/_sidecars/")
    copy = log_file(f"{5:020d}.checkpoint.parquet")
    actions = pq.read_table(copy)
    (protocol,) = actions["protocol"].drop_null().to_pylist()
    assert protocol["readerFeatures"] == ["v2Checkpoint"]
    assert [item["path"] for item in actions["sidecar"].drop_null().to_pylist()] == [kept.name]
    # The copy is a checkpoint of its own right.
    top_level_of(log_file, 5).unlink()
    forget(log_file, "*.crc")
    for snapshot in (DeltaLog(log.location).snapshot(5), DeltaLog(log.location).snapshot()):
        assert snapshot.files(["path"])["path"].to_pylist() == [f"f{n}" for n in range(1, snapshot.version + 1)]
    assert clean_up_log(log.store, log.snapshot()) == []


def test_no_copy_where_a_classic_checkpoint_stays(aged: Callable[[TopLevel], DeltaLog], log_file: File) -> None:
    log = aged("json")
    classic = log_file(f"{6:020d}.checkpoint.parquet")
    classic.write_bytes(b"any")
    snapshot = log.snapshot(6)
    assert clean_up_log(log.store, snapshot)
    assert not log_file(f"{5:020d}.checkpoint.parquet").exists()


def test_nothing_goes_where_the_copy_fails(
    aged: Callable[[TopLevel], DeltaLog], log_file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = aged("json")

    def full(_: LocalLogStore, path: str, __: bytes) -> bool:
        raise StorageError("write", path, "no space left")

    with monkeypatch.context() as patch:
        patch.setattr(LocalLogStore, "put_if_absent", full)
        with pytest.raises(StorageError):
            clean_up_log(log.store, log.snapshot())
    assert log_file(f"{0:020d}.json").exists()
