"""Credentials that a Unity Catalog lends for S3: used for its tables alone, renewed in time, and never shown."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

import deltasql
from deltasql.base.errors import CatalogAccessError, CatalogUnavailableError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.catalog.external.unity.client import LentCredentials, lent_options
from deltasql.log.storage import stores
from tests.stores.tiny_s3 import TinyS3
from tests.unity.conftest import rows
from tests.unity.server import UnityServer
from tests.unity.state import Catalogs

Connect = Callable[..., deltasql.Session]


class GuardedS3(TinyS3):
    """An S3 that knows which access keys are valid, until when, and what was asked with each."""

    def __init__(self) -> None:
        super().__init__()
        self.valid: dict[str, float] = {}
        self.used: list[str] = []
        self.denied = 0
        store = self

        class Guarded(self._server.RequestHandlerClass):  # type: ignore[misc, name-defined]
            def parse_request(self) -> bool:
                if not super().parse_request():
                    return False
                key = (self.headers.get("Authorization") or "").partition("Credential=")[2].partition("/")[0]
                store.used.append(key)
                if store.valid.get(key, 0.0) > time.time() and self.headers.get("x-amz-security-token") == f"s-{key}":
                    return True
                store.denied += 1
                _deny(self)
                return False

        self._server.RequestHandlerClass = Guarded


def _deny(handler: BaseHTTPRequestHandler) -> None:
    length = int(handler.headers.get("Content-Length") or 0)
    handler.rfile.read(length)
    body = b"<Error><Code>ExpiredToken</Code><Message>The token has expired</Message></Error>"
    handler.send_response_only(403)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(body)
    handler.wfile.flush()


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[GuardedS3]:
    monkeypatch.setattr(stores, "_findings", {})
    store = GuardedS3()
    with store:
        settings = {"AWS_ENDPOINT_URL": store.endpoint, "AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true"}
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        # Keys of the session itself, which the storage does not take.
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "OWN")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "own-secret")
        yield store


@pytest.fixture
def lending(catalogs: Catalogs, s3: GuardedS3) -> Callable[..., None]:
    """Has the catalog lend keys: for so many seconds, and operations."""
    numbers = itertools.count(1)

    def lend(seconds: float = 3600, operations: tuple[str, ...] = ("READ", "READ_WRITE", "STAGING", "PATH")) -> None:
        def fresh(older: bool) -> dict[str, Any]:
            key = f"LENT{next(numbers)}"
            s3.valid[key] = time.time() + seconds
            end = int(s3.valid[key] * 1000)
            if older:
                keys = {"access_key_id": key, "secret_access_key": f"secret-of-{key}", "session_token": f"s-{key}"}
                return {"aws_temp_credentials": keys, "expiration_time": end}
            config = {
                "s3.access-key-id": key,
                "s3.secret-access-key": f"secret-of-{key}",
                "s3.session-token": f"s-{key}",
            }
            item = {"prefix": "s3://b", "operation": "READ_WRITE", "expiration-time-ms": end, "config": config}
            return {"storage-credentials": [item]}

        catalogs.root = "s3://b"
        catalogs.credentials = {name: lambda: fresh(True) for name in operations}
        if "STAGING" in operations:
            catalogs.credentials["STAGING"] = lambda: fresh(False)

    return lend


def test_managed_tables_in_a_bucket(
    connect: Connect, lending: Callable[..., None], s3: GuardedS3, server: UnityServer
) -> None:
    lending()
    session = connect()
    session.sql("CREATE TABLE main.sales.t (id INT)")
    session.sql("INSERT INTO main.sales.t VALUES (1), (2)")
    session.sql("DELETE FROM main.sales.t WHERE id = 1")
    assert rows(connect(), "SELECT * FROM main.sales.t") == [(2,)]
    assert s3.denied == 0
    assert "OWN" not in s3.used
    server.requests.clear()
    rows(session, "SELECT * FROM main.sales.t")
    assert server.counted("credentials") == 0


def test_each_table_has_its_own_keys(connect: Connect, lending: Callable[..., None], s3: GuardedS3) -> None:
    lending()
    session = connect()
    for name in "ab":
        session.sql(f"CREATE TABLE main.sales.{name} (id INT)")
        session.sql(f"INSERT INTO main.sales.{name} VALUES (1)")
    other = connect()
    s3.used.clear()
    assert rows(other, "SELECT * FROM main.sales.a JOIN main.sales.b USING (id)") == [(1,)]
    assert len(set(s3.used)) == 2


def test_keys_are_renewed_before_they_expire(connect: Connect, lending: Callable[..., None], s3: GuardedS3) -> None:
    lending(seconds=2.0)
    session = connect()
    session.sql("CREATE TABLE main.sales.t (id INT)")
    for number in range(8):
        session.sql(f"INSERT INTO main.sales.t VALUES ({number})")
        time.sleep(0.5)
    assert rows(session, "SELECT count(*) FROM main.sales.t") == [(8,)]
    assert s3.denied == 0
    assert len(set(s3.used)) >= 3


def test_an_external_table_is_created_with_keys_for_its_place(
    connect: Connect, lending: Callable[..., None], s3: GuardedS3, catalogs: Catalogs
) -> None:
    lending()
    session = connect()
    session.sql("CREATE TABLE main.sales.e (id INT) USING delta LOCATION 's3://b/places/e'")
    session.sql("INSERT INTO main.sales.e VALUES (1)")
    assert rows(connect(), "SELECT * FROM main.sales.e") == [(1,)]
    assert catalogs.lent[0] == "PATH"
    assert (s3.denied, "OWN" in s3.used) == (0, False)


def test_without_keys_for_a_place_those_of_the_session_are_used(
    connect: Connect, lending: Callable[..., None], s3: GuardedS3
) -> None:
    lending(operations=("READ", "READ_WRITE"))
    with pytest.raises(DeltaSqlError):
        connect().sql("CREATE TABLE main.sales.e (id INT) USING delta LOCATION 's3://b/places/e'")
    assert set(s3.used) == {"OWN"}


def test_who_may_only_read_reads(connect: Connect, lending: Callable[..., None], catalogs: Catalogs) -> None:
    lending()
    connect().sql("CREATE TABLE main.sales.t AS SELECT 1 AS id")
    del catalogs.credentials["READ_WRITE"]
    catalogs.lent.clear()
    assert rows(connect(), "SELECT * FROM main.sales.t") == [(1,)]
    assert catalogs.lent == ["READ"]


def test_who_may_not_even_read(connect: Connect, lending: Callable[..., None], catalogs: Catalogs) -> None:
    lending()
    connect().sql("CREATE TABLE main.sales.t AS SELECT 1 AS id")
    catalogs.credentials.clear()
    with pytest.raises(CatalogAccessError, match="no READ for you"):
        rows(connect(), "SELECT * FROM main.sales.t")


def test_no_key_is_shown(connect: Connect, lending: Callable[..., None], s3: GuardedS3) -> None:
    lending()
    session = connect()
    session.sql("CREATE TABLE main.sales.t AS SELECT 1 AS id")
    shown = [
        str(session.sql(statement).collect())
        for statement in (
            *("EXPLAIN SELECT * FROM main.sales.t", "DESCRIBE DETAIL main.sales.t", "SET"),
            *("SHOW CREATE TABLE main.sales.t", "DESCRIBE EXTENDED main.sales.t", "DESCRIBE HISTORY main.sales.t"),
        )
    ]
    s3.valid.clear()
    with pytest.raises(DeltaSqlError) as refused:
        session.sql("INSERT INTO main.sales.t VALUES (1)")
    shown += [str(refused.value), repr(vars(refused.value)), repr(vars(session.stores))]
    keys = [key for key in set(s3.used) if key.startswith("LENT")]
    assert keys
    assert not [key for key in keys if f"secret-of-{key}" in str(shown) or f"s-{key}" in str(shown)]


# Without a server


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def time(self) -> float:
        return self.now


@pytest.mark.parametrize("older", [True, False])
def test_renewal(monkeypatch: pytest.MonkeyPatch, older: bool) -> None:
    clock, asked = Clock(), []
    monkeypatch.setattr("deltasql.catalog.external.unity.client.time", clock)

    def fetch(operation: str) -> dict[str, Any]:
        asked.append(operation)
        if len(asked) == 3:
            raise CatalogUnavailableError(catalog="main", type="unity", uri="u", reason="away")
        end = int((clock.now + 900) * 1000)
        if older:
            return {"azure_user_delegation_sas": {"sas_token": f"sas-{len(asked)}"}, "expiration_time": end}
        config = {"azure.sas-token": f"sas-{len(asked)}", "s3.access-key-id": None}
        return {"storage-credentials": [{"prefix": "x", "config": config, "expiration-time-ms": end}]}

    lent = LentCredentials("t", lambda operation: lent_options(fetch(operation)))
    seen = []
    for _ in range(17):
        seen.append(lent.options()[0]["azure_storage_sas_key"])
        clock.now += 100
    # Five minutes before the end; while the server is away, the old ones are used.
    assert seen[:6] == ["sas-1"] * 6
    assert seen[6:12] == ["sas-2"] * 6
    assert seen[12] == "sas-2"
    assert seen[13] == "sas-4"


def test_work_that_does_not_ask_again_gets_keys_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, asked = Clock(), []
    monkeypatch.setattr("deltasql.catalog.external.unity.client.time", clock)

    def fetch(operation: str) -> dict[str, Any]:
        asked.append(operation)
        keys = {"access_key_id": f"key-{len(asked)}"}
        return {"aws_temp_credentials": keys, "expiration_time": int((clock.now + 3600) * 1000)}

    lent = LentCredentials("t", lambda operation: lent_options(fetch(operation)))

    def key(*, unattended: bool) -> str:
        return lent.options(unattended=unattended)[0]["aws_access_key_id"]

    assert key(unattended=True) == key(unattended=False) == "key-1"
    clock.now += 1700
    assert key(unattended=True) == "key-1"
    clock.now += 200
    assert key(unattended=False) == "key-1"
    assert key(unattended=True) == key(unattended=False) == "key-2"
    assert asked == ["READ_WRITE"] * 2
