"""Servers that are away, are none of a catalog, refuse the user, or lose an answer: typed errors, and soon."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from deltasql.base.errors import (
    CatalogAccessError,
    CatalogConfigurationError,
    CatalogRequestError,
    CatalogUnavailableError,
)
from deltasql.base.errors.base import DeltaSqlError
from deltasql.catalog.external.metastore.store import MetastoreStore
from deltasql.catalog.store import CATALOGS, FUNCTIONS
from tests.metastores.conftest import HIVE, Names, glue_options, hive_options
from tests.metastores.false_servers import answering, aws, close, http, wait
from tests.stores.moto_server import free_port

KEY = ("lake", "s", "t")


def hive_at(port: int, **others: str) -> MetastoreStore:
    client = pytest.importorskip("deltasql.catalog.external.hive", exc_type=ImportError)
    store = client.HiveStore(hive_options(f"thrift://127.0.0.1:{port}", **others))
    assert isinstance(store, MetastoreStore)
    return store


def glue_at(port: int, **others: str) -> MetastoreStore:
    client = pytest.importorskip("deltasql.catalog.external.glue", exc_type=ImportError)
    store = client.GlueStore(glue_options(f"http://127.0.0.1:{port}", **others))
    assert isinstance(store, MetastoreStore)
    return store


STORES = pytest.mark.parametrize("store_at", [hive_at, glue_at])


@contextmanager
def refused(error: type[DeltaSqlError], text: str, seconds: float = 15) -> Iterator[None]:
    """The block raises an error of this class, which names the catalog and says `text`, within some seconds."""
    began = time.monotonic()
    with pytest.raises(error) as raised:
        yield
    assert time.monotonic() - began < seconds
    assert "lake" in raised.value.message
    assert text in raised.value.message


@STORES
def test_a_server_that_is_away(store_at: Callable[..., MetastoreStore]) -> None:
    store = store_at(free_port())
    for request in (lambda: store.entry(KEY), lambda: store.schemas("lake")):
        with refused(CatalogUnavailableError, "127.0.0.1"):
            request()


@STORES
def test_a_server_that_never_answers(store_at: Callable[..., MetastoreStore]) -> None:
    with answering(wait) as port, refused(CatalogUnavailableError, ""):
        store_at(port, timeout="0.5").entry(KEY)


def test_a_server_that_closes_the_connection() -> None:
    with answering(close) as port, refused(CatalogRequestError, "Kerberos"):
        hive_at(port).entry(KEY)


@STORES
def test_a_server_of_the_web(store_at: Callable[..., MetastoreStore]) -> None:
    with answering(http("404 Not Found", "<html>none</html>")) as port, refused(CatalogRequestError, "read the table"):
        store_at(port).entry(KEY)


@pytest.mark.parametrize(
    "uri", ["http://h:1", "thrift://", "thrift://h:99999", "h:9083", "thrift://a:1,", "thrift://a b"]
)
def test_an_address_that_is_none(uri: str) -> None:
    client = pytest.importorskip("deltasql.catalog.external.hive", exc_type=ImportError)
    with refused(CatalogConfigurationError, "thrift://host:port"):
        client.HiveStore(hive_options(uri))


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("AccessDeniedException", CatalogAccessError),
        ("ExpiredTokenException", CatalogAccessError),
        ("UnrecognizedClientException", CatalogAccessError),
        ("ThrottlingException", CatalogUnavailableError),
        ("InvalidInputException", CatalogRequestError),
    ],
)
def test_what_glue_refuses(code: str, error: type[DeltaSqlError]) -> None:
    with answering(aws("400 Bad Request", code, "so it is.")) as port, refused(error, f"{code}: so it is"):
        glue_at(port).entry(KEY)


def test_glue_without_credentials_or_region(monkeypatch: pytest.MonkeyPatch) -> None:
    from deltasql.catalog.external.glue import GlueStore
    from deltasql.catalog.external.routing import CatalogOptions

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    with refused(CatalogAccessError, "credentials"):
        GlueStore(CatalogOptions("lake", "glue", {"region": "eu-west-1"})).entry(KEY)
    with refused(CatalogConfigurationError, "region"):
        GlueStore(CatalogOptions("lake", "glue", {})).entry(KEY)
    with refused(CatalogConfigurationError, "profile"):
        GlueStore(CatalogOptions("lake", "glue", {"region": "eu-west-1", "profile": "none"})).entry(KEY)


@pytest.mark.spark
def test_the_second_address_is_used(hive_uri: str, tmp_path: Any) -> None:
    client = pytest.importorskip("deltasql.catalog.external.hive", exc_type=ImportError)
    store = client.HiveStore(hive_options(f"thrift://127.0.0.1:{free_port()},{hive_uri}"))
    assert store.schema(("lake", "default")) is not None
    store.close()


@pytest.mark.spark
def test_a_lost_connection_is_opened_again_for_a_look_up(hive: MetastoreStore) -> None:
    assert hive.entry(KEY) is None
    lose(hive)
    assert hive.entry(KEY) is None


@pytest.mark.spark
def test_a_change_without_an_answer_is_neither_done_nor_undone(hive: MetastoreStore) -> None:
    from deltasql.catalog.entries import StoredSchema

    assert hive.entry(KEY) is None
    lose(hive)
    with refused(CatalogUnavailableError, "it is unknown whether it could create the database lost"):
        hive.add_schema(StoredSchema("lake", "lost", None, None, 1))


def lose(store: Any) -> None:
    """Ends the connection, as a server does that is started again."""
    import socket

    store._metastore._connection._transport._TBufferedTransport__trans.handle.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("outer", [HIVE, "glue"], indirect=True)
def test_a_look_up_of_a_table_is_one_request(outer: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[str] = []
    count_requests(outer.within, requests, monkeypatch)
    for name in ("t", "missing"):
        requests.clear()
        outer.store.entry(outer.key(name))
        assert len(requests) == 1
    requests.clear()
    outer.within.get(FUNCTIONS, outer.key("f"))
    outer.within.get(CATALOGS, ("lake",))
    assert requests == []


def count_requests(store: Any, requests: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Has each request of a store added to `requests`."""
    client = store._metastore
    connection = getattr(client, "_connection", None) or client._glue
    call = connection.call

    def counted(operation: str, *rest: Any, **others: Any) -> Any:
        requests.append(operation)
        return call(operation, *rest, **others)

    monkeypatch.setattr(connection, "call", counted)
