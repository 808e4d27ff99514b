"""The JSON of the test server and of the client, compared with the models of the package unitycatalog-client.

That package wants older releases of pydantic than others here. So no extra has it, and the test is skipped without it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import deltasql
from tests.unity.conftest import rows
from tests.unity.server import UnityServer
from tests.unity.state import Answer, Catalogs

models = pytest.importorskip("unitycatalog.client.models")

REQUESTS = {
    ("POST", "schemas"): "CreateSchema",
    ("PATCH", "schemas"): "UpdateSchema",
    ("POST", "tables"): "CreateTable",
    ("POST", "temporary-table-credentials"): "GenerateTemporaryTableCredential",
}
"""Models of what the client sends, by method and first part of the path."""

ANSWERS = {
    ("GET", "catalogs", 2): "CatalogInfo",
    ("GET", "schemas", 1): "ListSchemasResponse",
    ("GET", "schemas", 2): "SchemaInfo",
    ("POST", "schemas", 1): "SchemaInfo",
    ("PATCH", "schemas", 2): "SchemaInfo",
    ("GET", "tables", 1): "ListTablesResponse",
    ("GET", "tables", 2): "TableInfo",
    ("POST", "tables", 1): "TableInfo",
    ("POST", "temporary-table-credentials", 1): "TemporaryCredentials",
}
"""Models of what the server answers, by method, first part and number of parts of the path."""


def checked(name: str, value: Any) -> None:
    """Raises where a model does not take a value, or does not know one of its fields."""
    model = getattr(models, name)
    assert set(value) <= set(model.model_fields), name
    parsed = model.from_dict(value)
    assert parsed is not None
    known = {key: item for key, item in value.items() if item is not None}
    assert set(json.loads(parsed.to_json())) >= {key for key, item in known.items() if item != {}}


@pytest.mark.parametrize("delta", [True, False])
def test_shapes(
    connect: Callable[..., deltasql.Session],
    server: UnityServer,
    catalogs: Catalogs,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    delta: bool,
) -> None:
    catalogs.delta = delta
    real, seen = catalogs.answer, set()

    def answer(method: str, path: tuple[str, ...], query: Any, body: Any) -> Answer:
        given = real(method, path, query, body)
        if (sent := REQUESTS.get((method, path[0]))) is not None:
            checked(sent, body)
            seen.add(sent)
        if given.status == 200 and (got := ANSWERS.get((method, path[0], len(path)))) is not None:
            checked(got, given.body)
            seen.add(got)
        return given

    monkeypatch.setattr(catalogs, "answer", answer)
    session = connect()
    session.sql("CREATE SCHEMA main.north COMMENT 'x'")
    session.sql("COMMENT ON SCHEMA main.north IS 'y'")
    columns = "id BIGINT NOT NULL, price DECIMAL(10, 2), tags MAP<STRING, ARRAY<INT>>, at TIMESTAMP_NTZ, name STRING"
    session.sql(f"CREATE TABLE main.north.t ({columns}) USING delta LOCATION '{tmp_path}/t' COMMENT 'z'")
    rows(session, "SELECT * FROM main.north.t")
    rows(session, "SHOW TABLES IN main.north")
    rows(session, "DESCRIBE CATALOG EXTENDED main")
    rows(session, "DESCRIBE SCHEMA main.north")
    rows(session, "SHOW SCHEMAS IN main")
    keys = {"access_key_id": "a", "secret_access_key": "b", "session_token": "c"}
    catalogs.credentials = {"READ_WRITE": {"aws_temp_credentials": keys, "expiration_time": 4_000_000_000_000}}
    catalogs.tables[("main", "north", "far")] = {
        **catalogs.tables[("main", "north", "t")],
        "name": "far",
        "storage_location": "s3://nowhere/t",
        "table_id": "2",
    }
    session.catalog.require(("main", "north", "far"))
    assert session.stores.is_lent("s3://nowhere/t")
    assert {"CreateTable", "ListTablesResponse", "TemporaryCredentials", "GenerateTemporaryTableCredential"} <= seen
