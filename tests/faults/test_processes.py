"""Processes that write one table at the same time."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import deltasql
from deltasql.base.errors import StorageError, TableAlreadyExistsError
from deltasql.catalog import Catalog
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog

Table = Callable[..., DeltaLog]
File = Callable[[str], Path]

_APPEND = """
import sys
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog

location, name = sys.argv[1:]
log = DeltaLog(location)
for number in range(25):
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [AddFile(f"{name}-{number}", {}, 1, 1)])
"""

_CREATE = """
import sys
from deltasql.log import operations
from deltasql.base.errors import ProtocolChangedError
from deltasql.log.commit.transaction import Transaction
from deltasql.log.actions.actions import Metadata
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
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


def test_a_writer_of_a_table_that_has_been_dropped(table: Table, location: str) -> None:
    log = table(1)
    log.store.delete_below()
    for name in (f"{2:020d}.json", f"{1:020d}.crc"):
        with pytest.raises(StorageError):
            log.store.put_if_absent(f"_delta_log/{name}", b"{}")
    assert list(Path(location).parent.iterdir()) == []
    # Its place is free for a new table.
    assert table(1).snapshot().version == 1


def test_a_name_that_another_process_takes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(*_: object, **__: object) -> None:
        raise TableAlreadyExistsError(table="t")

    with deltasql.connect(str(tmp_path)) as session:
        with monkeypatch.context() as patched:
            patched.setattr(Catalog, "register", taken)
            with pytest.raises(TableAlreadyExistsError):
                session.sql("CREATE TABLE t (a INT)")
        assert not (tmp_path / "t").exists()
        session.sql("CREATE TABLE t (a INT)")


def test_a_name_without_a_table_that_is_dropped_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE t (a INT)")
        shutil.rmtree(tmp_path / "t")
        session.sql("CREATE OR REPLACE TABLE t (a INT)")
        shutil.rmtree(tmp_path / "t")
        commit = Transaction.commit_rebased

        def late(*given: Any, **named: Any) -> Any:
            with deltasql.connect(str(tmp_path)) as other:
                other.sql("DROP TABLE t")
            return commit(*given, **named)

        monkeypatch.setattr(Transaction, "commit_rebased", late)
        session.sql("CREATE OR REPLACE TABLE t (a INT)")
        assert session.sql("SELECT count(*) FROM t").collect() == [(0,)]


_NAMES = """
import random, sys
import deltasql
from deltasql.base.errors.base import DeltaSqlError

folder, name = sys.argv[1:]
chance = random.Random(name)
texts = [
    "CREATE TABLE t (a INT)", "CREATE TABLE IF NOT EXISTS t (a INT)", "CREATE OR REPLACE TABLE t (a INT)",
    "DROP TABLE t", "DROP TABLE IF EXISTS t", "INSERT INTO t VALUES (1)", "ALTER TABLE t RENAME TO u",
    "ALTER TABLE u RENAME TO t", "DROP TABLE IF EXISTS u", "CREATE SCHEMA IF NOT EXISTS s", "CREATE TABLE s.t (a INT)",
    "DROP SCHEMA IF EXISTS s CASCADE",
]
with deltasql.connect(folder) as session:
    for _ in range(120):
        try:
            session.sql(chance.choice(texts))
        except DeltaSqlError:
            pass
"""


def test_processes_create_and_drop(tmp_path: Path) -> None:
    """What is left is tables with names, and a place for new ones."""
    assert run(_NAMES, str(tmp_path), 3) == [0, 0, 0]
    with deltasql.connect(str(tmp_path)) as session:
        tables = {f"{row.namespace}.{row.tableName}" for row in session.sql("SHOW TABLES").collect()}
        named = {str(session.log(name).location) for name in tables}
        begun = {log.parent for log in tmp_path.rglob("_delta_log") if log.parent.parent == tmp_path}
        assert {str(folder) for folder in begun if folder.suffix != ".dropped"} <= named
        session.sql("DROP SCHEMA IF EXISTS s CASCADE")
        session.sql("CREATE SCHEMA s")
        for name in ("t", "u", "s.t"):
            session.sql(f"DROP TABLE IF EXISTS {name}")
            session.sql(f"CREATE TABLE {name} (a INT)")
            session.sql(f"INSERT INTO {name} VALUES (1)")
            assert session.sql(f"SELECT count(*) FROM {name}").collect() == [(1,)]
