"""Stores that create an object although there is one are refused by name, before anything is written there."""

from __future__ import annotations

import os
from collections.abc import Callable
from uuid import uuid4

import pytest

import deltasql
from deltasql.base.errors import OverwrittenCommitError, StorageError, UnsafeStoreError
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage import stores
from deltasql.log.storage.log_store import LogStore
from deltasql.log.storage.stores import Stores
from tests.stores.conftest import Store, entered
from tests.stores.proxy import Proxy
from tests.stores.tables import append, create
from tests.stores.tiny_s3 import TinyS3, Truth

Tiny = Callable[[Truth], tuple[TinyS3, Store]]
Proxied = Callable[..., Proxy]


@pytest.mark.parametrize(
    ("truth", "finding"),
    [
        (Truth.IGNORED, "does not heed the condition"),
        (Truth.RACED, f"of {stores.WRITERS} writers that created one object at once it told"),
        (Truth.UNKNOWN, "has no conditional put"),
        (Truth.REFUSED, "there already"),
    ],
)
def test_an_unsafe_store_is_refused(tiny: Tiny, truth: Truth, finding: str) -> None:
    server, store = tiny(truth)
    # The second time nobody is asked.
    for _ in range(2):
        with pytest.raises(UnsafeStoreError) as caught:
            create(store.url("t"))
        assert caught.value.condition == "DELTA_UNSAFE_STORAGE"
        assert caught.value.store == store.root
        assert finding in caught.value.finding
        assert "deltasql.commit.probe" in caught.value.message
        assert server.objects == {}


def test_a_server_that_lies_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as s3s-fs 0.14, which tells several of those who create an object at once that they have."""
    endpoint = os.environ.get("DELTASQL_TEST_UNSAFE_S3")
    if not endpoint:
        pytest.skip("DELTASQL_TEST_UNSAFE_S3 does not name a server that loses commits, such as s3s-fs")
    store = entered(endpoint, f"deltasql-{uuid4().hex[:12]}", monkeypatch)
    pytest.importorskip("boto3").client("s3", endpoint_url=endpoint).create_bucket(Bucket=store.root[len("s3://") :])
    with pytest.raises(UnsafeStoreError) as caught, deltasql.connect() as session:
        session.sql(f"CREATE TABLE delta.`{store.url('t')}` (id INT)")
    assert caught.value.store == store.root
    assert Stores().open(store.root).list_below("") == []


def test_a_store_that_keeps_its_word_is_asked_once(s3: Store, proxied: Proxied) -> None:
    proxy = proxied()
    log = create(s3.url("t"))
    seen = proxy.requests()
    asked = [request for request in seen if ".probe-" in request.path]
    assert [request.method for request in asked] == ["PUT"] * (2 + stores.ROUNDS * stores.WRITERS)
    assert all(request.path.rpartition("/")[0].endswith("/t/_delta_log") for request in asked)
    assert len([request for request in seen if request.method == "POST"]) == 1
    append(log, "f1")
    create(s3.url("u"))
    assert not [request for request in proxy.requests() if ".probe-" in request.path]


def test_what_a_probe_has_left_is_no_part_of_a_table(s3: Store) -> None:
    log = create(s3.url("t"), 1)
    for path in ("_delta_log/.probe-0011223344556677-0", "_delta_log/.probe-0011223344556677-1"):
        log.store.put_if_absent(path, b"first")
        LogStore.put_if_absent(DeltaLog(s3.url("new")).store, path, b"first")
    assert DeltaLog(s3.url("t"), "main.t").snapshot().version == 1
    assert len(DeltaLog(s3.url("t"), "main.t").history()) == 2
    assert create(s3.url("new")).snapshot().version == 0
    assert not DeltaLog(s3.url("empty")).exists()


def test_a_setting_forgoes_the_question(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    server, store = tiny(Truth.RACED)
    monkeypatch.setattr(LogStore, "probed", False)
    assert create(store.url("t"), 3).snapshot().version == 3
    assert not [path for path in server.objects if "probe" in path]


def test_the_setting_reaches_the_logs_of_a_session(tmp_path_factory: pytest.TempPathFactory) -> None:
    with deltasql.connect(str(tmp_path_factory.mktemp("w"))) as session:
        session.sql("CREATE TABLE t (a INT)")
        (log,) = session._logs.values()
        assert log.store.probed
        session.settings.set("deltasql.commit.probe", "false")
        session.sql("ALTER TABLE t ADD COLUMNS (b INT)")
        assert not log.store.probed


def test_a_store_that_does_not_answer_is_not_called_unsafe(s3: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StorageError):
        create(s3.url("t").replace("deltasql-", "nowhere-"))
    assert stores._findings == {}


def test_a_commit_that_was_overwritten_is_told(tiny: Tiny) -> None:
    _, store = tiny(Truth.SWAPPED)
    with pytest.raises(OverwrittenCommitError) as caught:
        create(store.url("t"))
    assert caught.value.condition == "DELTA_COMMIT_OVERWRITTEN"
    assert caught.value.store == store.root
    assert f"{0:020d}.json" in caught.value.message


def test_a_commit_is_known_again_however_it_is_listed(tiny: Tiny) -> None:
    server, store = tiny(Truth.KEPT)
    log = create(store.url("t"), 1)
    other = DeltaLog(store.url("t"), "main.t")
    assert other.snapshot().version == 1
    assert append(other, "f2").version == 2
    assert append(log, "f3").version == 3
    for path in list(server.objects):
        del server.objects[path]
    create(store.url("t"), 3)
    assert log.replaced(log.snapshot(3))


@pytest.mark.parametrize("place", ["local", "memory"])
def test_who_is_alone_is_not_asked(place: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("t")
    log = create(str(folder) if place == "local" else f"memory:///{folder.name}", 1)
    assert log.store.shared is None
    assert stores._findings == {}
