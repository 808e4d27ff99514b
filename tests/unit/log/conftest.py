from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from deltasql.log import operations, protocol
from deltasql.log.actions.actions import Action, AddFile, Metadata
from deltasql.log.commit.transaction import Commit, Transaction
from deltasql.log.configuration import properties
from deltasql.log.protocol import FEATURES, Protocol, Support
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.schema.types import LONG, STRING, StructField, StructType
from tests.unit.log.catalog_lab import MANAGED, Lab
from tests.unit.log.races import Table

SCHEMA = StructType((StructField("x", LONG), StructField("p", STRING)))


@pytest.fixture
def location(tmp_path: Path) -> str:
    return str(tmp_path / "a table %41")


@pytest.fixture
def create(location: str) -> Callable[..., DeltaLog]:
    def created(
        *files: AddFile,
        configuration: Mapping[str, str] | None = None,
        protocol: Protocol | None = None,
        partition_columns: tuple[str, ...] = (),
    ) -> DeltaLog:
        """A new table whose version 0 holds `files`."""
        log = DeltaLog(location, "main.t")
        metadata = Metadata("the-id", SCHEMA, partition_columns, configuration or {}, created_time=1)
        actions: list[Action] = [protocol or Protocol(1, 2), metadata, *files]
        Transaction(log, None).commit(operations.CREATE_TABLE, {}, actions)
        return log

    return created


@pytest.fixture
def add() -> Callable[..., AddFile]:
    def added(path: str = "f.parquet", size: int = 10, values: Mapping[str, str | None] | None = None) -> AddFile:
        stats = '{"numRecords":2,"minValues":{"x":1},"maxValues":{"x":2},"nullCount":{"x":0}}'
        return AddFile(path, values or {}, size, 1_700_000_000_000, True, stats)

    return added


@pytest.fixture
def append(add: Callable[..., AddFile]) -> Callable[..., Commit]:
    def appended(log: DeltaLog, *paths: str, size: int = 10) -> Commit:
        return Transaction(log, log.snapshot()).commit(
            operations.WRITE, {"mode": "Append"}, [add(path, size) for path in paths]
        )

    return appended


@pytest.fixture
def log_file(location: str) -> Callable[[str], Path]:
    return lambda name: Path(location) / "_delta_log" / name


@pytest.fixture
def commit_lines(log_file: Callable[[str], Path]) -> Callable[[int], list[dict[str, object]]]:
    def lines(version: int) -> list[dict[str, object]]:
        text = log_file(f"{version:020d}.json").read_text()
        return [json.loads(line) for line in text.splitlines()]

    return lines


@pytest.fixture
def weakened(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes features writable only while nothing uses them, whatever deltasql learns."""

    def weaken(*names: str) -> None:
        known = {name: replace(FEATURES[name], write=Support.INACTIVE) for name in names}
        for module in (protocol, properties, protocol, properties):
            monkeypatch.setattr(module, "FEATURES", {**FEATURES, **known})

    return weaken


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Files `f1` (rows 0 to 9) and `f2` (10 to 19) of a table with deletion vectors; see races."""
    return Table(str(tmp_path / "t"))


@pytest.fixture(params=["disk", "objects"])
def lab(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Lab]:
    """A warehouse with a table `t` that the catalog manages, of one row: 0."""
    made = Lab(str(tmp_path / "w") if request.param == "disk" else f"memory://{uuid.uuid4().hex}/w")
    session = made.session()
    session.sql(f"CREATE TABLE t (id INT) {MANAGED}")
    session.sql("INSERT INTO t VALUES (0)")
    yield made
    for session in made.opened:
        session.close()
