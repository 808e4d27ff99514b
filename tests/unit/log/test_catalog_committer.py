"""Commits that the embedded catalog ratifies, in a SQLite file and in an object: crashes, lost answers, strangers."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from deltasql import DeltaSqlError, Session, connect
from deltasql.base.errors import (
    AmbiguousWriteError,
    CatalogFileError,
    ConcurrentModificationError,
    ManagedTimestampsError,
    SecondTableError,
    StorageError,
)
from deltasql.log.committers import (
    CatalogCommitter,
    CommitCatalog,
    StagedCommit,
    TableCommits,
    current_commits,
    ratified,
)
from deltasql.log.storage.listing import STAGED_COMMITS, commit_path
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.stores import open_store

MANAGED = "TBLPROPERTIES ('delta.feature.catalogManaged' = 'supported')"


class CrashError(BaseException):
    """The process dies here."""


class Lab:
    """A warehouse, and sessions in it that may be made to crash."""

    def __init__(self, warehouse: str) -> None:
        self.warehouse = warehouse
        self.opened: list[Session] = []

    def session(self) -> Session:
        self.opened.append(connect(warehouse=self.warehouse))
        return self.opened[-1]

    @property
    def location(self) -> str:
        return f"{self.warehouse}/t"

    @property
    def store(self) -> LogStore:
        return open_store(self.location)

    @property
    def state(self) -> TableCommits | None:
        return self.session().catalog.commits.find(self.location)

    def rows(self) -> list[int]:
        return sorted(row[0] for row in self.session().sql("SELECT id FROM t").collect())

    def staged(self) -> list[str]:
        return [entry.name for entry in self.store.list_folder(STAGED_COMMITS)]


@pytest.fixture(params=["disk", "objects"])
def lab(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Lab]:
    """A warehouse with a table `t` that the catalog manages, of one row: 0."""
    made = Lab(str(tmp_path / "w") if request.param == "disk" else f"memory://{uuid.uuid4().hex}/w")
    session = made.session()
    session.sql(f"CREATE TABLE t (id INT) {MANAGED}")
    session.sql("INSERT INTO t VALUES (0)")
    yield made
    for session in made.opened:
        session.close()


def crashing(session: Session, monkeypatch: pytest.MonkeyPatch, method: str, *, after: bool) -> None:
    """Makes the session die when it calls a method of the registry, before or after it took place."""
    registry = session.catalog.commits
    real = getattr(registry, method)

    def die(*args: Any) -> None:
        if after:
            real(*args)
        raise CrashError

    monkeypatch.setattr(registry, method, die)


def test_a_commit_is_staged_ratified_published_and_forgotten(lab: Lab) -> None:
    assert lab.state == TableCommits(1)
    assert lab.staged() == []
    assert lab.store.exists(commit_path(1))
    info = lab.session().sql("DESCRIBE HISTORY t").collect()
    assert [row[0] for row in info] == [1, 0]


@pytest.mark.parametrize(
    ("method", "after", "rows"),
    [("ratify", False, [0]), ("ratify", True, [0, 1]), ("published", False, [0, 1]), ("published", True, [0, 1])],
)
def test_a_crash_leaves_the_old_or_the_new_state(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, method: str, after: bool, rows: list[int]
) -> None:
    session = lab.session()
    crashing(session, monkeypatch, method, after=after)
    with pytest.raises(CrashError):
        session.sql("INSERT INTO t VALUES (1)")
    assert lab.rows() == rows
    # Whoever opened the table has published what was ratified.
    assert lab.state == TableCommits(len(rows))
    assert lab.store.exists(commit_path(len(rows)))
    assert lab.session().sql("INSERT INTO t VALUES (2)").version == len(rows) + 1
    assert lab.rows() == [*rows, 2]


@pytest.mark.parametrize(("method", "after"), [("adopt", False), ("adopt", True), ("settle", False), ("settle", True)])
def test_a_crash_while_the_table_becomes_managed(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, method: str, after: bool
) -> None:
    session = lab.session()
    session.sql("CREATE TABLE p (id INT)")
    crashing(session, monkeypatch, method, after=after)
    with pytest.raises(CrashError):
        session.sql(f"ALTER TABLE p SET {MANAGED}")
    other = lab.session()
    assert other.log("p").snapshot().is_managed == (method == "settle")
    assert other.sql("INSERT INTO p VALUES (1)").version == (2 if method == "settle" else 1)
    other.sql(f"ALTER TABLE p SET {MANAGED}")
    other.sql("INSERT INTO p VALUES (2)")
    assert lab.session().log("p").snapshot().by_catalog
    assert other.sql("SELECT count(*) FROM p").collect()[0][0] == 2


@pytest.mark.parametrize(("method", "after"), [("ratify", True), ("published", True), ("forget", False)])
def test_a_crash_while_the_table_leaves(lab: Lab, monkeypatch: pytest.MonkeyPatch, method: str, after: bool) -> None:
    session = lab.session()
    crashing(session, monkeypatch, method, after=after)
    with pytest.raises(CrashError):
        session.sql("ALTER TABLE t DROP FEATURE catalogManaged")
    other = lab.session()
    assert not other.log("t").snapshot().is_managed
    assert other.sql("INSERT INTO t VALUES (1)").version == 3
    # Managed again, in spite of what the catalog still knew.
    other.sql(f"ALTER TABLE t SET {MANAGED}")
    other.sql("INSERT INTO t VALUES (2)")
    assert (lab.rows(), lab.state) == ([0, 1, 2], TableCommits(5))


def test_a_table_that_left_belongs_to_every_writer(lab: Lab) -> None:
    reader = lab.session()
    assert reader.log("t").snapshot().by_catalog
    lab.session().sql("ALTER TABLE t DROP FEATURE catalogManaged")
    assert lab.state is None
    assert not reader.log("t").snapshot().is_managed
    stranger = connect(warehouse=f"{lab.warehouse}-2")
    assert stranger.sql(f"INSERT INTO delta.`{lab.location}` VALUES (1)").version == 3
    stranger.close()
    assert reader.sql("INSERT INTO t VALUES (2)").version == 4
    assert lab.rows() == [0, 1, 2]


def test_one_writer_wins_each_version(lab: Lab) -> None:
    def write(number: int) -> None:
        with connect(warehouse=lab.warehouse) as session:
            for step in range(5):
                session.sql(f"INSERT INTO t VALUES ({number * 10 + step})")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(1, 5)))
    assert lab.rows() == [0, *(number * 10 + step for number in range(1, 5) for step in range(5))]
    assert (lab.state, lab.staged()) == (TableCommits(21), [])


def test_a_loser_deletes_what_it_has_staged(lab: Lab) -> None:
    commits = lab.session().catalog.commits
    committer = CatalogCommitter(lab.store, commits, lab.location)
    for version in (1, 3):
        assert not committer.commit(version, b"{}\n")
    assert (lab.staged(), lab.state) == ([], TableCommits(1))


def test_ratified_commits_are_read_from_staged_files_where_nothing_can_be_published(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = lab.session()
    crashing(session, monkeypatch, "ratify", after=True)
    with pytest.raises(CrashError):
        session.sql("INSERT INTO t VALUES (1)")
    store = type(lab.store)
    for method in ("put_if_absent", "put_copy_if_absent"):
        if hasattr(store, method):
            monkeypatch.setattr(store, method, refused)
    reader = lab.session()
    assert sorted(row[0] for row in reader.sql("SELECT id FROM t").collect()) == [0, 1]
    assert reader.sql("SELECT count(*) FROM t VERSION AS OF 2").collect()[0][0] == 2
    assert [row[0] for row in reader.sql("DESCRIBE HISTORY t").collect()] == [2, 1, 0]
    assert not lab.store.exists(commit_path(2))


def refused(*args: object) -> bool:
    raise StorageError("write", "t", "it may only be read")


def test_no_early_checkpoint(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    session = lab.session()
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointInterval' = '3')")
    monkeypatch.setattr("deltasql.log.committers.publish", lambda *args: [])
    assert session.sql("INSERT INTO t VALUES (1)").version == 3
    names = [entry.name for entry in lab.store.list_folder("_delta_log")]
    assert not [name for name in names if "checkpoint" in name]
    assert lab.rows() == [0, 1]
    monkeypatch.undo()
    session.sql("INSERT INTO t VALUES (2), (3)")
    assert lab.rows() == [0, 1, 2, 3]


def test_timestamps_stay_on(lab: Lab) -> None:
    with pytest.raises(ManagedTimestampsError):
        lab.session().sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'false')")
    with pytest.raises(ManagedTimestampsError):
        lab.session().sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.enableInCommitTimestamps')")
    with pytest.raises(DeltaSqlError, match="catalogManaged"):
        lab.session().sql("ALTER TABLE t DROP FEATURE inCommitTimestamp")


def test_what_a_stranger_writes_past_the_catalog_is_ignored(lab: Lab) -> None:
    """Delta protocol: later files than the version that the catalog tells are no part of the table."""
    text = lab.store.read(commit_path(1))
    lab.store.put_if_absent(commit_path(2), text.replace(b"part-", b"lost-"))
    assert lab.rows() == [0]
    session = lab.session()
    session.sql("INSERT INTO t VALUES (1)")
    assert (lab.rows(), session.log("t").snapshot().version) == ([0, 1], 2)
    assert lab.state is not None
    assert list(lab.state.unpublished) == [2]


def test_a_table_may_be_dropped_and_made_anew(lab: Lab) -> None:
    other = lab.session()
    assert other.log("t").snapshot().version == 1
    session = lab.session()
    session.sql("DROP TABLE t")
    assert lab.state is None
    session.sql(f"CREATE TABLE t (id INT) {MANAGED}")
    session.sql("INSERT INTO t VALUES (7)")
    assert lab.rows() == [7]
    assert other.sql("INSERT INTO t VALUES (8)").version == 2


def test_a_location_of_which_the_catalog_knows_more_than_there_is(lab: Lab) -> None:
    lab.session().sql("INSERT INTO t VALUES (1)")
    lab.store.delete_below()
    session = lab.session()
    session.sql(f"CREATE OR REPLACE TABLE t (id INT) {MANAGED}")
    session.sql("INSERT INTO t VALUES (9)")
    assert (lab.rows(), lab.state) == ([9], TableCommits(1))


def test_several_tables_are_ratified_at_once_or_not_at_all(lab: Lab) -> None:
    session = lab.session()
    for name in "ab":
        session.sql(f"CREATE TABLE {name} (id INT) {MANAGED}")
    commits = session.catalog.commits

    def staged(name: str, version: int) -> dict[StagedCommit, LogStore]:
        place = f"{lab.warehouse}/{name}"
        committer = CatalogCommitter(open_store(place), commits, place)
        return {committer.stage(version, b"{}\n"): committer.store}

    assert ratified(commits, {**staged("a", 1), **staged("b", 2)}, {}) == [f"{lab.warehouse}/b"]
    assert ratified(commits, {**staged("a", 1), **staged("b", 1)}, {lab.location: 0}) == [lab.location]
    assert {state.latest for place, state in commits.all().items() if place != lab.location} == {0}
    assert ratified(commits, {**staged("a", 1), **staged("b", 1)}, {lab.location: 1}) == []
    assert {state.latest for state in commits.all().values()} == {1}


class Silent:
    """A registry whose answers to `ratify` are lost, before or after it took place."""

    def __init__(self, real: CommitCatalog, *, after: bool, lost: bool = False) -> None:
        self.real, self.after, self.lost = real, after, lost

    def ratify(self, commits: Sequence[StagedCommit], unchanged: Mapping[str, int]) -> Collection[str]:
        if self.after:
            self.real.ratify(commits, unchanged)
        raise CatalogFileError(path="commits.json", reason="no answer", advice="")

    def find(self, location: str) -> TableCommits | None:
        if self.lost:
            raise CatalogFileError(path="commits.json", reason="no answer", advice="")
        return self.real.find(location)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


@pytest.mark.parametrize("after", [False, True])
def test_a_lost_answer_is_looked_up(lab: Lab, after: bool) -> None:
    committer = CatalogCommitter(lab.store, Silent(lab.session().catalog.commits, after=after), lab.location)
    if after:
        assert committer.commit(2, b"{}\n")
        assert committer.publish(2, None)
    else:
        with pytest.raises(CatalogFileError):
            committer.commit(2, b"{}\n")
    assert (lab.state, lab.staged()) == (TableCommits(2 if after else 1), [])


def test_an_answer_that_stays_away_is_no_answer(lab: Lab) -> None:
    silent = Silent(lab.session().catalog.commits, after=True, lost=True)
    committer = CatalogCommitter(lab.store, silent, lab.location)
    with pytest.raises(AmbiguousWriteError):
        committer.commit(2, b"{}\n")
    # The files stay: the commit is there.
    known = current_commits(silent.real, lab.store, lab.location, 1)
    assert known == TableCommits(2)


@pytest.mark.parametrize("after", [False, True])
def test_a_statement_survives_a_lost_answer(lab: Lab, monkeypatch: pytest.MonkeyPatch, after: bool) -> None:
    session = lab.session()
    registry, tries = session.catalog.commits, []

    def ratify(commits: Sequence[StagedCommit], unchanged: Mapping[str, int]) -> Collection[str]:
        tries.append(commits)
        if len(tries) > 1:
            return type(registry).ratify(registry, commits, unchanged)
        if after:
            type(registry).ratify(registry, commits, unchanged)
            # Another reader publishes it meanwhile, and the catalog forgets it.
            current_commits(lab.session().catalog.commits, lab.store, lab.location, 1)
        raise CatalogFileError(path="commits.json", reason="no answer", advice="")

    monkeypatch.setattr(registry, "ratify", ratify)
    if after:
        assert session.sql("INSERT INTO t VALUES (1)").version == 2
    else:
        with pytest.raises(CatalogFileError):
            session.sql("INSERT INTO t VALUES (1)")
    assert lab.rows() == ([0, 1] if after else [0])


def test_defaults_of_schema_and_session(lab: Lab) -> None:
    session = lab.session()
    session.sql("CREATE SCHEMA s WITH DBPROPERTIES ('deltasql.catalogManaged' = 'true')")
    session.sql("CREATE TABLE s.a (id INT)")
    session.sql("CREATE TABLE s.b AS SELECT 1 AS id")
    session.sql("CREATE TABLE c (id INT)")
    session.sql("SET spark.databricks.delta.properties.defaults.feature.catalogManaged = supported")
    session.sql("CREATE TABLE d (id INT)")
    managed = [session.log(name).snapshot().by_catalog for name in ("s.a", "s.b", "c", "d")]
    assert managed == [True, True, False, True]


def test_copies_are_not_managed(lab: Lab) -> None:
    session = lab.session()
    session.sql("CREATE TABLE l LIKE t")
    session.sql("CREATE TABLE c SHALLOW CLONE t")
    session.sql("CREATE TABLE r (id INT)")
    session.sql(f"ALTER TABLE r SET {MANAGED}")
    session.sql("ALTER TABLE r DROP FEATURE catalogManaged")
    session.sql("RESTORE r TO VERSION AS OF 1")
    assert not [name for name in "lcr" if session.log(name).snapshot().is_managed]
    session.sql("ALTER TABLE t RENAME TO moved")
    assert session.sql("INSERT INTO moved VALUES (1)").version == 2


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
