from __future__ import annotations

import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from deltasql.base.errors import (
    AmbiguousWriteError,
    AppendOnlyError,
    ConcurrentAppendError,
    ConcurrentModificationError,
    ConcurrentWriteError,
    DomainMetadataNotSupportedError,
    DuplicateActionsError,
    DuplicateDomainError,
    InvalidCommitError,
    MetadataChangedError,
    ProtocolChangedError,
    StorageError,
    TableReplacedError,
)
from deltasql.log import operations
from deltasql.log.actions.actions import Action, AddFile, DeletionVector, DomainMetadata, Metadata, SetTransaction
from deltasql.log.commit.commit_writer import check_commit
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.committers import FileSystemCommitter
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.schema.types import StructType

Create = Callable[..., DeltaLog]
Append = Callable[..., Commit]
Add = Callable[..., AddFile]
Lines = Callable[[int], list[dict[str, object]]]


def test_commit_info_comes_first_with_its_fields_in_order(create: Create, add: Add, commit_lines: Lines) -> None:
    log = create()
    Transaction(log, log.snapshot()).commit(
        operations.WRITE,
        {"mode": "Append", "partitionBy": ["p"], "version": 3, "auto": False, "description": None},
        [add()],
        metrics={"numFiles": 1},
        user_metadata="mine",
    )
    first, second = commit_lines(0), commit_lines(1)
    assert [next(iter(line)) for line in first] == ["commitInfo", "protocol", "metaData"]
    assert "readVersion" not in first[0]["commitInfo"]  # type: ignore[operator]
    info = second[0]["commitInfo"]
    assert isinstance(info, dict)
    assert list(info) == [
        "timestamp",
        "operation",
        "operationParameters",
        "readVersion",
        "isolationLevel",
        "isBlindAppend",
        "dataChange",
        "operationMetrics",
        "userMetadata",
        "engineInfo",
        "txnId",
    ]
    assert info["operationParameters"] == {
        "mode": "Append",
        "partitionBy": '["p"]',
        "version": 3,
        "auto": False,
        "description": None,
    }
    assert (info["readVersion"], info["isBlindAppend"], info["operationMetrics"]) == (0, True, {"numFiles": "1"})
    assert info["engineInfo"].startswith("deltasql/")
    assert uuid.UUID(info["txnId"])
    assert second[1] == {"add": add().to_json()["add"]}


@pytest.mark.parametrize(
    ("configuration", "operation", "data_change", "level"),
    [
        ({}, "WRITE", True, "WriteSerializable"),
        ({}, "OPTIMIZE", False, "SnapshotIsolation"),
        ({}, "MERGE", False, "WriteSerializable"),
        ({"delta.isolationLevel": "serializable"}, "MERGE", False, "SnapshotIsolation"),
        ({"delta.isolationLevel": "Serializable"}, "WRITE", True, "Serializable"),
    ],
)
def test_isolation_level(
    create: Create,
    add: Add,
    commit_lines: Lines,
    configuration: dict[str, str],
    operation: str,
    data_change: bool,
    level: str,
) -> None:
    log = create(configuration=configuration)
    Transaction(log, log.snapshot()).commit(
        operations.operation_named(operation), {}, [replace(add(), data_change=data_change)]
    )
    info = commit_lines(1)[0]["commitInfo"]
    assert isinstance(info, dict)
    assert (info["isolationLevel"], info["dataChange"]) == (level, data_change)


def test_blind_appends_go_on_top_of_each_other(create: Create, add: Add, append: Append) -> None:
    log = create()
    late = Transaction(log, log.snapshot())
    append(log, "a")
    append(log, "b")
    commit = late.commit(operations.WRITE, {}, [add("c")])
    assert (commit.version, commit.attempts) == (3, 2)
    assert commit.snapshot.files(["path"])["path"].to_pylist() == ["a", "b", "c"]
    assert commit.snapshot.num_files == 3
    assert log.snapshot() is commit.snapshot


def test_a_lost_race_names_the_winner(create: Create, add: Add) -> None:
    log = create(add("a"))
    snapshot = log.snapshot()
    late, winner = Transaction(log, snapshot), Transaction(log, snapshot)
    for transaction in (late, winner):
        transaction.record_read("x = 1", ["a"])
    winner.commit(operations.UPDATE, {}, [add("a").remove(1), add("b")])
    with pytest.raises(ConcurrentAppendError) as caught:
        late.commit(operations.DELETE, {}, [add("a").remove(1)])
    error = caught.value
    assert isinstance(error, ConcurrentModificationError)
    assert (error.condition, error.sqlstate) == ("DELTA_CONCURRENT_APPEND.WITHOUT_HINT", "2D521")
    assert (error.operation, error.version) == ("UPDATE", 1)
    assert log.snapshot().version == 1


