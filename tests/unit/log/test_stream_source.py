"""The stream of a table: where it begins, what a batch holds, and what stops it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from deltasql.base.errors import (
    DifferentTableError,
    IncompatibleStreamSchemaError,
    MissingChangeDataError,
    SchemaChangedError,
    SourceChangeError,
    SourceDeleteError,
    StreamDataLossError,
    TimestampTooLateError,
    VersionNotFoundError,
)
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log import operations
from deltasql.log.actions.actions import AddCDCFile, AddFile, Metadata
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.stream_source import StreamOffset, StreamRules, StreamSource
from deltasql.schema.types import LONG, StructField, StructType

Create = Callable[..., DeltaLog]
Add = Callable[..., AddFile]
Append = Callable[..., object]
NO_LIMIT = float("inf")


def tail_of(log: DeltaLog, **rules: object) -> StreamSource:
    return StreamSource(log, StreamRules(**rules), log.snapshot().schema)  # type: ignore[arg-type]


def names(tail: StreamSource, start: StreamOffset, end: StreamOffset) -> list[str]:
    return [Path(file.path).name for file in tail.files(start, end)]


def batches(tail: StreamSource, most_files: float = NO_LIMIT, most_bytes: float = NO_LIMIT) -> list[list[str]]:
    """The files of each batch from the stream's begin to its end."""
    start, found = tail.first(), []
    while (end := tail.next(start, most_files, most_bytes, tail.latest_version())) != start:
        # What a checkpoint keeps is enough to go on.
        assert StreamOffset.from_json(json.loads(json.dumps(end.to_json()))) == end
        found.append(names(tail, start, end))
        start = end
    return found


def remove(log: DeltaLog, *files: AddFile, adds: tuple[AddFile, ...] = (), data_change: bool = True) -> None:
    removes = [replace(item.remove(1), data_change=data_change) for item in files]
    news = [replace(item, data_change=data_change) for item in adds]
    Transaction(log, log.snapshot()).commit(operations.UPDATE, {}, [*removes, *news])


@pytest.fixture
def log(create: Create, add: Add, append: Append) -> DeltaLog:
    """Versions 0 to 2, with the files a and b, c, d."""
    made = create(add("a"), add("b"))
    append(made, "c")
    append(made, "d")
    return made


def test_a_stream_begins_with_a_snapshot_and_goes_on_with_the_versions(log: DeltaLog, append: Append) -> None:
    tail = tail_of(log)
    start = tail.first()
    assert start == StreamOffset("the-id", 2, -1, is_snapshot=True)
    end = tail.next(start, NO_LIMIT, NO_LIMIT, 2)
    assert end == StreamOffset("the-id", 3)
    assert sorted(names(tail, start, end)) == ["a", "b", "c", "d"]
    assert tail.next(end, NO_LIMIT, NO_LIMIT, tail.latest_version()) == end
    append(log, "e", "f")
    assert names(tail, end, tail.next(end, NO_LIMIT, NO_LIMIT, tail.latest_version())) == ["e", "f"]


def test_offsets_have_the_form_of_delta_sparks_checkpoints(log: DeltaLog) -> None:
    assert tail_of(log, starting_version=1).first().to_json() == {
        "sourceVersion": 1,
        "reservoirId": "the-id",
        "reservoirVersion": 1,
        "index": -1,
        "isStartingVersion": False,
    }


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"starting_version": 0}, [["a", "b", "c", "d"]]),
        ({"starting_version": 1}, [["c", "d"]]),
        ({"starting_micros": 0}, [["a", "b", "c", "d"]]),
        ({"from_latest": True}, []),
        ({"starting_version": 0, "exclude": "[ad]$"}, [["b", "c"]]),
    ],
)
def test_where_a_stream_begins(log: DeltaLog, rules: dict[str, object], expected: list[list[str]]) -> None:
    assert batches(tail_of(log, **rules)) == expected


def test_what_comes_after_the_latest(log: DeltaLog, append: Append) -> None:
    tail = tail_of(log, from_latest=True)
    start = tail.first()
    append(log, "e")
    assert names(tail, start, tail.next(start, NO_LIMIT, NO_LIMIT, 3)) == ["e"]


