from __future__ import annotations

import pytest

from deltasql.sql.statement_texts import bind, splice


def test_splice() -> None:
    spliced = splice("abcdef", [(4, 5, ""), (1, 3, "XYZ"), (6, 6, "!")])
    assert spliced.sql == "aXYZdf!"
    assert [spliced.to_original(offset) for offset in range(8)] == [0, 1, 1, 1, 3, 5, 6, 6]


def test_nothing_to_splice() -> None:
    assert splice("abc", []).sql == "abc"
    assert splice("abc", []).to_original(2) == 2


def test_overlap() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        splice("abcdef", [(0, 3, "x"), (2, 4, "y")])


@pytest.mark.parametrize(
    ("sql", "bound"),
    [
        ("SELECT t.a FROM t", "SELECT t.a FROM v0 AS `t`"),
        ("SELECT q.a FROM t VERSION AS OF 3 AS q", "SELECT q.a FROM v0 AS q"),
        ("SELECT db.t.a, DB.T.*, t.b.c FROM db.t@v1", "SELECT t.a, t.*, t.b.c FROM v0 AS `t`"),
        ("SELECT c.db.t.a, db.t.b FROM c.db.t WHERE db.x.y", "SELECT t.a, t.b FROM v0 AS `t` WHERE db.x.y"),
        ("SELECT db.t.a FROM db.t JOIN x AS db ON 1", "SELECT db.t.a FROM v0 AS `t` JOIN v1 AS db ON 1"),
        ("SELECT db.t.a FROM db.t q", "SELECT db.t.a FROM v0 q"),
        ("SELECT * FROM t TABLESAMPLE (1 ROWS)", "SELECT * FROM v0 TABLESAMPLE (1 ROWS) AS `t`"),
        ("SELECT * FROM delta.`/p@v1` JOIN `a``b`", "SELECT * FROM v0 AS `/p` JOIN v1 AS `a``b`"),
        ("SELECT delta.`/p`.a FROM delta.`/p`", "SELECT `/p`.a FROM v0 AS `/p`"),
        ("TABLE t", "TABLE v0"),
        ("SELECT * FROM `left`", "SELECT * FROM v0 AS `left`"),
    ],
)
def test_bind(sql: str, bound: str) -> None:
    count = 2 if "JOIN" in sql else 1
    assert bind(sql, {index: f"v{index}" for index in range(count)}).sql == bound


def test_bind_some() -> None:
    assert bind("SELECT * FROM a, b", {1: "v"}).sql == "SELECT * FROM a, v AS `b`"


def test_bind_outer_qualifiers() -> None:
    sql = "db.t.a IN (SELECT a FROM u WHERE u.b = DB.t.b) AND t.x"
    bound = bind(sql, {0: "v"}, {("db", "t"): "t 1", ("t",): "z"})
    assert bound.sql == "`t 1`.a IN (SELECT a FROM v AS `u` WHERE u.b = `t 1`.b) AND z.x"
    assert sql[bound.to_original(bound.sql.index("u.b")) :].startswith("u.b")
