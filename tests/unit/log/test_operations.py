"""Operations of commits: what follows from each, and what is made of names that others write."""

from __future__ import annotations

from deltasql.log import operations
from deltasql.log.operations import Operation, Outcome, operation_named

OURS = [item for item in vars(operations).values() if isinstance(item, Operation)]


def test_a_name_in_the_log_is_one_of_ours() -> None:
    for item in OURS:
        assert operation_named(item.name) is item
        assert str(item) == item.name


def test_nothing_is_known_of_another_writers_operation() -> None:
    assert operation_named("SOMETHING ELSE") == Operation("SOMETHING ELSE")


def test_what_puts_a_table_back_is_not_repeated() -> None:
    assert [item.name for item in OURS if not item.may_repeat] == ["RESTORE", "CLONE"]
    assert [item.name for item in OURS if item.replaces_all] == ["RESTORE", "CLONE", "CONVERT"]


def test_what_returns_counts_changes_data() -> None:
    assert all(item.changes_data for item in OURS if item.outcome is not Outcome.NONE)
    assert {item.name for item in OURS if item.changes_data and item.outcome is Outcome.NONE} == {
        *("TRUNCATE", "TRANSACTION", "RESTORE", "CLONE", "CONVERT"),
    }


def test_backfills_and_statistics_state_files_anew() -> None:
    names = {item.name for item in OURS if item.restates_files}
    assert names == {"ROW TRACKING BACKFILL", "ROW TRACKING UNBACKFILL", "COMPUTE STATS"}


def test_what_composes_is_not_done_at_once() -> None:
    assert not any(item.replaces_all or item.restates_files or not item.may_repeat for item in OURS if item.composes)
    assert {item.name for item in OURS if item.composes and item.changes_data} == {
        *("WRITE", "UPDATE", "DELETE", "MERGE", "TRUNCATE"),
    }
