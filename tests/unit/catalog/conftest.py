"""Warehouses whose names are kept in each of the ways there are."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace

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
    """Where there are no threads, nobody waits, and a clock of the tests gives up after three thousand attempts."""
    if "threads" not in request.node.name:
        monkeypatch.setattr(shared_objects, "_pause", lambda attempt: None)
        ticks = count()
        clock = SimpleNamespace(monotonic=lambda: next(ticks) * shared_objects.PATIENCE / 3000)
        monkeypatch.setattr(shared_objects, "time", clock)
