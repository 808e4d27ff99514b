"""A warehouse for each mover, or one; the process's one Spark session behind all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from deltasql import Session, connect
from deltasql.engines.spark.session.spark import SparkHandle
from tests.ways.compare import MODES, Both, StartedError

os.environ.setdefault("DELTASQL_MASTER", "local[2]")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with connect(str(tmp_path / "warehouse")) as opened:
        yield opened


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    with connect(str(tmp_path / MODES[0])) as first, connect(str(tmp_path / MODES[1])) as second:
        yield Both(first, second)


@pytest.fixture
def sleeping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session on Spark, whose start raises StartedError."""

    def refuse(_: SparkHandle) -> NoReturn:
        raise StartedError

    # Another test of this process may have started Spark.
    monkeypatch.setattr(SparkHandle, "session", property(refuse))
    with connect(str(tmp_path), engine="spark") as opened:
        yield opened
