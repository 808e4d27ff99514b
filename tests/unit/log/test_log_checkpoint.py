from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.base.errors import CheckpointMismatchError, InvalidCheckpointError
from deltasql.log import operations
from deltasql.log.actions.actions import (
    AddFile,
    DeletionVector,
    DomainMetadata,
    FileTotals,
    SetTransaction,
)
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.log_segment import read_last_checkpoint
from deltasql.log.replay.snapshot import DeltaLog, Snapshot
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint
from deltasql.log.upkeep.post_commit import after_commit, checkpoint_is_due, write_checksum

Create = Callable[..., DeltaLog]
Append = Callable[..., Commit]
File = Callable[[str], Path]


def forget(log_file: File, pattern: str) -> None:
    for file in log_file("x").parent.glob(pattern):
        file.unlink()


def checkpoint_file(version: int) -> str:
    return f"{version:020d}.checkpoint.parquet"


def test_every_tenth_version_has_one(create: Create, append: Append, location: str, log_file: File) -> None:
    log = create()
    for number in range(21):
        append(log, f"f{number}", size=number)
    names = sorted(file.name for file in log_file("x").parent.glob("*.checkpoint.parquet"))
    assert names == [checkpoint_file(10), checkpoint_file(20)]
    hint = read_last_checkpoint(log.store)
    assert hint is not None
    assert (hint.version, hint.size, hint.files) == (20, 22, 20)
    fresh = DeltaLog(location).snapshot()
    assert fresh.segment.checkpoint is not None
    assert fresh.segment.checkpoint.version == 20
    assert fresh.files().equals(log.snapshot().files())
    assert fresh.files(["path"])["path"].to_pylist() == [f"f{number}" for number in range(21)]


def test_all_state_survives(create: Create, append: Append, location: str, log_file: File) -> None:
    features = frozenset({"domainMetadata", "appendOnly"})
    log = create(protocol=Protocol(1, 7, None, features), partition_columns=("p",), configuration={"my.key": "v"})
    full = AddFile("p=a%2520b/f", {"p": "a b"}, 5, 6, True, '{"numRecords":3}', {"TAG": "1"}, None, 7, 8, "liquid")
    gone = AddFile("p=a%2520b/gone", {"p": "a b"}, 5, 6, base_row_id=1, default_row_commit_version=2)
    Transaction(log, log.snapshot()).commit(
        operations.WRITE, {}, [full, gone, SetTransaction("app", 3, 4), DomainMetadata("d", "{}")]
    )
    transaction = Transaction(log, log.snapshot())
    transaction.commit(operations.DELETE, {}, [gone.remove(4_000_000_000_000), DomainMetadata("e", "{}", removed=True)])
    before = log.snapshot()
    assert write_checkpoint(log.store, before)
    assert not write_checkpoint(log.store, before)
    forget(log_file, "*.crc")
    forget(log_file, "*0.json")
    after = DeltaLog(location).snapshot()
    assert after.segment.commits == ()
    assert (after.protocol, after.metadata) == (before.protocol, before.metadata)
    assert (dict(after.transactions), dict(after.domains)) == ({"app": 3}, {"d": "{}"})
    assert after.totals == before.totals
    assert after.files(["partitionValues"]).to_pylist() == [{"partitionValues": {"p": "a b"}}]
    read = after.add_files(["p=a%2520b/f"])[0]
    assert read == AddFile(
        "p=a%2520b/f", {"p": "a b"}, 5, 6, False, '{"numRecords":3}', {"TAG": "1"}, None, 7, 8, "liquid"
    )
    assert after.tombstones().to_pylist() == before.tombstones().to_pylist()
    typed = pq.read_table(log_file(checkpoint_file(2)))["add"].drop_null().to_pylist()
    assert typed[0]["partitionValues_parsed"] == {"p": "a b"}
    assert typed[0]["stats_parsed"]["numRecords"] == 3


def test_expired_tombstones_and_transactions_go(create: Create, location: str, log_file: File) -> None:
    log = create(configuration={"delta.setTransactionRetentionDuration": "interval 1 days"})
    old, new = AddFile("old", {}, 1, 1), AddFile("new", {}, 1, 1)
    now = 4_000_000_000_000
    Transaction(log, log.snapshot()).commit(
        operations.WRITE, {}, [old, new, SetTransaction("a", 1, 5), SetTransaction("b", 1, now)]
    )
    Transaction(log, log.snapshot()).commit(operations.DELETE, {}, [old.remove(5), new.remove(now)])
    write_checkpoint(log.store, log.snapshot())
    forget(log_file, "*.crc")
    after = DeltaLog(location).snapshot()
    assert after.tombstones()["path"].to_pylist() == ["new"]
    assert dict(after.transactions) == {"b": 1}


