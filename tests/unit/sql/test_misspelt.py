"""What was probably meant by a query; tests/golden/query/wrong_words.sql has what comes of it with Spark."""

from __future__ import annotations

import pytest

from deltasql.sql.references import meant, unfinished, without_from


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("SELECT * »FORM t", "Found 'FORM'. Did you mean FROM?"),
        ("SELECT * FROM t »WHER a = 1", "Found 'WHER'. Did you mean WHERE?"),
        ("SELECT a FROM t »GROUP a", "Found 'GROUP' without BY. Did you mean GROUP BY?"),
        ("SELECT a FROM t »order a", "Found 'order' without BY. Did you mean ORDER BY?"),
        ("SELECT a FROM t »version of 3", "Found 'version OF'. Did you mean VERSION AS OF?"),
        ("SELECT a FROM t WHERE»", "Found the end of the statement, but expected a condition after WHERE."),
        ("SELECT a FROM t ORDER»;", "Found the end of the statement, but expected BY after ORDER."),
        (
            "SELECT a FROM t WHERE a = 1 -- AND\n or»",
            "Found the end of the statement, but expected a condition after OR.",
        ),
        ("SELECT a FROM t ORDER BY a»,", "Found the end of the statement after a comma. Remove the comma."),
    ],
)
def test_meant(sql: str, sentence: str) -> None:
    text = sql.replace("»", "")
    found = meant(text, sql.index("»"))
    assert found is not None
    assert (found[0], found[1].start) == (sentence, sql.index("»"))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t WHERE a »frobs 3",
        "SELECT a »b c FROM t",
        "SELECT t.form »x y FROM t",
        "SELECT `form` »x y FROM t",
        "SELECT a FROM t WHERE (a »= 1",
        "»",
    ],
)
def test_nothing_is_sure(sql: str) -> None:
    assert meant(sql.replace("»", ""), sql.index("»")) is None


def test_ends() -> None:
    assert unfinished("SELECT a AS from") is None
    assert unfinished("SELECT t.from") is None
    assert unfinished("SELECT a FROM t") is None
    assert unfinished("") is None


def test_without_from() -> None:
    found = without_from("SELECT * `a b`")
    assert found is not None
    assert found[0] == "Found '`a b`', but expected FROM. Did you mean FROM `a b`?"
    assert without_from("SELECT count(*) FROM t") is None
    assert without_from("SELECT 2 * 3") is None
