"""A Unity Catalog server of the tests, and sessions that use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import deltasql
from tests.unity.server import UnityServer, running
from tests.unity.state import Catalogs

TOKEN = "t0ken-of-the-test"


@pytest.fixture
def catalogs(tmp_path: Path) -> Catalogs:
    return Catalogs(f"file://{tmp_path}/managed")


@pytest.fixture
def server(catalogs: Catalogs) -> Iterator[UnityServer]:
    with running(catalogs, TOKEN) as started:
        yield started


@pytest.fixture
def connect(server: UnityServer, tmp_path: Path) -> Iterator[Callable[..., deltasql.Session]]:
    """Opens sessions whose catalog `main` is on the server; keywords are further options of the catalog."""
    opened = []

    def session(**options: Any) -> deltasql.Session:
        main = {"type": "unity", "uri": server.uri, "token": TOKEN, "timeout": 30, **options}
        catalogs = {"main": {name: value for name, value in main.items() if value is not None}}
        opened.append(deltasql.connect(str(tmp_path / "warehouse"), catalogs=catalogs))
        return opened[-1]

    yield session
    for item in opened:
        item.close()


@pytest.fixture
def session(connect: Callable[..., deltasql.Session]) -> deltasql.Session:
    return connect()


def rows(session: deltasql.Session, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(sql).collect()]
