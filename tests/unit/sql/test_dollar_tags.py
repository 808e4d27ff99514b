"""Bodies of functions between dollar signs."""

from __future__ import annotations

import pytest

from deltasql.base import tokenize
from deltasql.sql.functions import handler_problem
from deltasql.sql.statement_texts import split, without_tags


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1", "SELECT 1"),
        ("AS $$ return 1 $$", "AS $$ return 1 $$"),
        ("AS $py$ return 1 $py$ x", "AS   $$ return 1 $$   x"),
        ("'$a$ x $a$'", "'$a$ x $a$'"),
        ("-- $a$\n$b$'$b$", "-- $a$\n $$'$$ "),
        ("$a$ x", "$a$ x"),
        ("a$b$ x $b$", "a$b$ x $b$"),
        ("$a$ $$ $a$", "$a$ $$ $a$"),
    ],
)
def test_tags(sql: str, expected: str) -> None:
    assert without_tags(sql) == expected
    assert len(expected) == len(sql)


@pytest.mark.parametrize("quote", ["$$", "$py$"])
def test_a_body_is_one_piece(quote: str) -> None:
    function = f"CREATE FUNCTION f() RETURNS INT LANGUAGE PYTHON AS {quote}\n# it's; /* (\nreturn 1\n{quote}"
    assert [statement.text for statement in split(f"{function};\nSELECT 1;")] == [function, "SELECT 1"]
    assert tokenize(function.replace("$py$", "$$"))[-1].kind == "dollars"


@pytest.mark.parametrize(
    ("code", "is_table", "problem"),
    [
        ("def f(): pass", False, ""),
        ("f = lambda: 1", False, ""),
        ("from math import sqrt as f", False, ""),
        ("class f: pass", False, "a class"),
        ("def g(): pass", False, "defines no f"),
        ("class f:\n  def eval(self): pass", True, ""),
        ("class f(Base): pass", True, ""),
        ("class f: pass", True, "no method eval"),
        ("def f(): pass", True, "no class"),
    ],
)
def test_handlers(code: str, is_table: bool, problem: str) -> None:
    found = handler_problem(code, "f", "f", is_table=is_table)
    assert bool(found) == bool(problem)
    assert problem in found
