"""One session of ours per test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import deltasql
from tests.oracle.client import NO_ORACLE


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here runs Spark, and all but what only delta-rs writes runs delta-spark."""
    for item in items:
        if Path(__file__).parent not in item.path.parents:
            continue
        item.add_marker(pytest.mark.spark)
        item.add_marker(pytest.mark.oracle)
        if os.environ.get(NO_ORACLE):
            item.add_marker(pytest.mark.skip(reason=f"{NO_ORACLE} is set"))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[deltasql.session.Session]:
    with deltasql.connect(str(tmp_path / "warehouse")) as opened:
        yield opened
