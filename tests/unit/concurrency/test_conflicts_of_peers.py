"""Two writers change different rows of one file: both commit in deltasql, the second one fails in delta-rs.

The comparison in README.md refers to this test.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError

import deltasql


def test_deltasql_commits_both(tmp_path: Path) -> None:
    with deltasql.connect(str(tmp_path)) as session:
        session.sql("CREATE TABLE t (id INT, n INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
        session.sql("INSERT INTO t VALUES (1, 0), (2, 0)")
        first = session.begin("UPDATE t SET n = 1 WHERE id = 1")
        second = session.begin("UPDATE t SET n = 2 WHERE id = 2")
        assert (first.commit().version, second.commit().version) == (2, 3)
        assert session.sql("SELECT * FROM t ORDER BY id").collect() == [(1, 1), (2, 2)]


def test_delta_rs_commits_one(tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    write_deltalake(path, pa.table({"id": [1, 2], "n": [0, 0]}))
    first, second = DeltaTable(path), DeltaTable(path)
    first.update({"n": "1"}, predicate="id = 1")
    with pytest.raises(CommitFailedError):
        second.update({"n": "2"}, predicate="id = 2")
