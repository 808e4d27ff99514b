"""What may come next."""

from __future__ import annotations

import pytest

from deltasql.sql.parser import expected_keywords, keywords


@pytest.mark.parametrize(
    ("prefix", "some", "name"),
    [
        ("", {"SELECT", "MERGE", "ALTER", "CREATE", "WITH"}, False),
        ("ALTER TABLE ", set(), True),
        ("ALTER TABLE t ", {"ADD", "SET", "UNSET"}, False),
        ("MERGE INTO t ", {"USING", "AS"}, True),
        ("MERGE INTO t USING s ON a = b ", {"WHEN"}, True),
        ("MERGE INTO t USING s ON a = b WHEN ", {"MATCHED", "NOT"}, False),
        ("MERGE INTO t USING s ON a = b WHEN MATCHED ", {"AND", "THEN"}, False),
        ("MERGE INTO t USING s ON a = b WHEN MATCHED THEN ", {"DELETE", "UPDATE"}, False),
        ("UPDATE t SET a = ", {"DEFAULT"}, True),
        ("UPDATE t SET a = 1 ", {"WHERE"}, True),
        ("UPDATE t SET a = f(", set(), True),
        ("SELECT a ", set(), True),
        ("EXPLAIN ", {"EXTENDED", "DELETE", "SELECT"}, False),
        ("SHOW ", {"TABLES", "COLUMNS", "CREATE"}, False),
        ("FOO BAR ", set(), False),
        ("INSERT INTO t ", {"VALUES", "SELECT", "PARTITION", "BY", "REPLACE"}, False),
    ],
)
def test_expected(prefix: str, some: set[str], name: bool) -> None:
    expected = expected_keywords(prefix)
    assert some <= expected
    assert expected.name is name
    if not some:
        assert not expected - {"IF", "EXISTS"}


def test_keywords() -> None:
    assert {"MERGE", "MATCHED", "EVOLUTION", "SELECT"} <= keywords()
    assert all(word == word.upper() for word in keywords())
