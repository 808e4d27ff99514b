"""Which queries are columns of one relation as they are."""

from __future__ import annotations

import pytest

from deltasql.sql.queries.query_parts import plain_columns


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT * FROM r", ()),
        ("select /* all */ *\nfrom `r` AS `t` -- end", ()),
        ("SELECT a, `b c` FROM r", (("a", "a"), ("b c", "b c"))),
        ("SELECT A x, t.b AS `from` FROM r t", (("A", "x"), ("b", "from"))),
        ("SELECT r.a FROM r", (("a", "a"),)),
        ("SELECT a, a AS a FROM r AS t", (("a", "a"), ("a", "a"))),
    ],
)
def test_plain(sql: str, columns: tuple[tuple[str, str], ...]) -> None:
    assert plain_columns(sql, "r") == columns


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "TABLE r",
        "SELECT * FROM other",
        "SELECT * FROM r WHERE a = 1",
        "SELECT * FROM r LIMIT 1",
        "SELECT * FROM r, r",
        "SELECT * FROM r TABLESAMPLE (1 ROWS)",
        "SELECT * FROM r AS t(x)",
        "SELECT * FROM r JOIN r",
        "SELECT * FROM r UNION ALL SELECT * FROM r",
        "SELECT * EXCEPT (a) FROM r",
        "SELECT *, a FROM r",
        "SELECT r.* FROM r",
        "SELECT DISTINCT a FROM r",
        "SELECT ALL a FROM r",
        "SELECT NULL FROM r",
        "SELECT true AS x FROM r",
        "SELECT * FROM r LEFT",
        "SELECT a + 1 FROM r",
        "SELECT 1 FROM r",
        "SELECT f(a) FROM r",
        "SELECT a[0] FROM r",
        "SELECT a:b FROM r",
        "SELECT s.f FROM r",
        "SELECT r.s.f FROM r",
        "SELECT r.a FROM r AS t",
        "SELECT a FROM r ORDER BY a",
        "SELECT a, FROM r",
        "WITH q AS (SELECT 1) SELECT a FROM r",
        "SELECT /*+ BROADCAST(r) */ a FROM r PIVOT (x)",
    ],
)
def test_anything_else(sql: str) -> None:
    assert plain_columns(sql, "r") is None
