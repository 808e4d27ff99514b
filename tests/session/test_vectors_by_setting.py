"""Statements that rewrite files of a table with deletion vectors, beside those that mark rows in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql import connect
from deltasql.base.errors import ConcurrentModificationError

DELETE = "DELETE FROM t WHERE id = 1"
UPDATE = "UPDATE t SET v = 7 WHERE id = 1"
MERGE = "MERGE INTO t USING (SELECT 1 AS id) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 7"


@pytest.mark.parametrize("statement", [DELETE, UPDATE, MERGE])
@pytest.mark.parametrize("rewrites_last", [True, False])
def test_a_mark_in_a_rewritten_file_is_a_conflict(tmp_path: Path, statement: str, rewrites_last: bool) -> None:
    with connect(str(tmp_path / "warehouse")) as rewriting, connect(str(tmp_path / "warehouse")) as marking:
        rewriting.sql("CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
        rewriting.sql("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
        for word in ("delete", "update", "merge"):
            rewriting.sql(f"SET spark.databricks.delta.{word}.deletionVectors.persistent = false")
        begun = [rewriting.begin(statement), marking.begin("DELETE FROM t WHERE id = 2")]
        first, last = reversed(begun) if rewrites_last else begun
        first.commit()
        with pytest.raises(ConcurrentModificationError):
            last.commit()
        left = [1, 3] if rewrites_last else [2, 3] if statement == DELETE else [1, 2, 3]
        assert [row[0] for row in marking.sql("SELECT id FROM t ORDER BY id").collect()] == left
        # Planned again on what is there now, it goes through.
        rewriting.sql(statement)
        marking.sql("DELETE FROM t WHERE id = 2")
        left = [3] if statement == DELETE else [1, 3]
        assert [row[0] for row in marking.sql("SELECT id FROM t ORDER BY id").collect()] == left
        assert not rewriting.spark_started
        assert not marking.spark_started
