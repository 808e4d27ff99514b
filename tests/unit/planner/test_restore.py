"""RESTORE: what it writes into the log, of tables whose files are made by hand."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import deltasql
from deltasql.base.errors import AppendOnlyError, ConcurrentWriteError, RestoreMissingFilesError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile, DeletionVector
from deltasql.log.actions.deletion_vectors import vector_path, z85_encode
from deltasql.log.commit.transaction import Transaction
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.log.storage.listing import commit_path
from deltasql.schema.checks import identities, with_identities
from deltasql.session.execution import commit
from deltasql.session.session import Session

Put = Callable[..., AddFile]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return deltasql.connect(str(tmp_path / "warehouse"))


@pytest.fixture
def put(session: Session) -> Put:
    def added(path: str, size: int = 10, vector: DeletionVector | None = None) -> AddFile:
        """A file of `t`, and the commit that adds it."""
        log = session.log("t")
        file = Path(log.location) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x" * size)
        action = AddFile(path, {}, size, 1, stats='{"numRecords":5}', deletion_vector=vector)
        Transaction(log, log.snapshot()).commit(operations.WRITE, {"mode": "Append"}, [action])
        return action

    return added


def actions(session: Session, version: int) -> dict[str, list[Any]]:
    """The actions of a commit by kind."""
    found: dict[str, list[Any]] = {}
    for line in session.log("t").store.read(commit_path(version)).splitlines():
        for kind, action in json.loads(line).items():
            found.setdefault(kind, []).append(action)
    return found


def paths(session: Session, version: int | None = None) -> list[str]:
    return sorted(session.log("t").snapshot(version).files(("path",))["path"].to_pylist())


def condition(session: Session, sql: str) -> str:
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(sql)
    return caught.value.condition


def test_files_come_and_go(session: Session, put: Put) -> None:
    session.sql("CREATE TABLE t (a INT)")
    put("a", 10)
    put("b", 20)
    log = session.log("t")
    Transaction(log, log.snapshot()).commit(
        operations.DELETE, {}, [item.remove(1) for item in log.snapshot().add_files(["a"])]
    )
    put("c", 40)
    result = session.sql("RESTORE t TO VERSION AS OF 2")
    assert result.collect()[0].asDict() == {
        "table_size_after_restore": 30,
        "num_of_files_after_restore": 2,
        "num_removed_files": 1,
        "num_restored_files": 1,
        "removed_files_size": 40,
        "restored_files_size": 10,
    }
    assert result.version == 5
    assert paths(session) == ["a", "b"]
    written = actions(session, 5)
    assert [(item["path"], item["dataChange"]) for item in written["add"]] == [("a", True)]
    assert [(item["path"], item["dataChange"]) for item in written["remove"]] == [("c", True)]
    assert "metaData" not in written
    assert "protocol" not in written
    info = written["commitInfo"][0]
    assert (info["operation"], info["operationParameters"]) == ("RESTORE", {"version": 2, "timestamp": None})
    assert info["operationMetrics"] == {
        "tableSizeAfterRestore": "30", "numOfFilesAfterRestore": "2", "numRemovedFiles": "1",
        "numRestoredFiles": "1", "removedFilesSize": "40", "restoredFilesSize": "10",
    }  # fmt: skip
    assert log.snapshot().totals == deltasql.connect(str(Path(log.location).parent)).log("t").snapshot().totals


def test_the_present_version_is_left_alone(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT)")
    result = session.sql("RESTORE TABLE t TO VERSION AS OF 0")
    assert (result.columns, result.collect(), result.version) == ([], [], None)


def test_schema_properties_and_partitioning_go_back(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT, p INT) PARTITIONED BY (p) COMMENT 'old' TBLPROPERTIES ('x' = '1')")
    before = session.log("t").snapshot().metadata
    session.sql("CREATE OR REPLACE TABLE t (b STRING) COMMENT 'new' TBLPROPERTIES ('y' = '2')")
    replaced = session.log("t").snapshot().metadata
    session.sql("RESTORE t TO VERSION AS OF 0")
    # It is still the same table: the id by which readers of streams know it stays.
    assert session.log("t").snapshot().metadata == replace(before, id=replaced.id)


def test_the_protocol_stays_unless_it_may_go_down(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT)")
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    session.sql("RESTORE t TO VERSION AS OF 0")
    snapshot = session.log("t").snapshot()
    assert "deletionVectors" in snapshot.protocol.features
    assert "delta.enableDeletionVectors" not in snapshot.configuration
    session.sql("SET spark.databricks.delta.restore.protocolDowngradeAllowed = true")
    session.sql("RESTORE t TO VERSION AS OF 0")
    assert "deletionVectors" not in session.log("t").snapshot().protocol.features


def test_a_dropped_feature_comes_back_and_the_guard_stays(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    session.sql("ALTER TABLE t DROP FEATURE deletionVectors")
    guard = "delta.requireCheckpointProtectionBeforeVersion"
    guarded = session.log("t").snapshot().configuration[guard]
    session.sql("RESTORE t TO VERSION AS OF 0")
    snapshot = session.log("t").snapshot()
    assert {"deletionVectors", "checkpointProtection"} <= snapshot.protocol.features
    assert snapshot.configuration[guard] == guarded


def test_numbers_are_not_given_twice(session: Session) -> None:
    """Identity columns, ids of columns, and the ids of rows."""
    session.sql(
        "CREATE TABLE t (i BIGINT GENERATED BY DEFAULT AS IDENTITY, a INT) "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableRowTracking' = 'true')"
    )
    log = session.log("t")
    old = log.snapshot().metadata
    session.sql("ALTER TABLE t ADD COLUMN b INT")
    used = log.snapshot().metadata
    marked = {name: item.covering(7) for name, item in identities(used.schema).items()}
    numbered = replace(used, schema=with_identities(used.schema, marked))
    file = AddFile("f", {}, 10, 1, stats='{"numRecords":5}')
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [numbered, file])
    session.sql("RESTORE t TO VERSION AS OF 0")
    snapshot = log.snapshot()
    assert snapshot.schema.names == ("i", "a")
    assert identities(snapshot.schema)["i"].high_water_mark == 7
    assert snapshot.configuration["delta.columnMapping.maxColumnId"] == "3"
    assert old.configuration["delta.columnMapping.maxColumnId"] == "2"
    assert json.loads(snapshot.domains["delta.rowTracking"])["rowIdHighWaterMark"] == 4


def test_restored_files_keep_their_row_ids(session: Session, put: Put) -> None:
    session.sql("CREATE TABLE t (a INT) TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    put("a")
    session.sql("TRUNCATE TABLE t")
    put("b")
    session.sql("RESTORE t TO VERSION AS OF 1")
    (file,) = session.log("t").snapshot().add_files(["a"])
    assert (file.base_row_id, file.default_row_commit_version) == (0, 1)
    put("c")
    (file,) = session.log("t").snapshot().add_files(["c"])
    assert file.base_row_id == 10


def test_clustering_columns_go_back(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT, b INT)")
    session.sql("ALTER TABLE t CLUSTER BY (a)")
    session.sql("ALTER TABLE t CLUSTER BY (b)")

    def clustered() -> list[str]:
        return list(session.sql("DESCRIBE DETAIL t").collect()[0].clusteringColumns)

    session.sql("RESTORE t TO VERSION AS OF 1")
    assert clustered() == ["a"]
    session.sql("RESTORE t TO VERSION AS OF 0")
    assert clustered() == []
    assert json.loads(session.log("t").snapshot().domains["delta.clustering"])["clusteringColumns"] == []
    session.sql("RESTORE t TO VERSION AS OF 2")
    assert clustered() == ["b"]


def test_a_file_with_another_vector_is_another_file(session: Session, put: Put) -> None:
    session.sql("CREATE TABLE t (a INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    first = put("a")
    name = z85_encode(b"0123456789abcdef")
    vector = DeletionVector("u", name, 1, 40, 1)
    log = session.log("t")
    (Path(log.location) / vector_path(name)).write_bytes(b"any")
    marked = AddFile("a", {}, 10, 1, stats=first.stats, deletion_vector=vector)
    Transaction(log, log.snapshot()).commit(operations.DELETE, {}, [first.remove(1), marked])
    result = session.sql("RESTORE t TO VERSION AS OF 1")
    assert (result.metrics["numRestoredFiles"], result.metrics["numRemovedFiles"]) == (1, 1)
    assert log.snapshot().add_files(["a"])[0].deletion_vector is None
    session.sql("RESTORE t TO VERSION AS OF 2")
    assert log.snapshot().add_files(["a"])[0].deletion_vector == vector
    session.sql("RESTORE t TO VERSION AS OF 1")
    (Path(log.location) / vector_path(name)).unlink()
    with pytest.raises(RestoreMissingFilesError):
        session.sql("RESTORE t TO VERSION AS OF 2")


def test_files_that_are_gone(session: Session, put: Put) -> None:
    session.sql("CREATE TABLE t (a INT)")
    put("a")
    put("b")
    session.sql("TRUNCATE TABLE t")
    root = Path(session.log("t").location)
    (root / "a").unlink()
    with pytest.raises(RestoreMissingFilesError) as caught:
        session.sql("RESTORE t TO VERSION AS OF 2")
    assert (caught.value.version, caught.value.count, caught.value.files) == (2, 1, ("a",))
    assert session.log("t").snapshot().version == 3
    session.sql("SET spark.sql.files.ignoreMissingFiles = true")
    session.sql("RESTORE t TO VERSION AS OF 2")
    assert paths(session) == ["a", "b"]


def test_by_time(session: Session, put: Put) -> None:
    session.sql("CREATE TABLE t (a INT)")
    put("a")
    between = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(time.time() + 1))
    time.sleep(2.1)
    put("b")
    session.sql("SET spark.sql.session.timeZone = UTC")
    session.sql(f"RESTORE t TO TIMESTAMP AS OF '{between}'")
    assert paths(session) == ["a"]
    parameters = actions(session, 3)["commitInfo"][0]["operationParameters"]
    assert parameters == {"version": None, "timestamp": between}
    assert condition(session, "RESTORE t TO TIMESTAMP AS OF '2000-01-01'") == "DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER"
    assert condition(session, "RESTORE t TO TIMESTAMP AS OF '2100-01-01'") == "DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER"


def test_in_commit_timestamps_end_and_begin_anew(session: Session) -> None:
    """The time since when commits have them is that of the present log, not of the old one."""
    session.sql("CREATE TABLE t (a INT)")
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')")
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('x' = '1')")
    key = "delta.inCommitTimestampEnablementVersion"
    session.sql("RESTORE t TO VERSION AS OF 1")
    assert session.log("t").snapshot().configuration[key] == "1"
    session.sql("RESTORE t TO VERSION AS OF 0")
    assert not {"delta.enableInCommitTimestamps", key} & session.log("t").snapshot().configuration.keys()
    session.sql("RESTORE t TO VERSION AS OF 2")
    assert session.log("t").snapshot().configuration[key] == "5"
    session.sql("RESTORE t TO VERSION AS OF 1")
    assert session.log("t").snapshot().configuration[key] == "5"
    times = [row.timestamp for row in session.sql("DESCRIBE HISTORY t")]
    assert times == sorted(times, reverse=True)
    assert len(times) == 7


def test_an_append_only_table_loses_no_row(session: Session, put: Put) -> None:
    session.sql("CREATE TABLE t (a INT) TBLPROPERTIES ('delta.appendOnly' = 'true')")
    put("a")
    with pytest.raises(AppendOnlyError):
        session.sql("RESTORE t TO VERSION AS OF 0")


def test_nothing_may_come_in_between(session: Session, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    session.sql("CREATE TABLE t (a INT)")
    put("a")
    other = deltasql.connect(str(Path(session.log("t").location).parent))

    def late(log: DeltaLog, snapshot: Any) -> Any:
        monkeypatch.setattr(commit, "Transaction", Transaction)
        other.sql("ALTER TABLE t SET TBLPROPERTIES ('x' = '1')")
        return Transaction(log, snapshot)

    monkeypatch.setattr(commit, "Transaction", late)
    error = condition(session, "RESTORE t TO VERSION AS OF 0")
    assert error in {ConcurrentWriteError.condition, "DELTA_METADATA_CHANGED"}
    assert paths(session) == ["a"]
