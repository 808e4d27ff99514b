from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deltasql.log import operations
from deltasql.log.actions.actions import AddFile, Metadata
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.log_store import LogStore
from deltasql.schema.types import LONG, StructField, StructType

SCHEMA = StructType((StructField("x", LONG),))


@pytest.fixture
def location(tmp_path: Path) -> str:
    return str(tmp_path / "t")


@pytest.fixture
def log_file(location: str) -> Callable[[str], Path]:
    return lambda name: Path(location) / "_delta_log" / name


@pytest.fixture
def table(location: str) -> Callable[..., DeltaLog]:
    def made(versions: int, store: LogStore | None = None) -> DeltaLog:
        """A table with the versions 0 to `versions`; version n has the files f1 to fn."""
        return _made(DeltaLog(location, "main.t", store), versions, Protocol(1, 2), Metadata("the-id", SCHEMA))

    return made


@pytest.fixture
def v2_table(location: str) -> Callable[[int], DeltaLog]:
    features = frozenset({"v2Checkpoint"})
    metadata = Metadata("the-id", SCHEMA, (), {"delta.checkpointPolicy": "v2"})

    def made(versions: int) -> DeltaLog:
        """The same with checkpoints of the V2 kind."""
        return _made(DeltaLog(location, "main.t"), versions, Protocol(3, 7, features, features), metadata)

    return made


def _made(log: DeltaLog, versions: int, protocol: Protocol, metadata: Metadata) -> DeltaLog:
    Transaction(log, None).commit(operations.CREATE_TABLE, {}, [protocol, metadata])
    for number in range(1, versions + 1):
        append(log, f"f{number}")
    return log


def added(path: str) -> AddFile:
    return AddFile(path, {}, 10, 1, True, '{"numRecords":1}')


def append(log: DeltaLog, path: str) -> Commit:
    return Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [added(path)])


def whole(log: DeltaLog, version: int | None = None) -> int:
    """The version that is read; that it is all there is checked."""
    snapshot = log.snapshot(version)
    assert snapshot.metadata.id == "the-id"
    paths = snapshot.files(["path"])["path"].to_pylist()
    assert paths == [f"f{number}" for number in range(1, snapshot.version + 1)]
    assert (snapshot.num_files, snapshot.size_in_bytes) == (snapshot.version, 10 * snapshot.version)
    return snapshot.version
