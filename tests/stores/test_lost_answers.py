"""Answers of an object store that come late, are wrong, or do not come: each put is decided, or in doubt."""

from __future__ import annotations

from collections.abc import Callable

import obstore
import pytest
from obstore.store import S3Store

from deltasql.base.errors import AmbiguousWriteError, StorageError, StorageUnavailableError
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.log_store import LogStore, Patience, Tag
from deltasql.log.storage.stores import open_store
from tests.stores.conftest import Store
from tests.stores.proxy import Fate, Proxy, Request, once
from tests.stores.tables import append, create

Proxied = Callable[..., Proxy]

LOST = [Fate.DROP_AFTER, Fate.ERROR_AFTER, Fate.BUSY_AFTER]
NOT_DONE = [Fate.DROP_BEFORE, Fate.BUSY, Fate.CONFLICT]


def is_commit(request: Request) -> bool:
    return request.method == "PUT" and request.path.endswith(".json") and request.is_condition


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LogStore, "patience", Patience(tries=4, first=0.01, longest=0.02))


def methods(proxy: Proxy) -> list[str]:
    return [request.method for request in proxy.requests()]


@pytest.mark.parametrize("fate", LOST)
def test_an_own_put_without_an_answer_is_found(s3: Store, proxied: Proxied, fate: Fate) -> None:
    proxy = proxied(once(fate, is_commit))
    store = open_store(s3.url("t"))
    assert store.put_if_absent("_delta_log/a.json", b"mine")
    # Put again, which is refused; then it is read whose it is.
    assert methods(proxy) == ["PUT", "PUT", "GET"]
    assert not store.put_if_absent("_delta_log/a.json", b"other")
    assert methods(proxy) == ["PUT"]


@pytest.mark.parametrize("fate", LOST)
def test_a_lost_race_without_an_answer_is_lost(s3: Store, proxied: Proxied, fate: Fate) -> None:
    open_store(s3.url("t")).put_if_absent("_delta_log/a.json", b"theirs")
    proxied(once(fate, is_commit))
    store = open_store(s3.url("t"))
    assert not store.put_if_absent("_delta_log/a.json", b"mine")
    assert store.read("_delta_log/a.json") == b"theirs"


@pytest.mark.parametrize("fate", NOT_DONE)
def test_a_put_that_was_turned_away_is_made_again(s3: Store, proxied: Proxied, fate: Fate) -> None:
    proxied(once(fate, is_commit))
    store = open_store(s3.url("t"))
    assert store.put_if_absent("_delta_log/a.json", b"mine")
    assert store.read("_delta_log/a.json") == b"mine"


def test_a_client_that_asks_again_by_itself_deceives_nobody(s3: Store, proxied: Proxied) -> None:
    """Its second put finds the first one, and it says that the object was there before."""
    proxy = proxied(once(Fate.ERROR_AFTER, is_commit))
    bucket = s3.url("").removeprefix("s3://").rstrip("/")
    client = S3Store(bucket)
    with pytest.raises(obstore.exceptions.AlreadyExistsError):
        obstore.put(client, "plain.json", b"mine", mode="create")
    assert methods(proxy) == ["PUT", "PUT"]
    assert LogStore(s3.url(""), client).put_if_absent("ours.json", b"mine")


@pytest.mark.parametrize("fate", [*LOST, *NOT_DONE])
def test_a_commit_without_an_answer_is_one_version(s3: Store, proxied: Proxied, fate: Fate) -> None:
    create(s3.url("t"))
    proxied(once(fate, is_commit))
    log = DeltaLog(s3.url("t"), "main.t")
    # The tenth has a checkpoint.
    for number in range(1, 12):
        commit = append(log, f"f{number}")
        assert (commit.version, commit.attempts) == (number, 1)
    assert len(log.history()) == 12


@pytest.mark.parametrize("fate", [*LOST, Fate.DROP_BEFORE, Fate.BUSY])
def test_the_first_answer_to_everything_is_lost(s3: Store, proxied: Proxied, fate: Fate) -> None:
    """Listings, reads, checkpoints, checksums, the hint and clean-up go on as well."""
    proxied(once(fate, lambda request: True))
    log = create(s3.url("t"), 11)
    names = {entry.name for entry in log.store.list_folder("_delta_log")}
    assert names >= {f"{10:020d}.checkpoint.parquet", f"{10:020d}.crc", "_last_checkpoint"}
    fresh = DeltaLog(s3.url("t"), "main.t").snapshot()
    assert fresh.files(["path"])["path"].to_pylist() == [f"f{number}" for number in range(1, 12)]
    log.store.delete_all([entry.path for entry in log.store.list_below("")])
    assert log.store.list_below("") == []


