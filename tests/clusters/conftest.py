"""Servers for a whole module, each a process of its own, and sessions on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.clusters.servers import why_no_java, why_no_namespace


@pytest.fixture(scope="module")
def java() -> None:
    if reason := why_no_java():
        pytest.skip(reason)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("servers")


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of warehouses that servers see."""
    return tmp_path_factory.mktemp("disk")


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """A folder of warehouses that servers do not see, as if they had a disk of their own; None where none can be."""
    return None if why_no_namespace() else tmp_path_factory.mktemp("hidden")


@pytest.fixture(scope="module")
def own_disk(java: None, hidden: Path | None) -> Path:
    """That folder."""
    if hidden is None:
        pytest.skip(why_no_namespace())
    return hidden


@contextmanager
def spark_of(master: str) -> Iterator[None]:
    """Sessions of this process start their Spark with this master, and none is left behind."""
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DELTASQL_MASTER", master)
        _stop()
        try:
            yield
        finally:
            _stop()
    assert SparkSession.getActiveSession() is None


def _stop() -> None:
    from pyspark.sql import SparkSession

    if (active := SparkSession.getActiveSession()) is not None:
        active.stop()
