"""Processes that write one table at the same time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from deltasql.log.replay.delta_log import DeltaLog

Table = Callable[..., DeltaLog]
File = Callable[[str], Path]

_APPEND = """
import sys
from deltasql.log.actions import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.delta_log import DeltaLog

location, name = sys.argv[1:]
log = DeltaLog(location)
for number in range(25):
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [AddFile(f"{name}-{number}", {}, 1, 1)])
"""

_CREATE = """
import sys
from deltasql.log.actions import operations
from deltasql.errors.concurrency import ProtocolChangedError
from deltasql.log.commit.transaction import Transaction
from deltasql.log.actions.actions import Metadata
from deltasql.log.protocol.protocol import Protocol
from deltasql.log.replay.delta_log import DeltaLog
from deltasql.schema.types import StructType

location, name = sys.argv[1:]
try:
    created = [Protocol(1, 2), Metadata(name, StructType())]
    Transaction(DeltaLog(location), None).commit(operations.CREATE_TABLE, {}, created)
except ProtocolChangedError:
    sys.exit(3)
"""


def run(script: str, location: str, count: int) -> list[int]:
    names = [f"w{number}" for number in range(count)]
    writers = [subprocess.Popen([sys.executable, "-c", script, location, name]) for name in names]
    return [writer.wait(120) for writer in writers]


def test_four_processes_append(table: Table, location: str, log_file: File) -> None:
    table(0)
    assert run(_APPEND, location, 4) == [0] * 4
    log = DeltaLog(location)
    snapshot = log.snapshot()
    paths = snapshot.files(["path"])["path"].to_pylist()
    assert (snapshot.version, snapshot.num_files, len(paths)) == (100, 100, 100)
    assert set(paths) == {f"w{writer}-{number}" for writer in range(4) for number in range(25)}
    # Of each writer the commits are in its own order.
    for writer in range(4):
        assert [path for path in paths if path.startswith(f"w{writer}-")] == [f"w{writer}-{n}" for n in range(25)]
    assert sorted(int(file.stem) for file in log_file("x").parent.glob("0*.json")) == list(range(101))
    assert len({entry.info["txnId"] for entry in log.history()}) == 101
    assert log_file(f"{100:020d}.checkpoint.parquet").exists()


def test_two_processes_create(location: str, log_file: File) -> None:
    assert sorted(run(_CREATE, location, 2)) == [0, 3]
    assert DeltaLog(location).snapshot().version == 0
    assert not log_file(f"{1:020d}.json").exists()
