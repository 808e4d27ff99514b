from __future__ import annotations

import pytest

from deltasql.plan.base import SqlText, Temporal
from deltasql.sql.queries.relations import table_references
from deltasql.sql.references import (
    UsedNames,
    column_references,
    equal_sides,
    has_aggregate,
    has_subquery,
    is_deterministic,
    is_stable,
    names_collation,
    split_conjuncts,
)

TABLES = [
    ("SELECT a FROM t", "t"),
    ("SELECT a FROM `db`.t AS q JOIN cat.db.u u2 ON a = b, z", "db.t cat.db.u z"),
    ("SELECT * FROM s.t.u.v", "s.t.u.v"),
    ("SELECT extract(DAY FROM ts), trim(BOTH x FROM y), substring(z FROM 2) FROM t", "t"),
    ("TABLE t", "t"),
    ("(TABLE t) UNION ALL TABLE u", "t u"),
    ("FROM t SELECT a WHERE b", "t"),
    ("FROM t INSERT INTO a SELECT * INSERT INTO b SELECT *", "t"),
    ("VALUES (1), (2)", ""),
    ("SELECT * FROM VALUES (1, 2), (3, 4) AS v(a, b), u", "u"),
    ("SELECT * FROM (VALUES (1), (2)) v JOIN t", "t"),
    ("CREATE OR REPLACE TEMPORARY VIEW v AS SELECT * FROM t", "t"),
    ("CREATE TEMP VIEW v AS TABLE t", "t"),
    ("CACHE TABLE x AS SELECT * FROM t", "t"),
    ("CACHE TABLE x", ""),
    ("EXPLAIN EXTENDED SELECT * FROM t", "t"),
    ("DESCRIBE QUERY SELECT * FROM t", "t"),
    ("SHOW COLUMNS FROM t", ""),
    ("SHOW TABLES FROM db", ""),
    ("id IN (SELECT id FROM t) AND x IS NOT DISTINCT FROM y", "t"),
    ("(a = 1 AND EXISTS (SELECT 1 FROM t WHERE t.a = q.a))", "t"),
    ("SELECT (SELECT max(a) FROM u) FROM t WHERE b > ALL (SELECT c FROM w)", "u t w"),
    ("SELECT ((SELECT 1 FROM a) UNION SELECT 2 FROM x)", "a x"),
    ("SELECT * FROM range(10) r, t, explode(array(1)) e", "t"),
    ("SELECT * FROM f(TABLE(t), TABLE(SELECT * FROM u), x => TABLE w)", "t u w"),
    ("SELECT * FROM t LATERAL VIEW explode(a) e AS x, y JOIN k", "t k"),
    ("SELECT * FROM t, LATERAL (SELECT * FROM u), v", "t u v"),
    ("SELECT * FROM ((SELECT 1 FROM a) UNION SELECT * FROM x) q JOIN (b CROSS JOIN (c)) ON TRUE", "a x b c"),
    ("SELECT * FROM t PIVOT (sum(a) FOR b IN (1, 2)), u", "t u"),
    ("SELECT * FROM a UNION SELECT * FROM b ORDER BY x, y", "a b"),
    ("SELECT * FROM a EXCEPT SELECT * FROM b GROUP BY c, d", "a b"),
    ("SELECT * FROM t |> JOIN u ON 1 |> WHERE a > 1", "t u"),
    ("INSERT INTO x SELECT * FROM t", "t"),
    ("INSERT INTO TABLE x TABLE t", "t"),
    ("INSERT OVERWRITE TABLE `x` TABLE t", "t"),
    ("INSERT INTO x (a, b) WITH c AS (SELECT * FROM c) SELECT * FROM c JOIN d", "c d"),
    ("MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET *", "s"),
    ("MERGE INTO t USING (SELECT * FROM s JOIN u USING (a)) q ON t.a = s.a", "s u"),
    ("WITH c AS (SELECT 1) MERGE INTO t USING c ON TRUE", ""),
    ("SELECT table FROM t WHERE table.from = 1", "t"),
    ("SELECT 'FROM x', \"FROM y\" FROM t WHERE a = r'\\' AND b IN (SELECT 1 FROM z)", "t z"),
    ("/*+ BROADCAST(x) */ SELECT /* FROM a /* b */ FROM c */ * -- FROM d\n FROM t", "t"),
    ("SELECT * FROM IDENTIFIER('a.`b c`') z, IDENTIFIER(:x), t", "a.b c t"),
    ("SELECT * FROM IDENTIFIER('a b')", ""),
    ("SELECT * FROM parquet.`/x`, text.`s3://b/y`", "parquet./x text.s3://b/y"),
    ("SELECT * FROM STREAM t", "t"),
    ("", ""),
    ("FROM", ""),
    ("SELECT * FROM (", ""),
    ("SELECT * FROM FROM", ""),
    ("SELECT * FROM /* open", ""),
]

