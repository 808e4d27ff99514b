"""Warehouses whose names are kept in each of the ways there are."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from obstore.store import MemoryStore

from deltasql.catalog import Catalog, shared_objects


@pytest.fixture(params=["sqlite", "objects"])
def warehouse(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The location of a warehouse that does not exist yet: on the local disk, or in the memory of this process."""
    return str(tmp_path / "wh") if request.param == "sqlite" else f"memory:///{secrets.token_hex(8)}"


@pytest.fixture
def catalog(warehouse: str) -> Iterator[Catalog]:
    opened = Catalog(warehouse)
    yield opened
    opened.close()


@pytest.fixture
def memory() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def in_haste(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Nobody waits long; where there are no threads, nobody waits."""
    if "threads" not in request.node.name:
        monkeypatch.setattr(shared_objects, "_pause", lambda attempt: None)
        monkeypatch.setattr(shared_objects, "PATIENCE", 0.3)
