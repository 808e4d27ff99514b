"""FSCK REPAIR TABLE, of tables whose files are made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import InvalidSettingError
from deltasql.log import operations
from deltasql.log.actions.actions import AddFile, DeletionVector
from deltasql.log.actions.deletion_vectors import vector_path, z85_encode
from deltasql.log.actions.file_tables import ADD, from_files
from deltasql.log.commit.transaction import Transaction
from deltasql.log.old_files import missing_files
from deltasql.log.storage.stores import open_store
from deltasql.schema.arrow_values import no_rows
from deltasql.session.session import Session

NAMES = [z85_encode(bytes([number]) * 16) for number in range(2)]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A table `t` of five files; of `b` the file is gone, of `d` the deletion vector, of `/…/e` a file elsewhere."""
    session = deltasql.connect(str(tmp_path / "ware house"))
    session.sql("CREATE TABLE t (a INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    log = session.log("t")
    root = Path(log.location)
    elsewhere = str(tmp_path).replace("%", "%25").replace(" ", "%20")
    vectors = [DeletionVector("u", name, 1, 40, 1) for name in NAMES]
    inline = DeletionVector("i", "wi5b", None, 40, 1)
    files = {
        "a%20b": inline,
        "b": None,
        "c": vectors[0],
        "d": vectors[1],
        f"{elsewhere}/e": None,
        f"{elsewhere}/f": None,
    }
    adds = [AddFile(path, {}, 10, 1, stats='{"numRecords":5}', deletion_vector=dv) for path, dv in files.items()]
    for path in (root / "a b", root / "c", root / "d", root / vector_path(NAMES[0]), tmp_path / "f"):
        path.write_bytes(b"x" * 10)
    Transaction(log, log.snapshot()).commit(operations.WRITE, {"mode": "Append"}, adds)
    return session


def test_a_dry_run_tells_and_changes_nothing(session: Session, tmp_path: Path) -> None:
    root = Path(session.log("t").location)
    result = session.sql("FSCK REPAIR TABLE t DRY RUN")
    assert result.columns == ["dataFilePath", "dataFileMissing", "deletionVectorPath", "deletionVectorFileMissing"]
    assert result.collect() == [
        (str(root / "b"), True, None, False),
        (str(root / "d"), False, str(root / vector_path(NAMES[1])), True),
        (str(tmp_path / "e"), True, None, False),
    ]
    assert result.version is None
    assert session.log("t").snapshot().num_files == 6


def test_what_is_gone_leaves_the_log(session: Session) -> None:
    told = session.sql("FSCK REPAIR TABLE t METADATA ONLY DRY RUN").collect()
    result = session.sql("fsck repair table `t`")
    assert result.collect() == told
    assert (result.version, result.metrics["numRemovedFiles"]) == (2, 3)
    left = session.log("t").snapshot().files(("path",))["path"].to_pylist()
    assert [path.rpartition("/")[2] for path in left] == ["a%20b", "c", "f"]
    last = session.sql("DESCRIBE HISTORY t LIMIT 1").collect()[0]
    assert (last.operation, last.operationMetrics["numRemovedFiles"]) == ("FSCK", "3")
    again = session.sql("FSCK REPAIR TABLE t")
    assert (again.collect(), again.version) == ([], None)


def test_the_result_has_a_limit_and_the_repair_has_none(session: Session) -> None:
    session.sql("SET spark.databricks.delta.fsck.maxNumEntriesInResult = 1")
    assert session.sql("FSCK REPAIR TABLE t").count() == 1
    assert session.log("t").snapshot().num_files == 3
    session.settings.set("spark.databricks.delta.fsck.maxNumEntriesInResult", "many")
    with pytest.raises(InvalidSettingError):
        session.sql("FSCK REPAIR TABLE t")


def test_a_path_as_a_string(session: Session) -> None:
    assert session.sql(f"FSCK REPAIR TABLE '{session.log('t').location}' DRY RUN").count() == 3


def test_in_memory() -> None:
    """Object stores are listed, and asked by name for what lies elsewhere."""
    store = open_store("memory:///fsck-test/t")
    store.put_if_absent("p=1/a", b"x")
    open_store("memory:///fsck-test/other").put_if_absent("c", b"x")
    places = ("p=1/a", "p=1/b", "memory:///fsck-test/other/c", "memory:///fsck-test/other/d")
    files = from_files([AddFile(path, {}, 1, 1) for path in places], ADD)
    gone, unmarked = missing_files(store, files)
    assert gone.to_pylist() == [False, True, False, True]
    assert unmarked.to_pylist() == [False] * 4
    assert len(missing_files(store, no_rows(ADD))[0]) == 0