def test_newer_commits_hide_rows_of_the_checkpoint(create: Create, append: Append, location: str) -> None:
    log = create()
    append(log, "a", "b%20c", "d")
    write_checkpoint(log.store, log.snapshot())
    removed = AddFile(f"{location.replace('%', '%25').replace(' ', '%20')}/b%20c", {}, 10, 1)
    again = AddFile("d", {}, 99, 1, False)
    Transaction(log, log.snapshot()).commit(operations.DELETE, {}, [removed.remove(1), again])
    for snapshot in (log.snapshot(), DeltaLog(location).snapshot()):
        assert snapshot.files(["path", "size"]).to_pylist() == [{"path": "a", "size": 10}, {"path": "d", "size": 99}]


def test_deletion_vectors_tell_files_apart(create: Create, location: str, log_file: File) -> None:
    log = create()
    vector = {
        "storageType": "u",
        "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^",
        "offset": 1,
        "sizeInBytes": 4,
        "cardinality": 1,
    }
    add = {"path": "a", "partitionValues": {}, "size": 1, "modificationTime": 1, "dataChange": True}
    log_file(f"{1:020d}.json").write_text(json.dumps({"add": add | {"deletionVector": vector}}))
    write_checkpoint(log.store, DeltaLog(location).snapshot())
    # The plain file leaves: that is not the one that is live.
    log_file(f"{2:020d}.json").write_text(json.dumps({"remove": {"path": "a", "dataChange": True}}))
    snapshot = DeltaLog(location).snapshot()
    assert snapshot.add_files(["a"])[0].deletion_vector == DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 1, 4, 1)


@pytest.fixture
def two(create: Create, append: Append) -> DeltaLog:
    """Checkpoints at versions 1 and 3, commits 0 to 4."""
    log = create()
    for number in range(4):
        append(log, f"f{number}")
        if number in (0, 2):
            write_checkpoint(log.store, log.snapshot())
    return log


