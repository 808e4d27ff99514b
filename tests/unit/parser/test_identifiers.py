"""Names that are given as texts: what stands in the statement in their place, and where that was written."""

from __future__ import annotations

from typing import Any

import pytest

from deltasql.base.errors import NameNotConstantError, NameOfWrongTypeError, NullNameError, ParseSyntaxError
from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.plan.base import SqlText
from deltasql.sql.parser.parameters import bind_identifiers, bind_parameters
from deltasql.sql.postfix import BoundStatement


def never(expression: str) -> Any:
    raise AssertionError(f"{expression} needs no engine")


def bound(sql: str, args: Any = None) -> BoundStatement:
    return bind_identifiers(bind_parameters(sql, args), never)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("DROP TABLE IDENTIFIER('t')", "DROP TABLE `t`"),
        ("DROP TABLE identifier /* the */ ( -- name\n 'a' || '.b' )", "DROP TABLE `a`.`b`"),
        ("SELECT IDENTIFIER('`x y`.`z```')", "SELECT `x y`.`z```"),
        ("SELECT IDENTIFIER(r'upper')(IDENTIFIER(\"select\"))", "SELECT `upper`(`select`)"),
        ("SELECT * FROM IDENTIFIER('delta.`/a/b`')", "SELECT * FROM `delta`.`/a/b`"),
        ("SELECT * FROM IDENTIFIER('a.t@v3')", "SELECT * FROM `a`.`t`@v3"),
        ("SELECT 'IDENTIFIER(''a'')', `IDENTIFIER`('a') -- IDENTIFIER('a')", None),
        ("CREATE TABLE identifier (a INT)", None),
        ("INSERT INTO identifier (a, b) SELECT 1, 2", None),
        ("SELECT identifier.a, identifier FROM t AS identifier", None),
        ("SELECT IDENTIFIER()", None),
        ("SELECT IDENTIFIER('a'", None),
    ],
)
def test_names_of_texts(sql: str, expected: str | None) -> None:
    assert bound(sql).sql == (sql if expected is None else expected)


def test_parameters_give_names() -> None:
    sql = "UPDATE IDENTIFIER(:s || '.t') SET a = :v WHERE IDENTIFIER(:c) > 1 AND b = :v"
    found = bound(sql, {"s": "my", "c": "id", "v": "a long secret"})
    assert found.sql == "UPDATE `my`.`t` SET a = 'a long secret' WHERE `id` > 1 AND b = 'a long secret'"
    where = found.sql.index("`id`")
    assert found.text_with_markers(SqlText(found.sql[where:], where)) == "`id` > 1 AND b = :v"
    for text in ("SET", "WHERE", "> 1", "b ="):
        assert found.to_original(found.sql.index(text)) == sql.index(text)


@pytest.mark.parametrize("part", ["`a`", "`b`", "`a`.`b`"])
def test_a_name_is_placed_whole(part: str) -> None:
    sql = "SELECT 1 FROM IDENTIFIER('a.b') WHERE x"
    found = bound(sql)
    start = found.sql.index(part)
    first, last = found.whole_names(start, start + len(part))
    assert sql[found.to_original(first) : found.to_original(last)] == "IDENTIFIER('a.b')"


@pytest.mark.parametrize("text", ["''", "' '", "'a b'", "'a..b'", "'.a'", "'a.'", "'a-b'", "'a; DROP TABLE t'", "'`a'"])
def test_texts_that_are_no_names(text: str) -> None:
    with pytest.raises(ParseSyntaxError) as raised:
        bound(f"SELECT * FROM IDENTIFIER({text})")
    assert raised.value.caret == Caret(f"SELECT * FROM IDENTIFIER({text})", 25, 25 + len(text))


def test_other_expressions_are_computed() -> None:
    values = {"upper('t')": "T", "named": "my.t", "NULL": None, "1": 1}

    def evaluate(expression: str) -> Any:
        if expression not in values:
            raise DeltaSqlError
        return values[expression]

    def name(expression: str) -> str:
        return bind_identifiers(BoundStatement(f"DROP TABLE IDENTIFIER({expression})"), evaluate).sql

    assert name("upper('t')") == "DROP TABLE `T`"
    assert name("named") == "DROP TABLE `my`.`t`"
    with pytest.raises(NullNameError):
        name("NULL")
    with pytest.raises(NameOfWrongTypeError):
        name("1")
    for expression in ("column", "rand()", "'a' || uuid()", "(SELECT 'a')"):
        with pytest.raises(NameNotConstantError):
            name(expression)
