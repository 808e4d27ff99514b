"""Row-level concurrency, winner by winner: which rows meet, what is committed, and what it may cost to tell."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from deltasql.base.errors import (
    AppendBudgetError,
    ConcurrentAppendError,
    ConcurrentDeleteReadError,
    ConcurrentModificationError,
    MetadataChangedError,
    RowAppendError,
    RowDeleteReadError,
)
from deltasql.log import operations
from deltasql.log.actions.deletion_vectors import inline_vector
from deltasql.log.commit.conflict import IsolationLevel
from deltasql.log.commit.row_rebase import Budget
from deltasql.log.commit.transaction import Transaction
from tests.unit.log.races import Table, Writer, positions

SERIALIZABLE, WRITE = IsolationLevel.SERIALIZABLE, IsolationLevel.WRITE_SERIALIZABLE


def refused(writer: Writer, kind: type[ConcurrentModificationError]) -> ConcurrentModificationError:
    """The error of a writer that must lose, and leave nothing."""
    table = writer.reader.table
    version, before = table.log.snapshot().version, table.contents()
    with pytest.raises(kind) as caught:
        writer.commit()
    assert (table.log.snapshot().version, table.contents()) == (version, before)
    assert len(table.vector_files()) == table.referred_vectors()
    return caught.value


def test_other_rows_of_a_file_are_no_conflict(table: Table) -> None:
    late = table.writer({"f1": [6]}, {"n6": [1006]}, picks={6})
    table.writer({"f1": [5]}, {"n5": [1005]}).commit()
    commit = late.commit()
    assert commit is not None
    assert (commit.version, commit.attempts) == (2, 2)
    assert table.deleted(table.add("f1")) == [5, 6]
    assert table.contents() == sorted({*range(20), 1005, 1006} - {5, 6})
    assert late.reader.asked == ["n5"]


def test_what_is_committed_is_told_on_top_of_the_winner(table: Table) -> None:
    late = table.writer({"f1": [6], "f2": [0]})
    # Another writer has stated the file with more of its own.
    stated = replace(table.file("f1", range(10)), tags={"k": "v"}, base_row_id=7, default_row_commit_version=1)
    stated = replace(stated, stats='{"numRecords":10,"tightBounds":true}', clustering_provider="liquid")
    vector = inline_vector(positions(2, 3))
    Transaction(table.log, table.log.snapshot()).commit(
        operations.DELETE, {}, [table.add("f1").remove(1), replace(stated, deletion_vector=vector)], blind_append=False
    )
    late.commit()
    lines = table.commit(2)
    (remove,) = (line["remove"] for line in lines if line.get("remove", {}).get("path") == "f1")
    (add,) = (line["add"] for line in lines if line.get("add", {}).get("path") == "f1")
    assert remove["deletionVector"] == vector.to_json()
    assert (add["tags"], add["baseRowId"], add["defaultRowCommitVersion"]) == ({"k": "v"}, 7, 1)
    assert add["clusteringProvider"] == "liquid"
    assert json.loads(add["stats"]) == {"numRecords": 10, "tightBounds": False}
    assert table.deleted(table.add("f1")) == [2, 3, 6]
    assert table.deleted(table.add("f2")) == [0]


def test_a_file_without_a_live_row_is_only_removed(table: Table) -> None:
    late = table.writer({"f1": [0, 9]})
    table.writer({"f1": list(range(1, 9))}).commit()
    late.commit()
    assert [next(iter(line)) for line in table.commit(2)] == ["commitInfo", "remove"]
    assert table.contents() == list(range(10, 20))
    assert len(table.vector_files()) == table.referred_vectors()


def test_many_winners_one_after_another(table: Table) -> None:
    late = table.writer({"f1": [9], "f2": [9]}, {"n": [1009, 1019]}, picks={9, 19})
    for row in range(4):
        table.writer({"f1": [row]}, {f"n{row}": [1000 + row]}).commit()
    table.writer({"f2": [8]}).commit()
    late.commit()
    assert table.deleted(table.add("f1")) == [0, 1, 2, 3, 9]
    assert table.deleted(table.add("f2")) == [8, 9]
    assert late.reader.asked == ["n0", "n1", "n2", "n3"]
    # Each lost try has written vectors: only those of commits are left.
    assert len(table.vector_files()) == table.referred_vectors()


@pytest.mark.parametrize(
    ("own", "winner", "new", "kind", "text"),
    [
        ([5], [5], {"n": [1005]}, RowAppendError, "1 row of f1 (position 5)"),
        ([4, 5, 6], [5, 6, 7], {"n": [1005]}, RowAppendError, "2 rows of f1 (position 5, 6)"),
        ([5], [5], {}, RowDeleteReadError, "1 row of f1 (position 5)"),
        (list(range(9)), list(range(9)), {}, RowDeleteReadError, "9 rows of f1 (position 0, 1, 2, …)"),
    ],
)
def test_the_same_rows(
    table: Table, own: Sequence[int], winner: Sequence[int], new: Mapping[str, Sequence[int]], kind: Any, text: str
) -> None:
    late = table.writer({"f1": own}, {"mine": [2000]})
    table.writer({"f1": winner}, new).commit()
    error = refused(late, kind)
    assert (error.version, error.sqlstate) == (1, "2D521")
    assert error.condition.endswith(".ROW_LEVEL_CHANGES")
    assert text in error.message


def test_a_later_winner_may_be_the_one(table: Table) -> None:
    late = table.writer({"f1": [8]}, picks={8})
    for row in (5, 8):
        table.writer({"f1": [row]}, {f"n{row}": [1000 + row]}).commit()
    assert refused(late, RowAppendError).version == 2


@pytest.mark.parametrize(("marks", "kind"), [({"f1": [5]}, ConcurrentDeleteReadError), ({"f2": [5]}, None)])
def test_a_file_that_goes_as_a_whole(table: Table, marks: Any, kind: Any) -> None:
    late = table.writer(marks)
    table.remove("f1")
    if kind is not None:
        refused(late, kind)
        return
    late.commit()
    assert table.contents() == [10, 11, 12, 13, 14, 16, 17, 18, 19]


@pytest.mark.parametrize(
    ("level", "blind", "picked", "conflicts"),
    [
        (WRITE, True, True, False),
        (WRITE, False, True, True),
        (WRITE, False, False, False),
        (SERIALIZABLE, True, True, True),
        (SERIALIZABLE, True, False, False),
        (SERIALIZABLE, False, True, True),
    ],
)
def test_new_rows(table: Table, level: IsolationLevel, blind: bool, picked: bool, conflicts: bool) -> None:
    late = table.writer({"f1": [5]}, {"mine": [1005]}, picks={100 if picked else 101}, level=level)
    if blind:
        table.insert("n", 100)
    else:
        table.writer({}, {"n": [100]}).commit()
    if conflicts:
        assert "new rows fulfil its condition" in refused(late, RowAppendError).message
        return
    late.commit()
    assert table.contents() == sorted({*range(20), 100, 1005} - {5})
    assert late.reader.asked == ([] if blind and level is WRITE else ["n"])


def test_a_deleted_row_of_a_new_file_is_no_new_row(table: Table) -> None:
    late = table.writer({"f1": [5]}, picks={100}, level=SERIALIZABLE)
    new = replace(table.file("n", [100, 101]), deletion_vector=inline_vector(positions(0)))
    Transaction(table.log, table.log.snapshot()).commit(operations.WRITE, {}, [new])
    assert late.commit() is not None


@pytest.mark.parametrize(
    ("marks", "picks", "before", "after", "kind"),
    [
        # Rows that come back are new rows.
        ({"f1": [6]}, {5}, [5], [], RowAppendError),
        ({"f1": [6]}, {6}, [5], [], None),
        ({"f2": [6]}, {5}, [5], [], RowAppendError),
        # To go back to a version of another branch brings some back while others go.
        ({"f2": [6]}, {1}, [1], [3, 4], RowAppendError),
        ({"f1": [4]}, {7}, [1], [3, 4], RowDeleteReadError),
        ({"f1": [6]}, {6}, [1], [3, 4], None),
    ],
)
def test_restored_rows(table: Table, marks: Any, picks: Any, before: Any, after: Any, kind: Any) -> None:
    table.writer({"f1": before}).commit()
    late = table.writer(marks, picks=picks)
    restored = table.add("f1")
    vector = inline_vector(positions(*after)) if after else None
    transaction = Transaction(table.log, table.log.snapshot())
    transaction.commit(operations.RESTORE, {}, [restored.remove(1), replace(restored, deletion_vector=vector)])
    if kind is not None:
        refused(late, kind)
        return
    late.commit()
    assert table.contents() == sorted(set(range(20)) - {*after, 6})


@pytest.mark.parametrize(
    ("deleted", "kind"), [([5], RowDeleteReadError), ([6], None), (list(range(10)), RowDeleteReadError)]
)
def test_rows_that_were_only_looked_at(table: Table, deleted: Sequence[int], kind: Any) -> None:
    late = table.writer({}, {"copy": [2005]}, seen={"f1": [5]}, picks={5})
    table.writer({"f1": deleted}).commit()
    if kind is not None:
        refused(late, kind)
        return
    assert late.commit() is not None


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (Budget(files=1), "more than 1 files"),
        (Budget(bytes=7), "more than 7 bytes"),
        (Budget(seconds=0.5), "it has taken 0.5 seconds"),
    ],
)
def test_a_look_at_new_rows_may_not_cost_too_much(
    table: Table, budget: Budget, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(100))
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    late = table.writer({"f1": [5]}, budget=budget)
    table.writer({}, {"n": [100]}).commit()
    table.writer({}, {"m": [101]}).commit()
    error = refused(late, AppendBudgetError)
    assert reason in error.message
    assert error.condition == "DELTA_CONCURRENT_APPEND.ALLOTTED_TIME_EXCEEDED"


def test_files_that_statistics_rule_out_cost_nothing(table: Table) -> None:
    late = table.writer({"f1": [5]}, budget=Budget(files=0), skipped={"n"})
    table.writer({}, {"n": [100]}).commit()
    assert late.commit() is not None
    assert late.reader.asked == []


def test_changed_metadata_are_no_matter_of_rows(table: Table) -> None:
    late = table.writer({"f1": [5]})
    snapshot = table.log.snapshot()
    Transaction(table.log, snapshot).commit(
        operations.SET_PROPERTIES, {}, [snapshot.metadata.with_configuration({"a": "b"})]
    )
    refused(late, MetadataChangedError)


def test_metadata_of_its_own_make_blind_appends_count(table: Table) -> None:
    late = table.writer({"f1": [5]}, picks={100})
    late.added = [late.transaction.read_snapshot.metadata.with_configuration({"a": "b"})]  # type: ignore[union-attr, list-item]
    table.insert("n", 100)
    refused(late, RowAppendError)


@pytest.mark.parametrize("by_rows", [True, False])
@pytest.mark.parametrize(
    ("picked", "strict", "reads_append", "conflicts"),
    [(True, True, True, True), (True, False, True, False), (False, True, True, False), (True, True, False, False)],
)
def test_three_writers_do_not_go_round(
    table: Table, by_rows: bool, picked: bool, strict: bool, reads_append: bool, conflicts: bool
) -> None:
    """A statement put before an append must not come behind one that has read what it appended."""
    late = table.writer({"f1": [5]}, picks={100} if picked else {}, strict=strict, by_rows=by_rows, level=WRITE)
    other = table.writer({}, {"n2": [300]})
    table.insert("n", 100)
    other = table.writer({}, {"n2": [300]}) if reads_append else other
    other.commit()
    # By files every change of others is a conflict, with or without a circle.
    if conflicts or not by_rows:
        error = refused(late, ConcurrentAppendError)
        assert error.version == 2
        return
    assert late.commit() is not None


def test_a_writer_that_does_not_say_what_it_read_may_have_read_all(table: Table) -> None:
    late = table.writer({"f1": [5]}, picks={100}, level=WRITE)
    table.insert("n", 100)
    commit = {"commitInfo": {"operation": "FOREIGN"}}, {"add": table.file("m", [7]).to_json()["add"]}
    path = table.folder / "_delta_log" / f"{2:020d}.json"
    path.write_text("\n".join(map(json.dumps, commit)))
    assert refused(late, ConcurrentAppendError).operation == "FOREIGN"


def test_the_circle_costs_one_look_at_an_append(table: Table) -> None:
    late = table.writer({"f1": [5]}, picks={5}, budget=Budget(files=4), level=WRITE)
    table.insert("n", 100)
    for row in range(6, 9):
        table.writer({"f1": [row]}).commit()
    assert late.commit() is not None
    assert late.reader.asked == ["n"]


def test_the_circle_leaves_serializable_and_appends_alone(table: Table) -> None:
    late = table.writer({"f1": [5]}, picks={300}, level=SERIALIZABLE)
    blind = Transaction(table.log, table.log.snapshot())
    table.insert("n", 100)
    table.writer({}, {"m": [200]}).commit()
    assert blind.commit(operations.WRITE, {}, [table.file("b", [400])]).version == 3
    assert late.commit() is not None
