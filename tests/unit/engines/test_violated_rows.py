"""Violations of constraints that are reported without an engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import deltasql
from deltasql.base.errors import CheckViolationError, NeedsEngineError, NotNullViolationError


@pytest.fixture
def session(tmp_path: Path) -> Iterator[deltasql.Session]:
    with deltasql.connect(str(tmp_path / "warehouse")) as opened:
        opened.sql("SET deltasql.compute = LOCAL")
        opened.sql("CREATE TABLE t (id INT NOT NULL, n DECIMAL(9,2), x DOUBLE, CONSTRAINT small CHECK (n < 10))")
        opened.sql("INSERT INTO t VALUES (1, 2, 0.5D)")
        yield opened


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO t VALUES (NULL, 1, NULL)",
        "INSERT OVERWRITE t VALUES (NULL, 1, NULL)",
        "UPDATE t SET id = NULL",
        "MERGE INTO t USING (SELECT 2 AS id) AS s ON s.id = t.id WHEN NOT MATCHED THEN INSERT (n) VALUES (1)",
    ],
)
def test_not_null(session: deltasql.Session, sql: str) -> None:
    with pytest.raises(NotNullViolationError, match="Column id of t is NOT NULL"):
        session.sql(sql)
    assert [tuple(row) for row in session.sql("SELECT id FROM t").collect()] == [(1,)]


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("INSERT INTO t VALUES (2, 10, NULL)", "10.0"),
        ("INSERT INTO t VALUES (2, 1, NULL), (3, 11.25, NULL), (4, 12, NULL)", "11.25"),
        ("INSERT INTO t VALUES (2, NULL, NULL), (NULL, 13, NULL)", "null"),
        ("UPDATE t SET n = n + 20", "22.0"),
    ],
)
def test_the_row_is_shown(session: deltasql.Session, sql: str, shown: str) -> None:
    with pytest.raises(CheckViolationError, match=rf"small \(n < 10\) is violated by a row with values: n = {shown}\."):
        session.sql(sql)


@pytest.mark.spark
def test_values_that_json_may_spell_otherwise_are_left_to_the_engine(session: deltasql.Session) -> None:
    session.sql("CREATE TABLE r (x DOUBLE, CHECK (x > 0))")
    with pytest.raises(NeedsEngineError, match="a row violates a constraint"):
        session.sql("INSERT INTO r VALUES (-1e300D)")
