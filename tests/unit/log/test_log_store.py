from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deltasql.base.errors import StorageError, UnsupportedLocationError
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.stores import open_store


@pytest.fixture(params=["local", "file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> LogStore:
    places = {
        "local": str(tmp_path / "t %20é"),
        "file": (tmp_path / "f").as_uri(),
        "memory": f"memory:///{tmp_path.name}/t",
    }
    return open_store(places[request.param])


def test_reading_creates_nothing(store: LogStore) -> None:
    assert store.list_folder("_delta_log") == []
    assert not store.exists("_delta_log/x")
    with pytest.raises(FileNotFoundError):
        store.read("_delta_log/x")
    store.delete(["_delta_log/x"])
    assert store.root.startswith("memory:") or not Path(store.root).exists()


def test_put_if_absent_has_one_winner(store: LogStore) -> None:
    assert store.put_if_absent("_delta_log/a", b"one")
    assert not store.put_if_absent("_delta_log/a", b"two")
    assert store.read("_delta_log/a") == b"one"
    store.overwrite("_delta_log/a", b"three")
    assert store.read("_delta_log/a") == b"three"
    assert store.read_range("_delta_log/a", 1, 2) == b"hr"
    assert store.read_range("_delta_log/a", 0, 100) == b"three"


def test_list_is_sorted_and_starts_after_the_offset(store: LogStore) -> None:
    for name in ("b", "a", "c", "sub/d"):
        store.put_if_absent(f"_delta_log/{name}", b"xy")
    assert [entry.name for entry in store.list_folder("_delta_log")] == ["a", "b", "c"]
    assert [entry.path for entry in store.list_folder("_delta_log", "_delta_log/a")] == ["_delta_log/b", "_delta_log/c"]
    assert [entry.path for entry in store.list_below("_delta_log")][-1] == "_delta_log/sub/d"
    entry = store.head("_delta_log/b")
    assert (entry.size, entry.modified > 1_600_000_000_000) == (2, True)
    assert store.open_input("_delta_log/b").read() == b"xy"


def test_delete(store: LogStore) -> None:
    store.put_if_absent("a", b"")
    store.delete(["a", "b"])
    assert not store.exists("a")


def test_memory_is_shared_in_the_process(tmp_path: Path) -> None:
    open_store(f"memory:///{tmp_path.name}").put_if_absent("a", b"1")
    assert open_store(f"memory:///{tmp_path.name}/").read("a") == b"1"


def test_a_refused_write_is_no_lost_answer(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    with pytest.raises(StorageError) as caught:
        open_store(f"{blocker}/t").put_if_absent("_delta_log/a", b"")
    assert caught.value.condition == "DELTA_STORAGE_ACCESS_FAILED"


def test_reading_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    with pytest.raises(StorageError):
        open_store(str(tmp_path)).read("d")


def test_unknown_scheme() -> None:
    with pytest.raises(UnsupportedLocationError) as caught:
        open_store("ftp://host/t")
    assert caught.value.condition == "DELTA_UNSUPPORTED_LOCATION"


def test_a_file_that_goes_while_it_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LocalLogStore(str(tmp_path))
    assert store.put_if_absent("log/a", b"1")
    assert store.put_if_absent("log/b", b"2")
    scandir = os.scandir

    @contextmanager
    def late(folder: str) -> Iterator[Iterator[os.DirEntry[str]]]:
        with scandir(folder) as items:
            found = list(items)
        (tmp_path / "log" / "a").unlink()
        yield iter(found)

    monkeypatch.setattr(os, "scandir", late)
    assert [entry.name for entry in store.list_folder("log")] == ["b"]


def test_markers_of_folders_stay_where_they_are(tmp_path: Path) -> None:
    """Hadoop's S3A leaves objects without a byte that are called as its folders."""
    store = open_store(f"memory:///{tmp_path.name}-markers")
    for path, data in (("u", b""), ("u/p=1", b""), ("u/p=1/f", b"1")):
        store.put(path, data)
    store.move_below("u", "v/u")
    assert [entry.path for entry in store.list_below("v")] == ["v/u/p=1/f"]
