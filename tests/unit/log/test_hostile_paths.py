"""Tables whose log or folder says that files elsewhere are theirs: nothing outside is removed or written over."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import deltasql
from deltasql.base.errors import StorageError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.checksum import read_checksum
from deltasql.log.replay.log_segment import read_last_checkpoint
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.listing import checksum_path, commit_path
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.stores import open_store
from deltasql.log.upkeep.post_commit import clean_up_log
from deltasql.session.session import Session

OLD = time.time() - 30 * 24 * 60 * 60


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    """A test that waits for a writer of a FIFO fails instead."""

    def late(*_: object) -> None:
        raise AssertionError("this waits for ever")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    session = deltasql.connect(str(tmp_path / "warehouse"))
    session.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
    session.sql("CREATE TABLE t (a INT)")
    return session


@pytest.fixture
def root(session: Session) -> Path:
    return Path(session.log("t").location)


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A folder beside the warehouse with a canary that must not change, old enough for every clean-up."""
    folder = tmp_path / "outside"
    for name in ("canary", "_delta_log/00000000000000000000.json", "sub/canary"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"alive")
        os.utime(file, (OLD, OLD))
    before = contents(folder)
    yield folder
    assert contents(folder) == before


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def write_version(root: Path, version: int, *actions: dict[str, Any]) -> None:
    """A commit that another writer made long ago."""
    lines = [{"commitInfo": {"timestamp": int(OLD * 1000), "operation": "WRITE"}}, *actions]
    file = root / commit_path(version)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for each in (file, root / commit_path(0)):
        os.utime(each, (OLD, OLD))


def remove(path: str) -> dict[str, Any]:
    return {"remove": {"path": path, "deletionTimestamp": int(OLD * 1000), "dataChange": True}}


def spellings(root: Path, outside: Path) -> list[str]:
    """Ways to name the canary in a log."""
    there, dots = str(outside / "canary"), "../../../../outside/canary"
    (root / "link").symlink_to(outside)
    return [
        there, f"file:{there}", f"file://{there}", dots, dots.replace("..", "%2E%2E"), dots.replace("../", "..%2F"),
        f"x/{dots}", f"./{dots}", "link/canary", "link/sub/canary", "link%2Fcanary", f"{root}/{dots}",
        f"file:{root}/{dots}", f"file:{root}/link/canary", f"{root}//../../outside/canary",
    ]  # fmt: skip


@pytest.mark.parametrize("statement", ["VACUUM t LITE RETAIN 0 HOURS", "VACUUM t RETAIN 0 HOURS"])
def test_vacuum_of_removes_that_lead_away(session: Session, root: Path, outside: Path, statement: str) -> None:
    write_version(root, 1, *map(remove, spellings(root, outside)), remove("own.parquet"))
    for name in ("own.parquet", "orphan.parquet"):
        (root / name).write_bytes(b"x")
        os.utime(root / name, (OLD, OLD))
    assert session.sql(f"{statement} DRY RUN").count() >= 1
    session.sql(statement)
    assert not (root / "own.parquet").exists()
    assert (root / "link").is_symlink()


def test_vacuum_does_not_take_the_log_for_data(session: Session, root: Path) -> None:
    write_version(root, 1, remove(commit_path(0)), remove("_delta_log/x"), remove("_delta_log%2F" + "0" * 20 + ".json"))
    session.sql("VACUUM t LITE RETAIN 0 HOURS")
    assert (root / commit_path(0)).exists()


def test_vacuum_follows_no_links(session: Session, root: Path, outside: Path) -> None:
    (root / "folder").symlink_to(outside)
    (root / "file.parquet").symlink_to(outside / "canary")
    os.utime(root / "file.parquet", (OLD, OLD), follow_symlinks=False)
    session.sql("VACUUM t RETAIN 0 HOURS")
    assert not (root / "file.parquet").is_symlink()
    assert (root / "folder").is_symlink()


def test_the_log_folder_may_lead_away_but_nothing_is_written_there(root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (root / "_delta_log").rename(elsewhere)
    (root / "_delta_log").symlink_to(elsewhere)
    before = contents(elsewhere)
    log = DeltaLog(str(root), "t")
    assert log.snapshot().version == 0
    with pytest.raises(StorageError, match="leads out of the table"):
        Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [AddFile("f", {}, 1, 1, True)])
    changes: tuple[Callable[[], object], ...] = (
        lambda: log.store.overwrite("_delta_log/x", b""),
        lambda: log.store.delete([commit_path(0)]),
    )
    for change in changes:
        with pytest.raises(StorageError, match="leads out of the table"):
            change()
    assert contents(elsewhere) == before


