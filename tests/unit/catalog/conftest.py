"""Warehouses whose names are kept in each of the ways there are."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest


@pytest.fixture(params=["sqlite", "objects"])
def warehouse(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The location of a warehouse that does not exist yet: on the local disk, or in the memory of this process."""
    return str(tmp_path / "wh") if request.param == "sqlite" else f"memory:///{secrets.token_hex(8)}"
