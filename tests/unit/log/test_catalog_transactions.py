"""Transactions over several tables whose commits the embedded catalog ratifies together."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

import pytest

from deltasql import Session
from deltasql.base.errors import (
    CatalogFileError,
    ConcurrentModificationError,
    SecondTableError,
)
from deltasql.log.committers import (
    StagedCommit,
)
from deltasql.log.storage.listing import STAGED_COMMITS
from tests.unit.log.catalog_lab import MANAGED, CrashError, Lab, crashing

GROUP = ("UPDATE a SET n = n - 1 WHERE id = 1", "UPDATE b SET n = n + 1 WHERE id = 1", "INSERT INTO c VALUES (1, 1)")


def three_tables(lab: Lab) -> Session:
    session = lab.session()
    for name in "abc":
        session.sql(f"CREATE TABLE {name} (id INT, n INT) {MANAGED}")
        session.sql(f"INSERT INTO {name} VALUES (1, 10), (2, 20)")
    return session


def contents(lab: Lab) -> list[list[tuple[int, int]]]:
    session = lab.session()
    rows = ([(row[0], row[1]) for row in session.sql(f"SELECT id, n FROM {name}").collect()] for name in "abc")
    return [sorted(found) for found in rows]


@pytest.mark.parametrize(
    ("method", "after", "done"),
    [("ratify", False, False), ("ratify", True, True), ("published", False, True), ("published", True, True)],
)
def test_a_crash_leaves_the_old_or_the_new_state_of_all_tables(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, method: str, after: bool, done: bool
) -> None:
    session = three_tables(lab)
    before = contents(lab)
    crashing(session, monkeypatch, method, after=after)
    with pytest.raises(CrashError):
        session.sql(f"BEGIN ATOMIC {'; '.join(GROUP)}; END")
    assert contents(lab) == ([[(1, 9), (2, 20)], [(1, 11), (2, 20)], [(1, 1), (1, 10), (2, 20)]] if done else before)
    other = lab.session()
    assert {other.log(name).snapshot().version for name in "abc"} == {2 if done else 1}
    assert len(other.sql(f"BEGIN ATOMIC {'; '.join(GROUP)}; END").collect()) == 3


@pytest.mark.parametrize("after", [False, True])
def test_a_transaction_over_several_tables_survives_a_lost_answer(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    session = three_tables(lab)
    before = contents(lab)
    registry = session.catalog.commits

    def ratify(commits: Sequence[StagedCommit], unchanged: Mapping[str, int]) -> Collection[str]:
        if after:
            type(registry).ratify(registry, commits, unchanged)
            # Another reader publishes the commits meanwhile, and the catalog forgets them.
            assert contents(lab) != before
        raise CatalogFileError(path="commits.json", reason="no answer", advice="")

    monkeypatch.setattr(registry, "ratify", ratify)
    if after:
        assert [row[1] for row in session.sql(f"BEGIN ATOMIC {'; '.join(GROUP)}; END").collect()] == [2, 2, 2]
    else:
        with pytest.raises(CatalogFileError):
            session.sql(f"BEGIN ATOMIC {'; '.join(GROUP)}; END")
        assert contents(lab) == before


def test_a_group_names_its_members(lab: Lab) -> None:
    session = three_tables(lab)
    session.sql(f"BEGIN ATOMIC {'; '.join(GROUP[:2])}; END")
    session.sql(f"BEGIN ATOMIC {GROUP[2]}; END")
    ids = {name: session.log(name).snapshot().metadata.id for name in "abc"}
    groups = {
        name: [
            json.loads(line)["transactionGroup"]
            for line in session.log(name).reader.data(2).splitlines()
            if b"transactionGroup" in line
        ]
        for name in "abc"
    }
    assert groups["c"] == []
    assert groups["a"] == groups["b"]
    assert groups["a"][0]["participants"] == [{"tableId": ids[name], "version": 2} for name in "ab"]
    infos = [session.log(name).reader.commit(2).info for name in "ab"]
    assert {info and info.transaction_id for info in infos} == {groups["a"][0]["txnId"]}


def test_a_transaction_reads_all_tables_as_of_one_moment(lab: Lab) -> None:
    session, other = three_tables(lab), lab.session()
    session.sql("BEGIN TRANSACTION")
    assert session.sql("SELECT n FROM a WHERE id = 1").collect()[0][0] == 10
    other.sql(f"BEGIN ATOMIC {'; '.join(GROUP)}; END")
    other.sql("INSERT INTO b VALUES (7, 7)")
    assert sorted(row[0] for row in session.sql("SELECT n FROM b").collect()) == [10, 20]
    session.sql("INSERT INTO b VALUES (3, 3)")
    assert sorted(row[0] for row in session.sql("SELECT n FROM b").collect()) == [3, 10, 20]
    with pytest.raises(ConcurrentModificationError):
        session.sql("COMMIT")
    assert lab.session().sql("SELECT count(*) FROM b").collect()[0][0] == 3


def test_a_table_that_was_only_read_must_not_have_changed(lab: Lab) -> None:
    session, other = three_tables(lab), lab.session()
    for name in "abc":
        session.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.isolationLevel' = 'Serializable')")
    # Each reads what the other writes: no order of the two gives both.
    for one, read, written in ((session, "a", "b"), (other, "b", "a")):
        one.sql("BEGIN TRANSACTION")
        one.sql(f"SELECT * FROM {read}").collect()
        one.sql(f"UPDATE {written} SET n = 0 WHERE id = 1")
    assert len(session.sql("COMMIT").collect()) == 1
    with pytest.raises(ConcurrentModificationError, match=r"to a \(|to b \("):
        other.sql("COMMIT")
    assert contents(lab)[:2] == [[(1, 10), (2, 20)], [(1, 0), (2, 20)]]


def test_a_lost_race_goes_on_top_of_the_winner_or_runs_again(lab: Lab) -> None:
    session, other = three_tables(lab), lab.session()
    late = session.begin(f"BEGIN ATOMIC {'; '.join(GROUP)}; END")
    other.sql("INSERT INTO c VALUES (5, 5)")
    result = late.commit()
    assert ([row[1] for row in result.collect()], result.attempts) == ([2, 2, 3], 2)
    late = session.begin(f"BEGIN ATOMIC {'; '.join(GROUP)}; END")
    other.sql("UPDATE b SET n = 0 WHERE id = 1")
    with pytest.raises(ConcurrentModificationError):
        late.commit()
    assert contents(lab)[:2] == [[(1, 9), (2, 20)], [(1, 0), (2, 20)]]
    assert {tuple(lab.session().log(name).store.list_folder(STAGED_COMMITS)) for name in "abc"} == {()}


def test_plain_tables_have_transactions_of_their_own(lab: Lab) -> None:
    session = three_tables(lab)
    session.sql("CREATE TABLE p (id INT, n INT)")
    insert = "INSERT INTO p VALUES (1, 1)"
    for block in (f"{insert}; INSERT INTO a VALUES (1, 1)", f"DELETE FROM a; {insert}"):
        with pytest.raises(SecondTableError, match=r"ALTER TABLE p SET TBLPROPERTIES \('delta.feature.catalogManaged'"):
            session.sql(f"BEGIN ATOMIC {block}; END")
    assert session.sql("BEGIN ATOMIC INSERT INTO p SELECT * FROM a; END").version == 1
    assert session.sql("SELECT count(*) FROM p").collect()[0][0] == 2