CTES = [
    ("WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM a, b, c", "b c"),
    ("WITH t AS (SELECT * FROM t) SELECT * FROM T", "t"),
    ("WITH t(x, y) AS (SELECT 1, 2), u (SELECT * FROM w) SELECT * FROM t, u", "w"),
    ("WITH t AS (SELECT 1) (SELECT * FROM t) UNION SELECT * FROM t", ""),
    ("(WITH t AS (SELECT 1) SELECT * FROM t) UNION SELECT * FROM t", "t"),
    ("SELECT * FROM (WITH a AS (TABLE z) SELECT * FROM a) q, a", "z a"),
    ("WITH a AS (WITH b AS (TABLE x) TABLE b) SELECT * FROM a, b", "x b"),
    ("SELECT 1 WHERE EXISTS (WITH c AS (TABLE z) SELECT * FROM c) AND (SELECT 1 FROM c) > 1", "z c"),
    ("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r JOIN b) SELECT * FROM r", "b"),
    ("WITH RECURSIVE r(n) MAX RECURSION LEVEL 5 AS (SELECT 1 FROM r) SELECT * FROM r", ""),
    ("WITH a AS (SELECT 1) SELECT * FROM db.a, `A`", "db.a"),
    ("CREATE TEMP VIEW v AS WITH a AS (TABLE t) TABLE a", "t"),
    ("EXPLAIN WITH a AS (TABLE t) TABLE a", "t"),
]


@pytest.mark.parametrize(("sql", "tables"), TABLES + CTES)
def test_tables(sql: str, tables: str) -> None:
    assert " ".join(".".join(item.parts) for item in table_references(sql)) == tables


@pytest.mark.parametrize(
    ("sql", "name", "temporal", "alias"),
    [
        ("SELECT * FROM t VERSION AS OF 3 AS q", "t VERSION AS OF 3", 3, "q"),
        ("SELECT * FROM t FOR VERSION AS OF '4' WHERE a", "t FOR VERSION AS OF '4'", 4, None),
        ("SELECT * FROM t FOR SYSTEM_VERSION AS OF 5 `a b`", "t FOR SYSTEM_VERSION AS OF 5", 5, "a b"),
        ("SELECT * FROM t@v3 x", "t@v3", 3, "x"),
        ("SELECT * FROM a.t@V12, u", "a.t@V12", 12, None),
        ("SELECT * FROM t@20240131000000000", "t@20240131000000000", "20240131000000000", None),
        ("SELECT * FROM delta.`/p@v1`", "delta.`/p@v1`", 1, None),
        ("SELECT * FROM delta.`s3://b/p@20240131000000000`", None, "20240131000000000", None),
        (
            "SELECT * FROM t TIMESTAMP AS OF '2020-01-01' WHERE a",
            "t TIMESTAMP AS OF '2020-01-01'",
            "'2020-01-01'",
            None,
        ),
        ("SELECT * FROM t TIMESTAMP AS OF DATE '2020-01-01' q", None, "DATE '2020-01-01'", "q"),
        ("SELECT * FROM t FOR SYSTEM_TIME AS OF date_sub(now(), 1), u", None, "date_sub(now(), 1)", None),
        (
            "SELECT * FROM t TIMESTAMP AS OF now() - INTERVAL 1 DAY 2 HOURS q",
            None,
            "now() - INTERVAL 1 DAY 2 HOURS",
            "q",
        ),
        ("SELECT * FROM t TIMESTAMP AS OF now() - INTERVAL '1-2' YEAR TO MONTH q", None, None, "q"),
        ("SELECT * FROM t TIMESTAMP AS OF -(1)::int || x.y[0] JOIN u", None, "-(1)::int || x.y[0]", None),
        (
            "SELECT * FROM t TIMESTAMP AS OF CASE WHEN a THEN CASE b END END q",
            None,
            "CASE WHEN a THEN CASE b END END",
            "q",
        ),
    ],
)
def test_temporal(sql: str, name: str | None, temporal: object, alias: str | None) -> None:
    found = table_references(sql)[0]
    assert found.alias == alias
    if name is not None:
        assert sql[found.start : found.end] == name
    if isinstance(temporal, int):
        assert found.temporal == Temporal(version=temporal)
    elif temporal is not None:
        assert found.temporal == Temporal(timestamp=SqlText(str(temporal), sql.index(str(temporal))))


