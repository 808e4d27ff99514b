"""Advice on misspelt and misplaced words; tests/refusals and tests/golden/query/wrong_words.sql have the messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql.base.errors import ParseSyntaxError
from deltasql.sql.parser import parse, split
from deltasql.sql.parser.diagnosis import ADVICE, NAMES, QUERIES
from deltasql.sql.queries.query_parts import find, outline
from tests.refusals.table import refused_statements

ROOT = Path(__file__).parents[2] / "golden"
FILES = (
    ROOT / "query" / "wrong_words.sql",
    ROOT / "query" / "foreign_forms.sql",
)
STATEMENTS = [
    *(statement.text for path in FILES for statement in split(path.read_text(encoding="utf-8"))),
    *refused_statements(),
]


@pytest.mark.parametrize("pattern", [pattern for pattern, _ in (*ADVICE, *QUERIES, *NAMES)])
def test_every_pattern_has_a_refused_statement(pattern: str) -> None:
    assert any(find(pattern, outline(text)) for text in STATEMENTS)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (
            "SELECT 'it's'",
            "The string that starts here with ' is never closed. In a string, ' is written twice: 'it''…",
        ),
        (
            "-- one\nSELECT 'abc'\n FROM t\n WHERE b = 'x",
            "The string that starts here with ' is never closed. The statement begins 3 lines above: -- one",
        ),
        (
            "DELETE FROM t\nWHERE a = 'it's' AND b = 'y'",
            "The string that starts here with ' is never closed. In a string, ' is written twice: 'it''… "
            "The statement begins 1 line above: DELETE FROM t",
        ),
        ('SELECT "a', 'The string that starts here with " is never closed.'),
    ],
)
def test_quotes(sql: str, message: str) -> None:
    with pytest.raises(ParseSyntaxError) as caught:
        parse(sql)
    assert caught.value.message == message


def test_a_query_in_brackets_is_no_list_of_columns() -> None:
    parse("CREATE TABLE t (SELECT date, x int FROM u)")
    parse("CREATE TABLE t (SELECT date, x FROM u)")
