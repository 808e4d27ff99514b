"""One session of ours per test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import NotOnSailError


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here runs Spark, or Sail, and nearly all runs delta-spark."""
    for item in items:
        if Path(__file__).parent not in item.path.parents:
            continue
        item.add_marker(pytest.mark.spark)
        item.add_marker(pytest.mark.oracle)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """What Sail refuses by name is no defect: DELTASQL_ENGINE=sail."""
    try:
        return (yield)
    except NotOnSailError as error:
        pytest.skip(f"refused: {error}")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[deltasql.Session]:
    with deltasql.connect(str(tmp_path / "warehouse")) as opened:
        yield opened
