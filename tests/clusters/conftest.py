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
def namespace(java: None) -> None:
    if reason := why_no_namespace():
        pytest.skip(reason)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("servers")


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of warehouses; servers that have another disk see nothing of it."""
    return tmp_path_factory.mktemp("disk")


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
