"""dbt's fixtures, over a warehouse of this run in a process of its own."""

from __future__ import annotations

import inspect
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dbt.adapters.databricks.impl import DatabricksAdapter
from dbt_common.behavior_flags import BehaviorFlagRendered

from tests.samples import draws
from tests.suites.dbt.translated import statements

pytest_plugins = ["dbt.tests.fixtures.project"]

SHARES = 12
SERVER = os.environ.get("DELTASQL_SUITES_SERVER", sys.executable)
"""The Python of the server, which needs Spark and no dbt."""


def run_sql_for_tests(adapter: DatabricksAdapter, sql: str, fetch: str | None, connection: Any) -> Any:
    """Runs the statements of a text of Postgres; the answer of the last."""
    answer: Any = None
    for statement in statements(sql):
        cursor = connection.handle.execute(statement)
        try:
            found = [tuple(row) for row in cursor.fetchall()] if fetch in {"one", "all"} else []
        finally:
            cursor.close()
        answer = (found[0] if found else None) if fetch == "one" else found if fetch == "all" else None
    return answer


DatabricksAdapter.run_sql_for_tests = run_sql_for_tests
# Its search for the module of each caller takes most of the time of a run, and is for a message alone.
BehaviorFlagRendered._default_source = staticmethod(lambda: DatabricksAdapter.__module__)


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment variables of a warehouse's clients."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("warehouse")
    command = [SERVER, "-m", "deltasql", "warehouse", "--warehouse", str(folder), "--port", str(port)]
    command += ["--token", "secret", "--env"]
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder) as server,
    ):
        assert server.stdout is not None
        found: dict[str, str] = {}
        while "CURL_CA_BUNDLE" not in found:
            line = server.stdout.readline()
            assert line, "the server has ended"
            name, _, value = line.removeprefix("export ").strip().partition("=")
            found[name] = value
        with pytest.MonkeyPatch.context() as patch:
            for name, value in found.items():
                patch.setenv(name, value)
            yield found
        server.terminate()


@pytest.fixture(scope="class")
def dbt_profile_target(warehouse: dict[str, str]) -> dict[str, Any]:
    return {
        "type": "databricks",
        # databricks-sdk reads the port from the host, and databricks-sql-connector the whole address.
        "host": warehouse["DATABRICKS_HOST"].removeprefix("https://"),
        "http_path": warehouse["DATABRICKS_HTTP_PATH"],
        "token": warehouse["DATABRICKS_TOKEN"],
        "catalog": "main",
        "threads": 4,
        "connection_parameters": {
            "_connection_uri": warehouse["DATABRICKS_HOST"] + warehouse["DATABRICKS_HTTP_PATH"],
        },
    }


@pytest.fixture(scope="class")
def profile_user() -> str:
    return "root"


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
