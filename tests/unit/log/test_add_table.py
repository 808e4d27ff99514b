"""Commits whose files come as an Arrow table: the same lines, rules, ids and totals as those of objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from deltasql.base.errors import (
    ConcurrentModificationError,
    ConcurrentWriteError,
    DuplicateActionsError,
    InvalidCommitError,
    RowIdsWithoutStatisticsError,
)
from deltasql.log import operations
from deltasql.log.actions.actions import Action, AddFile, DeletionVector, Metadata
from deltasql.log.actions.commit_file import encode_actions
from deltasql.log.actions.file_tables import (
    ADD,
    add_objects,
    conformed_adds,
    encode_adds,
    from_actions,
    from_files,
    row_counts,
)
from deltasql.log.commit.commit_writer import check_commit
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.checksum import read_checksum
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.schema.types import StructType

Create = Callable[..., DeltaLog]
Lines = Callable[[int], list[dict[str, Any]]]

MANY = 200_000
STATS = '{"numRecords":3,"minValues":{"s":"a\\"b"},"maxValues":{"s":"\\u00fc\\\\"},"nullCount":{"s":0}}'
VECTOR = DeletionVector("u", 'ab"^-aqEH.-t@S}K{vb[*k^', 4, 40, 6)
ODD = (
    AddFile("plain", {}, 0, 0),
    AddFile("a%20b/ü\u2028\U0001f600\x7f", {"p": None, "q": 'x"\\\n'}, 1 << 40, 1_700_000_000_000, False, STATS),
    AddFile("tags", {}, 1, 1, tags={"k": None, "ü": '"'}, stats='{"numRecords":7}'),
    AddFile("no tags", {"p": ""}, 1, 1, tags={}),
    AddFile("vector", {}, 1, 1, deletion_vector=VECTOR, base_row_id=0, default_row_commit_version=9),
    AddFile("inline", {}, 1, 1, deletion_vector=replace(VECTOR, storage_type="i", offset=None)),
    AddFile("liquid", {"p": "1"}, 1, 1, stats=" {}", clustering_provider="liquid", base_row_id=5),
)
TRACKED = Protocol(3, 7, frozenset(), frozenset({"rowTracking", "domainMetadata"}))
VECTORS = Protocol(3, 7, frozenset({"deletionVectors"}), frozenset({"deletionVectors"}))


def many(count: int = MANY, partitions: int = 10) -> pa.Table:
    numbers = range(count)
    return pa.table(
        {
            "path": [f"p={number % partitions}/part-{number:06d}.parquet" for number in numbers],
            "partitionValues": pa.array([[("p", str(number % partitions))] for number in numbers], ADD.types[1]),
            "size": [number + 1 for number in numbers],
            "modificationTime": [1_700_000_000_000] * count,
            "stats": ['{"numRecords":2}'] * count,
        }
    )


def refused(actions: list[Action], added: pa.Table, error: type[Exception], **metadata: object) -> None:
    known = Metadata("1", StructType(), **metadata)  # type: ignore[arg-type]
    with pytest.raises(error):
        check_commit(actions, VECTORS, known, "t", "/t", conformed_adds(added, "t"))


def test_lines_are_those_of_objects() -> None:
    assert encode_adds(from_files(ODD, ADD)) == encode_actions(ODD)
    sliced = pa.concat_tables([from_files(ODD, ADD)] * 3).combine_chunks().slice(len(ODD) + 2, len(ODD))
    assert encode_adds(sliced) == encode_actions([*ODD[2:], *ODD[:2]])
    assert encode_adds(from_files([], ADD)) == b""


def test_lines_in_many_pieces() -> None:
    table = conformed_adds(many(9000), "t")
    assert encode_adds(table) == encode_actions(add_objects(table))


def test_row_counts_are_those_of_each_file() -> None:
    texts = [add.stats for add in ODD] + ['{ "numRecords" : 5 }', '{"minValues":{},"numRecords":8}']
    assert row_counts(pa.chunked_array([pa.array(texts, pa.string())])).to_pylist() == [
        None, 3, 7, None, None, None, None, 5, 8,
    ]  # fmt: skip


def test_many_files_are_committed_and_read_back(create: Create, location: str) -> None:
    log = create(partition_columns=("p",))
    done = Transaction(log, log.snapshot()).commit(operations.WRITE, {"mode": "Append"}, [], added=many())
    assert (done.version, done.snapshot.num_files) == (1, MANY)
    fresh = DeltaLog(location, "main.t").snapshot()
    found = fresh.files(("path", "size", "stats", "partitionValues"))
    assert found.select(["path", "size", "stats"]).equals(many().select(["path", "size", "stats"]))
    assert found["partitionValues"][17].as_py() == {"p": "7"}
    checksum = read_checksum(log.store, 1)
    assert checksum is not None
    assert (checksum.totals.files, checksum.totals.bytes) == (MANY, MANY * (MANY + 1) // 2)
    assert fresh.totals == checksum.totals


@pytest.mark.parametrize("protocol", [Protocol(1, 2), TRACKED])
def test_a_small_table_is_committed_as_objects_are(create: Create, commit_lines: Lines, protocol: Protocol) -> None:
    log = create(partition_columns=("p",), protocol=protocol)
    first, second = many(5), many(10).slice(5)
    of_objects = Transaction(log, log.snapshot()).commit(operations.WRITE, {}, add_objects(conformed_adds(first, "t")))
    of_table = Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [], added=second)
    assert (of_objects.version, of_table.version) == (1, 2)
    one, two = commit_lines(1), commit_lines(2)
    kinds = [[next(iter(line)) for line in lines] for lines in (one, two)]
    assert sorted(kinds[0]) == sorted(kinds[1])
    assert of_table.snapshot.num_files == 10
    assert {key: one[0]["commitInfo"][key] for key in ("isBlindAppend", "dataChange", "isolationLevel")} == {
        key: two[0]["commitInfo"][key] for key in ("isBlindAppend", "dataChange", "isolationLevel")
    }
    if protocol is TRACKED:
        adds = [line["add"] for line in two if "add" in line]
        assert [(add["baseRowId"], add["defaultRowCommitVersion"]) for add in adds] == [
            (10 + 2 * number, 2) for number in range(5)
        ]
        assert json.loads(of_table.snapshot.domains["delta.rowTracking"])["rowIdHighWaterMark"] == 19


def test_ids_that_files_have_stay(create: Create, add: Callable[..., AddFile]) -> None:
    log = create(add("old"), protocol=TRACKED)
    table = from_files([replace(add("a"), base_row_id=100, default_row_commit_version=1), add("b")], ADD)
    snapshot = Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [], added=table).snapshot
    assert [(item.path, item.base_row_id) for item in snapshot.add_files(["a", "b"])] == [("a", 100), ("b", 2)]
    with pytest.raises(RowIdsWithoutStatisticsError):
        Transaction(log, log.snapshot()).commit(
            operations.WRITE, {}, [], added=from_files([AddFile("c", {}, 1, 1)], ADD)
        )


def test_ids_of_a_backfill_that_came_first(create: Create, add: Callable[..., AddFile]) -> None:
    log = create(add("a"), add("b"), protocol=TRACKED)
    late = Transaction(log, log.snapshot())
    late.record_read("x", ["a"])
    known = log.snapshot().add_files(["b"])
    numbered = [replace(item, base_row_id=50, default_row_commit_version=0, data_change=False) for item in known]
    Transaction(log, log.snapshot()).commit(operations.BACKFILL, {}, numbered)
    removed = add("a").remove(1)
    done = late.commit(
        operations.WRITE, {}, [removed], added=from_files([replace(known[0], base_row_id=None), add("c")], ADD)
    )
    assert [(item.path, item.base_row_id) for item in done.snapshot.add_files(["b", "c"])] == [("b", 50), ("c", 4)]


def test_a_backfill_leaves_out_what_a_winner_has_touched(create: Create, add: Callable[..., AddFile]) -> None:
    log = create(add("a"), add("b"), protocol=TRACKED, configuration={"delta.rowTrackingSuspended": "true"})
    late = Transaction(log, log.snapshot())
    Transaction(log, log.snapshot()).commit(operations.DELETE, {}, [add("a").remove(1)])
    stated = from_files([replace(add(path), base_row_id=9, data_change=False) for path in ("a", "b")], ADD)
    snapshot = late.commit(operations.BACKFILL, {}, [], added=stated).snapshot
    assert [(item.path, item.base_row_id) for item in snapshot.add_files(["a", "b"])] == [("b", 9)]


def of_partition(transaction: Transaction, value: str, read: list[str]) -> Transaction:
    def matches(values: Mapping[str, str | None]) -> bool:
        return values.get("p") == value

    transaction.record_read(f"p = {value}", read, matches=matches)
    return transaction


@pytest.mark.parametrize("count", [30, 40_000])
def test_a_rival_that_reads_the_partition_of_one_of_the_files(create: Create, count: int) -> None:
    log = create(AddFile("old", {"p": "3"}, 1, 1), partition_columns=("p",))
    rivals = [of_partition(Transaction(log, log.snapshot()), value, ["old"]) for value in ("3", "99")]
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [], added=many(count), blind_append=False)
    with pytest.raises(ConcurrentModificationError, match="p=3"):
        rivals[0].commit(operations.UPDATE, {}, [AddFile("new", {"p": "3"}, 1, 1)])
    assert rivals[1].commit(operations.UPDATE, {}, [AddFile("other", {"p": "99"}, 1, 1)]).version == 2


def test_a_rival_that_removed_what_the_table_adds_anew(create: Create) -> None:
    log = create(AddFile("old", {"p": "3"}, 1, 1, stats='{"numRecords":2}'), partition_columns=("p",))

    def late() -> Transaction:
        return of_partition(Transaction(log, log.snapshot()), "3", ["old"])

    mine, large = late(), Transaction(log, log.snapshot())
    Transaction(log, log.snapshot()).commit(operations.DELETE, {}, [AddFile("old", {"p": "3"}, 1, 1).remove(1)])
    with pytest.raises(ConcurrentModificationError, match="p=3"):
        mine.commit(operations.UPDATE, {}, [AddFile("old", {"p": "3"}, 1, 1).remove(1)], added=many(20))
    with pytest.raises(ConcurrentWriteError):
        large.commit(operations.RESTORE, {}, [], added=many(20))


def test_a_lost_race_is_won_with_the_table(create: Create, append: Callable[..., Commit]) -> None:
    log = create(protocol=TRACKED)
    late = Transaction(log, log.snapshot())
    append(log, "a")
    table = from_files([AddFile("b", {}, 1, 1, stats='{"numRecords":4}')], ADD)
    done = late.commit(operations.WRITE, {}, [], added=table)
    assert (done.version, done.attempts) == (2, 2)
    assert [item.base_row_id for item in done.snapshot.add_files(["a", "b"])] == [0, 2]
    assert done.snapshot.add_files(["b"])[0].default_row_commit_version == 2


def test_what_the_protocol_forbids() -> None:
    twice = from_files([AddFile("a%20b", {}, 1, 1), AddFile("/t/a b", {}, 1, 1)], ADD)
    refused([], twice, DuplicateActionsError)
    one = from_files([AddFile("a", {}, 1, 1)], ADD)
    refused([AddFile("a", {}, 2, 2)], one, DuplicateActionsError)
    refused([AddFile("a", {}, 1, 1).remove(1)], one, DuplicateActionsError)
    refused([], from_files([AddFile("a", {"p": "1"}, 1, 1)], ADD), InvalidCommitError)
    refused([], one, InvalidCommitError, partition_columns=("p",))
    refused([], from_files([AddFile("a", {"q": "1"}, 1, 1)], ADD), InvalidCommitError, partition_columns=("p",))
    marked = [AddFile("a", {}, 1, 1, deletion_vector=VECTOR)]
    refused([], from_files(marked, ADD), InvalidCommitError)
    moved = AddFile("a", {}, 1, 1, deletion_vector=VECTOR, stats='{"numRecords":9}')
    check_commit([AddFile("a", {}, 1, 1).remove(1)], VECTORS, Metadata("1", StructType()), "t", "/t",
                 from_files([moved], ADD))  # fmt: skip


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({"path": ["a"], "size": [1]}, "lacks modificationTime"),
        ({"path": ["a"], "size": [1], "modificationTime": [1], "sise": [1]}, "no field sise"),
        ({"path": ["a"], "size": ["much"], "modificationTime": [1]}, "another type"),
    ],
)
def test_tables_of_another_shape(table: dict[str, list[object]], reason: str) -> None:
    with pytest.raises(InvalidCommitError, match=reason):
        conformed_adds(pa.table(table), "t")


def test_what_a_table_lacks_is_null() -> None:
    table = conformed_adds(pa.table({"path": ["a"], "size": [1], "modificationTime": [2]}), "t")
    assert add_objects(table) == [AddFile("a", {}, 1, 2)]
    assert table.equals(from_actions([{"path": "a", "size": 1, "modificationTime": 2, "dataChange": True}], ADD))