@pytest.mark.parametrize("damage", [b"", b"PAR1garbagePAR1", None])
def test_a_damaged_checkpoint_is_done_without(two: DeltaLog, log_file: File, damage: bytes | None) -> None:
    data = log_file(checkpoint_file(3)).read_bytes()
    log_file(checkpoint_file(3)).write_bytes(data[: len(data) // 2] if damage is None else damage)
    forget(log_file, "*.crc")
    snapshot = DeltaLog(two.location).snapshot()
    assert snapshot.files(["path"])["path"].to_pylist() == ["f0", "f1", "f2", "f3"]
    assert snapshot.metadata.id == "the-id"
    assert snapshot.segment.checkpoint is not None
    assert snapshot.segment.checkpoint.version == 1


def test_a_damaged_checkpoint_that_is_needed(two: DeltaLog, log_file: File) -> None:
    log_file(checkpoint_file(3)).write_bytes(b"PAR1garbagePAR1")
    forget(log_file, checkpoint_file(1))
    for version in range(4):
        log_file(f"{version:020d}.json").unlink()
    with pytest.raises(InvalidCheckpointError) as caught:
        DeltaLog(two.location).snapshot().files()
    assert caught.value.condition == "DELTA_INVALID_CHECKPOINT"
    assert checkpoint_file(3) in caught.value.message


@pytest.mark.parametrize(
    "hint",
    ['{"version":1,"size":2}', '{"version":99,"size":2}', '{"version":2,"size":2}', "garbage", ""],
)
def test_whatever_the_hint_says(two: DeltaLog, log_file: File, hint: str) -> None:
    log_file("_last_checkpoint").write_text(hint)
    snapshot = DeltaLog(two.location).snapshot()
    assert (snapshot.version, snapshot.files().num_rows) == (4, 4)
    for version in range(5):
        assert DeltaLog(two.location).snapshot(version).files().num_rows == version


def test_multi_part(two: DeltaLog, log_file: File) -> None:
    whole = pq.read_table(log_file(checkpoint_file(3)))
    for number, start in ((1, 0), (2, 3)):
        part = log_file(f"{3:020d}.checkpoint.{number:010d}.{2:010d}.parquet")
        pq.write_table(whole.slice(start, 3 if number == 1 else None), part)
    forget(log_file, checkpoint_file(3))
    forget(log_file, "*.crc")
    snapshot = DeltaLog(two.location).snapshot()
    assert snapshot.segment.checkpoint is not None
    assert len(snapshot.segment.checkpoint.parts) == 2
    assert snapshot.files(["path"])["path"].to_pylist() == ["f0", "f1", "f2", "f3"]
    assert snapshot.metadata.id == "the-id"


@pytest.mark.parametrize("kind", ["parquet", "json"])
def test_v2_with_sidecars(two: DeltaLog, log_file: File, kind: str) -> None:
    whole = pq.read_table(log_file(checkpoint_file(3)))
    log_file("_sidecars").mkdir()
    for number in range(2):
        pq.write_table(whole.slice(2 + number * 2, 2), log_file(f"_sidecars/s{number}.parquet"))
    sidecars = [
        {"sidecar": {"path": f"s{number}.parquet", "sizeInBytes": 1, "modificationTime": 1}} for number in (0, 1)
    ]
    state = two.snapshot(3)
    rows = [{"protocol": state.protocol.to_json()}, state.metadata.to_json(), *sidecars]
    name = f"{3:020d}.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.{kind}"
    if kind == "json":
        log_file(name).write_text("\n".join(json.dumps(row) for row in rows))
    else:
        struct = pa.struct([("path", pa.string()), ("sizeInBytes", pa.int64()), ("modificationTime", pa.int64())])
        schema = pa.schema([*(whole.schema.field(item) for item in ("metaData", "protocol")), ("sidecar", struct)])
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), log_file(name))
    forget(log_file, checkpoint_file(3))
    forget(log_file, "*.crc")
    snapshot = DeltaLog(two.location).snapshot()
    assert snapshot.segment.checkpoint is not None
    assert snapshot.segment.checkpoint.version == 3
    assert snapshot.metadata == state.metadata
    assert snapshot.files(["path"])["path"].to_pylist() == ["f0", "f1", "f2", "f3"]
    log_file("_sidecars/s1.parquet").unlink()
    assert DeltaLog(two.location).snapshot().files().num_rows == 4


def test_statistics_that_are_only_typed(create: Create, append: Append, log_file: File, location: str) -> None:
    log = create(configuration={"delta.checkpoint.writeStatsAsJson": "false"})
    append(log, "a")
    write_checkpoint(log.store, log.snapshot())
    fields = pq.read_schema(log_file(checkpoint_file(1))).field("add").type
    assert "stats" not in [field.name for field in fields]
    stats = DeltaLog(location).snapshot().files(["stats"])["stats"][0].as_py()
    assert json.loads(stats) == {"numRecords": 2, "minValues": {"x": 1}, "maxValues": {"x": 2}, "nullCount": {"x": 0}}


