"""Which files VACUUM may delete: of folders made by hand, so that every age and name is there."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import deltasql
from deltasql.base.errors import StorageError, VacuumLiteError
from deltasql.log import operations
from deltasql.log.actions.actions import AddCDCFile, AddFile, DeletionVector
from deltasql.log.actions.deletion_vectors import vector_path, z85_encode
from deltasql.log.commit.transaction import Transaction
from deltasql.log.old_files import hidden_names, unused_files
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.listing import commit_path
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.stores import open_store
from deltasql.session.session import Session

DAY = 24 * 60 * 60
CREATE = "CREATE TABLE t (a INT, _p STRING) PARTITIONED BY (_p) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    session = deltasql.connect(str(tmp_path / "a warehouse %41"))
    session.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
    session.sql(CREATE)
    return session


@pytest.fixture
def root(session: Session) -> Path:
    return Path(session.log("t").location)


def put(root: Path, path: str, days: float = 30) -> Path:
    """A file that was last changed so many days ago."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"0123456789")
    age(file, days)
    return file


def age(file: Path, days: float) -> None:
    moment = time.time() - days * DAY
    os.utime(file, (moment, moment))


def add(path: str, vector: DeletionVector | None = None) -> AddFile:
    return AddFile(path, {"_p": "1"}, 10, 1, stats='{"numRecords":10}', deletion_vector=vector)


def commit(log: DeltaLog, *actions: Any) -> int:
    return Transaction(log, log.snapshot()).commit(operations.WRITE, {"mode": "Append"}, list(actions)).version


def files(root: Path) -> set[str]:
    """All files of the table but those of its log."""
    found = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return {path for path in found if not path.startswith("_delta_log/")}


def listed(session: Session, clauses: str = "") -> list[str]:
    """What a dry run names, relative to the table."""
    prefix = f"file:{session.log('t').location}/"
    return [row.path.removeprefix(prefix) for row in session.sql(f"VACUUM t {clauses} DRY RUN")]


def test_live_young_and_hidden_files_stay(session: Session, root: Path) -> None:
    kept = ["_p=1/live.parquet", "_p=1/.live.parquet.crc", "_x/y", ".z/y", "_started", "_p=1/_part", "link/other"]
    for path in (*kept, "_p=1/old.parquet", "_p=1/.old.parquet.crc", "orphan.parquet", "_change_data/c.parquet"):
        put(root, path)
    put(root, "_p=1/young.parquet", days=6.9)
    (root / "link").rename(root.parent / "elsewhere")
    (root / "link").symlink_to(root.parent / "elsewhere")
    commit(session.log("t"), add("_p=1/live.parquet"))
    assert listed(session) == ["_change_data/c.parquet", "_p=1/old.parquet", "orphan.parquet"]
    before = files(root)
    result = session.sql("VACUUM t")
    assert before - files(root) == {
        "_change_data/c.parquet", "_p=1/old.parquet", "_p=1/.old.parquet.crc", "orphan.parquet",
    }  # fmt: skip
    assert result.metrics["numDeletedFiles"] == 3
    assert result.metrics["sizeOfDataToDelete"] == 30
    assert (root.parent / "elsewhere" / "other").exists()
    assert listed(session) == []


def test_the_log_and_tables_inside_of_the_table_stay(session: Session, root: Path) -> None:
    for path in ("inner/_delta_log/00000000000000000000.json", "inner/f.parquet", "inner/p=1/f.parquet"):
        put(root, path)
    log_files = {path.name for path in (root / "_delta_log").iterdir()}
    for file in (root / "_delta_log").iterdir():
        age(file, 30)
    assert listed(session) == []
    session.sql("VACUUM t")
    assert log_files <= {path.name for path in (root / "_delta_log").iterdir()}
    assert (root / "inner/p=1/f.parquet").exists()


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("_p=a b/f 1.parquet", "_p=a%20b/f%201.parquet"),
        ("_p=50%25/f.parquet", "_p=50%2525/f.parquet"),
        ("_p=ä+#/f.parquet", "_p=%C3%A4+%23/f.parquet"),
    ],
)
def test_paths_are_decoded_once(session: Session, root: Path, path: str, logged: str) -> None:
    put(root, path)
    assert listed(session) == [path]
    commit(session.log("t"), add(logged))
    assert listed(session) == []