def test_a_changed_schema_fails_an_append(create: Create, add: Add) -> None:
    log = create()
    snapshot = log.snapshot()
    late = Transaction(log, snapshot)
    changed = replace(snapshot.metadata, schema=StructType(snapshot.schema.fields[:1]))
    Transaction(log, snapshot).commit(operations.CHANGE_COLUMN, {}, [changed])
    with pytest.raises(MetadataChangedError) as caught:
        late.commit(operations.WRITE, {}, [add()])
    assert "CHANGE COLUMN" in caught.value.message


def test_metadata_go_on_top_of_rows(create: Create, append: Append, commit_lines: Lines) -> None:
    log = create()
    snapshot = log.snapshot()
    append(log, "a")
    commit = Transaction(log, snapshot).commit(
        operations.SET_PROPERTIES, {}, [snapshot.metadata.with_configuration({"a": "b"})]
    )
    assert (commit.version, commit.snapshot.num_files, commit.snapshot.configuration["a"]) == (2, 1, "b")
    with pytest.raises(MetadataChangedError):
        Transaction(log, snapshot).commit(
            operations.SET_PROPERTIES, {}, [snapshot.metadata.with_configuration({"c": "d"})]
        )


@pytest.mark.parametrize("operation", ["RESTORE", "CLONE"])
def test_some_operations_need_the_very_next_version(create: Create, append: Append, operation: str) -> None:
    log = create()
    snapshot = log.snapshot()
    append(log, "a")
    with pytest.raises(ConcurrentWriteError):
        Transaction(log, snapshot).commit(
            operations.operation_named(operation), {}, [snapshot.metadata.with_configuration({"a": "b"})]
        )


def test_a_dropped_feature_needs_the_very_next_version(create: Create, append: Append) -> None:
    protocol = Protocol(1, 7, None, frozenset({"domainMetadata", "appendOnly"}))
    log = create(protocol=protocol)
    snapshot = log.snapshot()
    append(log, "a")
    with pytest.raises(ConcurrentWriteError):
        Transaction(log, snapshot).commit(operations.DROP_FEATURE, {}, [protocol.without("domainMetadata")])
    more = Protocol(1, 7, None, frozenset({"domainMetadata", "appendOnly", "invariants"}))
    assert Transaction(log, snapshot).commit(operations.Operation("ADD FEATURE"), {}, [more]).version == 2


def test_a_protocol_that_is_stated_again_is_no_change(create: Create, append: Append, add: Add) -> None:
    log = create()
    snapshot = log.snapshot()
    Transaction(log, snapshot).commit(operations.WRITE, {}, [snapshot.protocol, add("a")])
    assert Transaction(log, snapshot).commit(operations.WRITE, {}, [add("b")]).version == 2


def test_partitions_apart_do_not_meet(create: Create, add: Add) -> None:
    log = create(add("a", values={"p": "1"}), add("b", values={"p": "2"}), partition_columns=("p",))
    snapshot = log.snapshot()

    def update(old: str, value: str) -> Commit:
        transaction = Transaction(log, snapshot)
        transaction.record_read(f"p = '{value}'", [old], matches=lambda values: values["p"] == value)
        new = add(f"{old}2", values={"p": value})
        return transaction.commit(operations.UPDATE, {}, [add(old, values={"p": value}).remove(1), new])

    assert [update("a", "1").version, update("b", "2").version] == [1, 2]
    with pytest.raises(ConcurrentAppendError) as caught:
        update("c", "1")
    assert "(version 1, partition [p=1])" in caught.value.message


def test_rearranged_rows_count_as_new_ones_by_the_rules_of_files(create: Create, add: Add) -> None:
    log = create(add("a"), add("b"))
    snapshot = log.snapshot()
    removed = add("b").remove(1, data_change=False)
    Transaction(log, snapshot).commit(operations.OPTIMIZE, {}, [removed, replace(add("c"), data_change=False)])
    transaction = Transaction(log, snapshot)
    transaction.record_read("x = 1", ["a"])
    with pytest.raises(ConcurrentAppendError):
        transaction.commit(operations.UPDATE, {}, [add("a").remove(1), add("d")])


