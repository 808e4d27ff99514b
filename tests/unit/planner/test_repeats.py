"""Which statements may be run again after a lost race."""

from __future__ import annotations

import pytest

from deltasql.planner.row_changes import may_repeat
from tests.unit.planner.lab import Lab, columns


@pytest.fixture
def table(lab: Lab) -> Lab:
    lab.run("CREATE TABLE t (id INT, v DOUBLE)", "CREATE TABLE o (k INT)")
    lab.append("t")
    lab.append("o")
    lab.analyst.rows = {"SELECT k": columns("k INT"), "SELECT 1": columns("id INT, v DOUBLE")}
    return lab


MERGE = "MERGE INTO t USING (SELECT k FROM o) AS s ON t.id = s.k"


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO t SELECT 1, 2",
        "UPDATE t SET v = id + 1 WHERE id = 1",
        "DELETE FROM t WHERE id = 1",
        "DELETE FROM t",
        f"{MERGE} WHEN MATCHED THEN UPDATE SET v = 1 WHEN NOT MATCHED THEN INSERT (id) VALUES (k)",
        "OPTIMIZE t",
        "ALTER TABLE t ADD COLUMN w INT",
    ],
)
@pytest.mark.parametrize(("statements", "may"), [("DETERMINISTIC", True), ("ALL", True), ("NONE", False)])
def test_statements(table: Lab, sql: str, statements: str, may: bool) -> None:
    table.append("t")
    assert may_repeat(table.plan(sql), statements) is may


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE t SET v = rand() WHERE id = 1",
        "INSERT INTO t SELECT 1, rand()",
        f"{MERGE} WHEN MATCHED THEN UPDATE SET v = rand()",
        f"{MERGE} WHEN NOT MATCHED THEN INSERT (v) VALUES (rand())",
        "MERGE INTO t USING (SELECT k FROM o WHERE rand() < 0.5) AS s ON t.id = s.k WHEN MATCHED THEN DELETE",
    ],
)
@pytest.mark.parametrize(("statements", "may"), [("DETERMINISTIC", False), ("ALL", True), ("NONE", False)])
def test_what_throws_dice(table: Lab, sql: str, statements: str, may: bool) -> None:
    assert may_repeat(table.plan(sql), statements) is may


@pytest.mark.parametrize("statements", ["DETERMINISTIC", "ALL", "NONE"])
@pytest.mark.parametrize("sql", ["RESTORE TABLE t TO VERSION AS OF 0", "SHOW TBLPROPERTIES t", "VACUUM t DRY RUN"])
def test_what_is_never_run_again(table: Lab, sql: str, statements: str) -> None:
    """To go back to a version would undo what others have done meanwhile; the others commit nothing."""
    assert not may_repeat(table.plan(sql), statements)