def test_path_loses_its_suffix() -> None:
    assert [item.parts for item in table_references("SELECT * FROM delta.`/p@v1`, parquet.`/p@v1`")] == [
        ("delta", "/p"),
        ("parquet", "/p@v1"),
    ]


@pytest.mark.parametrize("sql", ["SELECT * FROM t VERSION AS OF x", "SELECT * FROM t @ v1", "SELECT * FROM t@x"])
def test_not_a_temporal(sql: str) -> None:
    assert table_references(sql)[0].temporal is None


def test_place_of_an_alias() -> None:
    sql = "SELECT * FROM t TABLESAMPLE (5 ROWS) REPEATABLE (1) JOIN u, v WITH (a = 1), (TABLE w), f(TABLE(x))"
    t, u, v, w, x = table_references(sql)
    assert sql[: t.alias_at].endswith("REPEATABLE (1)")
    assert u.alias_at == u.end
    assert sql[: v.alias_at].endswith("(a = 1)")
    assert (w.alias_at, x.alias_at) == (None, None)


def columns(expression: str) -> list[str]:
    found = column_references(expression)
    return [".".join(item.parts) + ":" + expression[item.start : item.end] for item in found]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a = 1", ["a:a"]),
        ("t.a + `x y`.`b``c` > é.ü", ["t.a:t.a", "x y.b`c:`x y`.`b``c`", "é.ü:é.ü"]),
        ("a.b.c.d.e.f = 1", ["a.b.c.d.e.f:a.b.c.d.e.f"]),
        ("a.b[0].c = m['k'].z", ["a.b:a.b", "m:m"]),
        ("transform(xs, x -> x.y + z.k + w)", ["xs:xs", "z.k:z.k", "w:w"]),
        ("aggregate(xs, 0, (a, b) -> a + b + c)", ["xs:xs", "c:c"]),
        ("EXTRACT(DAY FROM ts) = 1 AND current_date > d", ["ts:ts", "d:d"]),
        ("a = :p AND f(x => y) AND count(*) > 1", ["a:a", "y:y"]),
        ("x IN (SELECT y FROM t WHERE t.z = q.z)", ["x:x", "y:y", "t.z:t.z", "q.z:q.z"]),
        ("CAST(a AS DECIMAL(10, 2)) > 1.5BD", ["a:a"]),
        ("comment = 1 AND date > 2 AND table = 3", ["comment:comment", "date:date", "table:table"]),
        ("a = = b AND f(c)", ["a:a", "b:b", "c:c"]),
        ("nvl(a, a)", ["a:a", "a:a"]),
    ],
)
def test_columns(expression: str, expected: list[str]) -> None:
    assert columns(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a IN (SELECT 1)", True),
        ("EXISTS (WITH c AS (SELECT 1) SELECT * FROM c)", True),
        ("a = (TABLE t)", True),
        ("a IN (VALUES (1))", True),
        ("a IN (1, 2) AND (values > 1) AND (table.a = 1)", False),
        ("a = '(SELECT 1)'", False),
    ],
)
def test_has_subquery(expression: str, expected: bool) -> None:
    assert has_subquery(expression) is expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("sum(a) > 1", True),
        ("a > 1 AND `COUNT` (*) > 1", True),
        ("max > 1 AND min.count = 2", False),
        ("a = (SELECT max(b) FROM t)", False),
        ("a LIKE ANY ('x', 'y')", False),
        ("array_max(a) = 1", False),
    ],
)
def test_has_aggregate(expression: str, expected: bool) -> None:
    assert has_aggregate(expression) is expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [("rand() > 0.5", False), ("a = UUID()", False), ("uuid = 'rand()'", True), ("current_timestamp() > a", True)],
)
def test_is_deterministic(expression: str, expected: bool) -> None:
    assert is_deterministic(expression) is expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a = UUID()", False),
        ("a > now()", False),
        ("a > localtimestamp", False),
        ("a > TIMESTAMP 'now'", False),
        ("day < date'Yesterday UTC'", False),
        ('at >= Timestamp_NTZ/**/"  today"', False),
        ("a > TIMESTAMP'2024-01-01 00:00:00' AND word = 'now'", True),
        ("date IN ('today', DATE'epoch')", True),
    ],
)
def test_is_stable(expression: str, expected: bool) -> None:
    assert is_stable(expression) is expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a", ["a"]),
        ("a = 1 AND b = 2 and c", ["a = 1", "b = 2", "c"]),
        ("(a AND (b AND c)) AND d OR e", ["(a AND (b AND c)) AND d OR e"]),
        ("((a AND (b AND c)) AND d)", ["a", "b", "c", "d"]),
        ("a BETWEEN 1 AND 2 AND b BETWEEN 3 AND 4", ["a BETWEEN 1 AND 2", "b BETWEEN 3 AND 4"]),
        ("CASE WHEN a AND b THEN c END AND f(x AND y) AND z[a AND b]", None),
        ("(a OR b) AND (SELECT c AND d)", ["a OR b", "(SELECT c AND d)"]),
        ("", []),
    ],
)
def test_split_conjuncts(expression: str, expected: list[str] | None) -> None:
    found = split_conjuncts(expression)
    assert all(expression[item.start : item.end] == item.text for item in found)
    assert [item.text for item in found] == (
        ["CASE WHEN a AND b THEN c END", "f(x AND y)", "z[a AND b]"] if expected is None else expected
    )


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("t.a = s.b + 1", ("t.a", "s.b + 1")),
        ("f(a = 1) == `b`", ("f(a = 1)", "`b`")),
        ("a = b = c", None),
        ("a <=> b", None),
        ("NOT a = b", None),
        ("a = b OR c", None),
        ("a = ", None),
    ],
)
def test_equal_sides(expression: str, expected: tuple[str, str] | None) -> None:
    assert equal_sides(expression) == expected