def test_a_table_that_was_created_anew_meanwhile(create: Create, append: Append, add: Add, location: str) -> None:
    log = create()
    append(log, "a")
    transaction = Transaction(log, log.snapshot())
    shutil.rmtree(location)
    other = DeltaLog(location)
    Transaction(other, None).commit(operations.CREATE_TABLE, {}, [Protocol(1, 2), Metadata("2", StructType())])
    with pytest.raises(TableReplacedError) as caught:
        transaction.commit(operations.WRITE, {}, [add("b")])
    assert isinstance(caught.value, ConcurrentModificationError)
    assert (caught.value.condition, caught.value.version) == ("DELTA_METADATA_CHANGED", 1)
    assert log.snapshot().version == 0


def test_a_legacy_protocol_is_writable_while_its_features_are_not_used(create: Create, append: Append) -> None:
    assert append(create(protocol=Protocol(1, 4)), "a").version == 1


def test_timestamps_that_are_enabled_on_top_of_others(create: Create, append: Append, commit_lines: Lines) -> None:
    log = create(protocol=Protocol(1, 7, None, frozenset({"inCommitTimestamp"})))
    snapshot = log.snapshot()
    append(log, "a")
    enabled = snapshot.metadata.with_configuration({"delta.enableInCommitTimestamps": "true"})
    commit = Transaction(log, snapshot).commit(operations.SET_PROPERTIES, {}, [enabled])
    configuration = commit.snapshot.configuration
    assert configuration["delta.inCommitTimestampEnablementVersion"] == "2"
    assert configuration["delta.inCommitTimestampEnablementTimestamp"] == str(commit.snapshot.timestamp_ms)


def test_removes_without_a_noted_read_need_the_very_next_version(create: Create, add: Add, append: Append) -> None:
    log = create(add("a"))
    snapshot = log.snapshot()
    append(log, "b")
    with pytest.raises(ConcurrentWriteError):
        Transaction(log, snapshot).commit(operations.DELETE, {}, [add("a").remove(1)])


def test_two_creations(create: Create, location: str, add: Add) -> None:
    late = Transaction(DeltaLog(location), None)
    create()
    with pytest.raises(ProtocolChangedError) as caught:
        late.commit(operations.CREATE_TABLE, {}, [Protocol(1, 2), Metadata("2", StructType()), add()])
    assert "empty folder" in caught.value.message


class _Lossy(FileSystemCommitter):
    """Loses the answers of its first tries; `arrives` says whether the data is written nevertheless."""

    def __init__(self, log: DeltaLog, arrives: Sequence[bool]) -> None:
        super().__init__(log.store)
        self._arrives = list(arrives)

    def commit(self, version: int, data: bytes) -> bool:
        if not self._arrives:
            return super().commit(version, data)
        if self._arrives.pop(0):
            super().commit(version, data)
        raise AmbiguousWriteError(str(version), "timed out")


@pytest.mark.parametrize("arrives", [[True], [False], [False, True], [False] * 4])
def test_a_lost_answer(create: Create, add: Add, arrives: list[bool]) -> None:
    log = create()
    transaction = Transaction(log, log.snapshot(), _Lossy(log, arrives))
    commit = transaction.commit(operations.WRITE, {}, [add()])
    assert (commit.version, commit.snapshot.num_files) == (1, 1)
    assert DeltaLog(log.location).snapshot().version == 1


def test_a_lost_answer_to_a_lost_race(create: Create, add: Add, append: Append) -> None:
    log = create()
    transaction = Transaction(log, log.snapshot(), _Lossy(log, [True]))
    append(log, "a")
    assert transaction.commit(operations.WRITE, {}, [add("b")]).version == 2


def test_answers_that_stay_lost(create: Create, add: Add) -> None:
    log = create()
    transaction = Transaction(log, log.snapshot(), _Lossy(log, [False] * 99))
    with pytest.raises(AmbiguousWriteError) as caught:
        transaction.commit(operations.WRITE, {}, [add()])
    assert isinstance(caught.value, AmbiguousWriteError)
    assert not isinstance(caught.value, StorageError)
    assert log.snapshot().version == 0


def _vector(cardinality: int) -> DeletionVector:
    return DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 1, 40, cardinality)


