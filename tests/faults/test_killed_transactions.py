"""A process dies in a transaction of several statements: all of it is there or nothing, and the next writer goes on."""

from __future__ import annotations

import signal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import deltasql

from .writers import ended

BEFORE, AFTER = [1, 2], [5, 6, 7]

_STATEMENTS = (
    "BEGIN TRANSACTION",
    "TRUNCATE TABLE t",
    "INSERT INTO t VALUES (5)",
    "INSERT INTO t VALUES (6), (7)",
    "COMMIT",
)
_BLOCK = f"BEGIN ATOMIC {'; '.join(_STATEMENTS[1:-1])}; END"

_WRITER = """
import os, signal, sys
import deltasql
from deltasql.log.storage.local_store import LocalLogStore

warehouse, done, suffix, moment, *statements = sys.argv[1:]
original = LocalLogStore.put_if_absent

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def fatal(self, path, data):
    if not path.endswith(suffix):
        return original(self, path, data)
    if moment == "staging":
        os.link = die
    if moment != "before":
        original(self, path, data)
    die()

session = deltasql.connect(warehouse)
for statement in statements[: int(done)]:
    session.sql(statement)
if done == str(len(statements)):
    raise SystemExit("nobody has died")
if suffix:
    LocalLogStore.put_if_absent = fatal
    for statement in statements[int(done) :]:
        session.sql(statement)
die()
"""

_COMMIT, _CHECKSUM = f"{2:020d}.json", f"{2:020d}.crc"


@pytest.mark.parametrize(
    ("statements", "done", "suffix", "moment", "expected"),
    [
        (_STATEMENTS, 2, "", "", BEFORE),
        (_STATEMENTS, 4, _COMMIT, "before", BEFORE),
        (_STATEMENTS, 4, _COMMIT, "staging", BEFORE),
        (_STATEMENTS, 4, _COMMIT, "after", AFTER),
        (_STATEMENTS, 4, _CHECKSUM, "before", AFTER),
        ((_BLOCK,), 0, _COMMIT, "before", BEFORE),
        ((_BLOCK,), 0, _COMMIT, "after", AFTER),
    ],
)
def test_a_transaction_whose_process_is_killed(
    tmp_path: Path, statements: tuple[str, ...], done: int, suffix: str, moment: str, expected: list[int]
) -> None:
    warehouse = str(tmp_path / "warehouse")
    with deltasql.connect(warehouse) as session:
        session.sql("CREATE TABLE t (a INT)")
        session.sql("INSERT INTO t VALUES (1), (2)")
        code, errors = ended(_WRITER, warehouse, str(done), suffix, moment, *statements)
        assert code == -signal.SIGKILL, errors
        assert rows(session) == expected
    with deltasql.connect(warehouse) as later:
        assert rows(later) == expected
        version = 1 if expected == BEFORE else 2
        assert later.log("t").snapshot().version == version
        assert later.sql("INSERT INTO t VALUES (9)").version == version + 1
        assert rows(later) == [*expected, 9]
        assert not later.spark_started


def rows(session: deltasql.Session) -> list[int]:
    """What the files hold that the newest version names."""
    places = session.log("t").snapshot().files(("location",))["location"].to_pylist()
    return sorted(value for place in places for value in pq.read_table(place, partitioning=None)["a"].to_pylist())
