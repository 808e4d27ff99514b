"""Log files that were cut off, changed or lost: the version reads whole, or the error names the file."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.base.errors import (
    InvalidCheckpointError,
    InvalidLogJsonError,
    InvalidMetadataError,
    LogGapError,
    TruncatedLogError,
    VersionNotFoundError,
)
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log.replay.checkpoint import Checkpoint
from deltasql.log.replay.log_segment import CheckpointFiles
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.stores import open_store
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint

from .conftest import append, whole

Table = Callable[..., DeltaLog]
File = Callable[[str], Path]

_COMMIT, _CHECKSUM = f"{12:020d}.json", f"{12:020d}.crc"
_CHECKPOINT, _HINT = f"{10:020d}.checkpoint.parquet", "_last_checkpoint"


def half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def empty(_: bytes) -> bytes:
    return b""


def garbage(data: bytes) -> bytes:
    return bytes(random.Random(7).randrange(256) for _ in data)


def flipped(seed: int) -> Callable[[bytes], bytes]:
    def flip(data: bytes) -> bytes:
        source = random.Random(seed)
        changed = bytearray(data)
        # Arrow ends the process for some footers, which no reader can prevent: flip bits of the pages before it.
        footer = 8 + int.from_bytes(data[-8:-4], "little") if data.endswith(b"PAR1") else 0
        changed[source.randrange(len(data) - footer)] ^= 1 << source.randrange(8)
        return bytes(changed)

    return flip


def damage(file: Path, how: Callable[[bytes], bytes]) -> None:
    file.write_bytes(how(file.read_bytes()))


@pytest.mark.parametrize("how", [half, empty, garbage])
@pytest.mark.parametrize("name", [_CHECKSUM, _CHECKPOINT, _HINT])
def test_what_only_helps_is_done_without(
    table: Table, location: str, log_file: File, name: str, how: Callable[[bytes], bytes]
) -> None:
    table(12)
    if name == _CHECKPOINT:
        for file in log_file("x").parent.glob("*.crc"):
            file.unlink()
    damage(log_file(name), how)
    assert whole(DeltaLog(location)) == 12
    assert append(DeltaLog(location), "f13").version == 13
    for version in (5, 10, 11, 13):
        assert whole(DeltaLog(location), version) == version


@pytest.mark.parametrize("how", [half, garbage])
def test_a_damaged_commit_is_named(table: Table, location: str, log_file: File, how: Callable[[bytes], bytes]) -> None:
    table(12)
    log_file(_CHECKSUM).unlink()
    damage(log_file(_COMMIT), how)
    for ask in (whole, lambda log: append(log, "f13")):
        with pytest.raises(InvalidLogJsonError) as caught:
            ask(DeltaLog(location))
        assert caught.value.condition == "DELTA_INVALID_LOG_JSON"
        assert _COMMIT in caught.value.message
    assert whole(DeltaLog(location), 11) == 11
    assert not log_file(f"{13:020d}.json").exists()


def test_an_empty_commit_has_no_actions(table: Table, location: str, log_file: File) -> None:
    table(3)
    log_file(f"{3:020d}.crc").unlink()
    damage(log_file(f"{3:020d}.json"), empty)
    snapshot = DeltaLog(location).snapshot()
    assert snapshot.files(["path"])["path"].to_pylist() == ["f1", "f2"]


@pytest.mark.parametrize("how", [half, empty, garbage])
def test_a_damaged_checkpoint_that_is_needed_is_named(
    table: Table, location: str, log_file: File, how: Callable[[bytes], bytes]
) -> None:
    table(12)
    damage(log_file(_CHECKPOINT), how)
    for version in range(10):
        log_file(f"{version:020d}.json").unlink()
    with pytest.raises((InvalidCheckpointError, TruncatedLogError)) as caught:
        DeltaLog(location).snapshot().files()
    # An empty checkpoint is none: then it is the log that is too short.
    named = "10" if how is empty else _CHECKPOINT
    assert named in caught.value.message


def test_an_older_checkpoint_steps_in(table: Table, location: str, log_file: File) -> None:
    log = table(12)
    write_checkpoint(log.store, log.snapshot(4))
    damage(log_file(_CHECKPOINT), half)
    for version in range(5):
        log_file(f"{version:020d}.json").unlink()
    for file in log_file("x").parent.glob("*.crc"):
        file.unlink()
    fresh = DeltaLog(location)
    assert whole(fresh) == 12
    checkpoint = fresh.snapshot().segment.checkpoint
    assert checkpoint is not None
    assert checkpoint.version == 4


@pytest.mark.parametrize("name", [_COMMIT, _CHECKSUM, _CHECKPOINT, _HINT])
@pytest.mark.parametrize("seed", range(12))
def test_one_bit(table: Table, location: str, log_file: File, name: str, seed: int) -> None:
    """Some flips cannot be noticed. Whatever comes out, it comes from our code, and it names the file."""
    table(12)
    if name == _CHECKPOINT:
        for file in log_file("x").parent.glob("*.crc"):
            file.unlink()
    if name == _COMMIT:
        log_file(_CHECKSUM).unlink()
    damage(log_file(name), flipped(seed))
    try:
        snapshot = DeltaLog(location).snapshot()
        _ = snapshot.protocol, snapshot.schema, snapshot.files(), snapshot.transactions, snapshot.tombstones()
        _ = snapshot.num_files, snapshot.add_files(["f3", "f12"])
    except DeltaSqlError as error:
        assert name in error.message  # noqa: PT017 - both outcomes are right
        assert name not in (_CHECKSUM, _HINT)
    else:
        assert snapshot.version == 12


@pytest.mark.parametrize(
    ("old", "new"), [(rb"\"type\":\"long", rb"\"typo\":\"long"), (b'WriterVersion":2', b'WriterVersion":"x"')]
)
@pytest.mark.parametrize("by", ["commit", "checkpoint"])
def test_metadata_that_are_none(table: Table, location: str, log_file: File, old: bytes, new: bytes, by: str) -> None:
    log = table(3)
    damage(log_file(f"{0:020d}.json"), lambda data: data.replace(old, new))
    for file in log_file("x").parent.glob("*.crc"):
        file.unlink()
    if by == "checkpoint":
        write_checkpoint(log.store, log.snapshot())
        assert whole(DeltaLog(location)) == 3
    with pytest.raises((InvalidMetadataError, InvalidLogJsonError)) as caught:
        _ = DeltaLog(location).snapshot(2).schema
    assert caught.value.condition == "DELTA_INVALID_LOG_JSON"
    assert f"{0:020d}.json" in caught.value.message


def test_a_commit_that_is_lost_in_the_middle(table: Table, location: str, log_file: File) -> None:
    living = table(14)
    log_file(f"{12:020d}.json").unlink()
    for version in (None, 12, 13, 14):
        with pytest.raises(LogGapError) as caught:
            DeltaLog(location).snapshot(version)
        assert f"{12:020d}.json" in caught.value.message
    assert whole(DeltaLog(location), 11) == 11
    # Who has read it before still knows it.
    assert whole(living) == 14
    log_file(f"{3:020d}.json").unlink()
    assert whole(DeltaLog(location), 10) == 10
    with pytest.raises(LogGapError):
        DeltaLog(location).snapshot(7)


def test_lost_at_the_beginning(table: Table, location: str, log_file: File) -> None:
    table(5)
    log_file(f"{0:020d}.json").unlink()
    with pytest.raises(TruncatedLogError) as caught:
        DeltaLog(location).snapshot()
    assert caught.value.earliest == 1
    with pytest.raises(VersionNotFoundError):
        DeltaLog(location).snapshot(3)


@pytest.mark.parametrize(
    "name",
    [
        ".00000000000000000001.json.crc",
        "00000000000000000006.json#1",
        "00000000000000000006.json.tmp",
        "._last_checkpoint.crc",
        "_autostats",
        "notes.txt",
        "00000000000000000009.checkpoint.0000000001.0000000002.parquet",
    ],
)
def test_foreign_files(table: Table, location: str, log_file: File, name: str) -> None:
    living = table(5)
    log_file(name).write_text("not ours")
    assert whole(DeltaLog(location)) == 5
    assert append(living, "f6").version == 6
    assert whole(DeltaLog(location)) == 6


_VECTOR = {"storageType": "u", "pathOrInlineDv": "ab", "offset": 1, "sizeInBytes": 4, "cardinality": 1}
_ADD = {
    "path": "f1",
    "size": 10,
    "modificationTime": 1,
    "deletionVector": _VECTOR,
}


@pytest.mark.parametrize("lacking", ["path", "size", "storageType", "pathOrInlineDv", "sizeInBytes", "cardinality"])
def test_a_checkpoint_whose_action_lacks_a_field(tmp_path: Path, lacking: str) -> None:
    vector = {**_VECTOR, **({lacking: None} if lacking in _VECTOR else {})}
    add = {**_ADD, "deletionVector": vector, **({lacking: None} if lacking in _ADD else {})}
    pq.write_table(pa.table({"add": [_ADD, add]}), tmp_path / _CHECKPOINT)
    store = open_store(str(tmp_path))
    checkpoint = Checkpoint(store, "main.t", CheckpointFiles(10, 0, (store.head(_CHECKPOINT),)))
    with pytest.raises(InvalidCheckpointError, match=r"lacks"):
        checkpoint.adds(["path", "size", "deletionVector"])


def test_a_vector_of_nulls_in_a_checkpoint_is_none(tmp_path: Path) -> None:
    add = {**_ADD, "deletionVector": dict.fromkeys(_VECTOR)}
    pq.write_table(pa.table({"add": [_ADD, add]}), tmp_path / _CHECKPOINT)
    store = open_store(str(tmp_path))
    checkpoint = Checkpoint(store, "main.t", CheckpointFiles(10, 0, (store.head(_CHECKPOINT),)))
    assert checkpoint.adds(["path"]).num_rows == 2
    assert checkpoint.adds(["deletionVector"])["deletionVector"][1].as_py()["storageType"] is None


def test_a_partition_column_that_the_schema_lacks(table: Table, location: str, log_file: File) -> None:
    table(1)
    file = log_file(f"{0:020d}.json")
    for aid in file.parent.glob("*.crc"):
        aid.unlink()
    file.write_text(file.read_text().replace('"partitionColumns":[]', '"partitionColumns":["y"]'))
    with pytest.raises(InvalidMetadataError, match=r"partition column y"):
        _ = DeltaLog(location).snapshot().metadata