def test_absolute_paths_are_known_in_every_spelling(session: Session, root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    names = [f"{kind}.parquet" for kind in ("plain", "url", "link")]
    for name in names:
        put(root, name)
    encoded = str(root).replace("%", "%25").replace(" ", "%20")
    paths = [f"{encoded}/plain.parquet", f"file://{encoded}/url.parquet"]
    paths.append(f"{encoded.rpartition('/')[0]}/link/link.parquet")
    commit(session.log("t"), *map(add, paths))
    assert listed(session) == []


def test_removed_files_stay_for_the_retention(session: Session, root: Path) -> None:
    now = int(time.time() * 1000)
    for days in (1, 9):
        put(root, f"removed{days}.parquet")
        file = add(f"removed{days}.parquet")
        commit(session.log("t"), file)
        commit(session.log("t"), file.remove(now - days * DAY * 1000))
    assert listed(session) == ["removed9.parquet"]
    assert listed(session, "RETAIN 0 HOURS") == ["removed1.parquet", "removed9.parquet"]
    assert listed(session, "RETAIN 240 HOURS") == []
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 12 hours')")
    assert listed(session) == ["removed1.parquet", "removed9.parquet"]


def test_tombstones_that_a_checkpoint_forgot_still_count(session: Session, root: Path) -> None:
    put(root, "removed.parquet")
    file, now = add("removed.parquet"), int(time.time() * 1000)
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointInterval' = '1')")
    commit(session.log("t"), file)
    commit(session.log("t"), file.remove(now - 9 * DAY * 1000))
    fresh = deltasql.connect(str(root.parent))
    fresh.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
    assert fresh.log("t").snapshot().tombstones().num_rows == 0
    assert listed(fresh, "RETAIN 240 HOURS") == []
    assert listed(fresh) == ["removed.parquet"]


def test_deletion_vectors_go_with_the_last_file_that_needs_them(session: Session, root: Path) -> None:
    names = [f"ab{z85_encode(bytes([number]) * 16)}" for number in range(3)]
    paths = [vector_path(name) for name in names]
    for path in paths:
        put(root, path)
    inline = DeletionVector("i", "any", None, 40, 1)
    absolute = str(root).replace("%", "%25").replace(" ", "%20")
    shared = [DeletionVector("u", names[0], offset, 40, 1) for offset in (1, 50)]
    pointed = DeletionVector("p", f"{absolute}/{paths[1]}", 1, 40, 1)
    adds = [add("f0", shared[0]), add("f1", shared[1]), add("f2", pointed), add("f3", inline)]
    commit(session.log("t"), *adds)
    assert listed(session) == [paths[2]]
    long_ago = int(time.time() * 1000) - 30 * DAY * 1000
    commit(session.log("t"), adds[0].remove(long_ago), adds[2].remove(long_ago))
    assert listed(session) == sorted(paths[1:])
    commit(session.log("t"), adds[1].remove(long_ago))
    assert listed(session) == sorted(paths)


def test_empty_folders_go_when_they_are_old(session: Session, root: Path) -> None:
    for folder in ("e/f/g", "_p=2", "young", "_hidden", "holds/_something"):
        (root / folder).mkdir(parents=True)
    put(root, "_p=1/old.parquet")
    for folder in ("e/f/g", "e/f", "e", "_p=2", "_p=1", "_hidden", "holds"):
        age(root / folder, 30)
    assert listed(session) == ["_p=1/old.parquet", "e/f/g", "e/f", "_p=2", "e"]
    session.sql("VACUUM t")
    # A writer may have made the folder for a file to come: what was emptied now goes with a later VACUUM.
    left = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_dir()}
    assert left == {"_delta_log", "_p=1", "young", "_hidden", "holds", "holds/_something"}
    assert listed(session, "RETAIN 0 HOURS") == ["_p=1", "young"]


def test_physical_names_of_partitions_are_not_hidden(session: Session, root: Path) -> None:
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    session.sql("ALTER TABLE t RENAME COLUMN _p TO _q")
    put(root, "_p=1/old.parquet")
    put(root, "_q=1/old.parquet")
    assert listed(session) == ["_p=1/old.parquet", "_q=1/old.parquet"]


def test_a_commit_between_listing_and_deletion_is_seen(session: Session, root: Path) -> None:
    """Files that a writer staged long ago, and commits just while VACUUM runs, are kept."""
    put(root, "staged.parquet")
    other = DeltaLog(str(root), "t")
    log, store = session.log("t"), LocalLogStore(str(root))
    tree = store.tree(hidden_names(log.snapshot()))
    commit(other, add("staged.parquet"))
    assert unused_files(tree, log, log.snapshot(), int(time.time() * 1000)).files.num_rows == 0


