"""CLONE that fails, is refused or loses a race, its plan, and very many files: without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import deltasql
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log import operations
from deltasql.log.commit.transaction import Transaction
from deltasql.log.storage import log_store
from deltasql.session.execution import commit as execution
from deltasql.session.session import Session
from tests.unit.planner.clones import CHANGES, SIZES, Files, actions, changes, condition, on_disk


def test_targets(session: Session, files: Files, tmp_path: Path) -> None:
    session.sql("CREATE TABLE s (a INT)")
    files.put("s", "a.parquet")
    place = tmp_path / "place"
    session.sql(f"CREATE TABLE t CLONE s LOCATION '{place}'")
    assert session.catalog.require(("t",)).managed is False
    session.sql(f"CREATE TABLE delta.`{tmp_path}/path` CLONE delta.`{place}`")
    told = actions(session, f"delta.`{tmp_path}/path`", 0)["commitInfo"][0]["operationParameters"]
    assert told["source"] == f"delta.`file:{place}`"
    assert session.sql("CREATE TABLE IF NOT EXISTS t CLONE s").collect() == []
    assert session.sql("CREATE TABLE IF NOT EXISTS t CLONE s").columns == [*SIZES, *CHANGES]
    refused = {
        "CREATE TABLE t CLONE s": "TABLE_OR_VIEW_ALREADY_EXISTS",
        f"CREATE TABLE delta.`{place}` CLONE s": "TABLE_OR_VIEW_ALREADY_EXISTS",
        f"CREATE TABLE u CLONE s LOCATION '{place}'": "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
        "REPLACE TABLE u CLONE s": "DELTA_CANNOT_REPLACE_MISSING_TABLE",
        "CREATE OR REPLACE TABLE s CLONE s@v0": "DELTA_UNSUPPORTED_CLONE_REPLACE_SAME_TABLE",
        f"CREATE OR REPLACE TABLE delta.`{place}/` CLONE t": "DELTA_UNSUPPORTED_CLONE_REPLACE_SAME_TABLE",
        f"CREATE TABLE delta.`{tmp_path}/p` CLONE s LOCATION '{tmp_path}/q'": "DELTA_CLONE_AMBIGUOUS_TARGET",
        "CREATE TABLE u CLONE s LOCATION 'some/where'": "DELTA_INVALID_CLONE_PATH",
        "CREATE TABLE delta.`some/where` CLONE s": "DELTA_INVALID_CLONE_PATH",
        f"CREATE TABLE t CLONE s LOCATION '{tmp_path}/q'": "DELTA_TABLE_LOCATION_MISMATCH",
        "CREATE TABLE u@v1 CLONE s": "DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS",
    }
    for sql, expected in refused.items():
        assert condition(session, sql) == expected, sql
    session.sql(f"CREATE OR REPLACE TABLE u CLONE s LOCATION '{place}'")
    assert session.log("u").snapshot().version == 1


def test_sources(session: Session, tmp_path: Path) -> None:
    refused = {
        "CREATE TABLE t CLONE nothing": "TABLE_OR_VIEW_NOT_FOUND",
        f"CREATE TABLE t CLONE parquet.`{tmp_path}`": "DELTA_EMPTY_DIRECTORY",
        f"CREATE TABLE t CLONE json.`{tmp_path}`": "DELTA_CLONE_UNSUPPORTED_SOURCE",
        f"CREATE TABLE t CLONE delta.`{tmp_path}/nothing`": "DELTA_MISSING_DELTA_TABLE",
    }
    for sql, expected in refused.items():
        assert condition(session, sql) == expected, sql


def test_what_failed_leaves_nothing(session: Session, files: Files) -> None:
    session.sql("CREATE TABLE s (a INT)")
    for number in range(20):
        add = files.put("s", f"{number}.parquet")
    (Path(session.log("s").location) / add.path).unlink()
    with pytest.raises(DeltaSqlError) as caught:
        session.sql("CREATE TABLE t CLONE s")
    assert caught.value.condition == "DELTA_FILE_NOT_FOUND"
    place = Path(session.catalog.managed_location(("t",)))
    assert not any(path.is_file() for path in place.rglob("*"))
    # A shallow clone does not look, and a clone can be made once the source is whole.
    session.sql("CREATE TABLE shallow SHALLOW CLONE s")
    session.sql("FSCK REPAIR TABLE s")
    assert changes(session.sql("CREATE TABLE t CLONE s"))[1] == 19


def test_a_lost_race_leaves_nothing(session: Session, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    session.sql("CREATE TABLE s (a INT)")
    files.put("s", "a.parquet")
    other = deltasql.connect(session.catalog.warehouse)

    def after_copying(statement: str) -> None:
        def late(*arguments: Any) -> None:
            monkeypatch.setattr(execution, "copy_files", log_store.copy_files)
            log_store.copy_files(*arguments)
            other.sql(statement)

        monkeypatch.setattr(execution, "copy_files", late)

    after_copying("CREATE TABLE t (b INT)")
    assert condition_of(session, "CREATE TABLE t CLONE s") == "DELTA_PROTOCOL_CHANGED"
    assert on_disk(session, "t") == set()
    after_copying("ALTER TABLE t SET TBLPROPERTIES ('x' = '1')")
    assert condition_of(session, "CREATE OR REPLACE TABLE t CLONE s") in {
        "DELTA_CONCURRENT_WRITE",
        "DELTA_METADATA_CHANGED",
    }
    assert on_disk(session, "t") == set()
    # The clone is of the version that was planned.
    after_copying("ALTER TABLE s ADD COLUMN later INT")
    session.sql("CREATE OR REPLACE TABLE t CLONE s")
    assert session.log("t").snapshot().schema.names == ("a",)
    assert session.log("s").snapshot().schema.names == ("a", "later")


def condition_of(session: Session, sql: str) -> str:
    with pytest.raises(DeltaSqlError) as caught:
        session.sql(sql)
    return caught.value.condition


def test_an_interrupted_copy_is_in_nobodys_way(session: Session, files: Files) -> None:
    """A process that was killed leaves its folder, and nothing that names it."""
    session.sql("CREATE TABLE s (a INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    files.put("s", "a.parquet", rows=(1,))
    with session.begin("CREATE TABLE t CLONE s"):
        place = Path(session.catalog.managed_location(("t",)))
        assert len([path for path in place.rglob("*") if path.is_file()]) == 2
        deltasql.connect(session.catalog.warehouse).sql("CREATE TABLE t CLONE s")
    assert len(on_disk(session, "t")) == 2


def test_explain(session: Session, files: Files) -> None:
    session.sql("CREATE TABLE s (a INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    files.put("s", "a.parquet", 10, rows=(1,))
    (row,) = session.sql("EXPLAIN CREATE TABLE t CLONE s").collect()
    assert "Copy: 1 data files, 10 bytes and 1 of deletion vectors" in row[0]
    (row,) = session.sql("EXPLAIN CREATE TABLE t SHALLOW CLONE s").collect()
    assert "none: the log alone" in row[0]
    assert "  add: 1 files" in row[0]
    assert session.catalog.resolve(("t",)) is None


def test_many_files_at_once(session: Session) -> None:
    """More files than one piece of a commit's text, of which some are spelt otherwise."""
    session.sql("CREATE TABLE s (a INT)")
    log = session.log("s")
    count = 9000
    added = pa.table(
        {
            "path": [f"part {number}.parquet".replace(" ", "%20" if number % 2 else "-") for number in range(count)],
            "partitionValues": pa.array([[]] * count, pa.map_(pa.string(), pa.string())),
            "size": [1] * count,
            "modificationTime": [1] * count,
            "stats": ['{"numRecords":1}'] * count,
        }
    )
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, [], added=added)
    session.sql("CREATE TABLE t SHALLOW CLONE s")
    clone = deltasql.connect(session.catalog.warehouse).log("t").snapshot()
    assert (clone.num_files, clone.size_in_bytes) == (count, count)
    places = [set(session.log(name).snapshot().files(("location",))["location"].to_pylist()) for name in "st"]
    assert places[0] == places[1]
