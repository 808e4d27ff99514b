"""current_schema() and its like as literals."""

from __future__ import annotations

import pytest

from deltasql.sql.statement_texts import current_names, splice


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT current_schema()", "SELECT 'it''s' AS `current_schema()`"),
        ("SELECT a, Current_Database ( ) FROM t", "SELECT a, 'it''s' AS `current_schema()` FROM t"),
        ("SELECT DISTINCT current_catalog(), 1", "SELECT DISTINCT 'c' AS `current_catalog()`, 1"),
        ("SELECT system.builtin.current_schema()", "SELECT 'it''s' AS `current_schema()`"),
        ("SELECT builtin.`current_schema`() AS x", "SELECT 'it''s' AS x"),
        ("SELECT current_schema() x", "SELECT 'it''s' x"),
        ("SELECT f(a, current_schema())", "SELECT f(a, 'it''s')"),
        ("SELECT (SELECT current_schema())", "SELECT (SELECT 'it''s' AS `current_schema()`)"),
        ("SELECT 1 FROM t, current_schema()", "SELECT 1 FROM t, 'it''s'"),
        ("SELECT a FROM t ORDER BY a, current_schema()", "SELECT a FROM t ORDER BY a, 'it''s'"),
        ("SELECT current_schema() || 'x'", "SELECT 'it''s' || 'x'"),
        ("VALUES (1, current_schema()), (2, 'x')", "VALUES (1, 'it''s'), (2, 'x')"),
        ("current_schema() = 'x' AND a = 1", "'it''s' = 'x' AND a = 1"),
        ("SELECT s.current_schema()", None),
        ("SELECT current_schema, 'current_schema()', t.current_schema", None),
        ("SELECT current_schema(1)", None),
        ("SELECT 1 -- current_schema()", None),
        ("SELECT 1", None),
    ],
)
def test_calls_become_literals(sql: str, expected: str | None) -> None:
    found = splice(sql, current_names(sql, ("c", "it's"))).sql
    assert found.replace("CAST(X'69742773' AS STRING)", "'it''s'") == (sql if expected is None else expected)
