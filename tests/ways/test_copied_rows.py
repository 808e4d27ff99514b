"""Large tables: this process copies the rows that stay, where it moves the files; executors write all rows anew."""

from __future__ import annotations

import re
from typing import Any

import pytest

from deltasql.engines.spark.rewrites import rewrite
from tests.ways import compare
from tests.ways.compare import CDF, MAPPED, Both, columns
from tests.ways.test_moved_statements import CASES, Case

pytestmark = pytest.mark.spark

CHANGE_COLUMN = re.compile(r"[^\n]* _change_type \(String\);\n")
LARGE = {
    **{name: CASES[name] for name in ("partitions of every type", "type widening")},
    "iceberg": Case(
        (
            "CREATE TABLE t (k INT, n ARRAY<STRUCT<m: MAP<STRING, ARRAY<INT>>>>, s STRUCT<x: INT>) "
            "TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true')",
            "INSERT INTO t SELECT id, array(named_struct('m', map('a', array(1)))), named_struct('x', id) "
            "FROM range(0, 9, 1, 1)",
            "UPDATE t SET s.x = NULL, n = NULL WHERE k = 7",
            "UPDATE t SET n = array(NULL, named_struct('m', NULL)) WHERE k < 3",
            "DELETE FROM t WHERE s.x = 5",
            "SELECT * FROM t",
        )
    ),
    "partitions that rows move between": Case(
        (
            "CREATE TABLE t (id INT, p DATE, q STRING, s STRUCT<a: ARRAY<INT>>) PARTITIONED BY (p, q) "
            f"TBLPROPERTIES ({MAPPED}, {CDF})",
            "INSERT INTO t SELECT id, IF(id % 3 = 0, NULL, date_from_unix_date(id % 3)), IF(id % 2 = 0, '', 'a/b'), "
            "named_struct('a', array(id)) FROM range(0, 30, 1, 1)",
            "UPDATE t SET q = 'new' WHERE id = 4",
            "UPDATE t SET id = id + 100, p = IF(id % 2 = 0, p, NULL), s.a = array(1, NULL) WHERE id < 8",
            "DELETE FROM t WHERE p IS NULL AND id > 20",
            "MERGE INTO t USING (SELECT explode(sequence(20, 40)) AS id) s ON t.id = s.id "
            "WHEN MATCHED AND s.id % 2 = 0 THEN UPDATE SET q = 'merged' WHEN MATCHED AND s.id = 25 THEN DELETE "
            "WHEN NOT MATCHED AND s.id > 33 THEN INSERT (id, q) VALUES (s.id, 'inserted')",
            "DELETE FROM t WHERE q = 'a/b' AND id <> 1",
            "SELECT * FROM t",
            "SELECT * EXCEPT (_commit_timestamp) FROM table_changes('t', 1)",
        )
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_the_same_comes_of_it(both: Both, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltasql.engines.spark.rewrites.rewrite.FEW_BYTES", 0)
    copies: list[Any] = []
    copy = rewrite.copied

    def copied(*arguments: Any, **more: Any) -> Any:
        copies.append(copy(*arguments, **more))
        return copies[-1]

    monkeypatch.setattr(rewrite, "copied", copied)
    both.run(*LARGE[name].statements)
    assert any(copies)
    # Spark keeps the column of the change feed, without a value, in the files of rows.
    monkeypatch.setattr(compare, "columns", lambda path: CHANGE_COLUMN.sub("", columns(path)))
    both.same_log()
