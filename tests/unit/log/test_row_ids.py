"""Row ids of files: who gets which, over lost races, backfills and checkpoints."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from deltasql.base.errors import MetadataChangedError, RowIdsWithoutStatisticsError
from deltasql.log import operations
from deltasql.log.actions.actions import Action, AddFile, Metadata, record_count
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.configuration.row_ids import (
    ENABLEMENT_TAG,
    ROW_TRACKING_DOMAIN,
    high_water_mark,
    row_id_columns,
    with_row_id_columns,
)
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.table_properties import ROW_TRACKING, ROW_TRACKING_SUSPENDED
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint
from deltasql.schema.types import RowIdColumns, StructType

Create = Callable[..., DeltaLog]
Append = Callable[..., Commit]
Add = Callable[..., AddFile]
Lines = Callable[[int], list[dict[str, object]]]

TRACKED = Protocol(
    3, 7, frozenset({"deletionVectors"}), frozenset({"deletionVectors", "rowTracking", "domainMetadata"})
)
PLAIN = Protocol(1, 7, None, frozenset({"domainMetadata"}))


def ids(log: DeltaLog) -> dict[str, tuple[int | None, int | None]]:
    """Base row id and commit version of every live file."""
    files = log.snapshot().live_adds(("path", "baseRowId", "defaultRowCommitVersion"))
    return {row["path"]: (row["baseRowId"], row["defaultRowCommitVersion"]) for row in files.to_pylist()}


def backfill(log: DeltaLog) -> Transaction:
    return Transaction(log, log.snapshot())


def stated_anew(transaction: Transaction) -> list[AddFile]:
    read = transaction.read_snapshot
    assert read is not None
    paths = read.live_adds(("path",)).column("path").to_pylist()
    return [replace(add, data_change=False) for add in read.add_files(paths)]


def test_new_files_count_on_from_the_highest_id(create: Create, add: Add, append: Append, commit_lines: Lines) -> None:
    log = create(add("a"), protocol=TRACKED)
    append(log, "b", "c")
    assert ids(log) == {"a": (0, 0), "b": (2, 1), "c": (4, 1)}
    mark = {"rowIdHighWaterMark": 5, "domainName": ROW_TRACKING_DOMAIN}
    last = commit_lines(1)[-1]["domainMetadata"]
    assert isinstance(last, dict)
    assert (last["domain"], json.loads(last["configuration"]), last["removed"]) == (ROW_TRACKING_DOMAIN, mark, False)
    assert high_water_mark(log.snapshot().domains) == high_water_mark(DeltaLog(log.location).snapshot().domains) == 5


def test_a_file_that_is_stated_anew_keeps_its_ids(create: Create, add: Add, commit_lines: Lines) -> None:
    log = create(add("a"), protocol=TRACKED)
    transaction = backfill(log)
    transaction.commit(operations.WRITE, {}, stated_anew(transaction))
    assert ids(log) == {"a": (0, 0)}
    # The highest id did not rise, so that nothing is said of it.
    assert [next(iter(line)) for line in commit_lines(1)] == ["commitInfo", "add"]


def test_a_lost_race_gives_other_ids(create: Create, append: Append, add: Add) -> None:
    log = create(protocol=TRACKED)
    late = Transaction(log, log.snapshot())
    append(log, "first")
    append(log, "second")
    late.commit(operations.WRITE, {"mode": "Append"}, [add("late")])
    assert ids(log) == {"first": (0, 1), "second": (2, 2), "late": (4, 3)}
    assert high_water_mark(log.snapshot().domains) == 5


def test_removed_files_take_their_ids_along(create: Create, add: Add, commit_lines: Lines) -> None:
    log = create(add("a"), protocol=TRACKED)
    snapshot = log.snapshot()
    transaction = Transaction(log, snapshot)
    transaction.record_read(whole_table=True)
    transaction.commit(operations.DELETE, {}, [snapshot.add_files(["a"])[0].remove(1)])
    remove = commit_lines(1)[1]["remove"]
    assert isinstance(remove, dict)
    assert (remove["baseRowId"], remove["defaultRowCommitVersion"]) == (0, 0)


def test_a_file_without_a_count_is_refused(create: Create, add: Add) -> None:
    log = create(protocol=TRACKED)
    for stats in (None, "{}", '{"minValues":{"numRecords":1}}'):
        with pytest.raises(RowIdsWithoutStatisticsError, match=r"f\.parquet"):
            Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [replace(add("f.parquet"), stats=stats)])
    assert log.snapshot().version == 0


@pytest.mark.parametrize(
    ("stats", "count"),
    [
        (None, None),
        ("", None),
        ('{"numRecords":12}', 12),
        (' { "numRecords" : 3, "minValues":{}}', 3),
        ('{"minValues":{"numRecords":9},"numRecords":4}', 4),
        ('{"minValues":{"numRecords":9}}', None),
        ('{"numRecords":"7"}', None),
    ],
)
def test_record_count(stats: str | None, count: int | None) -> None:
    assert record_count(stats) == count


def test_suspended_and_plain_tables_give_no_ids(create: Create, append: Append, commit_lines: Lines) -> None:
    log = create(protocol=TRACKED, configuration={ROW_TRACKING_SUSPENDED.name: "true"})
    append(log, "a")
    assert ids(log) == {"a": (None, None)}
    assert [next(iter(line)) for line in commit_lines(1)] == ["commitInfo", "add"]


def test_ids_pass_through_checkpoints(create: Create, append: Append) -> None:
    log = create(protocol=TRACKED)
    append(log, "a", "b")
    assert write_checkpoint(log.store, log.snapshot())
    append(log, "c")
    fresh = DeltaLog(log.location)
    assert ids(fresh) == {"a": (0, 1), "b": (2, 1), "c": (4, 2)}
    assert high_water_mark(fresh.snapshot().domains) == 5


def test_a_backfill_leaves_out_what_was_removed_meanwhile(create: Create, add: Add, append: Append) -> None:
    log = create(add("gone"), add("kept"), protocol=TRACKED, configuration={ROW_TRACKING_SUSPENDED.name: "true"})
    resumed = log.snapshot().metadata.with_configuration({ROW_TRACKING_SUSPENDED.name: "false"})
    Transaction(log, log.snapshot()).commit(operations.SET_PROPERTIES, {}, [resumed])
    late = backfill(log)
    actions = stated_anew(late)
    snapshot = log.snapshot()
    other = Transaction(log, snapshot)
    other.record_read(whole_table=True)
    other.commit(operations.DELETE, {}, [snapshot.add_files(["gone"])[0].remove(1), add("new")])
    assert late.commit(operations.BACKFILL, {"batchId": "0"}, actions).version == 3
    assert ids(log) == {"kept": (2, 3), "new": (0, 2)}


def test_a_writer_takes_the_ids_that_a_backfill_gave(create: Create, add: Add, commit_lines: Lines) -> None:
    log = create(add("a"), add("b"), protocol=TRACKED, configuration={ROW_TRACKING_SUSPENDED.name: "true"})
    resumed = log.snapshot().metadata.with_configuration({ROW_TRACKING_SUSPENDED.name: "false"})
    Transaction(log, log.snapshot()).commit(operations.SET_PROPERTIES, {}, [resumed])
    late = Transaction(log, log.snapshot())
    again = stated_anew(late)
    first = backfill(log)
    first.commit(operations.BACKFILL, {"batchId": "0"}, stated_anew(first))
    late.record_read(files=["a", "b"])
    late.commit(operations.DELETE, {}, [again[0].remove(1), replace(again[1], size=11), add("new")])
    assert ids(log) == {"b": (2, 2), "new": (4, 3)}
    removes = [line["remove"] for line in commit_lines(3) if "remove" in line]
    assert [(item["baseRowId"], item["defaultRowCommitVersion"]) for item in removes] == [(0, 2)]  # type: ignore[index]


def test_a_backfill_is_no_blind_append(create: Create, add: Add, commit_lines: Lines) -> None:
    log = create(add("a"), protocol=TRACKED)
    transaction = backfill(log)
    transaction.commit(operations.BACKFILL, {"batchId": "0"}, stated_anew(transaction))
    info = commit_lines(1)[0]["commitInfo"]
    assert isinstance(info, dict)
    assert (info["isBlindAppend"], info["isolationLevel"], info["dataChange"]) == (False, "SnapshotIsolation", False)


@pytest.mark.parametrize("tags", [{ENABLEMENT_TAG: "true"}, None])
def test_switching_on_disturbs_no_writer(
    create: Create, add: Add, tags: dict[str, str] | None, commit_lines: Lines
) -> None:
    log = create(add("a"), protocol=TRACKED)
    late = Transaction(log, log.snapshot())
    late.record_read(files=["a"])
    enabled = log.snapshot().metadata.with_configuration({ROW_TRACKING.name: "true"})
    Transaction(log, log.snapshot()).commit(operations.SET_PROPERTIES, {}, [enabled], tags=tags)
    actions: list[Action] = [add("b"), log.snapshot().add_files(["a"])[0].remove(1)]
    if tags is None:
        with pytest.raises(MetadataChangedError):
            late.commit(operations.UPDATE, {}, actions)
        return
    late.commit(operations.UPDATE, {}, actions)
    info = commit_lines(2)[0]["commitInfo"]
    assert isinstance(info, dict)
    assert info["tags"] == {"delta.rowTracking.preserved": "false"}


def test_names_of_the_columns_of_moved_rows() -> None:
    plain = Metadata("1", StructType(), (), {ROW_TRACKING.name: "true"})
    named = with_row_id_columns(plain, TRACKED, {})
    columns = row_id_columns(TRACKED, named)
    assert columns is not None
    assert columns.row_id.startswith("_row-id-col-")
    assert columns.version.startswith("_row-commit-version-col-")
    # A table keeps the names that it has, and takes none from another.
    assert row_id_columns(TRACKED, with_row_id_columns(plain, TRACKED, named.configuration)) == columns
    assert row_id_columns(TRACKED, with_row_id_columns(named, TRACKED, {})) != columns
    assert with_row_id_columns(named, PLAIN, named.configuration).configuration == plain.configuration
    assert row_id_columns(TRACKED, plain) is None
    assert row_id_columns(PLAIN, named) is None
    assert isinstance(columns, RowIdColumns)
