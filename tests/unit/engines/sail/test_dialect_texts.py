"""What is put into texts for an engine without variables, SQL functions and CHAR: only what is certain."""

from __future__ import annotations

import pytest

from deltasql.base.errors import NotOnSailError, SparkError
from deltasql.base.errors.base import LeftToEngineError
from deltasql.engines.sail.dialect.char_padding import Reach, padded
from deltasql.engines.sail.dialect.inlining import Inline, checked_body, inlined
from deltasql.engines.sail.dialect.order import spark_names
from deltasql.engines.sail.dialect.pipes import DirectoryWrite, directory_write, single_quotes
from deltasql.engines.sail.variables import (
    Assign,
    AssignedVariable,
    Declare,
    Drop,
    mentions,
    variable_command,
    with_values,
)
from deltasql.sql.stored_expressions import function_text


def test_statements_about_variables() -> None:
    found = variable_command("DECLARE OR REPLACE VARIABLE a, session.`b c` DECIMAL(5, 2) DEFAULT 1 + 2;")
    assert isinstance(found, Declare)
    assert [target.name for target in found.targets] == ["a", "b c"]
    assert (found.replaces, found.kind, found.default) == (True, "DECIMAL(5, 2)", "1 + 2")
    assert variable_command("declare n = (2)") == Declare((AssignedVariable("n", 8, 9),), False, None, "(2)")
    found = variable_command("SET /* x */ VAR a = f(1, 2), b = DEFAULT")
    assert isinstance(found, Assign)
    assert found.values == ("f(1, 2)", None)
    found = variable_command("SET VARIABLE (a, system.session.b) = (SELECT 1, 2)")
    assert isinstance(found, Assign)
    assert (len(found.targets), found.query) == (2, "SELECT 1, 2")
    assert isinstance(variable_command("DROP TEMPORARY VARIABLE IF EXISTS a"), Drop)
    assert variable_command("SET a = 1") is None
    for sql in ("DECLARE", "DECLARE a", "DECLARE builtin.a = 1", "SET VAR (a) = 1", "SET VAR a"):
        with pytest.raises(LeftToEngineError):
            variable_command(sql)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT v, w + v FROM t", "SELECT 1 AS `v`, 2 + 1 FROM t"),
        ("SELECT DISTINCT V", "SELECT DISTINCT 1 AS `V`"),
        ("SELECT a AS v, t.v, v.x, v(1), 'v' -- v", "SELECT a AS v, t.v, v.x, v(1), 'v' -- v"),
        ("SELECT session.v, system.session.`w`", "SELECT 1 AS `v`, 2 AS `w`"),
        ("SELECT x FROM t WHERE x = v GROUP BY v, w", "SELECT x FROM t WHERE x = 1 GROUP BY 1, 2"),
        ("VALUES (v, w)", "VALUES (1, 2)"),
        ("SELECT f(v, w), (SELECT v)", "SELECT f(1, 2), (SELECT 1 AS `v`)"),
    ],
)
def test_names_of_variables(sql: str, expected: str) -> None:
    assert with_values(sql, mentions(sql, {"V", "W"}), {"V": "1", "W": "2"}) == expected


def _function(name: str, text: str, *columns: str) -> dict[str, Inline]:
    return {name: Inline(name, function_text(text), frozenset(columns))}


PLUS = _function("s.plus", "(x INT, y INT DEFAULT 2) RETURNS INT RETURN x + y")
FIRST = _function("first_b", "(x INT) RETURNS STRING RETURN (SELECT max(b) FROM t WHERE a = `first_b`.x)", "A", "B")
UP_TO = _function("s.up_to", "(n INT) RETURNS TABLE (k INT) RETURN SELECT a FROM t WHERE a <= n", "A")


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT `s.plus`(a) AS b",
            "SELECT CAST((CAST((a) AS INT) + CAST((2) AS INT)) AS INT) AS b",
        ),
        (
            "SELECT `s.plus`(y => 1, x => t.a) FROM t",
            "SELECT CAST((CAST((t.a) AS INT) + CAST((1) AS INT)) AS INT) AS `s.plus(a, 1)` FROM t",
        ),
        (
            "SELECT * FROM t ORDER BY `s.plus`(a, 1)",
            "SELECT * FROM t ORDER BY CAST((CAST((a) AS INT) + CAST((1) AS INT)) AS INT)",
        ),
        (
            "`first_b`(2)",
            "CAST(((SELECT max(b) FROM t WHERE a = CAST((2) AS INT))) AS STRING)",
        ),
        (
            "SELECT k FROM `s.up_to`(2) WHERE k > 0",
            "SELECT k FROM (SELECT CAST(c0 AS INT) AS k FROM (\nSELECT a FROM t WHERE a <= CAST((2) AS INT)\n)"
            " AS q(c0)) AS up_to WHERE k > 0",
        ),
        ("SELECT `other`(1)", "SELECT `other`(1)"),
    ],
)
def test_calls_of_functions(sql: str, expected: str) -> None:
    assert inlined(sql, {**PLUS, **FIRST, **UP_TO}) == expected


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("SELECT `first_b`(a) FROM t", NotOnSailError),
        ("SELECT `s.plus`()", SparkError),
        ("SELECT `s.plus`(1, 2, 3)", SparkError),
        ("SELECT * FROM `s.plus`(1)", SparkError),
        ("SELECT `s.up_to`(1)", SparkError),
        ("SELECT `twice`(rand())", NotOnSailError),
    ],
)
def test_calls_that_are_refused(sql: str, error: type[Exception]) -> None:
    twice = _function("twice", "(x DOUBLE) RETURNS DOUBLE RETURN x + x")
    with pytest.raises(error):
        inlined(sql, {**PLUS, **FIRST, **UP_TO, **twice})


