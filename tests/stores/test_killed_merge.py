"""A driver that dies amid a MERGE: the table is as it was, or as it should be, and VACUUM removes what was left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from deltasql import connect
from deltasql.log.storage.stores import Stores
from tests.stores.conftest import Store
from tests.stores.proxy import Fate, Proxy, Request

pytestmark = pytest.mark.spark

os.environ.setdefault("DELTASQL_MASTER", "local[2]")

MERGE = """
import sys
from deltasql import connect

with connect(sys.argv[1]) as session:
    session.sql("SET deltasql.io.mode = DRIVER")
    session.sql("SELECT count(*) FROM t").collect()
    session.sql(
        "MERGE INTO t USING (SELECT id FROM range(0, 40, 1, 1)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = 'new' WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, s.id, 'new')"
    )
"""


def a_data_file(request: Request) -> bool:
    return request.method == "PUT" and request.path.endswith(".parquet") and "_delta_log" not in request.path


def the_commit(request: Request) -> bool:
    return request.method == "PUT" and request.path.endswith(f"{2:020d}.json")


def after_the_commit(request: Request) -> bool:
    return request.method == "GET" and request.path.endswith(f"{2:020d}.json")


@pytest.mark.parametrize("amid", [a_data_file, the_commit, after_the_commit])
def test_the_driver_is_killed(s3: Store, proxied: Callable[..., Proxy], amid: Callable[[Request], bool]) -> None:
    with connect(s3.url("wh")) as session:
        session.sql("SET deltasql.io.mode = DRIVER")
        session.sql("CREATE TABLE t (id BIGINT, p BIGINT, v STRING) PARTITIONED BY (p)")
        session.sql("INSERT INTO t SELECT id, id % 4, 'old' FROM range(0, 8, 1, 1)")
    direct = s3.endpoint
    writer: list[subprocess.Popen[bytes]] = []
    met = threading.Event()
    seen = 0

    def rule(request: Request) -> Fate:
        nonlocal seen
        seen += amid(request)
        # Some of the data files have come.
        if met.is_set() or seen == (5 if amid is a_data_file else 1):
            if not met.is_set():
                writer[0].send_signal(signal.SIGKILL)
                met.set()
            return Fate.PASS if amid is the_commit else Fate.DROP_BEFORE
        return Fate.PASS

    proxied(rule)
    process = subprocess.Popen(
        [sys.executable, "-c", MERGE, s3.url("wh")],
        env={**os.environ, **s3.environment},
        start_new_session=True,
    )
    writer.append(process)
    try:
        assert process.wait(timeout=180) == -signal.SIGKILL
        # It is dead before the thread that killed it says so.
        assert met.wait(timeout=300)
    finally:
        with suppress(ProcessLookupError):
            # Its Spark as well.
            os.killpg(process.pid, signal.SIGKILL)
    os.environ["AWS_ENDPOINT_URL"] = s3.environment["AWS_ENDPOINT_URL"] = direct
    old = [(number, "old") for number in range(8)]
    new = [(number, "new") for number in range(40)]
    with connect(s3.url("wh")) as session:
        session.sql("SET deltasql.io.mode = DRIVER")
        found = sorted(session.sql("SELECT id, v FROM t").collect())
        assert found == (old if amid is a_data_file else new)
        session.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
        session.sql("VACUUM t RETAIN 0 HOURS")
        assert sorted(session.sql("SELECT id, v FROM t").collect()) == found
        live = session.log("t").snapshot().files(["path"])["path"].to_pylist()
        session.sql("RESET")
    store = Stores().open(s3.url("wh/t"))
    left = {entry.path for entry in store.list_below("") if not entry.path.startswith("_delta_log/")}
    assert left == set(live)
