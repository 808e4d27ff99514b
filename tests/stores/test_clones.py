"""Clones between a local disk and buckets: what is copied by whom, and that nothing is left of what failed."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors.base import DeltaSqlError
from deltasql.log.storage import log_store
from deltasql.log.storage.log_store import LogStore
from deltasql.session.session import Session
from tests.stores.conftest import Store


def contents(session: Session, table: str) -> list[bytes]:
    """The bytes of the live data files."""
    log = session.log(table)
    places = log.snapshot().files(("location",))["location"].to_pylist()
    return sorted(log.store.at(place.rpartition("/")[0]).read(place.rpartition("/")[2]) for place in places)


def test_from_store_to_store(s3: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The files are small: so each of them comes in several pieces.
    monkeypatch.setattr(log_store, "PIECE", 100)
    within: list[str] = []
    copy_within = LogStore.copy_within

    def noted(self: LogStore, source: LogStore, name: str, path: str) -> None:
        within.append(name)
        copy_within(self, source, name, path)

    monkeypatch.setattr(LogStore, "copy_within", noted)
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE s (a INT, p STRING) PARTITIONED BY (p)")
        session.sql("INSERT INTO s VALUES (1, 'x y'), (2, 'z%'), (3, NULL)")
        expected = contents(session, "s")
        session.sql(f"CREATE TABLE up CLONE s LOCATION '{s3.url('up')}'")
        assert within == []
        session.sql(f"CREATE TABLE beside CLONE up LOCATION '{s3.url('beside')}'")
        assert len(within) == 3
        session.sql(f"CREATE TABLE shallow SHALLOW CLONE up LOCATION '{s3.url('shallow')}'")
        session.sql("CREATE TABLE down CLONE shallow")
        session.sql("CREATE TABLE here SHALLOW CLONE beside")
        for name in ("up", "beside", "shallow", "down", "here"):
            assert contents(session, name) == expected, name
        session.sql("INSERT INTO s VALUES (4, 'x y')")
        (row,) = session.sql("CREATE OR REPLACE TABLE up CLONE s").collect()
        assert (row.num_copied_files, row.num_removed_files) == (1, 0)
        assert contents(session, "up") == contents(session, "s")
        place = session.log("here").snapshot().files(("path",))["path"].to_pylist()[0]
        assert place.startswith(s3.url("beside").replace("s3://", "s3a://"))


def test_what_failed_leaves_nothing_in_the_bucket(s3: Store, tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE s (a INT)")
        for number in range(5):
            session.sql(f"INSERT INTO s VALUES ({number})")
        first = Path(session.log("s").snapshot().files(("location",))["location"].to_pylist()[0])
        kept = first.read_bytes()
        first.unlink()
        for source in ("s", "up"):
            if source == "up":
                first.write_bytes(kept)
                session.sql(f"CREATE TABLE up CLONE s LOCATION '{s3.url('up')}'")
                gone = session.log("up").snapshot().files(("path",))["path"].to_pylist()[0]
                session.log("up").store.delete([gone])
            with pytest.raises(DeltaSqlError) as caught:
                session.sql(f"CREATE TABLE t CLONE {source} LOCATION '{s3.url('t')}'")
            assert caught.value.condition == "DELTA_FILE_NOT_FOUND"
            assert session.log(f"delta.`{s3.url('t')}`").store.list_below("") == []
