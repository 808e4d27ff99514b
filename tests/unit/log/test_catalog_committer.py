"""Commits that the embedded catalog ratifies, in a SQLite file and in an object: crashes, lost answers, strangers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from deltasql import DeltaSqlError, connect
from deltasql.base.errors import (
    AmbiguousWriteError,
    CatalogFileError,
    ManagedTimestampsError,
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
from deltasql.log.storage.listing import commit_path
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.stores import open_store
from tests.unit.log.catalog_lab import MANAGED, CrashError, Lab, crashing


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
