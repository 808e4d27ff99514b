"""What Sail would take for something else: told by the text alone."""

from __future__ import annotations

import pytest

from deltasql.engines.sail.guards.guards import unsupported_command, unsupported_condition, unsupported_construct


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t WHERE a NOT IN (SELECT 1) OR b",
        "SELECT a FROM t WHERE NOT (a IN (SELECT 1) AND b)",
        "SELECT CASE WHEN a in (SELECT 1) THEN 1 END FROM t",
        "SELECT a FROM t WHERE (a IN (SELECT 1)) IS NULL",
        "SELECT a.*, b.x FROM a JOIN b USING (id)",
        "SELECT * FROM parquet.`/a/b`",
        "SELECT a FROM t WHERE a collate UTF8_LCASE = 'x'",
        "SELECT 'x' COLLATE UNICODE",
        "SELECT * FROM t JOIN CSV /* here */ . `s3://b/c.csv`",
    ],
)
def test_what_is_unlike(sql: str) -> None:
    assert unsupported_construct(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t WHERE a NOT IN (SELECT 1)",
        "SELECT a FROM t WHERE (a IN (SELECT 1) OR b) AND EXISTS (SELECT 1 FROM u WHERE u.a NOT IN (SELECT 2))",
        "SELECT a FROM t WHERE a NOT IN (1, 2) OR b",
        "SELECT * FROM a JOIN b USING (id)",
        "SELECT parquet.x, 'parquet.`/a`' FROM parquet",
        "SELECT 1 IN (",
        "SELECT collate FROM t WHERE collate IS NULL ORDER BY collate DESC, 'COLLATE UNICODE'",
    ],
)
def test_what_is_alike(sql: str) -> None:
    assert not unsupported_construct(sql)


def test_conditions_and_commands() -> None:
    assert unsupported_condition("id NOT IN (SELECT 1) OR id = 2")
    assert not unsupported_condition("id NOT IN (SELECT 1)")
    assert unsupported_command("CREATE TEMPORARY FUNCTION f AS 'org.example.F'") == "functions"
    assert unsupported_construct("SELECT * FROM t PIVOT (sum(a) FOR p IN (1, 2))")
    assert unsupported_construct("WITH /* c */ RECURSIVE n AS (SELECT 1) SELECT * FROM n")
    assert not unsupported_construct("SELECT 'pivot (' AS `with recursive`, pivot -- pivot (")
    assert not unsupported_command("SHOW FUNCTIONS")