def test_the_table_itself_may_be_a_link(session: Session, root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    session.sql(f"ALTER TABLE delta.`{tmp_path}/link` SET TBLPROPERTIES ('x' = 'y')")
    assert session.log("t").snapshot().version == 1


def test_clean_up_leaves_sidecars_elsewhere(session: Session, root: Path, outside: Path) -> None:
    (root / "_delta_log" / "_sidecars").symlink_to(outside)
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointInterval' = '2')")
    log = session.log("t")
    for number in range(3):
        session.sql(f"ALTER TABLE t SET TBLPROPERTIES ('x' = '{number}')")
    for file in (root / "_delta_log").iterdir():
        os.utime(file, (OLD, OLD))
    assert clean_up_log(log.store, log.snapshot(), int((time.time() + 90 * 86400) * 1000))


@pytest.mark.parametrize("path", ["../outside/canary", "link/canary", "..", "", ".", "a/../../outside/canary"])
def test_a_store_changes_nothing_outside(tmp_path: Path, outside: Path, path: str) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "link").symlink_to(outside)
    store = open_store(str(tmp_path / "t"))
    for change in (
        lambda: store.delete([path]),
        lambda: store.delete_all(["own", path]),
        lambda: store.overwrite(path, b"new"),
        lambda: store.put_if_absent(path, b"new"),
    ):
        with pytest.raises(StorageError, match="leads out of the table"):
            change()
    assert not store.contains(path)
    assert store.delete_folders([path]) == 0


def test_a_link_is_replaced_and_not_followed(tmp_path: Path, outside: Path) -> None:
    store = open_store(str(tmp_path / "t"))
    store.overwrite("_delta_log/hint", b"one")
    (tmp_path / "t" / "_delta_log" / "link").symlink_to(outside / "canary")
    store.overwrite("_delta_log/link", b"two")
    assert store.read("_delta_log/link") == b"two"


def test_drop_removes_links_and_not_what_they_lead_to(session: Session, root: Path, outside: Path) -> None:
    spellings(root, outside)
    os.mkfifo(root / "fifo")
    session.sql("DROP TABLE t")
    assert not root.exists()


def fifo(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


def test_a_fifo_in_place_of_a_commit_is_told(session: Session, root: Path) -> None:
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('x' = 'y')")
    fifo(root / commit_path(1))
    (root / checksum_path(1)).unlink()
    fresh = deltasql.connect(session.catalog.warehouse)
    for statement in ("DESCRIBE DETAIL t", "ALTER TABLE t SET TBLPROPERTIES ('x' = 'z')", "VACUUM t DRY RUN"):
        with pytest.raises(StorageError, match="no regular file"):
            fresh.sql(statement)
    with pytest.raises(DeltaSqlError):
        fresh.sql("DESCRIBE HISTORY t").collect()


def test_fifos_in_place_of_aids_are_passed_over(session: Session, root: Path) -> None:
    for name in ("_last_checkpoint", f"{0:020}.crc", f"{0:020}.checkpoint.parquet", "_last_vacuum_info", "x.tmp"):
        fifo(root / "_delta_log" / name)
    fifo(root / "fifo.parquet")
    fresh = deltasql.connect(session.catalog.warehouse)
    assert fresh.sql("DESCRIBE DETAIL t").collect()[0].numFiles == 0
    store = fresh.log("t").store
    assert read_last_checkpoint(store) is None
    assert read_checksum(store, 0) is None
    fresh.sql("VACUUM t LITE DRY RUN")
    fresh.sql("VACUUM t")


@pytest.mark.parametrize("made", ["fifo", "zero"])
def test_nothing_waits_at_a_special_file(tmp_path: Path, made: str) -> None:
    place = tmp_path / "t" / "_delta_log" / "x"
    fifo(place)
    if made == "zero":
        place.unlink()
        place.symlink_to("/dev/zero")
    store = open_store(str(tmp_path / "t"))
    assert isinstance(store, LocalLogStore)
    for read in (
        lambda: store.read("_delta_log/x"),
        lambda: store.read_range("_delta_log/x", 0, 10),
        lambda: store.open_input("_delta_log/x"),
    ):
        with pytest.raises(StorageError, match="no regular file"):
            read()
