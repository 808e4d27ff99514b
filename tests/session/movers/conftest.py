"""A warehouse for each mover."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql import connect
from tests.session.movers.compare import MODES, Both


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    with connect(str(tmp_path / MODES[0])) as first, connect(str(tmp_path / MODES[1])) as second:
        yield Both(first, second)
