from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from deltasql.base.errors import (
    InvalidLogJsonError,
    LogFileNotFoundError,
    NotADeltaTableError,
    StateRecoverError,
    VersionNotFoundError,
)
from deltasql.log import operations
from deltasql.log.actions import commit_file
from deltasql.log.actions.actions import AddFile, DeletionVector, DomainMetadata, Metadata, SetTransaction
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.listing import checksum_path
from deltasql.schema.types import StructType

Create = Callable[..., DeltaLog]
Append = Callable[..., Commit]
Add = Callable[..., AddFile]
File = Callable[[str], Path]


def paths(log: DeltaLog, version: int | None = None) -> list[str]:
    found: list[str] = log.snapshot(version).files(["path"])["path"].to_pylist()
    return found


def write(log_file: File, version: int, *actions: object, end: str = "\n") -> None:
    text = end.join(action if isinstance(action, str) else json.dumps(action) for action in actions)
    log_file(f"{version:020d}.json").write_text(text)


def forget_checksums(log_file: File) -> None:
    for file in log_file("").parent.joinpath("_delta_log").glob("*.crc"):
        file.unlink()


def test_a_new_table(create: Create, location: str) -> None:
    log = DeltaLog(location)
    assert not log.exists()
    with pytest.raises(NotADeltaTableError) as caught:
        log.snapshot()
    assert location in caught.value.message
    create()
    snapshot = log.snapshot()
    assert log.exists()
    assert (snapshot.version, snapshot.num_files, snapshot.size_in_bytes) == (0, 0, 0)
    assert snapshot.schema.names == ("x", "p")
    assert snapshot.protocol == Protocol(1, 2)
    assert snapshot.metadata.id == "the-id"
    assert snapshot.files().num_rows == 0
    assert snapshot.files().schema.names == ["path", "partitionValues", "size", "modificationTime", "stats"]


def test_a_snapshot_stays_as_it_is_and_the_log_moves_on(create: Create, append: Append) -> None:
    log = create()
    old = log.snapshot()
    append(log, "a")
    append(log, "b", "c")
    assert old.num_files == 0
    assert paths(log) == ["a", "b", "c"]
    assert paths(log, 1) == ["a"]
    assert log.snapshot() is log.snapshot()
    with pytest.raises(VersionNotFoundError):
        log.snapshot(3)


def test_other_writers_are_seen(create: Create, append: Append, location: str) -> None:
    log = create()
    log.snapshot()
    append(DeltaLog(location), "a")
    assert log.snapshot().version == 1
    assert log.snapshot().num_files == 1


def test_a_dropped_table_is_noticed(create: Create, log_file: File) -> None:
    log = create()
    log.snapshot()
    for file in log_file("x").parent.iterdir():
        file.unlink()
    with pytest.raises(NotADeltaTableError):
        log.snapshot()


def test_the_newest_action_of_a_file_wins(create: Create, log_file: File, location: str) -> None:
    vector = {"storageType": "u", "pathOrInlineDv": "abc", "offset": 1, "sizeInBytes": 3, "cardinality": 1}
    add = {"partitionValues": {}, "size": 1, "modificationTime": 1, "dataChange": True}
    create()
    write(log_file, 1, {"add": add | {"path": "a%20b"}}, {"add": add | {"path": "c"}}, {"add": add | {"path": "d"}})
    write(log_file, 2, {"remove": {"path": "c", "dataChange": True}}, {"add": add | {"path": "d", "size": 7}})
    # The same file, spelled otherwise, now with a deletion vector.
    write(
        log_file,
        3,
        {"remove": {"path": f"file://{location.replace('%', '%25').replace(' ', '%20')}/a%20b", "dataChange": True}},
        {"add": add | {"path": "a%20b", "deletionVector": vector}},
    )
    snapshot = DeltaLog(location).snapshot()
    assert snapshot.files(["path", "size"]).to_pylist() == [{"path": "d", "size": 7}, {"path": "a%20b", "size": 1}]
    assert snapshot.files(["location"])["location"].to_pylist() == [f"{location}/d", f"{location}/a b"]
    assert snapshot.add_files(["a%20b"])[0].deletion_vector == DeletionVector("u", "abc", 1, 3, 1)
    assert (snapshot.totals.files, snapshot.totals.vectors) == (2, 1)
    assert snapshot.tombstones()["path"].to_pylist()[0] == "c"


