"""One process with Sail for all tests of a worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sail.process import SailProcess


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sail") / "warehouse"


@pytest.fixture(scope="session")
def sail(warehouse: Path) -> Iterator[SailProcess]:
    for module in ("pysail", "grpc_status"):
        pytest.importorskip(module, reason="the extra 'sail' is not installed")
    process = SailProcess(warehouse)
    yield process
    process.stop()