@pytest.mark.parametrize("method", ["PUT", "DELETE", "POST"])
def test_an_object_that_was_moved_without_an_answer(s3: Store, proxied: Proxied, method: str) -> None:
    for number in range(3):
        open_store(s3.url("t")).put_if_absent(f"old/{number}", b"%d" % number)
    proxied(once(Fate.DROP_AFTER, lambda request: request.method == method))
    store = open_store(s3.url("t"))
    store.move_below("old", "new")
    assert [entry.path for entry in store.list_below("")] == ["new/0", "new/1", "new/2"]
    assert store.read("new/1") == b"1"


def test_a_swap_without_an_answer(s3: Store, proxied: Proxied) -> None:
    """Who gets a None looks whose object it is."""
    store = open_store(s3.url("t"))
    store.put_if_absent("a", b"1")
    _, tag = store.read_tagged("a") or (b"", Tag(None, None))
    proxy = proxied(once(Fate.BUSY, lambda request: request.method == "PUT"))
    store = open_store(s3.url("t"))
    new = store.put_if_same("a", b"2", tag)
    assert new is not None
    proxy.rule = once(Fate.DROP_AFTER, lambda request: request.method == "PUT")
    assert store.put_if_same("a", b"3", new) is None
    assert store.read("a") == b"3"


def test_a_commit_that_nobody_can_read_back_is_in_doubt(s3: Store, proxied: Proxied) -> None:
    log = create(s3.url("t"), 1)
    log.snapshot()
    broken = False

    def rule(request: Request) -> Fate:
        nonlocal broken
        broken = broken or is_commit(request)
        return Fate.DROP_AFTER if broken else Fate.PASS

    proxy = proxied(rule)
    with pytest.raises(AmbiguousWriteError) as caught:
        append(DeltaLog(s3.url("t"), "main.t"), "f2")
    assert caught.value.condition == "DELTA_WRITE_OUTCOME_UNKNOWN"
    assert f"{2:020d}.json" in caught.value.message
    assert "It may be there" in caught.value.message
    assert "to read it back failed" in caught.value.message
    proxy.rule = lambda request: Fate.PASS
    assert [entry.version for entry in DeltaLog(s3.url("t"), "main.t").history()] == [2, 1, 0]


def test_a_busy_store_ends_with_what_happened_and_what_to_do(s3: Store, proxied: Proxied) -> None:
    create(s3.url("t"), 1)
    proxy = proxied(lambda request: Fate.BUSY)
    store = open_store(s3.url("t"))
    requests = (
        ("read", lambda: store.read("_delta_log/x")),
        ("read", lambda: store.head("_delta_log/x")),
        ("list", lambda: store.list_folder("_delta_log")),
        ("write", lambda: store.overwrite("_delta_log/x", b"")),
        ("delete", lambda: store.delete(["_delta_log/x"])),
        ("delete", lambda: store.delete_all(["_delta_log/x"])),
    )
    for action, request in requests:
        with pytest.raises(StorageUnavailableError) as caught:
            request()
        assert caught.value.condition == "DELTA_STORAGE_UNAVAILABLE"
        assert (caught.value.action, caught.value.tries) == (action, 4)
        assert "503" in caught.value.reason
        assert "run the statement again" in caught.value.message
        assert len(proxy.requests()) == 4


def test_nothing_listens(s3: Store, proxied: Proxied) -> None:
    proxy = proxied()
    proxy.__exit__(None, None, None)
    with pytest.raises(StorageUnavailableError) as caught:
        open_store(s3.url("t")).read("x")
    assert "Connection refused" in caught.value.reason


def test_a_refusal_is_not_asked_again(s3: Store, proxied: Proxied) -> None:
    proxy = proxied()
    store = open_store(s3.url("t").replace("deltasql-", "nowhere-"))
    with pytest.raises(StorageError) as caught:
        store.put_if_absent("_delta_log/x", b"")
    assert caught.value.condition == "DELTA_STORAGE_ACCESS_FAILED"
    with pytest.raises(FileNotFoundError):
        store.read("_delta_log/x")
    assert methods(proxy) == ["PUT", "GET"]
