"""Answers of a Unity Catalog server that have another shape, and secrets that no request can carry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import CatalogConfigurationError, CatalogRequestError
from deltasql.base.errors.base import DeltaSqlError
from tests.unity.server import UnityServer
from tests.unity.state import Answer, Catalogs

Connect = Callable[..., deltasql.Session]

STATEMENTS = (
    "SELECT * FROM main.sales.t",
    "DESCRIBE DETAIL main.sales.t",
    "SHOW TABLES IN main.sales",
    "SHOW SCHEMAS IN main",
    "DESCRIBE SCHEMA main.sales",
    "DESCRIBE CATALOG main",
    "COMMENT ON SCHEMA main.sales IS 'x'",
    "DROP SCHEMA main.sales",
    "DROP TABLE main.sales.t",
    "CREATE TABLE main.sales.u (id INT)",
    "ALTER TABLE main.sales.t RENAME TO main.sales.u",
    "USE main.sales",
)
BODIES = (
    "",
    "null",
    "<html>busy</html>",
    "[]",
    "\x00\xff",
    "{}",
    '{"schemas": 1, "tables": 1, "metadata": 1, "endpoints": 1}',
    '{"schemas": [1], "tables": [null], "metadata": [], "endpoints": [1]}',
    '{"schemas": {"a": 1}, "tables": "abc", "metadata": {"location": 1}, "next_page_token": 5}',
    '{"schemas": [{"name": 1, "created_at": "x"}], "tables": [{"name": 1}], "created_at": "x", "properties": "ab"}',
    '{"schemas": [{"name": "a", "properties": [1]}], "properties": [1], "storage_root": 7}',
    '{"location": "x", "table-id": 1, "required-protocol": {"writer-features": 3}, "required-properties": []}',
    '{"location": "x", "table-id": 1, "required-protocol": 1, "required-properties": 2}',
    '{"catalog_name": "main", "schema_name": "sales", "name": "t", "table_id": 1, "data_source_format": "DELTA", '
    '"storage_location": 5, "created_at": []}',
    '{"catalog_name": "main", "schema_name": "sales", "name": "t", "table_id": 1, "data_source_format": "CSV", '
    '"storage_location": "/x", "columns": [1]}',
    '{"error": "text"}',
)


@pytest.mark.parametrize(("status", "warm"), [(200, True), (200, False), (404, True), (409, False)])
@pytest.mark.parametrize("body", BODIES)
def test_answers_of_every_shape_are_typed_errors(
    connect: Connect, catalogs: Catalogs, monkeypatch: pytest.MonkeyPatch, body: str, status: int, warm: bool
) -> None:
    session = connect(timeout=1)
    if warm:
        session.sql("SHOW SCHEMAS IN main")
        with pytest.raises(DeltaSqlError):
            session.sql("SELECT * FROM main.sales.nothing")
    monkeypatch.setattr(catalogs, "answer", lambda *_: Answer(status, body))
    for statement in STATEMENTS:
        try:
            session.sql(statement)
        except DeltaSqlError:
            continue
        except Exception as error:
            pytest.fail(f"{statement}: {error!r}")
    assert not session.spark_started


@pytest.mark.parametrize(
    "answer",
    [
        {"storage-credentials": 5},
        {"storage-credentials": ["x"]},
        {"storage-credentials": [{"prefix": 1}]},
        {"storage-credentials": [{"prefix": "x"}]},
        {"storage-credentials": [{"config": {}, "expiration-time-ms": "soon"}]},
        {"aws_temp_credentials": "value-of-a-key"},
        {"expiration_time": 10**30},
    ],
)
def test_lent_credentials_of_another_shape_are_not_shown(
    connect: Connect, catalogs: Catalogs, monkeypatch: pytest.MonkeyPatch, answer: dict[str, object]
) -> None:
    session = connect()
    store = session.catalog.external.store("main")
    assert store is not None
    store.announce("s3://bucket/t")
    lent = store.lend("s3://bucket/t")
    assert lent is not None
    monkeypatch.setattr(catalogs, "answer", lambda *_: Answer(200, answer))
    with pytest.raises(CatalogRequestError, match="lend credentials") as refused:
        lent.options()
    assert "value-of-a-key" not in str(refused.value)


@pytest.mark.parametrize("token", ["t0ken-of-the-test\n", " t0ken-of-the-test", "t0ken-of-the-test\r\n"])
def test_blanks_around_a_token_do_not_count(connect: Connect, token: str) -> None:
    assert connect(token=token).sql("SHOW SCHEMAS IN main").collect()


@pytest.mark.parametrize("option", ["token", "client_id", "client_secret"])
@pytest.mark.parametrize("secret", ["two\nlines-of-a-secret", "s\u00e9cret-\u4e2d-of-a-test", "s\x00cret-of-a-test"])
def test_a_token_that_no_header_can_carry_is_never_shown(
    connect: Connect, server: UnityServer, option: str, secret: str
) -> None:
    options: dict[str, str | None] = {"token": secret}
    if option != "token":
        options = {"token": None, "client_id": "me", "client_secret": "client-secret", option: secret}
    with pytest.raises(DeltaSqlError) as refused:
        connect(**options, timeout=1).sql("SHOW SCHEMAS IN main")
    shown = str(refused.value)
    assert secret not in shown
    assert repr(secret)[1:-1] not in shown


@pytest.mark.parametrize(
    "options",
    [
        {"uri": "http://[::1"},
        {"uri": "http://host:port"},
        {"uri": "http://host:99999"},
        {"uri": "http://host/?token=value-of-a-token"},
        {"uri": "http://host/#part"},
        {"uri": "http://me:value-of-a-token@host"},
        {"uri": "http://ho st"},
        {
            "token": None,
            "client_id": "me",
            "client_secret": "a-secret-of-9",
            "oauth_uri": "http://me:value-of-a-token@host/t",
        },
        {"token": None, "client_id": "me", "client_secret": "a-secret-of-9", "oauth_uri": "http://[::1"},
        {"token": None, "client_id": "me", "client_secret": "a-secret-of-9", "oauth_uri": "http://host:port/"},
    ],
)
def test_addresses_that_are_none_are_refused_at_once(connect: Connect, options: dict[str, str | None]) -> None:
    with pytest.raises(CatalogConfigurationError) as refused:
        connect(**options).sql("SHOW SCHEMAS IN main")
    assert "value-of-a-token" not in str(refused.value)


@pytest.mark.parametrize("catalogs", [["main"], "main", {1: {"type": "unity"}}, {"main": ["unity"]}, {"main": None}])
def test_configurations_of_another_shape(tmp_path: Path, catalogs: object) -> None:
    with pytest.raises(CatalogConfigurationError):
        deltasql.connect(str(tmp_path), catalogs=catalogs).sql("SHOW SCHEMAS IN main")  # type: ignore[arg-type]


def test_an_option_without_a_value_is_not_set(tmp_path: Path, server: UnityServer) -> None:
    server.token = None
    main = {"type": "unity", "uri": server.uri, "token": None, "client_id": None}
    with deltasql.connect(str(tmp_path), catalogs={"main": main}) as session:
        assert session.sql("SHOW SCHEMAS IN main").collect()
