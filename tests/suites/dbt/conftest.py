"""dbt's fixtures, over a warehouse of this run."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any

import pytest
from dbt.adapters.deltasql.impl import DeltaSqlAdapter

from tests.samples import draws
from tests.suites.dbt.translated import statements

pytest_plugins = ["dbt.tests.fixtures.project"]

ENGINE = os.environ.get("DELTASQL_SUITES_ENGINE", "spark")
SHARES = 12
_run_one = DeltaSqlAdapter.run_sql_for_tests


def run_sql_for_tests(adapter: DeltaSqlAdapter, sql: str, fetch: str | None, connection: Any) -> Any:
    """Runs the statements of a text of Postgres; the answer of the last."""
    answer = None
    for statement in statements(sql):
        answer = _run_one(adapter, statement, fetch, connection)
    return answer


DeltaSqlAdapter.run_sql_for_tests = run_sql_for_tests


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("warehouse"))


@pytest.fixture(scope="class")
def dbt_profile_target(warehouse: str) -> dict[str, Any]:
    return {"type": "deltasql", "warehouse": warehouse, "threads": 4, "engine": ENGINE, "user": "suite"}


@pytest.fixture(scope="class")
def test_data_dir(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files beside the class of dbt's suite; where it has none, a folder that it may make."""
    for base in request.cls.__mro__:
        folder = Path(inspect.getfile(base)).parent / "data" if base is not object else Path()
        if "dbt/tests/adapter" in folder.as_posix() and folder.is_dir():
            return folder
    return tmp_path_factory.mktemp("files") / "data"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With DELTASQL_SUITES_SAMPLE a share of the classes."""
    if not os.environ.get("DELTASQL_SUITES_SAMPLE"):
        return
    left_out = [item for item in items if not draws(item.nodeid.split("::")[1], SHARES)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
