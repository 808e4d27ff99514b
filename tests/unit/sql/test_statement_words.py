"""How errors call a statement on a table."""

from __future__ import annotations

import pytest

from deltasql.sql.statement_texts import statement_words


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("UPDATE t SET a = 1", "UPDATE"),
        ("delete /* all */ from t", "DELETE FROM"),
        ("WITH q AS (SELECT 1) MERGE INTO t USING q", "MERGE INTO"),
        ("ALTER TABLE t ADD COLUMN a INT", "ALTER TABLE … ADD COLUMN"),
        ("ALTER TABLE t -- c\n SET TBLPROPERTIES ('a' = 'b')", "ALTER TABLE … SET TBLPROPERTIES"),
        ("EXPLAIN DELETE FROM t", "DELETE FROM"),
        ("CREATE TABLE a.b SHALLOW CLONE t", "SHALLOW CLONE"),
        ("CREATE TABLE b CLONE t", "CLONE"),
        ("CREATE TABLE b LIKE t", "CREATE TABLE … LIKE"),
        ("GENERATE symlink_format_manifest FOR TABLE t", "GENERATE"),
        ("t", ""),
    ],
)
def test_words(sql: str, words: str) -> None:
    start = sql.rindex(" t") + 1 if " t" in sql else 0
    assert statement_words(sql, start, start + 1) == words
