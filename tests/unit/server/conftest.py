"""A server of this process, and clients that are none of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import pytest

from deltasql.clients.server.flight import Settings, running


@pytest.fixture
def uri(tmp_path: Path) -> Iterator[str]:
    with running(Settings(str(tmp_path / "warehouse"), port=0), {}) as place:
        yield place


@pytest.fixture
def connected(uri: str) -> Iterator[Callable[[], Any]]:
    """Makes connections of ADBC, which end with the test."""
    with ExitStack() as open_ones:
        yield lambda: open_ones.enter_context(adbc.connect(uri, autocommit=True))
