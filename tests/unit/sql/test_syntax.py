"""Where a statement is wrong, by what is said of texts that are made of its parts."""

from __future__ import annotations

import pytest

from deltasql.sql.references import corresponding, unreadable_part


@pytest.mark.parametrize(
    ("made", "near", "expected"),
    [
        ("SELECT a b c FROM __deltasql_1 AS `t`", "c FROM", "SELECT a b »c« FROM t"),
        ("SELECT id, FROM __deltasql_1 AS `t`", "AS `t`", "SELECT id, »FROM« t"),
        ("SELECT * FROM __deltasql_1 AS `t` WHERE id = 'x' AND", "AND", "SELECT * FROM t WHERE id = 'x' »AND«"),
        ("SELECT id FROM __deltasql_1 GRUOP BY id", "BY", "SELECT id FROM t GRUOP »BY« id"),
        ("SELECT a.b FROM __deltasql_1 x y", "y", "INSERT INTO u SELECT a.b FROM t x »y«"),
        ("(t.id = s.id b)", ")", "MERGE INTO t USING s ON t.id = s.id »b« WHEN MATCHED THEN DELETE"),
        ("id > 1 2", "2", "ALTER TABLE t ADD CONSTRAINT c CHECK (id > 1 »2«)"),
        ("SELECT 1 /* c */\n + + FROM", "FROM", "SELECT 1\n + + »FROM« t"),
    ],
)
def test_corresponding(made: str, near: str, expected: str) -> None:
    start, end = expected.index("»"), expected.index("«") - 1
    found = corresponding(made, made.index(near), expected.replace("»", "").replace("«", ""))
    assert found is not None
    assert (found.start, found.end) == (start, end)


def test_end() -> None:
    found = corresponding("SELECT a FROM __deltasql_1 WHERE", 32, "SELECT a FROM t WHERE /* here */")
    assert found is not None
    assert (found.start, found.end) == (21, 21)


def test_nothing_corresponds() -> None:
    assert corresponding("x y", 2, "SELECT 1") is None
    assert corresponding("", 0, "SELECT 1") is None
    assert corresponding("1 " * 3000, 10, "1 " * 3000) is None


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM t WHERE id = 1 »2«",
        "DELETE FROM t\nWHERE id = 1 »2«",
        "UPDATE t SET a = 'x' 'y' »z«",
        "UPDATE t SET a = b\n  »+«",
        "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.a = 1 x »THEN« DELETE",
    ],
)
def test_unreadable(sql: str) -> None:
    found = unreadable_part(sql.replace("»", "").replace("«", ""))
    assert found is not None
    assert (found.start, found.end) == (sql.index("»"), sql.index("«") - 1)


def test_readable() -> None:
    assert unreadable_part("DELETE FROM t WHERE id = 1") is None