def test_partition_values(create: Create, add: Add) -> None:
    log = create(
        add("1", values={"p": "a"}), add("2", values={"p": None}), add("3", values={"p": ""}), partition_columns=("p",)
    )
    values = log.snapshot().files(["partitionValues"])["partitionValues"].to_pylist()
    assert values == [{"p": "a"}, {"p": None}, {"p": None}]


def test_transactions_and_domains(create: Create, location: str) -> None:
    log = create(protocol=Protocol(1, 7, None, frozenset({"domainMetadata"})))
    snapshot = log.snapshot()
    Transaction(log, snapshot).commit(operations.WRITE, {}, [SetTransaction("app", 5, 1), DomainMetadata("d", "{}")])
    Transaction(log, log.snapshot()).commit(
        operations.WRITE, {}, [SetTransaction("app", 6, 1), DomainMetadata("e", "[]")]
    )
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [DomainMetadata("d", "{}", removed=True)])
    for snapshot in (log.snapshot(), DeltaLog(location).snapshot()):
        assert snapshot.transactions == {"app": 6}
        assert snapshot.domains == {"e": "[]"}


def test_odd_but_legal_commits(create: Create, log_file: File, location: str) -> None:
    create()
    write(
        log_file,
        1,
        "",
        '{"commitInfo": {"operation": 5, "operationParameters": {"a": [1, {"b": null}]}}, "future": {"x": 1}}',
        '{"add": null, "remove": {"path": "zz", "new": 123456789012345678901234567890}}',
        "  ",
        '{ "add" : {"path": "a", "size": 1, "modificationTime": 1, "later": [], "stats": null} }',
        end="\r\n",
    )
    write(log_file, 2)
    assert paths(DeltaLog(location)) == ["a"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"add":{"path":"a","siz', "Unterminated string"),
        ("[1]", "JSON object"),
        ('{"add":{"size":1,"modificationTime":1}}', "path"),
        ('{"add":5}', "no JSON object"),
        ('{"metaData":{"schemaString":"{}"}}', "id"),
    ],
)
def test_a_damaged_commit_names_file_and_line(
    create: Create, log_file: File, location: str, line: str, reason: str
) -> None:
    create()
    write(log_file, 1, '{"commitInfo":{}}', line)
    with pytest.raises(InvalidLogJsonError) as caught:
        _ = DeltaLog(location).snapshot().metadata
    error = caught.value
    assert (error.condition, error.line) == ("DELTA_INVALID_LOG_JSON", 2)
    assert "00000000000000000001.json" in error.message
    assert reason in error.message
    assert paths(DeltaLog(location), 0) == []


@pytest.mark.parametrize("action", ["metaData", "protocol"])
def test_a_log_without_metadata_or_protocol(location: str, log_file: File, action: str) -> None:
    actions = {
        "protocol": Protocol(1, 2).to_json(),
        "metaData": {"id": "1", "schemaString": '{"type":"struct","fields":[]}', "partitionColumns": []},
    }
    del actions[action]
    log_file("x").parent.mkdir(parents=True)
    write(log_file, 0, actions)
    with pytest.raises(StateRecoverError) as caught:
        _ = DeltaLog(location).snapshot().protocol
    assert (caught.value.condition, caught.value.action) == ("DELTA_STATE_RECOVER_ERROR", action)


