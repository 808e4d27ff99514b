"""A warehouse for each mover, or one; the process's one Spark session behind all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql import Session, connect
from tests.ways.compare import MODES, Both

os.environ.setdefault("DELTASQL_MASTER", "local[2]")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with connect(str(tmp_path / "warehouse")) as opened:
        yield opened


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    with connect(str(tmp_path / MODES[0])) as first, connect(str(tmp_path / MODES[1])) as second:
        yield Both(first, second)
