"""Ctrl-C in a script whose statements need no Spark: it ends between two commits, and the session goes on."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import deltasql


@pytest.fixture(autouse=True)
def python_handles_ctrl_c() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_loop_without_end_stops(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path / "warehouse")) as session:
        session.sql("CREATE TABLE t (a INT)")
        seen = Path(session.log("t").location, "_delta_log", f"{3:020}.json")

        def press() -> None:
            while not seen.exists():
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=press, daemon=True)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            session.sql(
                "BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION TRUNCATE TABLE t;"
                " LOOP INSERT INTO t VALUES (1); END LOOP; END"
            )
        thread.join()
        version = session.log("t").snapshot().version
        assert version >= 3
        assert session.sql("INSERT INTO t VALUES (2)").version == version + 1
        assert not session.spark_started