def test_a_commit_before_the_first_note_is_seen(session: Session, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(root, "staged.parquet")
    put(root, "orphan.parquet")
    other, plain = DeltaLog(str(root), "t"), unused_files
    calls: list[int] = []

    def slow(*args: Any) -> Any:
        found = plain(*args)
        if not calls:
            commit(other, add("staged.parquet"))
        calls.append(found.files.num_rows)
        return found

    monkeypatch.setattr("deltasql.session.execution.vacuum.unused_files", slow)
    result = session.sql("VACUUM t RETAIN 0 HOURS")
    assert calls == [2, 1]
    assert result.metrics["numDeletedFiles"] == 1
    assert (root / "staged.parquet").exists()


def test_metadata_that_change_meanwhile_are_no_obstacle(
    session: Session, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(root, "orphan.parquet")
    other = deltasql.connect(str(root.parent))
    plain = LocalLogStore.delete_all

    def slow(store: LocalLogStore, paths: Any) -> int:
        other.sql("ALTER TABLE t ADD COLUMN b INT")
        return plain(store, paths)

    monkeypatch.setattr(LocalLogStore, "delete_all", slow)
    session.sql("VACUUM t RETAIN 0 HOURS")
    operations = [row.operation for row in session.sql("DESCRIBE HISTORY t LIMIT 3")]
    assert operations == ["VACUUM END", "ADD COLUMNS", "VACUUM START"]


def test_a_failure_is_noted_and_told(session: Session, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(root, "orphan.parquet")

    def refuse(store: LocalLogStore, path: str) -> bool:
        raise StorageError("delete", store.url(path), "permission denied")

    monkeypatch.setattr(LocalLogStore, "_unlink", refuse)
    with pytest.raises(StorageError, match=r"orphan\.parquet"):
        session.sql("VACUUM t")
    last = session.sql("DESCRIBE HISTORY t LIMIT 1").collect()[0]
    assert (last.operation, last.operationParameters) == ("VACUUM END", {"status": "FAILED"})
    assert not (root / "_delta_log/_last_vacuum_info").exists()


def lite_log(session: Session, root: Path) -> None:
    """Version 1 adds three files, 2 removes one, 3 removes another and adds change data; an orphan is in no version."""
    for name in ("f1", "f2", "f3", "orphan", "_change_data/c"):
        put(root, name)
    long_ago = int(time.time() * 1000) - 30 * DAY * 1000
    commit(session.log("t"), add("f1"), add("f2"), add("f3"))
    commit(session.log("t"), add("f1").remove(long_ago))
    commit(session.log("t"), add("f2").remove(long_ago), AddCDCFile("_change_data/c", {}, 10))
    for version in range(4):
        age(root / commit_path(version), 20 - version)


def test_lite_looks_into_the_log(session: Session, root: Path) -> None:
    lite_log(session, root)
    assert listed(session, "LITE") == ["_change_data/c", "f1", "f2"]
    assert session.sql("VACUUM t LITE").metrics["numDeletedFiles"] == 3
    assert files(root) == {"f3", "orphan"}
    assert json.loads((root / "_delta_log/_last_vacuum_info").read_bytes()) == {
        "latestCommitVersionOutsideOfRetentionWindow": 3
    }
    assert listed(session, "LITE") == []
    assert listed(session) == ["orphan"]


def test_lite_begins_where_the_last_vacuum_ended(session: Session, root: Path) -> None:
    lite_log(session, root)
    age(root / commit_path(2), 1)
    age(root / commit_path(3), 1)
    session.sql("VACUUM t LITE")
    put(root, "f1")
    age(root / commit_path(2), 18)
    age(root / commit_path(3), 17)
    assert listed(session, "LITE") == ["_change_data/c", "f1", "f2"]
    (root / commit_path(0)).unlink()
    (root / commit_path(1)).unlink()
    # The versions that are gone have been dealt with.
    assert listed(session, "LITE") == ["_change_data/c", "f1", "f2"]
    (root / "_delta_log/_last_vacuum_info").write_bytes(b"torn")
    with pytest.raises(VacuumLiteError) as caught:
        session.sql("VACUUM t LITE")
    assert caught.value.condition == "DELTA_CANNOT_VACUUM_LITE"
    assert (caught.value.needed, caught.value.earliest) == (0, 2)


def test_lite_of_a_big_commit(session: Session, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from deltasql.log.actions import commit_file

    lite_log(session, root)
    monkeypatch.setattr(commit_file, "BIG", 1)
    assert listed(session, "LITE") == ["_change_data/c", "f1", "f2"]


def test_lite_by_setting(session: Session, root: Path) -> None:
    lite_log(session, root)
    session.sql("SET spark.databricks.delta.vacuum.lite.enabled = true")
    assert "orphan" not in listed(session)
    assert "orphan" in listed(session, "FULL")


def test_in_memory(create: Callable[..., DeltaLog]) -> None:
    """Object stores have no folders."""
    store = open_store("memory:///vacuum-test")
    log = DeltaLog("memory:///vacuum-test", "t", store)
    real = create()
    live = AddFile("p=1/live", {}, 10, 1)
    Transaction(log, None).commit(
        operations.CREATE_TABLE, {}, [real.snapshot().protocol, real.snapshot().metadata, live]
    )
    for path in ("p=1/live", "p=1/old", "_x/y", "a/.z", "inner/_delta_log/0.json", "inner/f", "inner/p=1/f"):
        store.put_if_absent(path, b"0123456789")
    tree = store.tree(hidden_names(log.snapshot()))
    found = unused_files(tree, log, log.snapshot(), int(time.time() * 1000) + 1000)
    assert found.files["path"].to_pylist() == ["p=1/old"]
    assert found.size == 10
    assert store.delete_all(["p=1/old", "p=1/not there"]) == 2
    assert store.find("p=1/old") is None
    assert store.find("p=1/live") is not None
    assert store.delete_folders(["p=1"]) == 0
