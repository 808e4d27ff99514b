"""Statements that are recognized and refused by name; tests/refusals/table.txt has the message of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql.base.errors import ParseSyntaxError
from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.sql.parser import expected_keywords, parse, refused_name, split
from deltasql.sql.parser.unsupported import TABLE, unsupported
from deltasql.sql.queries.query_parts import find, outline
from tests.refusals.table import refused_statements

ROOT = Path(__file__).parents[2] / "golden"
FILES = (
    ROOT / "query" / "wrong_words.sql",
    ROOT / "query" / "foreign_forms.sql",
    ROOT.parent / "dialect" / "blocks.sql",
    ROOT.parent / "dialect" / "rows.sql",
)
SCRIPTS = [
    *(statement.text for path in FILES for statement in split(path.read_text(encoding="utf-8"))),
    *refused_statements(),
]


@pytest.mark.parametrize("pattern", [pattern for entry in TABLE for pattern in entry.patterns])
def test_every_pattern_has_a_refused_statement(pattern: str) -> None:
    assert any(find(pattern, outline(text)) for text in SCRIPTS)


@pytest.mark.parametrize(
    "sql",
    [
        "»SHOW SCHEMAS DROPPED«",
        "/* gone */ »show -- x\n schemas dropped«",
        "explain extended »undrop schema« s",
        "CREATE TABLE c (a INT, b STRUCT<x: INT>) »WITH« ('x' = 1)",
        "WITH s AS (SELECT 1) DELETE FROM a.b.`c d` x »USING« s WHERE a = 1",
        "UPDATE t SET a = CASE WHEN b THEN 1 END »FROM« s",
        "UPDATE t SET a = b IS DISTINCT FROM c »LIMIT« 1",
        "ALTER TABLE delta.`/x` »SET EXTERNAL«",
        "»SET TAG ON FUNCTION« c a = b",
        "EXPLAIN »BEGIN« SELECT 1; END",
        "»l:« BEGIN ATOMIC SELECT 1; END;",
    ],
)
def test_place(sql: str) -> None:
    text = sql.replace("»", "").replace("«", "")
    with pytest.raises(DeltaSqlError) as caught:
        parse(text)
    caret = caught.value.caret
    assert not isinstance(caught.value, ParseSyntaxError)
    assert caret is not None
    assert (caret.sql, caret.start, caret.end) == (text, sql.index("»"), sql.index("«") - 1)


@pytest.mark.parametrize(
    "sql",
    [
        "FROM t SELECT a",
        "SELECT returning FROM t",
        "UPDATE t SET a = b IS NOT DISTINCT FROM c",
        "UPDATE limit SET limit = `from` + t.order, a = (SELECT x FROM s ORDER BY x LIMIT 1)",
        "DELETE FROM joined WHERE a = 1 AND limit > 2 AND order = 3",
        "CREATE TABLE clone (mask INT, unique INT, identifier STRING)",
        "CREATE TABLE t (a INT) WITH x AS (SELECT 1 AS a) SELECT * FROM x",
        "INSERT INTO t WITH `row filter` AS (SELECT 1 AS a) SELECT * FROM `row filter`",
        "INSERT INTO identifier (a) VALUES (1)",
        "DECLARE cursor_name INT DEFAULT 5",
        "LIST JARS",
        "CREATE TEMPORARY VIEW begin AS SELECT 1",
    ],
)
def test_what_only_looks_like_it_is_read(sql: str) -> None:
    parse(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t (unique INT, b)",
        "UPDATE t SET a 1 FROM s",
        "DELETE t WHERE a LIMIT 1",
        "ALTER TABLE t ADD COLUMN a (b INT PRIMARY KEY)",
    ],
)
def test_an_earlier_mistake_is_told_first(sql: str) -> None:
    with pytest.raises(ParseSyntaxError):
        parse(sql)


def test_names() -> None:
    sql = "SELECT * FROM a JOIN system.access.audit ON b"
    assert refused_name(None) is None
    assert refused_name(Caret(sql, 14, 15)) is None
    error = refused_name(Caret(sql, 21, 40))
    assert error is not None
    assert error.message.startswith("system.access.audit is a table of Databricks' service, and not there.")
    assert unsupported("SELECT 1") is None


def test_they_are_not_offered() -> None:
    offered = expected_keywords("") | expected_keywords("CREATE ") | expected_keywords("ALTER TABLE t ")
    assert not offered & {"CLONE", "MACRO", "INDEX", "TAGS"}
