"""Sail in a process of its own: a process of PySpark's speaks either to a JVM or to Spark Connect.

Run as a program it answers lines of JSON: {"sql": …} runs a statement, {"golden": …} a golden file, {"grid": …} one
expression of the grid, {"scenario": …} a scenario of tests/oracle against the oracle's kept answer, {"tests": …} tests
of another folder, by their ids.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


class SailProcess:
    """A process with one session on Sail."""

    def __init__(self, warehouse: Path) -> None:
        left_out = {"JAVA_HOME", "DELTASQL_ENGINE", "SPARK_CONNECT_MODE_ENABLED", "PYTEST_ADDOPTS"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.sail.process", str(warehouse)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={key: value for key, value in os.environ.items() if key not in left_out},
        )

    def rows(self, sql: str) -> list[list[Any]]:
        """The rows of a statement; fails the test with the error of one that fails."""
        answer = self._ask(sql=sql)
        assert "rows" in answer, answer
        rows: list[list[Any]] = answer["rows"]
        return rows

    def error(self, sql: str) -> tuple[str, str]:
        """The condition and the message of a statement that fails."""
        answer = self._ask(sql=sql)
        assert "condition" in answer, answer
        return answer["condition"], answer["message"]

    def golden(self, path: Path) -> str:
        """What a golden file gives otherwise than it should."""
        return str(self._ask(golden=str(path))["difference"])

    def answer(self, sql: str) -> dict[str, Any]:
        """What a query gives, in the form of the grid's answers."""
        return self._ask(grid=sql)

    def scenario(self, name: str) -> dict[str, Any]:
        """What a scenario of tests/oracle gives: its `defects`, and whether a statement was `refused`."""
        return self._ask(scenario=name)

    def tests(self, *ids: str) -> str:
        """What goes wrong in tests that open a session of their own, which is then one on Sail; "" where none fails."""
        return str(self._ask(tests="\n".join(ids))["failures"])

    def modules(self) -> set[str]:
        """The modules of Python's that the process has loaded."""
        return set(self._ask()["modules"])

    def stop(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(300)
        self._process.stdout.close()

    def _ask(self, **request: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


def main(warehouse: str) -> None:
    from pyspark.errors import PySparkException

    import deltasql
    from deltasql.clients.golden.suite import run_file, temporary_sessions
    from tests.sail.grid import answered

    os.environ["TZ"] = "UTC"
    time.tzset()
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    session = deltasql.connect(warehouse, engine="sail")
    session.sql("SET deltasql.commit.fsync = false")
    session.sql("SET spark.sql.session.timeZone = UTC")
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any]
        if "golden" in request:
            outcome = run_file(Path(request["golden"]), temporary_sessions(engine="sail"))
            answer = {"difference": outcome.diff + "\n".join(outcome.defects)}
        elif "grid" in request:
            try:
                answer = answered(session.sql(request["grid"]).df)
            except deltasql.DeltaSqlError as error:
                answer = {"e": error.condition}
            except (AssertionError, OverflowError, ValueError, PySparkException) as error:
                answer = {"e": type(error).__name__}
        elif "scenario" in request:
            answer = _scenario(request["scenario"])
        elif "tests" in request:
            answer = {"failures": _tests(request["tests"].splitlines())}
        elif "sql" in request:
            try:
                rows = session.sql(request["sql"]).collect()
                answer = {"rows": [[_plain(value) for value in row] for row in rows]}
            except deltasql.DeltaSqlError as error:
                answer = {"condition": error.condition, "message": str(error)}
        else:
            answer = {"modules": sorted(sys.modules)}
        print(json.dumps(answer), file=replies, flush=True)


def _scenario(name: str) -> dict[str, Any]:
    from tests.oracle.answers import kept
    from tests.oracle.scenario import scenarios
    from tests.oracle.state import tables
    from tests.oracle.test_scenarios import defects, is_refused, played

    scenario = next(item for item in scenarios() if item.id == name)
    said = kept(scenario)
    assert said is not None, f"no answer of the oracle is kept for {name}"
    with tempfile.TemporaryDirectory(prefix="deltasql-sail-") as place:
        directory = Path(place).resolve()
        own = played(scenario, directory, engine="sail")
        return {"refused": is_refused(own), "defects": defects(scenario, said, own, tables(directory))}


def _tests(ids: list[str]) -> str:
    from deltasql.base.engine_names import VARIABLE
    from tests.oracle.client import NO_ORACLE

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "sail")
        patch.setenv(NO_ORACLE, "1")
        text = StringIO()
        # This process has imported the package already, whose asserts pytest would else rewrite: it has a plugin.
        quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
        with redirect_stdout(text):
            code = pytest.main(["-q", "-m", "", "-p", "no:cacheprovider", "-p", "no:xdist", *quiet, *ids])
    return "" if code == pytest.ExitCode.OK else text.getvalue()


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


if __name__ == "__main__":
    main(*sys.argv[1:])
