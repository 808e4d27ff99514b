"""Tables on an object store: made, written and checked through the log alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path

from deltasql.log import operations
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.schema.types import LONG, StructField, StructType

_ROOT = Path(__file__).parents[2]

APPEND = """
import sys
from tests.stores.tables import append
from deltasql.log.replay.snapshot import DeltaLog

location, name, count = sys.argv[1:]
log = DeltaLog(location)
for number in range(int(count)):
    append(log, f"{name}-{number}")
"""


def create(location: str, versions: int = 0) -> DeltaLog:
    """A table whose version n has the files f1 to fn."""
    log = DeltaLog(location, "main.t")
    metadata = Metadata("the-id", StructType((StructField("x", LONG),)))
    Transaction(log, None).commit(operations.CREATE_TABLE, {}, [Protocol(1, 2), metadata])
    for number in range(1, versions + 1):
        append(log, f"f{number}")
    return log


def append(log: DeltaLog, path: str) -> Commit:
    return appended(Transaction(log, log.snapshot()), path)


def appended(transaction: Transaction, path: str) -> Commit:
    return transaction.commit(operations.WRITE, {}, [AddFile(path, {}, 10, 1, True, '{"numRecords":1}')])


def race(
    location: str, environment: Mapping[str, str], writers: int, commits: int, scripts: Sequence[str] = (APPEND,)
) -> None:
    """Lets so many processes append at the same time, each so often; they take turns with the scripts."""
    names = [f"w{number}" for number in range(writers)]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", script, location, name, str(commits)],
            cwd=_ROOT,
            env={**os.environ, **environment},
            stderr=subprocess.PIPE,
            text=True,
        )
        for name, script in zip(names, cycle(scripts))
    ]
    errors = [process.communicate(timeout=600)[1] for process in running]
    assert [process.returncode for process in running] == [0] * writers, "\n".join(errors)


def check_race(location: str, writers: int, commits: int) -> None:
    """Every commit is there, once, its writer's in order, in versions without a gap."""
    total = writers * commits
    log = DeltaLog(location, "main.t")
    snapshot = log.snapshot()
    paths = snapshot.files(["path"])["path"].to_pylist()
    assert (snapshot.version, snapshot.num_files, len(paths)) == (total, total, total)
    for writer in range(writers):
        own = [path for path in paths if path.startswith(f"w{writer}-")]
        assert own == [f"w{writer}-{number}" for number in range(commits)]
    names = [entry.name for entry in log.store.list_folder("_delta_log")]
    versions = sorted(int(name[:20]) for name in names if name.endswith(".json") and len(name) == 25)
    assert versions == list(range(total + 1))
    assert len({entry.info["txnId"] for entry in log.history()}) == total + 1
    assert not [name for name in names if "probe" in name]
