"""Statements without rows on a table in an object store, and another writer of Delta tables beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import UnsafeStoreError
from deltasql.log.replay.snapshot import DeltaLog
from tests.stores.conftest import Store
from tests.stores.tables import APPEND, create, race
from tests.stores.test_unsafe_stores import Tiny
from tests.stores.tiny_s3 import Truth

_DELTA_RS = """
import os, sys
import pyarrow as pa
from deltalake import write_deltalake

location, name, count = sys.argv[1:]
options = {key: value for key, value in os.environ.items() if key.startswith("AWS_")}
for number in range(int(count)):
    write_deltalake(location, pa.table({"x": pa.array([number], pa.int64())}), mode="append", storage_options=options)
"""


def test_statements_on_metadata(s3: Store, tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path)) as session:
        session.sql(f"CREATE TABLE t (a INT) LOCATION '{s3.url('t')}'")
        session.sql("ALTER TABLE t ADD COLUMNS (b STRING)")
        session.sql("COMMENT ON TABLE t IS 'far away'")
        result = session.sql("ALTER TABLE t SET TBLPROPERTIES ('team' = 'us')")
        assert result.version == 3
        assert len(list(session.sql("DESCRIBE HISTORY t"))) == 4
        session.sql("DROP TABLE t")
        session.sql(f"CREATE TABLE u LOCATION '{s3.url('t')}'")
        assert [row["col_name"] for row in session.sql("DESCRIBE u")][:2] == ["a", "b"]


def test_an_unsafe_store_is_refused_by_name(tiny: Tiny, tmp_path: Path) -> None:
    server, store = tiny(Truth.RACED)
    with deltasql.connect(str(tmp_path)) as session:
        with pytest.raises(UnsafeStoreError):
            session.sql(f"CREATE TABLE t (a INT) LOCATION '{store.url('t')}'")
        assert server.objects == {}
        assert not list(session.sql("SHOW TABLES"))
        session.settings.set("deltasql.commit.probe", "false")
        session.sql(f"CREATE TABLE t (a INT) LOCATION '{store.url('t')}'")


def test_delta_rs_commits_at_the_same_time(s3: Store) -> None:
    pytest.importorskip("deltalake")
    create(s3.url("t"))
    race(s3.url("t"), s3.environment, 4, 6, scripts=[APPEND, _DELTA_RS])
    log = DeltaLog(s3.url("t"), "main.t")
    snapshot = log.snapshot()
    assert (snapshot.version, snapshot.num_files) == (24, 24)
    assert len(log.history()) == 25