def test_a_checkpoint_that_lacks_files_is_not_written(two: DeltaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = two.snapshot(2)
    monkeypatch.setattr(Snapshot, "cheap_totals", FileTotals(9))
    with pytest.raises(CheckpointMismatchError) as caught:
        write_checkpoint(two.store, snapshot)
    assert caught.value.condition == "DELTA_CHECKPOINT_SNAPSHOT_MISMATCH"


def test_what_follows_a_commit_cannot_fail_it(
    create: Create, append: Append, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("disk on fire")

    monkeypatch.setattr("deltasql.log.upkeep.post_commit.write_checksum", broken)
    monkeypatch.setattr("deltasql.log.upkeep.post_commit.checkpoint_is_due", broken)
    assert append(create(), "a").version == 1
    assert caplog.text.count("disk on fire") == 4


def test_a_table_with_many_files_waits(create: Create, append: Append, monkeypatch: pytest.MonkeyPatch) -> None:
    log = create()
    for number in range(10):
        append(log, str(number))
    snapshot = log.snapshot()
    assert checkpoint_is_due(snapshot)
    monkeypatch.setattr("deltasql.log.upkeep.post_commit._MANY_FILES", 1)
    assert checkpoint_is_due(snapshot)
    monkeypatch.setattr(Snapshot, "cheap_totals", FileTotals(1000))
    assert not checkpoint_is_due(snapshot)
    own = snapshot.metadata.with_configuration({"delta.checkpointInterval": "5"})
    snapshot.__dict__["state"] = replace(snapshot.state, metadata=own)
    assert checkpoint_is_due(snapshot)


def test_the_checksum_of_a_foreign_table(two: DeltaLog, log_file: File) -> None:
    forget(log_file, "*.crc")
    snapshot = DeltaLog(two.location).snapshot()
    assert not write_checksum(two.store, snapshot)
    assert snapshot.num_files == 4
    fresh = DeltaLog(two.location)
    Transaction(fresh, fresh.snapshot()).commit(operations.WRITE, {}, [AddFile("n", {}, 1, 1)])
    after_commit(two.store, fresh.snapshot(), None)


def test_statistics_that_are_typed_for_some_files_only(create: Create, append: Append, log_file: File) -> None:
    """Another writer left the text out where it had the struct."""
    log = create()
    append(log, "a", "b")
    write_checkpoint(log.store, log.snapshot())
    before = log.snapshot().files(["stats"])["stats"].to_pylist()
    table = pq.read_table(log_file(checkpoint_file(1)))
    rows = table.to_pylist()
    next(row["add"] for row in rows if row["add"] and row["add"]["path"] == "b")["stats"] = None
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), log_file(checkpoint_file(1)))
    snapshot = DeltaLog(log.location).snapshot()
    stats = snapshot.files(["stats"])["stats"].to_pylist()
    assert stats[0] == before[0]
    assert json.loads(stats[1]) == json.loads(before[1])
    (again,) = snapshot.add_files(["b"])
    assert again.stats == stats[1]


@pytest.mark.parametrize("text", ["true", "false"])
@pytest.mark.parametrize("struct", ["true", "false"])
def test_either_form_both_or_none(create: Create, append: Append, log_file: File, text: str, struct: str) -> None:
    names = {"delta.checkpoint.writeStatsAsJson": text, "delta.checkpoint.writeStatsAsStruct": struct}
    log = create(configuration=names, partition_columns=("p",))
    stats = '{"numRecords":2,"minValues":{"x":1},"maxValues":{"x":2},"nullCount":{"x":0}}'
    files = [AddFile(f"f{n}", {"p": None if n else "a"}, 5, 1, True, stats) for n in range(2)]
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, files)
    write_checkpoint(log.store, log.snapshot())
    fields = {field.name for field in pq.read_schema(log_file(checkpoint_file(1))).field("add").type}
    assert ("stats" in fields) is (text == "true")
    assert ({"stats_parsed", "partitionValues_parsed"} <= fields) is (struct == "true")
    snapshot = DeltaLog(log.location).snapshot()
    kept = stats if "true" in (text, struct) else None
    assert [add.stats for add in snapshot.add_files(["f0", "f1"])] == [kept, kept]
    assert snapshot.files(["partitionValues"])["partitionValues"].to_pylist() == [{"p": "a"}, {"p": None}]


@pytest.mark.parametrize("cached", [(), ("path", "stats")])
def test_a_few_files_of_many_are_found(
    create: Create, log_file: File, location: str, monkeypatch: pytest.MonkeyPatch, cached: tuple[str, ...]
) -> None:
    monkeypatch.setattr("deltasql.log.upkeep.checkpoint_writer.GROUP_ROWS", 7)
    monkeypatch.setattr("deltasql.log.replay.checkpoint.SMALL_BATCH", 3)
    files = [AddFile(f"f{i}", {"p": str(i)}, i + 1, i, False, f'{{"numRecords":{i}}}') for i in range(40)]
    files[9] = replace(files[9], tags={"k": "v"}, base_row_id=5)
    log = create(*files, partition_columns=("p",))
    write_checkpoint(log.store, log.snapshot())
    forget(log_file, "*.crc")
    log = DeltaLog(location)
    Transaction(log, log.snapshot()).commit(
        operations.WRITE, {}, [AddFile("new", {"p": "n"}, 1, 1), replace(files[3], size=99)]
    )
    snapshot = DeltaLog(location).snapshot()
    assert snapshot.segment.checkpoint is not None
    snapshot.files(cached)
    found = snapshot.add_files(["f39", "f3", "nowhere", "f9", "new", "f0", "f14"])
    assert [file.path for file in found] == ["f0", "f9", "f14", "f39", "new", "f3"]
    assert found[:4] == [files[0], files[9], files[14], files[39]]
    assert found[5].size == 99
    assert snapshot.add_files([]) == []
