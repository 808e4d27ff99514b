"""Storages that answer late, wrongly or not at all."""

from __future__ import annotations

import errno
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from obstore import exceptions
from obstore.store import MemoryStore

from deltasql.base.errors import AmbiguousWriteError, LogFileNotFoundError, StorageError
from deltasql.log import operations
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.log_store import Entry, LogStore, Patience
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint

from .conftest import added, append, whole

Table = Callable[..., DeltaLog]
File = Callable[[str], Path]


class Unsure(LogStore):
    """Loses the answers to the next puts of commits: `arrives` says of each whether the data is stored before."""

    def __init__(self) -> None:
        super().__init__("memory:///t", MemoryStore())
        self.arrives: list[bool] = []

    def put_if_absent(self, path: str, data: bytes) -> bool:
        if not self.arrives or not path.endswith(".json"):
            return super().put_if_absent(path, data)
        if self.arrives.pop(0):
            super().put_if_absent(path, data)
        raise AmbiguousWriteError(self.url(path), "timed out")


@pytest.mark.parametrize("arrives", [[True], [False], [False, True], [False, False, False], [True, True]])
def test_a_put_without_an_answer(table: Table, arrives: list[bool]) -> None:
    store = Unsure()
    log = table(2, store)
    store.arrives = list(arrives)
    assert append(log, "f3").version == 3
    store.arrives = []
    assert append(log, "f4").version == 4
    assert whole(DeltaLog(log.location, store=store)) == 4


@pytest.mark.parametrize("arrives", [True, False])
def test_a_put_without_an_answer_where_another_won(table: Table, arrives: bool) -> None:
    store = Unsure()
    log = table(2, store)
    late = Transaction(log, log.snapshot())
    append(DeltaLog(log.location, store=store), "f3")
    store.arrives = [arrives]
    assert late.commit(operations.WRITE, {}, [added("f4")]).version == 4
    assert whole(DeltaLog(log.location, store=store)) == 4


def test_a_storage_that_never_answers(table: Table) -> None:
    store = Unsure()
    log = table(2, store)
    store.arrives = [False] * 50
    with pytest.raises(AmbiguousWriteError) as caught:
        append(log, "f3")
    assert caught.value.condition == "DELTA_WRITE_OUTCOME_UNKNOWN"
    assert f"{3:020d}.json" in caught.value.message
    assert whole(DeltaLog(log.location, store=store)) == 2


def test_what_the_client_library_raises(monkeypatch: pytest.MonkeyPatch, location: str) -> None:
    store = LogStore("memory:///t", MemoryStore())
    monkeypatch.setattr(LogStore, "patience", Patience(tries=3, first=0.001))
    for raised, expected in (
        (exceptions.GenericError("request timed out"), AmbiguousWriteError),
        (exceptions.PermissionDeniedError("no"), StorageError),
        (OSError(errno.ENOSPC, "No space left on device"), StorageError),
    ):

        def put(*_: object, error: Exception = raised, **__: object) -> None:
            raise error

        monkeypatch.setattr("obstore.put", put)
        with pytest.raises(expected) as caught:
            store.put_if_absent("_delta_log/x", b"")
        assert "_delta_log/x" in str(caught.value)


class Shuffled(LocalLogStore):
    """Lists in no order, as a local disk may."""

    def list_folder(self, folder: str, offset: str | None = None) -> list[Entry]:
        entries = super().list_folder(folder, offset)
        random.Random(3).shuffle(entries)
        return entries


def test_a_listing_in_no_order(table: Table, location: str) -> None:
    table(14, Shuffled(location))
    log = DeltaLog(location, store=Shuffled(location))
    assert whole(log) == 14
    assert [entry.version for entry in log.history()] == list(range(14, -1, -1))
    assert whole(log, 8) == 8


class Stale(LocalLogStore):
    """Lists files that are gone already."""

    ghosts: tuple[Entry, ...] = ()

    def list_folder(self, folder: str, offset: str | None = None) -> list[Entry]:
        ghosts, self.ghosts = self.ghosts, ()
        return [*super().list_folder(folder, offset), *ghosts]


def test_files_that_are_listed_and_gone(table: Table, location: str) -> None:
    log = table(12)
    store = Stale(location)
    store.ghosts = (Entry(f"_delta_log/{11:020d}.checkpoint.parquet", 5, 1),)
    assert whole(DeltaLog(location, store=store)) == 12
    store.ghosts = (Entry(f"_delta_log/{13:020d}.json", 5, 1),)
    with pytest.raises(LogFileNotFoundError) as caught:
        _ = DeltaLog(location, store=store).snapshot().metadata
    assert f"{13:020d}.json" in caught.value.message
    assert whole(log) == 12


def test_a_clean_up_while_a_snapshot_is_read(table: Table, location: str, log_file: File) -> None:
    log = table(5)
    for file in log_file("x").parent.glob("*.crc"):
        file.unlink()
    early = DeltaLog(location).snapshot()
    write_checkpoint(log.store, log.snapshot())
    for version in range(5):
        log_file(f"{version:020d}.json").unlink()
    assert early.metadata.id == "the-id"
    assert early.files().num_rows == 5


def test_a_full_disk(table: Table, location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    log = table(2)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.link", full)
        with pytest.raises(StorageError) as caught:
            append(log, "f3")
    assert "No space left" in caught.value.message
    assert whole(DeltaLog(location)) == 2
    assert append(log, "f3").version == 3
