"""Scripts into statements."""

from __future__ import annotations

import pytest

from deltasql.sql.parser import is_complete, split, unclosed


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
        ("BEGIN a; b; END; c", ["BEGIN a; b; END", "c"]),
        ("a; -- first\nbegin\n a;\nend;\nc;", ["a", "-- first\nbegin\n a;\nend", "c"]),
        ("BEGIN END; c", ["BEGIN END", "c"]),
        ("BEGIN ATOMIC END; c", ["BEGIN ATOMIC END", "c"]),
        ("BEGIN ATOMIC ; END; c", ["BEGIN ATOMIC ; END", "c"]),
        ("EXPLAIN BEGIN ATOMIC a; b; END; c", ["EXPLAIN BEGIN ATOMIC a; b; END", "c"]),
        ("start transaction; a; commit; b", ["start transaction", "a", "commit", "b"]),
        ("l: BEGIN a; END l; c", ["l: BEGIN a; END l", "c"]),
        ("`l` /* x */ : BEGIN ATOMIC a; END; c", ["`l` /* x */ : BEGIN ATOMIC a; END", "c"]),
        ("BEGIN IF a THEN b; ELSE c; END IF; d; END; e", ["BEGIN IF a THEN b; ELSE c; END IF; d; END", "e"]),
        ("BEGIN WHILE a DO BEGIN b; END; END WHILE; END; c", ["BEGIN WHILE a DO BEGIN b; END; END WHILE; END", "c"]),
        ("BEGIN SELECT CASE WHEN a THEN 1 END; b; END; c", ["BEGIN SELECT CASE WHEN a THEN 1 END; b; END", "c"]),
        ("BEGIN CASE x WHEN 1 THEN a; END CASE; b; END; c", ["BEGIN CASE x WHEN 1 THEN a; END CASE; b; END", "c"]),
        ("BEGIN SELECT t.end, begin FROM t; b; END; c", ["BEGIN SELECT t.end, begin FROM t; b; END", "c"]),
        ("BEGIN SELECT 'END;', `END`; /* END; */ END; c", ["BEGIN SELECT 'END;', `END`; /* END; */ END", "c"]),
        (
            "BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN a; END; b; END; c",
            ["BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN a; END; b; END", "c"],
        ),
        ("CREATE PROCEDURE p() AS BEGIN a; b; END; c", ["CREATE PROCEDURE p() AS BEGIN a; b; END", "c"]),
        ("BEGIN; a; COMMIT;", ["BEGIN", "a", "COMMIT"]),
        ("BEGIN TRANSACTION; a; END; b", ["BEGIN TRANSACTION", "a", "END", "b"]),
        ("BEGIN a; b", ["BEGIN a; b"]),
        ("BEGIN a; 'not closed; END; b", ["BEGIN a; 'not closed; END; b"]),
        ("beginning; b", ["beginning", "b"]),
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
        ("BEGIN SELECT 1;", False),
        ("BEGIN SELECT 1; END", False),
        ("BEGIN SELECT 1; END;", True),
        ("BEGIN;", True),
        (";", True),
    ],
)
def test_is_complete(script: str, complete: bool) -> None:
    assert is_complete(script) is complete


@pytest.mark.parametrize(
    ("script", "opening"),
    [
        ("", ""),
        ("SELECT 1", ""),
        ("SELECT 1;\nSELECT 2", ""),
        ("SELECT 'abc", "'"),
        ("SELECT 'a;b';\nSELECT \"abc;", '"'),
        ("SELECT `a\nb", "`"),
        ("SELECT 1 /* 'x", "/*"),
        ("CREATE TABLE t (a INT,", "("),
        ("SELECT a[1", "["),
        ("SELECT a)", ""),
        ("-- it's", ""),
    ],
)
def test_unclosed(script: str, opening: str) -> None:
    assert unclosed(script) == opening