@pytest.mark.parametrize(
    ("actions", "error", "text"),
    [
        ([AddFile("a", {}, 1, 1), AddFile("a", {}, 2, 1)], DuplicateActionsError, "once"),
        ([AddFile("a", {}, 1, 1), AddFile("a", {}, 1, 1).remove(1)], DuplicateActionsError, "same deletion vector"),
        ([AddFile("a", {}, 1, 1).remove(1), AddFile("a", {}, 1, 1).remove(2)], DuplicateActionsError, "removes"),
        ([SetTransaction("a", 1), SetTransaction("a", 2)], DuplicateActionsError, "differ"),
        ([Protocol(1, 2), Protocol(1, 2)], DuplicateActionsError, "at most one"),
        ([DomainMetadata("d", "{}")], DomainMetadataNotSupportedError, "d"),
        ([AddFile("a", {"p": "1"}, 1, 1)], InvalidCommitError, "partition values"),
        ([AddFile("a", {}, 1, 1, deletion_vector=_vector(1))], InvalidCommitError, "deletion vector"),
    ],
)
def test_what_the_protocol_forbids(create: Create, actions: list[Action], error: type[Exception], text: str) -> None:
    log = create()
    with pytest.raises(error, match=text):
        Transaction(log, log.snapshot()).commit(operations.WRITE, {}, actions)
    assert log.snapshot().version == 0


FEATURES = frozenset({"domainMetadata", "deletionVectors", "rowTracking", "appendOnly"})


@pytest.mark.parametrize(
    ("actions", "error"),
    [
        ([DomainMetadata("d", "{}"), DomainMetadata("d", "[]")], DuplicateDomainError),
        ([AddFile("a", {}, 1, 1).remove(1)], AppendOnlyError),
        ([AddFile("a", {}, 1, 1, deletion_vector=_vector(0), stats='{"numRecords":1}')], InvalidCommitError),
        ([AddFile("a", {}, 1, 1, deletion_vector=_vector(1))], InvalidCommitError),
    ],
)
def test_more_that_the_protocol_forbids(actions: list[Action], error: type[Exception]) -> None:
    protocol = Protocol(3, 7, frozenset({"deletionVectors"}), FEATURES)
    metadata = Metadata("1", StructType(), (), {"delta.appendOnly": "true"})
    with pytest.raises(error):
        check_commit(actions, protocol, metadata, "t", "/t")
    moved = AddFile("a", {}, 1, 1, False, base_row_id=0, default_row_commit_version=1)
    check_commit([moved, replace(moved, path="b").remove(1, data_change=False)], protocol, metadata, "t", "/t")


def test_version_0_needs_protocol_and_metadata(location: str, add: Add) -> None:
    with pytest.raises(InvalidCommitError, match="version 0"):
        Transaction(DeltaLog(location), None).commit(operations.WRITE, {}, [add()])


def test_in_commit_timestamps(create: Create, append: Append, commit_lines: Lines) -> None:
    log = create(protocol=Protocol(1, 7, None, frozenset({"inCommitTimestamp"})))
    snapshot = log.snapshot()
    enabled = snapshot.metadata.with_configuration({"delta.enableInCommitTimestamps": "true"})
    commit = Transaction(log, snapshot).commit(operations.SET_PROPERTIES, {}, [enabled])
    info, metadata = commit_lines(1)[0]["commitInfo"], commit_lines(1)[1]["metaData"]
    assert isinstance(info, dict)
    assert isinstance(metadata, dict)
    assert next(iter(info)) == "inCommitTimestamp"
    assert metadata["configuration"]["delta.inCommitTimestampEnablementVersion"] == "1"
    assert metadata["configuration"]["delta.inCommitTimestampEnablementTimestamp"] == str(info["inCommitTimestamp"])
    assert commit.snapshot.timestamp_ms == info["inCommitTimestamp"]
    times = [append(log, str(i)).snapshot.timestamp_ms for i in range(3)]
    assert sorted({info["inCommitTimestamp"], *times}) == [info["inCommitTimestamp"], *times]
    assert DeltaLog(log.location).snapshot().timestamp_ms == times[-1]


_APPEND_TEN = """
import sys
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog

log = DeltaLog(sys.argv[1])
for number in range(10):
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [AddFile(f"{sys.argv[2]}-{number}", {}, 1, 1)])
"""


def test_many_processes_append(create: Create, commit_lines: Lines) -> None:
    log = create()
    writers = [subprocess.Popen([sys.executable, "-c", _APPEND_TEN, log.location, str(number)]) for number in range(2)]
    assert [writer.wait(300) for writer in writers] == [0, 0]
    snapshot = DeltaLog(log.location).snapshot()
    assert (snapshot.version, snapshot.num_files) == (20, 20)
    assert len(set(snapshot.files(["path"])["path"].to_pylist())) == 20
    assert "add" in commit_lines(20)[1]
