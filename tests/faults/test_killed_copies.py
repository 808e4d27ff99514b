"""A COPY INTO dies at every point of its note and its commit: each file is loaded once, by it or by the next one."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

from deltasql.log import operations
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.source_files import ListedFile, loaded_files, newest_part
from deltasql.session.execution.commit import put_part

from .conftest import added
from .writers import ended

Table = Callable[..., DeltaLog]

_COPY = """
import sys
from deltasql.log.replay.snapshot import DeltaLog
from tests.faults.test_killed_copies import load
from tests.faults.writers import die_at

location, part, moment = sys.argv[1:]
die_at(moment, part)
load(DeltaLog(location), "b", "c")
"""


def load(log: DeltaLog, *names: str) -> list[str]:
    """Loads what was not loaded before, as COPY INTO does; each file of the source becomes one of the table's."""
    snapshot = log.snapshot()
    known = loaded_files(log.store, snapshot)
    new = [ListedFile(f"/in/{name}", 1, 1) for name in names if f"/in/{name}" not in known.paths]
    if new:
        action, _ = put_part(log.store, snapshot.metadata.id, newest_part(snapshot), known, new)
        files = [added(file.path.rpartition("/")[2]) for file in new]
        Transaction(log, snapshot).commit(operations.COPY_INTO, {}, [action, *files])
    return [file.path for file in new]


@pytest.mark.parametrize(
    ("part", "moment", "loaded"),
    [
        ("_copy_into_log", "before", False),
        ("_copy_into_log", "staging", False),
        ("_copy_into_log", "after", False),
        (f"_delta_log/{2:020d}.json", "before", False),
        (f"_delta_log/{2:020d}.json", "staging", False),
        (f"_delta_log/{2:020d}.json", "after", True),
        (f"_delta_log/{2:020d}.crc", "before", True),
    ],
)
def test_a_load_that_is_killed(table: Table, location: str, part: str, moment: str, loaded: bool) -> None:
    living = table(0)
    assert load(living, "a") == ["/in/a"]
    code, errors = ended(_COPY, location, part, moment)
    assert code == -signal.SIGKILL, errors
    for log in (DeltaLog(location), living):
        assert load(log, "a", "b") == ([] if loaded or log is living else ["/in/b"])
    assert load(DeltaLog(location), "a", "b", "c", "d") == (["/in/d"] if loaded else ["/in/c", "/in/d"])
    paths = DeltaLog(location).snapshot().files(["path"])["path"].to_pylist()
    assert sorted(paths) == ["a", "b", "c", "d"]