def test_a_commit_that_vanishes_is_looked_for_once_more(create: Create, append: Append, location: str) -> None:
    append(create(), "a")
    snapshot = DeltaLog(location).snapshot()
    Path(location, "_delta_log", f"{0:020d}.json").rename(Path(location, "kept"))
    Path(location, checksum_path(0)).unlink()
    Path(location, checksum_path(1)).unlink()
    with pytest.raises(LogFileNotFoundError) as caught:
        snapshot.files()
    assert caught.value.condition == "DELTA_LOG_FILE_NOT_FOUND"
    assert f"{0:020d}.json" in caught.value.message


@pytest.mark.parametrize("text", ["", "{", "[]", '{"numFiles":"x"}', '{"numFiles":9,"tableSizeBytes":1}'])
def test_a_malformed_checksum_is_none(create: Create, append: Append, location: str, log_file: File, text: str) -> None:
    append(create(), "a")
    log_file(f"{1:020d}.crc").write_text(text)
    snapshot = DeltaLog(location).snapshot()
    assert (snapshot.num_files, snapshot.metadata.id) == (1, "the-id")


def test_an_older_checksum_and_the_commits_since(create: Create, append: Append, location: str, log_file: File) -> None:
    log = create()
    append(log, "a", size=3)
    append(log, "b", size=4)
    log_file(f"{2:020d}.crc").unlink()
    snapshot = DeltaLog(location).snapshot()
    assert (snapshot.num_files, snapshot.size_in_bytes) == (2, 7)
    assert isinstance(snapshot.metadata, Metadata)


def test_big_commits_are_read_as_arrow(
    create: Create, add: Add, location: str, log_file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [add(f"p={i}/f%20{i}", 10 + i, {"p": str(i)}) for i in range(50)]
    log = create(*files, partition_columns=("p",))
    snapshot = log.snapshot()
    transaction = Transaction(log, snapshot)
    transaction.record_read(files=["p=3/f%203"])
    transaction.commit(operations.DELETE, {}, [files[3].remove(5)])
    plain = log.snapshot().files().to_pylist()
    forget_checksums(log_file)
    monkeypatch.setattr(commit_file, "BIG", 200)
    snapshot = DeltaLog(location).snapshot()
    assert snapshot.metadata.id == "the-id"
    assert snapshot.files().to_pylist() == plain
    assert snapshot.add_files(["p=4/f%204"]) == [files[4]]
    assert snapshot.totals == log.snapshot().totals
    assert snapshot.tombstones()["partitionValues"].to_pylist() == [[("p", "3")]]


def test_big_commits_that_arrow_cannot_take(
    create: Create, location: str, log_file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    create()
    add = {"path": "a", "partitionValues": {}, "size": 1, "modificationTime": 1, "dataChange": True}
    write(log_file, 1, {"add": add | {"tags": {"k": "v"}}}, {"add": add | {"path": "b", "size": 2, "stats": None}})
    monkeypatch.setattr(commit_file, "BIG", 100)
    snapshot = DeltaLog(location).snapshot()
    assert [file.tags for file in snapshot.add_files(["a", "b"])] == [{"k": "v"}, None]
    write(log_file, 2, {"add": add}, '{"add":{"path"', {"add": add | {"path": "b", "size": 2}})
    with pytest.raises(InvalidLogJsonError) as caught:
        DeltaLog(location).snapshot().files()
    assert caught.value.line == 2


@pytest.mark.parametrize("commits", [1, 2, 4])
@pytest.mark.parametrize("own", [True, False])
def test_a_table_created_anew_is_noticed(
    create: Create, append: Append, location: str, commits: int, own: bool
) -> None:
    create()
    log = DeltaLog(location)
    append(log if own else DeltaLog(location), "old")
    assert log.snapshot().version == 1
    shutil.rmtree(location)
    other = DeltaLog(location)
    Transaction(other, None).commit(operations.CREATE_TABLE, {}, [Protocol(1, 2), Metadata("another", StructType())])
    for number in range(commits):
        append(other, f"new{number}")
    snapshot = log.snapshot()
    assert (snapshot.version, snapshot.metadata.id) == (commits, "another")
    assert paths(log) == [f"new{number}" for number in range(commits)]
