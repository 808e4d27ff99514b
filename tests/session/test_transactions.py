"""Transactions of a session: their state, what is left of those that fail, lost races, writes of DataFrames."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql import Session, connect
from deltasql.base.errors import (
    AmbiguousWriteError,
    ConcurrentModificationError,
    NestedTransactionError,
    NotInTransactionError,
    NoTransactionError,
    StaleStatementError,
    StorageError,
)
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log.committers import FileSystemCommitter
from deltasql.session.execution.open_transaction import OpenTransaction
from tests.session.test_serialisability import left_over


@pytest.fixture
def t(session: Session, tmp_path: Path) -> Path:
    session.sql("CREATE TABLE t (id INT, v STRING)")
    session.sql("INSERT INTO t VALUES (1, 'a')")
    return tmp_path / "warehouse" / "t"


@pytest.fixture
def other(session: Session, tmp_path: Path) -> Iterator[Session]:
    with connect(str(tmp_path / "warehouse")) as opened:
        yield opened


def files(session: Session) -> int:
    return int(session.log("t").snapshot().num_files)


def test_the_state_of_a_session(session: Session, t: Path, other: Session) -> None:
    assert not session.in_transaction
    session.sql("BEGIN TRANSACTION")
    assert session.in_transaction
    assert not other.in_transaction
    session.sql("INSERT INTO t VALUES (2, 'b')")
    assert (files(session), files(other)) == (2, 1)
    other.sql("INSERT INTO t VALUES (3, 'c')")
    # Read as of its first use.
    assert (files(session), files(other)) == (2, 2)
    done = session.sql("COMMIT")
    assert (done.version, done.attempts, done.metrics["numOutputRows"]) == (3, 2, 1)
    assert done.columns == ["table", "version", "num_statements", "metrics"]
    assert files(session) == files(other) == 3
    assert not session.in_transaction


def test_closing_rolls_back(session: Session, t: Path, other: Session) -> None:
    other.sql("START TRANSACTION")
    other.sql("INSERT INTO t VALUES (2, 'b')")
    assert left_over(t)
    other.close()
    assert not left_over(t)
    assert files(session) == 1


def test_what_is_left_by_a_process_that_dies_goes_by_vacuum(session: Session, t: Path, other: Session) -> None:
    other.sql("BEGIN TRANSACTION")
    other.sql("INSERT INTO t VALUES (2, 'b')")
    assert left_over(t)
    session.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
    session.sql("VACUUM t RETAIN 0 HOURS")
    assert not left_over(t)
    assert files(session) == 1


def test_a_commit_that_fails_is_rolled_back(session: Session, t: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bool:
        raise StorageError("write", "x", "no space")

    session.sql("BEGIN TRANSACTION")
    session.sql("INSERT INTO t VALUES (2, 'b')")
    with monkeypatch.context() as patched:
        patched.setattr(FileSystemCommitter, "commit", fail)
        with pytest.raises(StorageError):
            session.sql("COMMIT")
    assert not session.in_transaction
    assert not left_over(t)
    # As programs do that were told to; once.
    session.sql("ROLLBACK")
    with pytest.raises(NoTransactionError):
        session.sql("ROLLBACK")
    session.sql("INSERT INTO t VALUES (2, 'b')")
    assert files(session) == 2


def test_files_stay_where_the_storage_does_not_say(session: Session, t: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def doubt(self: FileSystemCommitter, version: int, data: bytes) -> bool:
        assert self._store.put_if_absent(f"_delta_log/{version:020d}.json", data)
        raise KeyboardInterrupt

    session.sql("BEGIN TRANSACTION")
    session.sql("INSERT INTO t VALUES (2, 'b')")
    with monkeypatch.context() as patched:
        patched.setattr(FileSystemCommitter, "commit", doubt)
        with pytest.raises(KeyboardInterrupt):
            session.sql("COMMIT")
    assert not left_over(t)
    assert files(session) == 2


def test_an_answer_that_is_lost_is_looked_up(session: Session, t: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(self: FileSystemCommitter, version: int, data: bytes) -> bool:
        self._store.put_if_absent(f"_delta_log/{version:020d}.json", data)
        raise AmbiguousWriteError("x", "no answer")

    session.sql("BEGIN TRANSACTION")
    session.sql("INSERT INTO t VALUES (2, 'b')")
    with monkeypatch.context() as patched:
        patched.setattr(FileSystemCommitter, "commit", lost)
        assert session.sql("COMMIT").version == 2
    assert not left_over(t)


def test_statements_of_two_phases_follow_each_other(session: Session, t: Path) -> None:
    before = session.begin("INSERT INTO t VALUES (9, 'by itself')")
    session.sql("BEGIN TRANSACTION")
    first, second = session.begin("INSERT INTO t VALUES (2, 'b')"), session.begin("INSERT INTO t VALUES (3, 'c')")
    first.commit()
    with pytest.raises(StaleStatementError):
        second.commit()
    assert before.commit().version == 2
    late = session.begin("INSERT INTO t VALUES (4, 'd')")
    assert session.sql("COMMIT").version == 3
    with pytest.raises(StaleStatementError):
        late.commit()
    assert not left_over(t)


def test_a_block_in_two_phases(session: Session, t: Path) -> None:
    block = "BEGIN ATOMIC INSERT INTO t VALUES (2, 'b'); INSERT INTO t VALUES (3, 'c'); END"
    with session.begin(block):
        assert not session.in_transaction
        assert len(left_over(t)) == 2
    assert not left_over(t)
    pending = session.begin(block)
    session.sql("INSERT INTO t VALUES (4, 'd')")
    assert pending.commit().version == 3


def test_parameters_of_a_block(session: Session, t: Path) -> None:
    block = "BEGIN ATOMIC INSERT INTO t VALUES (:id, :v); INSERT INTO t VALUES (:id + 1, 'x'); SELEC :v; END"
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(block, {"id": 7, "v": "secret value"})
    assert caught.value.caret is not None
    assert caught.value.caret.sql == block
    assert block[caught.value.caret.start :].startswith("SELEC")
    session.sql(block.replace("SELEC :v; ", "").replace(":id + 1", ":next"), {"id": 7, "v": "it", "next": 8})
    assert files(session) == 3


def test_a_block_is_run_again_as_a_whole(
    session: Session, t: Path, other: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, meanwhile = OpenTransaction.commit, ["ALTER TABLE t ADD COLUMN w INT", "ALTER TABLE t ADD COLUMN x INT"]

    def overtaken(self: OpenTransaction) -> object:
        while meanwhile:
            other.sql(meanwhile.pop())
            if len(meanwhile) == 1:
                break
        return commit(self)

    monkeypatch.setattr(OpenTransaction, "commit", overtaken)
    done = session.sql("BEGIN ATOMIC INSERT INTO t (id) VALUES (2); ALTER TABLE t ADD COLUMN y INT; END")
    assert (done.version, done.attempts) == (4, 3)
    assert session.log("t").snapshot().schema.names == ("id", "v", "x", "w", "y")
    assert not left_over(t)
    meanwhile.append("ALTER TABLE t ADD COLUMN z INT")
    session.sql("SET deltasql.retry.statements = NONE")
    with pytest.raises(ConcurrentModificationError):
        session.sql("BEGIN ATOMIC INSERT INTO t (id) VALUES (2); ALTER TABLE t ADD COLUMN q INT; END")
    assert not left_over(t)


def test_an_interactive_one_is_not_run_again(session: Session, t: Path, other: Session) -> None:
    session.sql("BEGIN TRANSACTION")
    session.sql("INSERT INTO t VALUES (2, 'b')")
    other.sql("ALTER TABLE t ADD COLUMN w INT")
    with pytest.raises(ConcurrentModificationError):
        session.sql("COMMIT")
    assert not session.in_transaction
    assert not left_over(t)


def test_idempotent_writes_take_part(session: Session, t: Path) -> None:
    session.sql("SET spark.databricks.delta.write.txnAppId = app")
    session.sql("SET spark.databricks.delta.write.txnVersion = 1")
    session.sql("BEGIN TRANSACTION")
    assert session.sql("INSERT INTO t VALUES (2, 'b')").collect() == [(1, 1)]
    assert session.sql("INSERT INTO t VALUES (2, 'b')").collect() == []
    assert session.sql("COMMIT").collect()[0].num_statements == 1
    assert session.log("t").snapshot().transactions == {"app": 1}


@pytest.mark.spark
def test_writes_of_frames_take_part(session: Session, t: Path) -> None:
    rows = session.sql("SELECT 2 AS id, 'b' AS v").df
    session.sql("BEGIN TRANSACTION")
    session.write(rows).mode("append").saveAsTable("t")
    session.write(rows).mode("overwrite").saveAsTable("t")
    session.write(rows).insertInto("t")
    assert session.table("t").count() == 2
    for name in ("other", f"delta.`{t.parent}/new`"):
        with pytest.raises(NotInTransactionError, match="makes a table"):
            session.write(rows).mode("append").saveAsTable(name)
    with pytest.raises(NotInTransactionError, match="dataChange"):
        session.write(rows).mode("append").option("dataChange", False).saveAsTable("t")
    with pytest.raises(NotInTransactionError, match="A stream"):
        session.readStream.table("t")
    with pytest.raises(NestedTransactionError):
        session.sql("BEGIN ATOMIC SELECT 1; END")
    assert session.sql("COMMIT").version == 2
    assert not left_over(t)
    assert sorted(session.sql("SELECT * FROM t").collect()) == [(2, "b"), (2, "b")]


@pytest.mark.spark
def test_reads_of_other_tables_are_of_one_version(session: Session, t: Path, other: Session) -> None:
    session.sql("CREATE TABLE s (n INT)")
    session.sql("INSERT INTO s VALUES (1)")
    session.sql("BEGIN TRANSACTION")
    count = "SELECT count(*) FROM s"
    assert session.sql(count).collect() == [(1,)]
    other.sql("INSERT INTO s VALUES (2)")
    session.sql("INSERT INTO t SELECT n, 'from s' FROM s")
    assert session.sql(count).collect() == [(1,)]
    session.sql("COMMIT")
    assert session.sql(count).collect() == [(2,)]
    assert files(session) == 2


@pytest.mark.spark
@pytest.mark.parametrize("reads", [False, True])
def test_a_query_counts_as_a_read(session: Session, t: Path, other: Session, reads: bool) -> None:
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'Serializable')")
    session.sql("BEGIN TRANSACTION")
    if reads:
        session.sql("SELECT max(id) FROM t WHERE id > 0").collect()
    session.sql("INSERT INTO t VALUES (2, 'b')")
    other.sql("INSERT INTO t VALUES (5, 'e')")
    if not reads:
        assert session.sql("COMMIT").version == 4
        return
    with pytest.raises(ConcurrentModificationError):
        session.sql("COMMIT")
