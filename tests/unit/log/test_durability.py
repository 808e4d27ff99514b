"""What outlives a crash of the machine: which files are synced, and in which order."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import deltasql
from deltasql.base.errors import AmbiguousWriteError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.session_settings import DEFAULTS, FSYNC
from deltasql.log.storage.listing import commit_path
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint
from deltasql.session.session import Session


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session as users have it: the other tests' sessions sync nothing."""
    monkeypatch.setitem(DEFAULTS, FSYNC.name, "true")
    with deltasql.connect(str(tmp_path / "warehouse")) as session:
        session.sql("CREATE TABLE t (a INT)")
        yield session


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What is synced, linked and replaced, by the name of the file; a hidden name counts as its file's."""
    seen: list[tuple[str, str]] = []

    def name(path: str) -> str:
        last = os.path.basename(path)  # noqa: PTH119
        return last[1:].rpartition(".")[0].rpartition(".")[0] if last.endswith(".tmp") else last

    def traced(kind: str, real: Callable[..., None], path_of: Callable[..., str]) -> Callable[..., None]:
        def call(*args: object) -> None:
            seen.append((kind, name(path_of(*args))))
            real(*args)

        return call

    by_number = lambda number: os.readlink(f"/proc/self/fd/{number}")  # noqa: E731, PTH115
    monkeypatch.setattr(os, "fsync", traced("sync", os.fsync, by_number))
    monkeypatch.setattr(os, "link", traced("link", os.link, lambda _, path: path))
    monkeypatch.setattr(os, "replace", traced("replace", os.replace, lambda _, path: path))
    return seen


def test_file_then_name_then_folder(session: Session, calls: list[tuple[str, str]]) -> None:
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('x' = 'y')")
    commit = f"{1:020}.json"
    assert calls[:3] == [("sync", commit), ("link", commit), ("sync", "_delta_log")]
    assert ("sync", f"{1:020}.crc") not in calls


def test_it_is_on_unless_somebody_turns_it_off() -> None:
    code = f"from deltasql.base.session_settings import DEFAULTS; print(DEFAULTS['{FSYNC.name}'])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "true\n"


def test_the_setting_turns_it_off(session: Session, calls: list[tuple[str, str]]) -> None:
    session.sql("SET deltasql.commit.fsync = false")
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('x' = 'y')")
    session.sql("INSERT INTO t VALUES (1)")
    assert not [call for call in calls if call[0] == "sync"]
    session.sql("RESET deltasql.commit.fsync")
    session.sql("INSERT INTO t VALUES (2)")
    assert ("sync", "_delta_log") in calls


def test_a_value_that_is_none_is_told(session: Session) -> None:
    with pytest.raises(DeltaSqlError, match=r"deltasql\.commit\.fsync"):
        session.sql("SET deltasql.commit.fsync = maybe")
    session.settings.set("deltasql.commit.fsync", "maybe")
    with pytest.raises(DeltaSqlError, match=r"deltasql\.commit\.fsync"):
        session.sql("ALTER TABLE t SET TBLPROPERTIES ('x' = 'y')")


def test_data_files_come_before_the_commit_that_names_them(session: Session, calls: list[tuple[str, str]]) -> None:
    session.sql("INSERT INTO t VALUES (1)")
    names = [name for kind, name in calls if kind == "sync"]
    (data,) = [name for name in names if name.endswith(".parquet")]
    assert max(names.index(data), names.index("t")) < names.index(f"{1:020}.json")


def test_a_new_table_syncs_the_folders_that_hold_it(session: Session, calls: list[tuple[str, str]]) -> None:
    session.sql("CREATE TABLE u (a INT)")
    assert {("sync", "warehouse"), ("sync", "u"), ("sync", "_delta_log")} <= set(calls)


def test_files_that_come_before_the_log_do_not_leave_their_folders_unsynced(
    session: Session, calls: list[tuple[str, str]], tmp_path: Path
) -> None:
    """A deep clone copies into folders that it makes, before its first commit."""
    session.sql("INSERT INTO t VALUES (1)")
    calls.clear()
    session.sql(f"CREATE TABLE delta.`{tmp_path}/above/clone` DEEP CLONE t")
    names = [name for kind, name in calls if kind == "sync"]
    assert {tmp_path.name, "above", "clone", "_delta_log"} <= set(names)
    assert max(names.index("above"), names.index(tmp_path.name)) < names.index(f"{0:020}.json")


def test_a_new_table_without_rows_has_no_folder_yet(session: Session) -> None:
    session.write(pa.table({"a": pa.array([], pa.int32())})).saveAsTable("empty")
    assert session.sql("SELECT count(*) FROM empty").collect() == [(0,)]
    store = LocalLogStore(str(Path(session.catalog.warehouse) / "none"))
    store.durable = True
    store.settle([])


@pytest.mark.parametrize("policy", ["classic", "v2"])
def test_a_checkpoint_comes_before_the_hint(session: Session, calls: list[tuple[str, str]], policy: str) -> None:
    session.sql(f"ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointPolicy' = '{policy}')")
    session.sql("INSERT INTO t VALUES (1)")
    log = session.log("t")
    calls.clear()
    assert write_checkpoint(log.store, log.snapshot())
    assert calls[-1] == ("replace", "_last_checkpoint")
    synced = [name for kind, name in calls if kind == "sync"]
    linked = [name for kind, name in calls if kind == "link"]
    assert linked
    assert set(linked) <= set(synced)
    assert synced.count("_delta_log") + synced.count("_sidecars") >= len(linked)


def test_a_folder_that_cannot_be_synced_leaves_the_outcome_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LocalLogStore(str(tmp_path))
    store.durable = True
    store.put_if_absent("_delta_log/x", b"")
    real = os.fsync
    failing = iter([False, True])

    def fsync(number: int) -> None:
        if next(failing):
            raise OSError(5, "Input/output error")
        real(number)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(AmbiguousWriteError):
        store.put_if_absent(commit_path(0), b"{}")
    assert store.exists(commit_path(0))
