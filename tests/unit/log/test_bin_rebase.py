"""OPTIMIZE that lost a race: its new files take over what others did to the old ones, or are given up."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import ClassVar

import pytest

from deltasql.base.errors import ConcurrentDeleteDeleteError, ConcurrentDeleteReadError, MetadataChangedError
from deltasql.log import operations
from deltasql.log.actions.deletion_vectors import deleted_rows
from deltasql.log.commit.transaction import Transaction
from deltasql.log.committers import FileSystemCommitter
from tests.unit.log.races import Table
from tests.unit.log.test_row_rebase import refused

ALL = set(range(20))


@pytest.mark.parametrize(("tagged", "tracked"), [(True, False), (False, True)])
def test_deletions_are_carried_over(table: Table, tagged: bool, tracked: bool) -> None:
    table.writer({"f1": [0, 1]}).commit()
    late = table.optimizer((["f1", "f2"], ["o"]), tagged=tagged, tracked=tracked)
    table.writer({"f1": [2, 5], "f2": [0]}).commit()
    table.writer({"f2": [1]}, {"n": [1011]}).commit()
    commit = late.commit()
    assert commit is not None
    assert table.contents() == sorted(ALL - {0, 1, 2, 5, 10, 11} | {1011})
    # Eight rows of f1 were left, those of f2 follow.
    assert table.deleted(table.add("o")) == [0, 3, 8, 9]
    lines = table.commit(commit.version)
    (add,) = (line["add"] for line in lines if "add" in line)
    assert json.loads(add["stats"]) == {"numRecords": 18, "tightBounds": False}
    assert not add["dataChange"]
    # The old files are removed as the winners left them.
    removes = {line["remove"]["path"]: line["remove"] for line in lines if "remove" in line}
    gone = {path: deleted_rows(table.log.store, remove["deletionVector"]).tolist() for path, remove in removes.items()}
    assert gone == {"f1": [0, 1, 2, 5], "f2": [0, 1]}
    assert lines[0]["commitInfo"]["operationMetrics"] == {"numBins": "1", "numAddedFiles": "1"}
    assert len(table.vector_files()) == table.referred_vectors()


def test_a_new_file_without_a_live_row_is_left_out(table: Table) -> None:
    late = table.optimizer((["f1", "f2"], ["o1", "o2", "o3", "o4"]), tracked=True)
    table.writer({"f1": [0, 1, 2, 9], "f2": [0]}).commit()
    table.writer({"f1": [3, 4]}).commit()
    commit = late.commit()
    assert commit is not None
    adds = [line["add"]["path"] for line in table.commit(commit.version) if "add" in line]
    assert adds == ["o2", "o3", "o4"]
    assert table.info(commit.version)["operationMetrics"] == {"numBins": "1", "numAddedFiles": "3"}
    assert table.contents() == sorted(ALL - {0, 1, 2, 3, 4, 9, 10})


@pytest.mark.parametrize("tagged", [True, False])
def test_a_bin_whose_files_others_have_taken_is_given_up(table: Table, tagged: bool) -> None:
    late = table.optimizer((["f1"], ["o1"]), (["f2"], ["o2"]), tagged=tagged)
    table.remove("f1")
    commit = late.commit()
    assert commit is not None
    assert table.contents() == list(range(10, 20))
    assert table.info(commit.version)["operationMetrics"] == {"numBins": "1", "numAddedFiles": "1"}


def test_a_bin_whose_rows_cannot_be_found_is_given_up(table: Table) -> None:
    late = table.optimizer((["f1"], ["o1"]), (["f2"], ["o2"]), tagged=False)
    table.writer({"f1": [3]}).commit()
    commit = late.commit()
    assert commit is not None
    assert table.contents() == sorted(ALL - {3})
    assert [line["add"]["path"] for line in table.commit(commit.version) if "add" in line] == ["o2"]


def rearranged(table: Table) -> None:
    table.optimize(["f1", "f2"], "other")


def removed(table: Table) -> None:
    table.remove("f1")
    table.remove("f2")


def deleted_from(table: Table) -> None:
    table.writer({"f1": [3], "f2": [3]}).commit()


def restored(table: Table) -> None:
    old = [table.add("f1"), table.add("f2")]
    plain = [add.__class__(add.path, {}, add.size, 1, True, add.stats) for add in old]
    Transaction(table.log, table.log.snapshot()).commit(
        operations.RESTORE, {}, [*(add.remove(1) for add in old), *plain]
    )


@pytest.mark.parametrize("what", [rearranged, removed, deleted_from])
def test_with_all_bins_given_up_there_is_no_commit(table: Table, what: Callable[[Table], None]) -> None:
    late = table.optimizer((["f1"], ["o1"]), (["f2"], ["o2"]), tagged=False)
    what(table)
    version, rows = table.log.snapshot().version, table.contents()
    assert late.commit() is None
    assert (table.log.snapshot().version, table.contents()) == (version, rows)
    assert len(table.vector_files()) == table.referred_vectors()


def test_rows_that_come_back_are_not_in_the_new_files(table: Table) -> None:
    table.writer({"f1": [3], "f2": [3]}).commit()
    late = table.optimizer((["f1", "f2"], ["o"]))
    restored(table)
    assert late.commit() is None
    assert table.contents() == sorted(ALL)


@pytest.mark.parametrize("what", [rearranged, removed, deleted_from])
def test_z_order_is_all_or_nothing(table: Table, what: Callable[[Table], None]) -> None:
    late = table.optimizer((["f1", "f2"], ["o1", "o2"]), ordered=True)
    what(table)
    refused(late, ConcurrentDeleteDeleteError)


def test_z_order_finds_deleted_rows_by_their_ids(table: Table) -> None:
    late = table.optimizer((["f1", "f2"], ["o1", "o2"]), ordered=True, tracked=True)
    table.writer({"f1": [3]}).commit()
    assert late.commit() is not None
    assert table.contents() == sorted(ALL - {3})
    assert table.deleted(table.add("o2")) == [6]


@pytest.mark.parametrize("what", [rearranged, removed, deleted_from])
def test_without_vectors_the_rules_of_files_hold(table: Table, what: Callable[[Table], None]) -> None:
    late = table.optimizer((["f1", "f2"], ["o"]), by_rows=False)
    what(table)
    refused(late, ConcurrentDeleteReadError)


@pytest.mark.parametrize("by_rows", [True, False])
def test_what_others_do_elsewhere_does_not_matter(table: Table, by_rows: bool) -> None:
    late = table.optimizer((["f1"], ["o"]), by_rows=by_rows)
    table.insert("n", 100)
    table.writer({"f2": [3]}, {"m": [1013]}).commit()
    assert late.commit() is not None
    assert table.contents() == sorted(ALL - {13} | {100, 1013})


def test_metadata_are_no_matter_of_bins(table: Table) -> None:
    late = table.optimizer((["f1"], ["o"]))
    snapshot = table.log.snapshot()
    Transaction(table.log, snapshot).commit(
        operations.SET_PROPERTIES, {}, [snapshot.metadata.with_configuration({"a": "b"})]
    )
    refused(late, MetadataChangedError)


def test_each_try_leaves_only_the_vectors_of_its_commit(table: Table) -> None:
    late = table.optimizer((["f1", "f2"], ["o"]))

    class Busy(FileSystemCommitter):
        """Deletes one more row in front of the first tries."""

        rows: ClassVar = [1, 2, 3]

        def commit(self, version: int, data: bytes) -> bool:
            if self.rows:
                table.writer({"f1": [self.rows.pop()]}).commit()
            return super().commit(version, data)

    late.transaction._committer = Busy(table.log.store)
    commit = late.commit()
    assert commit is not None
    assert commit.attempts == 4
    assert table.contents() == sorted(ALL - {1, 2, 3})
    assert table.deleted(table.add("o")) == [1, 2, 3]
    assert len(table.vector_files()) == table.referred_vectors()
