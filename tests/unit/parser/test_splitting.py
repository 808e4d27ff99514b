"""Scripts into statements."""

from __future__ import annotations

import pytest

from deltasql.parser import is_complete, split


@pytest.mark.parametrize(
    ("script", "texts"),
    [
        ("", []),
        (" ; ;; -- nothing\n", []),
        ("a; b", ["a", "b"]),
        ("a;b;", ["a", "b"]),
        ("SELECT ';' ; SELECT \";\"", ["SELECT ';'", 'SELECT ";"']),
        (r"SELECT 'a\';' ; b", [r"SELECT 'a\';'", "b"]),
        (r"SELECT r'\' ; b", [r"SELECT r'\'", "b"]),
        (r"SELECT f(r'\') ; b", [r"SELECT f(r'\')", "b"]),
        (r"SELECT bar'\';' ; b", [r"SELECT bar'\';'", "b"]),
        ("SELECT 'it''s;' ; b", ["SELECT 'it''s;'", "b"]),
        ("SELECT `a;``b` ; b", ["SELECT `a;``b`", "b"]),
        ("-- one; two\na; -- three;\nb", ["-- one; two\na", "-- three;\nb"]),
        ("/* ; /* ; */ ; */ a; b /* ; */", ["/* ; /* ; */ ; */ a", "b /* ; */"]),
        ("a - b / c; d", ["a - b / c", "d"]),
        ("a; 'not closed; b", ["a", "'not closed; b"]),
        ("a; /* not closed; b", ["a", "/* not closed; b"]),
    ],
)
def test_split(script: str, texts: list[str]) -> None:
    statements = list(split(script))
    assert [statement.text for statement in statements] == texts
    assert all(script.startswith(statement.text, statement.start) for statement in statements)


@pytest.mark.parametrize(
    ("script", "complete"),
    [
        ("", False),
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1 ; -- done\n", True),
        ("SELECT 1; SELECT 2", False),
        ("SELECT 1; SELECT 2;", True),
        ("SELECT ';", False),
        ("SELECT ';';", True),
        ("SELECT 1 -- ;", False),
        ("SELECT 1; /* ", False),
        (";", True),
    ],
)
def test_is_complete(script: str, complete: bool) -> None:
    assert is_complete(script) is complete