@pytest.mark.parametrize("rules", [{}, {"starting_version": 0}])
@pytest.mark.parametrize("limit", [{"most_files": 1}, {"most_bytes": 1}, {"most_files": 1, "most_bytes": 10**9}])
def test_a_batch_has_one_file_at_least_and_no_more_than_the_limit(
    log: DeltaLog, rules: dict[str, object], limit: dict[str, float]
) -> None:
    found = batches(tail_of(log, **rules), **limit)
    assert [len(batch) for batch in found if batch] == [1, 1, 1, 1]
    assert sorted(name for batch in found for name in batch) == ["a", "b", "c", "d"]


def test_bytes_are_a_soft_limit(log: DeltaLog) -> None:
    assert [len(batch) for batch in batches(tail_of(log, starting_version=0), most_bytes=11)] == [2, 2]


def test_a_batch_ends_inside_a_version_and_the_next_goes_on_there(log: DeltaLog, append: Append) -> None:
    append(log, *(f"n{number}" for number in range(5)))
    found = batches(tail_of(log, starting_version=3), most_files=2)
    assert found[:3] == [["n0", "n1"], ["n2", "n3"], ["n4"]]


def test_available_now_stops_at_the_version_that_it_began_with(log: DeltaLog, append: Append) -> None:
    tail = tail_of(log, starting_version=0)
    until = tail.latest_version()
    append(log, "late")
    end = tail.next(tail.first(), NO_LIMIT, NO_LIMIT, until)
    assert end == StreamOffset("the-id", 3)


def test_moved_rows_are_not_read_again(log: DeltaLog, add: Add) -> None:
    remove(log, add("a"), adds=(add("moved"),), data_change=False)
    assert batches(tail_of(log, starting_version=0)) == [["a", "b", "c", "d"]]


def test_deletes(log: DeltaLog, add: Add) -> None:
    remove(log, add("a"))
    with pytest.raises(SourceDeleteError, match=r"Version 3 of main.t deleted rows \(for example in a\)"):
        batches(tail_of(log, starting_version=0))
    for rule in ("ignore_deletes", "ignore_changes", "skip_change_commits"):
        assert batches(tail_of(log, starting_version=0, **{rule: True})) == [["a", "b", "c", "d"]]


def test_changes(log: DeltaLog, add: Add) -> None:
    remove(log, add("a"), adds=(add("new"),))
    for rules in ({}, {"ignore_deletes": True}):
        with pytest.raises(SourceChangeError, match=r"Version 3 of main.t changed rows \(UPDATE\)"):
            batches(tail_of(log, starting_version=0, **rules))
    assert batches(tail_of(log, starting_version=0, skip_change_commits=True)) == [["a", "b", "c", "d"]]
    assert batches(tail_of(log, starting_version=0, ignore_changes=True)) == [["a", "b", "c", "d", "new"]]


@pytest.mark.parametrize(
    ("rules", "error"),
    [
        ({"starting_version": 3}, VersionNotFoundError),
        ({"starting_micros": 10**17}, TimestampTooLateError),
    ],
)
def test_a_start_that_is_not_there(log: DeltaLog, rules: dict[str, object], error: type[DeltaSqlError]) -> None:
    with pytest.raises(error):
        tail_of(log, **rules).first()


def with_columns(log: DeltaLog, *fields: StructField) -> None:
    metadata = replace(log.snapshot().metadata, schema=StructType(fields))
    Transaction(log, log.snapshot()).commit(operations.CHANGE_COLUMNS, {}, [metadata])


def test_new_columns_stop_a_stream_that_began_without_them_and_not_the_next(log: DeltaLog, append: Append) -> None:
    tail = tail_of(log, starting_version=0)
    with_columns(log, *log.snapshot().schema, StructField("extra", LONG))
    append(log, "e")
    with pytest.raises(SchemaChangedError, match="in version 3: column extra is gone"):
        batches(tail)
    assert batches(tail_of(log, starting_version=0)) == [["a", "b", "c", "d", "e"]]


