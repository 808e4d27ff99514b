"""DROP FEATURE over time, in races, and after errors. Nothing here starts Spark."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from deltasql import DeltaSqlError, Session
from deltasql.log.actions.actions import AddFile, DeletionVector, DomainMetadata
from deltasql.log.commit.transaction import Transaction
from deltasql.log.operations import DELETE, WRITE
from deltasql.log.replay.snapshot import DeltaLog
from deltasql.schema.types import collated
from deltasql.statements import features

DAY = 24 * 60 * 60
DROP = "ALTER TABLE t DROP FEATURE {} TRUNCATE HISTORY"


def age(session: Session, seconds: float) -> None:
    """Makes the log files of `t` older."""
    for path in Path(session.log("t").location, "_delta_log").iterdir():
        then = path.stat().st_mtime - seconds
        os.utime(path, (then, then))


def operations(session: Session) -> list[str]:
    return [entry.info["operation"] for entry in reversed(DeltaLog(session.log("t").location).history())]


def condition(session: Session, sql: str) -> str:
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(sql)
    return str(caught.value.condition)


def test_history_goes_a_day_later(session: Session) -> None:
    session.sql(
        "CREATE TABLE t (id INT) TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '1')"
    )
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')")
    assert condition(session, DROP.format("v2Checkpoint")) == "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD"
    age(session, DAY / 2)
    assert condition(session, DROP.format("v2Checkpoint")) == "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST"
    assert operations(session)[0] == "CREATE TABLE"
    age(session, DAY)
    session.sql(DROP.format("v2Checkpoint"))
    snapshot = DeltaLog(session.log("t").location).snapshot()
    assert (snapshot.protocol.min_reader_version, snapshot.protocol.min_writer_version) == (1, 2)
    assert "CREATE TABLE" not in operations(session)
    assert operations(session)[-1] == "DROP FEATURE"


def test_vectors_in_the_history_are_traces(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.feature.deletionVectors' = 'supported')")
    log = session.log("t")
    marked = AddFile(
        "a", {}, 1, 1, stats='{"numRecords":2}', deletion_vector=DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 1, 4, 1)
    )
    Transaction(log, log.snapshot()).commit(WRITE, {}, [marked])
    transaction = Transaction(log, log.snapshot())
    transaction.record_read(whole_table=True)
    transaction.commit(DELETE, {}, [marked.remove(int(time.time() * 1000))])
    assert condition(session, DROP.format("deletionVectors")) == "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST"
    age(session, 2 * DAY)
    # The version that still removes the file is needed by none, once a later checkpoint is old enough.
    session.sql(DROP.format("deletionVectors"))
    assert "deletionVectors" not in log.snapshot().protocol.features


def test_the_guard_goes_with_what_it_guards(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.feature.vacuumProtocolCheck' = 'supported')")
    session.sql("ALTER TABLE t DROP FEATURE vacuumProtocolCheck")
    assert session.log("t").snapshot().configuration == {"delta.requireCheckpointProtectionBeforeVersion": "4"}
    assert operations(session) == ["CREATE TABLE", *["Empty Commit"] * 3, "DROP FEATURE"]
    waits = "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD"
    assert condition(session, DROP.format("checkpointProtection")) == waits
    age(session, 2 * DAY)
    session.sql(DROP.format("checkpointProtection"))
    snapshot = DeltaLog(session.log("t").location).snapshot()
    assert snapshot.configuration == {}
    assert snapshot.protocol.features == {"appendOnly", "invariants"}


def test_row_ids_are_taken_away_in_batches(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltasql.statements.features.BATCH_FILES", 2)
    session.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    log = session.log("t")
    adds = [AddFile(path, {}, 1, 1, stats='{"numRecords":2}') for path in "abc"]
    Transaction(log, log.snapshot()).commit(WRITE, {}, adds)
    session.sql("ALTER TABLE t DROP FEATURE rowTracking")
    unbackfill = ["ROW TRACKING UNBACKFILL"] * 2
    assert operations(session)[2:] == ["SET TBLPROPERTIES", *unbackfill, "DROP FEATURE"]
    snapshot = log.snapshot()
    assert snapshot.live_adds(("baseRowId",)).column("baseRowId").null_count == 3
    assert snapshot.num_files == 3
    assert (snapshot.domains, snapshot.configuration) == ({}, {})


def test_domains_are_removed_with_their_feature(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    log = session.log("t")
    Transaction(log, log.snapshot()).commit(WRITE, {}, [AddFile("a", {}, 1, 1, stats='{"numRecords":2}')])
    assert set(log.snapshot().domains) == {"delta.rowTracking"}
    session.sql("ALTER TABLE t DROP FEATURE rowTracking")
    session.sql("ALTER TABLE t DROP FEATURE domainMetadata")
    assert log.snapshot().protocol.features == {"appendOnly", "invariants"}


def test_without_a_checkpoint_it_stops_and_goes_on(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.feature.vacuumProtocolCheck' = 'supported')")

    def fails(*_: object) -> bool:
        raise OSError("disk full.")

    with monkeypatch.context() as patch:
        patch.setattr("deltasql.log.write_checkpoint", fails)
        assert (
            condition(session, "ALTER TABLE t DROP FEATURE vacuumProtocolCheck")
            == "DELTA_FEATURE_DROP_CHECKPOINT_FAILED"
        )
    assert "vacuumProtocolCheck" in session.log("t").snapshot().protocol.features
    session.sql("ALTER TABLE t DROP FEATURE vacuumProtocolCheck")
    assert "vacuumProtocolCheck" not in session.log("t").snapshot().protocol.features


def test_whoever_comes_in_between_stops_it(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.feature.domainMetadata' = 'supported')")
    log = session.log("t")
    removal = features._removal

    def late(*arguments: object, **options: object) -> object:
        planned = removal(*arguments, **options)  # type: ignore[arg-type]
        Transaction(log, log.snapshot()).commit(WRITE, {}, [AddFile("a", {}, 1, 1)])
        return planned

    monkeypatch.setattr(features, "_removal", late)
    assert condition(session, "ALTER TABLE t DROP FEATURE domainMetadata") == "DELTA_CONCURRENT_WRITE"
    assert "domainMetadata" in log.snapshot().protocol.features


@pytest.mark.spark
def test_files_of_vectors_are_removed_as_delta_spark_does(session: Session) -> None:
    """Else the VACUUM of an engine that knows no vectors would take them before their time."""
    session.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    session.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ id FROM range(10)")
    session.sql("DELETE FROM t WHERE id = 4")
    root = Path(session.log("t").location)
    (vector,) = (path.relative_to(root).as_posix() for path in root.rglob("deletion_vector_*.bin"))
    session.sql("ALTER TABLE t DROP FEATURE deletionVectors")
    assert "Deletion Vector Tombstones" in operations(session)
    removed = session.log("t").snapshot().tombstones().column("path").to_pylist()
    assert vector in removed
    assert vector not in session.log("t").snapshot().files().column("path").to_pylist()
    session.sql("VACUUM t")
    assert session.sql("SELECT count(*) FROM t VERSION AS OF 2").collect() == [(9,)]


def test_without_vectors_no_file_of_theirs_is_removed(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    session.sql("ALTER TABLE t DROP FEATURE deletionVectors")
    assert "Deletion Vector Tombstones" not in operations(session)


def test_another_writer_uses_it_meanwhile(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.sql("CREATE TABLE t (name STRING) TBLPROPERTIES ('delta.feature.collations' = 'supported')")

    def overtaken(*_: object) -> tuple[()]:
        session.sql("ALTER TABLE t ALTER COLUMN name TYPE STRING COLLATE UNICODE")
        return ()

    monkeypatch.setattr(features, "downgrade", overtaken)
    statement = "ALTER TABLE t DROP FEATURE collations"
    assert condition(session, statement) == "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL"
    assert "collations" in session.log("t").snapshot().protocol.features
    monkeypatch.undo()
    assert condition(session, statement) == "DELTA_CANNOT_DROP_COLLATIONS_FEATURE"


def test_versions_of_statistics_go_with_the_collations(session: Session) -> None:
    """Another engine has written which versions of a collation its statistics have. RESTORE brings the feature back."""
    session.sql("CREATE TABLE t (name STRING COLLATE UNICODE)")
    log = session.log("t")
    domain = DomainMetadata("collations", '{"writeVersions":{"icu.UNICODE":["75.1"]}}')
    Transaction(log, log.snapshot()).commit(WRITE, {}, [domain])
    session.sql("ALTER TABLE t ALTER COLUMN name TYPE STRING")
    session.sql("ALTER TABLE t DROP FEATURE collations")
    snapshot = log.snapshot()
    assert not snapshot.domains
    assert snapshot.protocol.features & {"collations", "domainMetadata"} == {"domainMetadata"}
    session.sql("RESTORE t TO VERSION AS OF 1")
    assert "collations" in log.snapshot().protocol.features
    assert log.snapshot().schema.fields[0].type == collated("UNICODE")
