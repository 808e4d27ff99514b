"""Which tables of a query must carry `_metadata`, and which of its stars must leave it out."""

from __future__ import annotations

import pytest

from deltasql.sql.queries.query_facts import NamedMetadata
from deltasql.sql.queries.relations import table_references
from deltasql.sql.statement_texts import splice


@pytest.mark.parametrize(
    ("sql", "tables", "result"),
    [
        ("SELECT * FROM t", [], "SELECT * FROM t"),
        ("SELECT '_metadata', * FROM t", [], "SELECT '_metadata', * FROM t"),
        ("SELECT 1 AS _metadata, * FROM t", [], "SELECT 1 AS _metadata, * FROM t"),
        ("SELECT _metadata.row_id FROM t", ["t"], None),
        ("SELECT *, _metadata FROM t", ["t"], "SELECT * EXCEPT (`t`._metadata), _metadata FROM t"),
        ("SELECT _METADATA.x, a.* FROM t a", ["t"], "SELECT _METADATA.x, a.* EXCEPT (`a`._metadata) FROM t a"),
        (
            "SELECT * EXCEPT (b), _metadata.x FROM t",
            ["t"],
            "SELECT * EXCEPT (`t`._metadata, b), _metadata.x FROM t",
        ),
        ("SELECT count(*), 2 * 3, _metadata.x FROM t", ["t"], None),
        ("SELECT _metadata.* FROM t", ["t"], None),
        ("SELECT a.*, b._metadata.x FROM t a JOIN u b", ["u"], None),
        (
            "SELECT *, b._metadata.x FROM t a JOIN u b",
            ["u"],
            "SELECT * EXCEPT (`b`._metadata), b._metadata.x FROM t a JOIN u b",
        ),
        (
            "SELECT *, _metadata.x FROM (t CROSS JOIN u)",
            ["t", "u"],
            "SELECT * EXCEPT (`t`._metadata, `u`._metadata), _metadata.x FROM (t CROSS JOIN u)",
        ),
        (
            "SELECT * FROM t UNION SELECT *, _metadata.x FROM u",
            ["u"],
            "SELECT * FROM t UNION SELECT * EXCEPT (`u`._metadata), _metadata.x FROM u",
        ),
        (
            "SELECT * FROM (SELECT *, _metadata.x FROM t) JOIN u",
            ["t"],
            "SELECT * FROM (SELECT * EXCEPT (`t`._metadata), _metadata.x FROM t) JOIN u",
        ),
        (
            "SELECT * FROM t WHERE EXISTS (SELECT * FROM u WHERE t._metadata.x = u.k)",
            ["t"],
            "SELECT * EXCEPT (`t`._metadata) FROM t WHERE EXISTS (SELECT * FROM u WHERE t._metadata.x = u.k)",
        ),
        (
            "WITH c AS (SELECT * FROM t) SELECT *, _metadata.x FROM u",
            ["u"],
            "WITH c AS (SELECT * FROM t) SELECT * EXCEPT (`u`._metadata), _metadata.x FROM u",
        ),
        ("SELECT s._metadata.x FROM t", [], None),
        (
            "SELECT *, `_metadata`.x FROM delta.`/p``q`",
            ["/p`q"],
            "SELECT * EXCEPT (`/p``q`._metadata), `_metadata`.x FROM delta.`/p``q`",
        ),
    ],
)
def test_named_metadata(sql: str, tables: list[str], result: str | None) -> None:
    references = table_references(sql)
    named = NamedMetadata(sql, references)
    assert [references[index].parts[-1] for index in sorted(named.references)] == tables
    assert splice(sql, named.hidden_from_stars(named.references)).sql == (sql if result is None else result)


def test_a_table_that_does_not_carry_it_keeps_its_stars() -> None:
    sql = "SELECT *, _metadata FROM t"
    assert list(NamedMetadata(sql, table_references(sql)).hidden_from_stars(())) == []