def test_columns_that_went_stop_every_stream_over_them(log: DeltaLog) -> None:
    with_columns(log, log.snapshot().schema.fields[0])
    with_columns(log, StructField("other", LONG))
    with pytest.raises(IncompatibleStreamSchemaError, match=r"Version 3 of main\.t cannot be read"):
        batches(tail_of(log, starting_version=3))


def test_another_table_in_the_place(log: DeltaLog) -> None:
    tail = tail_of(log)
    start = tail.first()
    metadata = replace(log.snapshot().metadata, id="another")
    Transaction(log, log.snapshot()).commit(operations.REPLACE_TABLE, {}, [metadata])
    with pytest.raises(DifferentTableError, match="the-id"):
        tail.next(start, NO_LIMIT, NO_LIMIT, tail.latest_version())


def test_versions_that_are_gone(log: DeltaLog, append: Append) -> None:
    for number in range(3, 13):
        append(log, f"n{number}")
    start = tail_of(log, starting_version=1).first()
    for version in range(5):
        Path(log.location, "_delta_log", f"{version:020}.json").unlink()
    log = DeltaLog(log.location, log.table)
    tail = tail_of(log)
    with pytest.raises(StreamDataLossError, match=r"version 1 of main\.t, and the log begins at 5"):
        tail.next(start, NO_LIMIT, NO_LIMIT, 12)
    tail = tail_of(log, fail_on_data_loss=False)
    assert names(tail, start, tail.next(start, NO_LIMIT, NO_LIMIT, 12)) == [f"n{number}" for number in range(5, 13)]


def test_a_hole_in_the_log_is_told_even_where_data_may_be_lost(log: DeltaLog, append: Append) -> None:
    append(log, "e")
    tail = tail_of(log, starting_version=0, fail_on_data_loss=False)
    Path(log.location, "_delta_log", f"{1:020}.json").unlink()
    with pytest.raises(DeltaSqlError):
        batches(tail)


def test_the_change_feed(create: Create, add: Add, append: Append) -> None:
    log = create(add("a"), configuration=MappingProxyType({"delta.enableChangeDataFeed": "true"}))
    feed = tuple(AddCDCFile(f"_change_data/{name}", {}, 10) for name in ("c1", "c2"))
    Transaction(log, log.snapshot()).commit(operations.UPDATE, {}, [add("a").remove(1), add("b"), *feed])
    remove(log, add("b"))
    tail = tail_of(log, starting_version=0, change_feed=True)
    end = tail.next(tail.first(), NO_LIMIT, NO_LIMIT, 2)
    found = [(Path(file.path).name, file.change, file.version) for file in tail.files(tail.first(), end)]
    assert found == [("a", "insert", 0), ("c1", None, 1), ("c2", None, 1), ("b", "delete", 2)]
    assert all(file.time_ms > 0 for file in tail.files(tail.first(), end))
    # The files of one version tell of both sides of its changes, and stay together.
    assert [batch for batch in batches(tail, most_files=1) if batch] == [["a"], ["c1", "c2"], ["b"]]
    snapshot = tail_of(log, change_feed=True)
    assert [file.change for file in snapshot.files(snapshot.first(), StreamOffset("the-id", 3))] == []


def test_the_change_feed_of_a_table_without_one(log: DeltaLog) -> None:
    for rules in ({}, {"starting_version": 0}, {"starting_version": 2}):
        with pytest.raises(MissingChangeDataError):
            batches(tail_of(log, change_feed=True, **rules))


def test_metadata_of_the_same_columns_stops_nothing(log: DeltaLog, append: Append) -> None:
    tail = tail_of(log, starting_version=0)
    metadata: Metadata = log.snapshot().metadata.with_configuration({"custom": "x"})
    Transaction(log, log.snapshot()).commit(operations.SET_PROPERTIES, {}, [metadata])
    append(log, "e")
    assert batches(tail) == [["a", "b", "c", "d", "e"]]
