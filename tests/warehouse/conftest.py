"""A warehouse in this process, whose clients are those of Databricks."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from databricks import sql
from databricks.sql.thrift_api.TCLIService import ttypes

from deltasql.warehouse import Address, running


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    folder = tmp_path_factory.mktemp("warehouse")
    with running(folder / "tables", {"HOME": str(folder)}) as address:
        yield address


Connect = Callable[..., Any]


@pytest.fixture
def connect(warehouse: Address) -> Iterator[Connect]:
    """Opens a connection of databricks-sql-connector; keywords are its own."""
    opened = []

    def connected(**options: Any) -> Any:
        opened.append(connection(warehouse, **options))
        return opened[-1]

    yield connected
    for item in opened:
        item.close()
    opened.clear()
    # A connection that could not be opened tries to close itself when it is collected, not in a later test.
    gc.collect()


def connection(address: Address, **options: Any) -> Any:
    given = {"access_token": address.token, "enable_telemetry": False, **options}
    return sql.connect(
        server_hostname=address.host,
        http_path=address.http_path,
        _port=address.port,
        _tls_trusted_ca_file=address.certificate,
        **given,
    )


def rows_of(opened: Any, statement: str, parameters: Any = None, **options: Any) -> list[tuple[Any, ...]]:
    with opened.cursor() as cursor:
        cursor.execute(statement, parameters, **options)
        return [tuple(row) for row in cursor.fetchall()]


def execute(opened: Any, statement: str, **options: Any) -> Any:
    """The answer to ExecuteStatement, as clients of other languages send it."""
    backend = opened.session.backend
    request = ttypes.TExecuteStatementReq(
        sessionHandle=opened.session._session_id.to_thrift_handle(),
        statement=statement,
        getDirectResults=ttypes.TSparkGetDirectResults(maxRows=1000, maxBytes=1 << 20),
        **options,
    )
    return backend.make_request(backend._client.ExecuteStatement, request)
