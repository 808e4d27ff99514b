"""Constraints look at the rows that are written, and at no row that the query leaves out."""

from __future__ import annotations

import pytest

from deltasql.session.session import Session

ROWS = "SELECT CAST(a AS INT) AS a, b FROM VALUES (NULL, 0), (1, 2), (2, 3) AS s(a, b) UNION ALL SELECT a, b FROM kept"


@pytest.fixture
def tables(session: Session) -> Session:
    session.sql("CREATE TABLE kept (a INT, b INT)")
    session.sql("INSERT INTO kept VALUES (NULL, 1), (1, 2), (2, 3)")
    session.sql("CREATE TABLE t (a INT NOT NULL, b INT, CONSTRAINT big CHECK (b > 1))")
    return session


@pytest.mark.spark
@pytest.mark.parametrize(
    "condition",
    [
        "a IN (1, 2)",
        "NOT (a NOT IN (1, 2))",
        "if(a IS NULL, NULL, true)",
        "try_element_at(map(1, true, 2, true), a)",
        "a > 0",
    ],
)
@pytest.mark.parametrize("source", ["kept", f"({ROWS})"])
def test_rows_for_which_a_condition_is_null_are_not_looked_at(tables: Session, condition: str, source: str) -> None:
    tables.sql(f"INSERT INTO t SELECT a, b FROM {source} WHERE {condition}")
    assert set(tables.sql("SELECT * FROM t").collect()) == {(1, 2), (2, 3)}
    tables.sql(f"INSERT INTO t REPLACE WHERE {condition} SELECT * FROM t WHERE {condition}")
    assert set(tables.sql("SELECT * FROM t").collect()) == {(1, 2), (2, 3)}


@pytest.mark.spark
def test_of_a_view_and_in_a_merge(tables: Session) -> None:
    tables.sql("CREATE TEMP VIEW some AS SELECT * FROM kept WHERE a IN (1, 2)")
    tables.sql("MERGE INTO t USING some s ON t.a = s.a WHEN NOT MATCHED THEN INSERT *")
    tables.sql("UPDATE t SET b = 9 WHERE a IN (1, NULL)")
    assert set(tables.sql("SELECT * FROM t").collect()) == {(1, 9), (2, 3)}