def test_bodies_are_looked_at() -> None:
    assert checked_body(PLUS["s.plus"]) == "SELECT CAST((CAST((NULL) AS INT) + CAST((NULL) AS INT)) AS INT)"
    with pytest.raises(SparkError, match="aggregate"):
        checked_body(_function("f", "(x INT) RETURNS INT RETURN sum(x)")["f"])
    column = _function("f", "(a INT) RETURNS INT RETURN (SELECT max(b) FROM t WHERE a = 1)", "A", "B")
    with pytest.raises(NotOnSailError, match="called like a column"):
        inlined("`f`(1)", column)


REACH = Reach({"C": 3}, frozenset({"S"}), frozenset({"ID", "T"}))


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT id FROM t WHERE c = 'a'", "SELECT id FROM t WHERE c = 'a  '"),
        ("'a' = c AND x.c <=> \"b\"", "'a  ' = c AND x.c <=> \"b  \""),
        ("c > ' ' AND NOT c <> 'abc'", "c > '   ' AND NOT c <> 'abc'"),
        ("c = 'abcd'", "rpad(c, 4, ' ') = 'abcd'"),
        ("c NOT IN ('a', 'abc')", "c NOT IN ('a  ', 'abc')"),
        ("x.c = y.c", "x.c = y.c"),
        (
            "SELECT c, upper(c) AS u, c IS NULL FROM g ORDER BY c",
            "SELECT c, upper(c) AS u, c IS NULL FROM g ORDER BY c",
        ),
        ("concat('[', c, ']')", "concat('[', c, ']')"),
        ("c LIKE 'a'", "c LIKE 'a'"),
        ("c || 'x' = 'a' AND (c) = 'a'", "c || 'x' = 'a' AND (c) = 'a  '"),
        ("CAST((c) IN ('x', 'q') AS BOOLEAN)", "CAST((c) IN ('x  ', 'q  ') AS BOOLEAN)"),
        ("SELECT upper(c) AS c FROM t WHERE c = 'a'", "SELECT upper(c) AS c FROM t WHERE c = 'a  '"),
        ("s.d = 'x'", "s.d = 'x'"),
    ],
)
def test_comparisons_of_char(sql: str, expected: str) -> None:
    assert padded(sql, REACH) == expected


@pytest.mark.parametrize(
    "sql",
    [
        *("c = upper('a')", "c BETWEEN 'a' AND 'b'", "CASE c WHEN 'a' THEN 1 END"),
        *("coalesce(c, 'a') = 'a'", "nullif(c, 'a')", "c IN (SELECT 'a')", "t.c = 'a'", "s = s", "c = 'a' 'b'"),
        *("SELECT x.c FROM (SELECT c FROM t) AS x WHERE x.c = 'a'", "SELECT c FROM t UNION SELECT 'a'", "SELECT 1 c"),
        *(
            "SELECT * FROM (SELECT * FROM t) AS x",
            "SELECT c AS d FROM t HAVING d = 'a'",
            "SELECT upper(c) AS c FROM t HAVING c = 'a'",
            "'a' || c = 'b' || 'c'",
        ),
    ],
)
def test_comparisons_of_char_that_are_not_certain(sql: str) -> None:
    if sql.startswith("'a' ||"):
        assert padded(sql, REACH) == sql
        return
    with pytest.raises(LeftToEngineError):
        padded(sql, REACH)


def test_directories() -> None:
    sql = "INSERT OVERWRITE /* c */ DIRECTORY '/a b' USING CSV OPTIONS (header = true, 'sep' ';') SELECT 1;"
    assert directory_write(sql) == DirectoryWrite("/a b", "csv", {"header": "true", "sep": ";"}, "SELECT 1")
    assert directory_write("INSERT OVERWRITE t SELECT 1") is None
    for wrong in (
        "INSERT OVERWRITE LOCAL DIRECTORY '/x' USING csv SELECT 1",
        "INSERT OVERWRITE DIRECTORY '/x' SELECT 1",
    ):
        with pytest.raises(LeftToEngineError):
            directory_write(wrong)


def test_quotes_in_texts() -> None:
    assert single_quotes("SELECT 'it''s', \"a\"\"b\", `c''d`, '' -- ''") == (
        "SELECT 'it\\'s', \"a\\\"b\", `c''d`, '' -- ''"
    )
    assert single_quotes(r"'a\\''b'") == r"'a\\\'b'"


def test_names_without_an_alias() -> None:
    sql = "SELECT a, t.a IS NULL, `b c` IS NOT NULL, a IN (1, null), a NOT IN (2), f(a) IS NULL, is_null FROM t"
    names = ["a", "is_null", "is_not_null", "in_list", "in_list", "is_null", "is_null"]
    told = ["a", "(a IS NULL)", "(b c IS NOT NULL)", "(a IN (1, NULL))", "(NOT (a IN (2)))", "is_null", "is_null"]
    assert spark_names(sql, names) == told
    assert spark_names("SELECT *, a IS NULL FROM t", names[:4]) == names[:4]
