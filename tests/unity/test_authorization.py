"""Tokens of a Unity Catalog: fixed ones, and those of client credentials; none of them is ever shown."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import deltasql
from deltasql.base.errors import CatalogAccessError, CatalogConfigurationError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.catalog.external.unity import client
from tests.unity.conftest import TOKEN, rows
from tests.unity.server import UnityServer

Connect = Callable[..., deltasql.Session]
SECRET = "client-secret-of-the-test"


@pytest.fixture
def oauth(connect: Connect, server: UnityServer) -> Connect:
    def session(**options: object) -> deltasql.Session:
        endpoint = f"{server.uri}/oauth/token"
        return connect(**{"token": None, "client_id": "me", "client_secret": SECRET, "oauth_uri": endpoint, **options})

    return session


def test_one_token_for_many_requests(oauth: Connect, server: UnityServer) -> None:
    session = oauth()
    for _ in range(3):
        rows(session, "SHOW SCHEMAS IN main")
    assert server.tokens_given == 1


def test_a_token_is_renewed_before_it_expires(
    oauth: Connect, server: UnityServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.token_seconds = 1000.0
    session = oauth()
    rows(session, "SHOW SCHEMAS IN main")
    later = SimpleNamespace(monotonic=lambda: time.monotonic() + 990)
    monkeypatch.setattr(client, "time", later)
    rows(session, "SHOW SCHEMAS IN main")
    assert server.tokens_given == 2
    assert server.counted("GET /schemas") == 2


def test_a_token_that_was_revoked(oauth: Connect, server: UnityServer) -> None:
    session = oauth()
    rows(session, "SHOW SCHEMAS IN main")
    server.given.clear()
    rows(session, "SHOW SCHEMAS IN main")
    assert server.tokens_given == 2


def test_a_wrong_secret(oauth: Connect) -> None:
    with pytest.raises(CatalogAccessError, match="token endpoint answers with status 401") as refused:
        oauth(client_secret="another-secret-of-mine").sql("SHOW SCHEMAS IN main")
    assert "another-secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"client_id": "me"}, "belong together"),
        ({"client_id": "me", "client_secret": SECRET, "token": TOKEN}, "give one of them"),
        ({"uri": "localhost:8080"}, "no address"),
        ({"uri": "http://user:word@host"}, "no address"),
        ({"timeout": "soon"}, "timeout must be"),
    ],
)
def test_wrong_options(connect: Connect, options: dict[str, str], reason: str) -> None:
    given = {"token": None, **options}
    with pytest.raises(CatalogConfigurationError, match=reason) as refused:
        connect(**given).sql("SHOW SCHEMAS IN main")
    assert SECRET not in str(refused.value)


def test_no_secret_in_any_output(
    connect: Connect, oauth: Connect, server: UnityServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    shown: list[str] = []
    for session in (connect(), oauth()):
        session.sql("CREATE TABLE IF NOT EXISTS main.sales.t (id INT)")
        statements = [
            *("SHOW CATALOGS", "DESCRIBE CATALOG EXTENDED main", "SET", "EXPLAIN SELECT * FROM main.sales.t"),
            *("SHOW CREATE TABLE main.sales.t", "DESCRIBE EXTENDED main.sales.t", "SHOW TBLPROPERTIES main.sales.t"),
            *("SELECT * FROM main.sales.nothing", f"SELECT '{TOKEN}' FROM nothing", "SELECT * FROM main.nothing.t"),
        ]
        for statement in statements:
            try:
                shown.append(str(session.sql(statement).collect()))
            except DeltaSqlError as error:
                shown += [str(error), repr(error), repr(vars(error))]
        shown += [repr(session), repr(vars(session.catalog)), repr(session.catalog.external.options)]
        shown.append(repr(vars(session.catalog.external)))
    server.token = "changed"
    with pytest.raises(CatalogAccessError) as refused:
        connect().sql("SHOW SCHEMAS IN main")
    shown.append(str(refused.value))
    text = "\n".join([*shown, caplog.text])
    assert not [secret for secret in (TOKEN, SECRET, *server.given) if secret in text]
