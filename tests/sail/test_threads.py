"""Sixteen threads whose first statements come at once: half have sessions of their own, half share one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_THREADS = """
import threading
import deltasql

THREADS = 16
shared = deltasql.connect({warehouse!r}, engine="sail")
at_once, failures, sums = threading.Barrier(THREADS), [], {{}}


def work(number):
    session = shared if number % 2 else deltasql.connect({warehouse!r}, engine="sail")
    try:
        at_once.wait(300)
        session.sql(f"CREATE TABLE t{{number}} (k INT, d DOUBLE)")
        session.sql(f"INSERT INTO t{{number}} SELECT id, id / 2 FROM range(10)")
        session.sql(f"INSERT INTO total SELECT abs({{number}}), 1")
        session.sql(f"UPDATE t{{number}} SET d = d + abs(k) WHERE k > 4")
        session.sql(f"DELETE FROM t{{number}} WHERE abs(k) = 9")
        sums[number] = session.sql(f"SELECT sum(k), sum(d) FROM t{{number}}").collect()[0]
    except Exception as error:
        failures.append((number, repr(error)))
    finally:
        if number % 4 == 0:
            session.close()


deltasql.connect({warehouse!r}).sql("CREATE TABLE total (k INT, n INT)")
threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(120)
assert not failures, failures
assert set(sums.values()) == {{(36, 44.0)}}, sums
assert shared.sql("SELECT count(*), sum(k) FROM total").collect() == [(16, 120)]
shared.close()
try:
    shared.sql("SELECT abs(1)").collect()
except deltasql.DeltaSqlError as error:
    print(error.condition)
"""


@pytest.mark.parametrize("round_", range(2))
def test_threads_do_not_disturb_one_another(tmp_path: Path, round_: int) -> None:
    told = subprocess.run(
        [sys.executable, "-c", _THREADS.format(warehouse=str(tmp_path / str(round_)))],
        env={key: value for key, value in os.environ.items() if key != "DELTASQL_ENGINE"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert told.returncode == 0, told.stderr[-3000:]
    assert told.stdout.strip()