def test_a_collation_that_an_expression_names() -> None:
    for text in ("t.a = s.a COLLATE UNICODE", "collate(a, 'UNICODE') = b", "CAST(a AS STRING collate UTF8_LCASE) = b"):
        assert names_collation(text), text
    for text in ("t.a = s.`collate`", "a = 'x COLLATE UNICODE'", "a = collation(b) /* COLLATE */"):
        assert not names_collation(text), text


@pytest.mark.parametrize(
    ("sql", "used"),
    [
        ("id = 1", True),
        ("t.`ID` = 1", True),
        ("s.x > 2 AND `i d` = 1", False),
        ("concat('id', name)", False),
        ("amount * 2 > 1", False),
        ("(a + b) * f(c) [1] * 2", False),
        ("EXISTS (SELECT * FROM s)", True),
        ("count(*) > 1", True),
        ("struct(t.*) = s", True),
        ("/* id */ a = 1", False),
    ],
)
def test_used_names(sql: str, used: bool) -> None:
    assert ("id" in UsedNames([sql])) is used
    assert ("Id" in UsedNames(["a = 1", sql, "b"])) is used


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("s.amount", False),
        ("`S`.`Amount` + s.other", False),
        ("CAST(s.amount.x AS INT)", False),
        ("s.amount + amount", True),
        ("t.amount", True),
        ("coalesce(s.amount, T.AMOUNT)", True),
        ("s.other + count(*)", True),
        ("s.s", False),
        ("amount(s.other)", True),
        ("t.s.amount", True),
    ],
)
def test_columns_of_another_relation(text: str, uses: bool) -> None:
    """Rather too many are said to be used than too few."""
    assert ("amount" in UsedNames([text], other="S")) is uses
    assert ("amount" in UsedNames([text])) is ("amount" in text.lower() or "*" in text)
