"""Where expressions end."""

from __future__ import annotations

import pytest

from deltasql.sql.parser import ParseSyntaxError, parse
from deltasql.statements.delete import Delete
from deltasql.statements.insert import Insert
from deltasql.statements.merge import Merge
from deltasql.statements.update import Update

EXPRESSIONS = [
    "1",
    "-1.5BD",
    "1e-3 + .5",
    "a",
    "a.b.when",
    "`when`",
    "a = b AND NOT c OR d",
    "a IS NOT NULL",
    "a IS NOT DISTINCT FROM b",
    "a NOT IN (1, 2)",
    "a NOT BETWEEN 1 AND 2",
    "a LIKE 'x%' ESCAPE '!'",
    "a LIKE ANY ('x', 'y')",
    "CASE WHEN a THEN CASE b WHEN 1 THEN 2 END ELSE 3 END",
    "CASE a.end WHEN 1 THEN `end` END + 1",
    "f(a, (b), 'x)') OVER (PARTITION BY a ORDER BY b)",
    "EXISTS (SELECT 1 FROM s WHERE s.a = t.a)",
    "x[0]['k']",
    "col:field.when[0]::INT",
    "a::DECIMAL(3, 2)",
    "transform(a, x -> x + 1)",
    "x -> x",
    ":name = ?",
    "DATE '2024-01-01' + INTERVAL 1 DAY",
    "INTERVAL '1' DAY",
    "r'\\' || '\\'' || \"it's\" || X'1F'",
    "'a''b'",
    "a COLLATE UTF8_BINARY = b",
    "a /* , WHEN */ + b",
    "a -- THEN )\n + b",
    "a <=> b",
    "~a & b | c ^ d",
    "a % 2 = 0",
    "5 div 2",
    "first",
    "first(a) + last",
    "NOT a",
    "NOT NOT a",
    "größe + 数量",
    "a.`b``c`.d",
    "cast(a AS STRING)",
    "a IN (SELECT b FROM c)",
    "(SELECT max(a) FROM b)",
    "{d}.x = 1".format(d="`d`"),
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
class TestExpression:
    def test_where(self, expression: str) -> None:
        sql = f"DELETE FROM t WHERE {expression} ;"
        node = parse(sql)
        assert isinstance(node, Delete)
        assert node.condition is not None
        assert (node.condition.text, node.condition.start) == (expression, 20)

    def test_assignment(self, expression: str) -> None:
        node = parse(f"UPDATE t SET a = {expression}, b = {expression} WHERE {expression}")
        assert isinstance(node, Update)
        values = [assignment.value for assignment in node.assignments]
        assert [value and value.text for value in values] == [expression, expression]

    def test_merge(self, expression: str) -> None:
        node = parse(
            f"MERGE INTO t USING s ON {expression} WHEN MATCHED AND {expression} THEN UPDATE SET a = {expression} "
            f"WHEN NOT MATCHED THEN INSERT (a, b) VALUES ({expression}, {expression})"
        )
        assert isinstance(node, Merge)
        assert node.condition.text == expression
        assert node.clauses[0].condition is not None
        assert node.clauses[0].condition.text == expression

    def test_replace_where(self, expression: str) -> None:
        for query in ("SELECT 1", "VALUES (1)", "TABLE s", "WITH a AS (SELECT 1) SELECT 1"):
            node = parse(f"INSERT INTO t PARTITION (p = {expression}) REPLACE WHERE {expression} {query}")
            assert isinstance(node, Insert)
            assert node.predicate is not None
            assert (node.predicate.text, node.query.text) == (expression, query)


@pytest.mark.parametrize("expression", ["", "a +", "a AND", "NOT", "a = ", "a IN", "AND a ="])
def test_no_whole_expression(expression: str) -> None:
    with pytest.raises(ParseSyntaxError, match="expected an expression"):
        parse(f"MERGE INTO t USING s ON {expression} WHEN MATCHED THEN DELETE")


def test_comment_after_a_run_is_no_part_of_it() -> None:
    node = parse("DELETE FROM t WHERE a = 1 -- the end\n /* really */ ;")
    assert isinstance(node, Delete)
    assert node.condition is not None
    assert node.condition.text == "a = 1"


def test_long_values_are_quick() -> None:
    import time

    rows = ", ".join(f"({number}, 'name {number}', NULL)" for number in range(50_000))
    begin = time.thread_time()
    node = parse(f"INSERT INTO t VALUES {rows}")
    assert isinstance(node, Insert)
    assert node.query.text.endswith("NULL)")
    # Far above the quarter of a second that it takes, far below what a token at a time would.
    assert time.thread_time() - begin < 5
