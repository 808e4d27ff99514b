"""Spark's executors read and write tables in S3 with the credentials that a Unity Catalog lends for each of them.

The jars of the connector come from a Maven repository, so that these run with the oracle.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.stores.conftest import s3_endpoint
from tests.stores.moto_server import DIRECT
from tests.unity.conftest import TOKEN
from tests.unity.guard import Guard
from tests.unity.server import running
from tests.unity.state import Catalogs

__all__ = ["s3_endpoint"]

pytestmark = [pytest.mark.spark, pytest.mark.oracle]

SESSION = """
import json, logging, sys
import deltasql

logging.basicConfig(level=logging.DEBUG)
warehouse, uri, token = sys.argv[1:]
main = {"type": "unity", "uri": uri, "token": token}
with deltasql.connect(warehouse, catalogs={"main": main}) as session:
    for line in sys.stdin:
        rows, error = [], None
        try:
            rows = [list(row) for row in session.sql(json.loads(line)).collect()]
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
        print(json.dumps([rows, error], default=str), flush=True)
"""


class Session:
    """A process with a session in it, whose Spark is its own. `shown` is all that its statements gave."""

    def __init__(self, folder: Path, uri: str, environment: dict[str, str]) -> None:
        self._log = folder / "log"
        self.shown = ""
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", SESSION, str(folder / "warehouse"), uri, TOKEN],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=folder,
                env={**os.environ, **environment},
            )

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def outcome(self, statement: str) -> tuple[list[list[Any]], str | None]:
        """The rows of a statement, and its error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(statement) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, self.log
        self.shown += line
        rows, error = json.loads(line)
        return rows, error

    def rows(self, statement: str) -> list[list[Any]]:
        rows, error = self.outcome(statement)
        assert error is None, error
        return rows

    def close(self) -> None:
        """Ends the process, and its JVM with it."""
        try:
            self._process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()


@pytest.fixture
def guard(s3_endpoint: str) -> Iterator[Guard]:
    with Guard(s3_endpoint) as proxy:
        yield proxy


@pytest.fixture
def session(s3_endpoint: str, guard: Guard, tmp_path: Path) -> Iterator[Session]:
    bucket = f"unity-{time.time_ns()}"
    with DIRECT.open(urllib.request.Request(f"{s3_endpoint}/{bucket}", method="PUT"), timeout=300):
        pass
    catalogs = Catalogs(f"s3://{bucket}")
    catalogs.credentials = dict.fromkeys(("READ", "READ_WRITE"), guard.lend)
    catalogs.credentials["STAGING"] = lambda: guard.lend(older=False)
    environment = {
        "AWS_ENDPOINT_URL": guard.endpoint,
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
        # Keys of the session itself, which the storage does not take.
        "AWS_ACCESS_KEY_ID": "OWN",
        "AWS_SECRET_ACCESS_KEY": "own-secret-of-the-session",
        "DELTASQL_MASTER": "local[2]",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    with ExitStack() as stack:
        server = stack.enter_context(running(catalogs, TOKEN))
        opened = Session(tmp_path, server.uri, environment)
        stack.callback(opened.close)
        yield opened


def test_executors_use_the_keys_of_each_table(session: Session, guard: Guard) -> None:
    session.rows("SET deltasql.io.mode = EXECUTORS")
    for name in "ab":
        session.rows(f"CREATE TABLE main.sales.{name} (id BIGINT, p STRING) PARTITIONED BY (p)")
        session.rows(f"INSERT INTO main.sales.{name} SELECT id, 'p' || id % 2 FROM range(6)")
    session.rows("DELETE FROM main.sales.a WHERE id = 1")
    session.rows("UPDATE main.sales.b SET p = 'new' WHERE id = 5")
    matched = "ON a.id = b.id WHEN MATCHED AND b.p = 'new' THEN DELETE WHEN NOT MATCHED THEN INSERT *"
    session.rows(f"MERGE INTO main.sales.a AS a USING main.sales.b AS b {matched}")
    joined = "SELECT a.id, a.p, b.p FROM main.sales.a AS a JOIN main.sales.b AS b ON a.id = b.id ORDER BY a.id"
    expected = [[0, "p0", "p0"], [1, "p1", "p1"], [2, "p0", "p0"], [3, "p1", "p1"], [4, "p0", "p0"]]
    assert session.rows(joined) == expected
    assert guard.denied == []
    assert "OWN" not in guard.agents
    assert len({guard.tables[key] for key in guard.keys_of_executors()}) == 2
    # This process computes nothing, and still moves the files.
    session.rows("SET deltasql.io.mode = AUTO")
    session.rows("SET deltasql.compute = ENGINE")
    guard.agents.clear()
    assert session.rows(joined) == expected
    assert (guard.denied, guard.keys_of_executors()) == ([], [])


def test_columns_that_only_executors_read(session: Session, guard: Guard) -> None:
    session.rows("CREATE TABLE main.sales.v (id INT, v VARIANT)")
    session.rows("""INSERT INTO main.sales.v SELECT 1, parse_json('{"a": 7}')""")
    assert session.rows("SELECT id, v:a::int FROM main.sales.v") == [[1, 7]]
    assert guard.denied == []
    assert len(guard.keys_of_executors()) >= 1


def test_no_secret_is_shown(session: Session, guard: Guard) -> None:
    session.rows("SET deltasql.io.mode = EXECUTORS")
    session.rows("CREATE TABLE main.sales.t AS SELECT id FROM range(5)")
    query = "SELECT sum(id) FROM main.sales.t WHERE id > 1"
    assert session.rows(query) == [[9]]
    for mode in ("", "EXTENDED ", "FORMATTED ", "COST ", "CODEGEN "):
        session.outcome(f"EXPLAIN {mode}{query}")
        session.outcome(f"EXPLAIN {mode}INSERT INTO main.sales.t SELECT id FROM range(5)")
    for statement in ("DETAIL", "EXTENDED", "HISTORY"):
        session.rows(f"DESCRIBE {statement} main.sales.t")
    session.rows("SHOW CREATE TABLE main.sales.t")
    session.rows("SET -v")
    session.rows("SET")
    for statement in (query, "INSERT INTO main.sales.t SELECT id FROM range(5)"):
        guard.valid.update(dict.fromkeys(guard.valid, 0.0))
        _, error = session.outcome(statement)
        assert error is not None
    assert guard.keys_of_executors()
    assert "py4j" in session.log
    secrets = [*guard.secrets(), TOKEN]
    assert not [secret for secret in secrets if secret in session.shown + session.log]


def test_keys_are_renewed_for_executors(session: Session, guard: Guard) -> None:
    """Each statement begins with keys that are valid for at least half of their time."""
    session.rows("SET deltasql.io.mode = EXECUTORS")
    for name in ("warm", "t"):
        session.rows(f"CREATE TABLE main.sales.{name} (id BIGINT)")
        session.rows(f"INSERT INTO main.sales.{name} SELECT id FROM range(3)")
        assert session.rows(f"SELECT sum(id) FROM main.sales.{name}") == [[3]]
        guard.seconds = 16.0
    for _ in range(4):
        assert session.rows("SELECT sum(id) FROM main.sales.t") == [[3]]
        time.sleep(4)
    assert guard.denied == []
    last = guard.tables[guard.keys_of_executors()[-1]]
    assert sum(guard.tables[key] == last for key in guard.keys_of_executors()) >= 2
