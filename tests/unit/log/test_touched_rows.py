"""Rows that others move to other files are followed there: by their order, by their ids, or by taking the move back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from deltasql.base.errors import (
    ConcurrentAppendError,
    ConcurrentDeleteDeleteError,
    ConcurrentDeleteReadError,
    RowDeleteReadError,
)
from deltasql.log import operations
from deltasql.log.actions.actions import Action, AddFile
from deltasql.log.commit.row_rebase import row_indexes_by_order
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog
from tests.unit.log.races import Table, Writer, positions
from tests.unit.log.test_row_rebase import refused

ALL = set(range(20))


def both(table: Table, writer: Writer, gone: set[int]) -> int:
    """Commits a writer that must win; its version."""
    commit = writer.commit()
    assert commit is not None
    assert table.contents() == sorted(ALL - gone)
    assert len(table.vector_files()) == table.referred_vectors()
    return commit.version


@pytest.mark.parametrize("by_rows", [True, False])
def test_by_the_order_of_one_file(table: Table, by_rows: bool) -> None:
    late = table.writer({"f1": [3, 9]}, by_rows=by_rows)
    table.optimize(["f1"], "o")
    both(table, late, {3, 9})
    assert table.deleted(table.add("o")) == [3, 9]


def test_by_the_order_of_several_files_with_vectors(table: Table) -> None:
    table.writer({"f1": [0, 4, 5]}).commit()
    table.writer({"f2": [1]}).commit()
    late = table.writer({"f1": [6, 9], "f2": [0, 2]})
    table.optimize(["f2", "f1"], "o")
    both(table, late, {0, 4, 5, 11, 6, 9, 10, 12})
    # Nine rows of f2, then those of f1: 1 2 3 6 7 8 9.
    assert table.deleted(table.add("o")) == [0, 1, 9 + 3, 9 + 6]


def test_from_move_to_move(table: Table) -> None:
    late = table.writer({"f1": [6], "f2": [5]}, {"n": [1006, 1015]}, picks={6, 15})
    table.optimize(["f1"], "o1")
    table.writer({"o1": [2]}).commit()
    table.optimize(["f2", "o1"], "o2")
    table.writer({"o2": [0]}).commit()
    commit = late.commit()
    assert commit is not None
    assert table.contents() == sorted(ALL - {6, 15, 2, 10} | {1006, 1015})
    assert table.deleted(table.add("o2")) == [0, 5, 10 + 5]


def test_rows_that_follow_into_one_file_meet_those_that_are_there(table: Table) -> None:
    late = table.writer({"f1": [6]})
    table.optimize(["f1"], "o")
    table.writer({"o": [6]}).commit()
    refused(late, RowDeleteReadError)


def test_rows_that_were_only_looked_at_are_followed(table: Table) -> None:
    late = table.writer({}, {"copy": [2006]}, seen={"f1": [6]}, picks={6})
    table.optimize(["f1", "f2"], "o")
    table.writer({"o": [7]}).commit()
    table.writer({"o": [6]}).commit()
    assert refused(late, RowDeleteReadError).version == 3


@pytest.mark.parametrize("ordered", [True, False])
def test_by_row_ids(table: Table, ordered: bool) -> None:
    late = table.writer({"f1": [3], "f2": [9]}, tracked=True)
    table.optimize(["f1", "f2"], "o1", "o2", tagged=False, ordered=ordered)
    assert both(table, late, {3, 19}) == 2


def test_rows_put_into_another_order_are_lost_without_ids(table: Table) -> None:
    late = table.writer({"f1": [3]})
    other = table.writer({"f2": [3]})
    table.optimize(["f1"], "o", tagged=False, ordered=True)
    error = refused(late, ConcurrentDeleteDeleteError)
    assert "delta.enableRowTracking" in error.message
    assert (error.condition, error.operation) == ("DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT", "OPTIMIZE")
    both(table, other, {13})


@pytest.mark.parametrize("by_rows", [True, False])
def test_a_move_is_taken_back(table: Table, by_rows: bool) -> None:
    table.writer({"f2": [0]}).commit()
    late = table.writer({"f1": [3]}, by_rows=by_rows)
    table.optimize(["f1", "f2"], "o", tagged=False)
    assert both(table, late, {3, 10}) == 4
    undo, own = table.commit(3), table.commit(4)
    assert (undo[0]["commitInfo"]["operation"], own[0]["commitInfo"]["operation"]) == ("ROLLBACK OPTIMIZE", "DELETE")
    assert undo[0]["commitInfo"]["txnId"] != own[0]["commitInfo"]["txnId"]
    assert undo[0]["commitInfo"]["isolationLevel"] == "SnapshotIsolation"
    assert not undo[0]["commitInfo"]["dataChange"]
    assert not undo[0]["commitInfo"]["isBlindAppend"]
    files = [(kind, line[kind]["path"], line[kind]["dataChange"]) for line in undo[1:] for kind in line]
    assert sorted(files) == [("add", "f1", False), ("add", "f2", False), ("remove", "o", False)]
    # They come back as they were, statistics and vectors too.
    assert all(json.loads(line["add"]["stats"])["numRecords"] == 10 for line in undo[1:] if "add" in line)
    assert table.deleted(table.add("f2")) == [0]


def test_what_a_remove_does_not_say_comes_from_what_was_read(table: Table) -> None:
    """Other writers state little more than the path of a file that they remove."""
    table.writer({"f2": [0]}).commit()
    table.insert("f3", 100, 101)
    late = table.writer({"f1": [3]})
    table.insert("f4", 200, 201)
    table.writer({"f3": [0], "f4": [0]}).commit()
    table.optimize(["f1", "f2", "f3", "f4"], "o", tagged=False)
    path = table.folder / "_delta_log" / f"{5:020d}.json"
    lines = table.commit(5)
    for line in lines:
        if "remove" in line:
            line["remove"].pop("stats")
    path.write_text("\n".join(map(json.dumps, lines)))
    table.log = late.transaction._log = DeltaLog(table.log.location, "main.t")
    assert late.commit() is not None
    assert table.contents() == sorted(ALL - {3, 10} | {101, 201})
    undo = {line["add"]["path"]: json.loads(line["add"]["stats"]) for line in table.commit(6) if "add" in line}
    loose = {"tightBounds": False}
    assert undo == {
        "f1": {"numRecords": 10},
        "f2": {"numRecords": 10, **loose},
        "f3": {"numRecords": 2, **loose},
        # It came after the statement had read, so that its rows have been counted.
        "f4": {"numRecords": 2, **loose},
    }


def test_several_writers_take_one_move_back_once(table: Table) -> None:
    writers = [table.writer({"f1": [row]}) for row in (3, 4, 5)]
    table.optimize(["f1", "f2"], "o", tagged=False)
    versions = [writer.commit() for writer in writers]
    assert [commit.version for commit in versions if commit] == [3, 4, 5]
    assert [table.info(version)["operation"] for version in (2, 3, 4, 5)] == ["ROLLBACK OPTIMIZE", *["DELETE"] * 3]
    assert table.contents() == sorted(ALL - {3, 4, 5})


def test_files_that_were_moved_again_come_back_from_where_they_are(table: Table) -> None:
    late = table.writer({"f1": [3]})
    table.optimize(["f1"], "o1", "o2", tagged=False)
    table.optimize(["o1", "f2"], "o3", tagged=False)
    both(table, late, {3})
    assert sorted(line["remove"]["path"] for line in table.commit(3) if "remove" in line) == ["o2", "o3"]
    assert sorted(line["add"]["path"] for line in table.commit(3) if "add" in line) == ["f1", "f2"]


@pytest.mark.parametrize("tagged", [True, False])
def test_a_move_that_was_added_to_comes_back_as_one(table: Table, tagged: bool) -> None:
    """Rows whose new place is known are not followed into a file that is about to go."""
    late = table.writer({"f1": [3], "f2": [4]})
    table.optimize(["f1"], "o1", tagged=False)
    table.optimize(["o1", "f2"], "o2", tagged=tagged)
    both(table, late, {3, 14})
    assert table.deleted(table.add("f2")) == [4]


def test_moves_that_were_put_together_come_back_as_one(table: Table) -> None:
    late = table.writer({"f1": [3], "f2": [4]})
    table.optimize(["f1"], "o1", tagged=False)
    table.optimize(["f2"], "o2", tagged=False)
    table.optimize(["o1", "o2"], "o3", tagged=False)
    both(table, late, {3, 14})
    assert [next(iter(line)) for line in table.commit(4)[1:]] == ["remove", "add", "add"]


def test_several_moves_come_back_together(table: Table) -> None:
    late = table.writer({"f1": [3], "f2": [4]})
    table.optimize(["f1"], "o1", tagged=False)
    table.optimize(["f2"], "o2", tagged=False)
    both(table, late, {3, 14})
    assert table.info(3)["operation"] == "ROLLBACK OPTIMIZE"


def test_a_move_that_somebody_else_has_taken_back(table: Table) -> None:
    late = table.writer({"f1": [3]})
    old = [table.add("f1"), table.add("f2")]
    table.optimize(["f1", "f2"], "o", tagged=False)
    table.take_back(old, "o")
    assert both(table, late, {3}) == 3


def changed(table: Table) -> None:
    table.writer({"o": [0]}).commit()


def removed(table: Table) -> None:
    table.remove("o")


def vacuumed(table: Table) -> None:
    (table.folder / "f2").unlink()


def moved_with_a_vacuumed_file(table: Table) -> None:
    table.insert("n", 100)
    table.optimize(["o", "n"], "o2", tagged=False)
    (table.folder / "n").unlink()


@pytest.mark.parametrize("by_rows", [True, False])
@pytest.mark.parametrize("what", [changed, removed, vacuumed, moved_with_a_vacuumed_file])
def test_what_cannot_be_taken_back(table: Table, what: Callable[[Table], None], by_rows: bool) -> None:
    late = table.writer({"f1": [3]}, by_rows=by_rows)
    table.optimize(["f1", "f2"], "o", tagged=False)
    what(table)
    refused(late, ConcurrentDeleteDeleteError)


def test_a_commit_that_changes_rows_is_not_taken_back(table: Table) -> None:
    late = table.writer({"f1": [3]})
    actions: list[Action] = [
        table.add("f1").remove(1, data_change=False),
        replace(table.file("o", range(10)), data_change=False),
    ]
    Transaction(table.log, table.log.snapshot()).commit(
        operations.Operation("FOREIGN"), {}, [*actions, table.file("n", [100])], blind_append=False
    )
    refused(late, ConcurrentDeleteDeleteError)


def test_a_file_that_the_statement_removes_as_a_whole_cannot_move(table: Table) -> None:
    """It is no file of marked rows, and its rows are elsewhere now."""
    late = table.writer({"f1": [3]}, by_rows=False)
    late.added = [table.add("f2").remove(1)]  # type: ignore[list-item]
    table.optimize(["f2"], "o")
    refused(late, ConcurrentDeleteDeleteError)


def test_by_files_the_rules_hold_for_where_rows_went(table: Table) -> None:
    late = table.writer({}, {"n": [7]}, by_rows=False)
    table.optimize(["f1"], "o1")
    table.optimize(["o1"], "o2")
    table.remove("o2")
    refused(late, ConcurrentDeleteReadError)


def test_by_files_another_row_is_a_conflict(table: Table) -> None:
    late = table.writer({"f1": [3]}, by_rows=False)
    table.writer({"f1": [4]}).commit()
    refused(late, ConcurrentAppendError)


def test_a_file_that_is_only_stated_once_more(table: Table) -> None:
    late = table.writer({"f1": [3]})
    stated = replace(table.add("f1"), base_row_id=40, default_row_commit_version=1, data_change=False)
    Transaction(table.log, table.log.snapshot()).commit(operations.BACKFILL, {}, [stated])
    both(table, late, {3})
    (add,) = (line["add"] for line in table.commit(2) if "add" in line)
    assert add["baseRowId"] == 40


@pytest.mark.parametrize(
    ("tag", "rows", "places"),
    [
        ([["f1", None, 10]], [0, 9], [("o", 0), ("o", 9)]),
        ([["g", None, 7], ["f1", None, 10]], [0, 9], [("o", 7), ("o", 16)]),
        # A path as the log has it, with its escapes.
        ([["f%31", None, 10]], [2], [("o", 2)]),
        ([["g", None, 7]], [0], None),
        # A vector that has no file of its own cannot be looked up by its id.
        ([["f1", "ixyz", 8]], [0], None),
        ([], [0], None),
        (None, [0], None),
    ],
)
def test_places_by_order(table: Table, tag: Any, rows: Sequence[int], places: Any) -> None:
    tags = None if tag is None else {"deltasql.src": json.dumps(tag)}
    outputs = {"x": AddFile("x", {}, 1, 1), "o": AddFile("o", {}, 1, 1, tags=tags)}
    assert row_indexes_by_order(table.log.store, table.log.location, "f1", positions(*rows), outputs) == places


def test_without_a_vector_nothing_is_followed_and_nothing_taken_back(table: Table) -> None:
    table.writer({"f1": [0]}).commit()
    (old,) = table.vector_files()
    late = table.writer({"f1": [3]})
    late.rebase.actions()
    table.optimize(["f1"], "o")
    (table.folder / old).unlink()
    with pytest.raises(ConcurrentDeleteDeleteError):
        late.commit()
    assert table.log.snapshot().version == 2
    assert table.contents() == sorted(ALL - {0})
    assert table.vector_files() == set()
