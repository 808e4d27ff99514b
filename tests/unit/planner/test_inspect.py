"""DESCRIBE, SHOW and EXPLAIN without rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deltasql.base.errors import (
    DescribeViewDetailError,
    DescribeViewHistoryError,
    NothingToAnalyzeError,
    ReadTableWithoutColumnsError,
    ShowPartitionsUnpartitionedError,
    TableNotFoundError,
    TimestampInvalidError,
    TimeTravelViewError,
)
from deltasql.plan.base import EVALUATED
from deltasql.planner.changes import Analysis, Answer
from tests.unit.planner.lab import Lab

Fails = Callable[..., Any]


@pytest.fixture
def table(lab: Lab) -> Lab:
    lab.run(
        "CREATE TABLE t (id INT COMMENT 'key', `a b` STRING, p DATE) PARTITIONED BY (p) COMMENT 'it''s' "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'k' = 'v')",
        "CREATE TEMP VIEW v AS SELECT * FROM t",
    )
    return lab


def rows(lab: Lab, sql: str) -> list[tuple[Any, ...]]:
    change = lab.plan(sql)
    assert isinstance(change, Answer)
    return list(change.rows)


def test_describe(table: Lab, fails: Fails) -> None:
    assert rows(table, "DESCRIBE t")[:3] == [("id", "int", "key"), ("a b", "string", None), ("p", "date", None)]
    assert ("# Partition Information", "", "") in rows(table, "DESC TABLE EXTENDED t")
    assert ("Comment", "it's", "") in rows(table, "DESCRIBE FORMATTED t")
    assert ("data_type", "string") in rows(table, "DESCRIBE t `A B`")
    fails("DESCRIBE t nope", Exception, at="nope")
    fails("DESCRIBE nope", TableNotFoundError, at="nope")


def test_describe_of_a_misspelt_word(table: Lab, fails: Fails) -> None:
    error = fails("DESCRIBE HISTROY t", TableNotFoundError, at="HISTROY")
    assert error.advice == "Did you mean DESCRIBE HISTORY t?"
    assert fails("DESCRIBE TABLE HISTROY", TableNotFoundError).advice.startswith("Run SHOW TABLES")


def test_describe_of_a_view(table: Lab) -> None:
    assert rows(table, "DESCRIBE v")[0] == ("id", "int", "key")
    assert rows(table, "DESCRIBE v id")[0] == ("col_name", "id")


def test_detail_and_history(table: Lab, fails: Fails) -> None:
    (detail,) = rows(table, "DESCRIBE DETAIL t")
    assert detail[0] == "delta"
    assert detail[2] == "spark_catalog.default.t"
    assert rows(table, "DESCRIBE HISTORY t LIMIT 1")[0][4] == "CREATE TABLE"
    fails("DESCRIBE DETAIL v", DescribeViewDetailError, at="v")
    fails("DESCRIBE HISTORY v", DescribeViewHistoryError, at="v")
    fails("DESCRIBE HISTORY t@v0", TimeTravelViewError, at="t@v0")


def test_show(table: Lab, fails: Fails) -> None:
    assert rows(table, "SHOW TABLES") == [("default", "t", False), ("", "v", True)]
    assert rows(table, "SHOW TABLES LIKE 'x*'") == []
    assert rows(table, "SHOW SCHEMAS") == [("default",)]
    assert rows(table, "SHOW COLUMNS IN t") == [("id",), ("a b",), ("p",)]
    assert rows(table, "SHOW TBLPROPERTIES t (k)") == [("k", "v")]
    assert rows(table, "SHOW TBLPROPERTIES t ('delta.COLUMNmapping.mode')")[0][1] == "name"
    assert "does not have property: nope" in rows(table, "SHOW TBLPROPERTIES t (nope)")[0][1]
    assert ("Catalog Name", "spark_catalog") in rows(table, "DESCRIBE SCHEMA default")
    assert ("Properties", "") in rows(table, "DESCRIBE SCHEMA EXTENDED default")
    table.run("CREATE TABLE plain (a INT)")
    fails("SHOW PARTITIONS plain", ShowPartitionsUnpartitionedError, at="plain")


def test_show_create_table_can_be_run(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (id INT NOT NULL COMMENT 'a \\'key\\'', v VARCHAR(3), "
        "s STRUCT<x: INT NOT NULL COMMENT 'c'> NOT NULL) "
        "PARTITIONED BY (v) COMMENT 'it''s' TBLPROPERTIES ('delta.appendOnly' = 'true', 'k' = 'v\\'s')"
    )
    ((text,),) = rows(lab, "SHOW CREATE TABLE t")
    before = lab.snapshot("t")
    lab.run("DROP TABLE t", text)
    after = lab.snapshot("t")
    assert after.schema == before.schema
    assert after.partition_columns == before.partition_columns
    assert after.metadata.description == before.metadata.description
    assert dict(after.configuration) == dict(before.configuration)


def test_partitions_are_typed(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a INT, p INT) PARTITIONED BY (p)")
    lab.append("t", {"p": "10"}, {"p": "9"}, {"p": None}, {"p": "9"})
    assert rows(lab, "SHOW PARTITIONS t") == [(None,), (9,), (10,)]


def test_explain(table: Lab) -> None:
    ((text,),) = rows(table, "EXPLAIN SELECT * FROM t")
    assert text.splitlines() == [
        "== Logical Plan ==",
        "Query",
        "  query: SELECT * FROM t",
        "== Physical Plan ==",
        "Query (query)",
        "  Scan t@v0 [id, a b, p] files: 0 read, 0 pruned",
        "== Rows ==",
        f"computed in this process: {EVALUATED}",
    ]
    ((text,),) = rows(table, "EXPLAIN EXTENDED UPDATE t SET id = id + 1 WHERE id = 2")
    assert text.splitlines()[-4:] == [
        "matched: update",
        "  id := CAST(id + 1 AS INT)",
        "  `a b` := t.`a b`",
        "  p := t.p",
    ]
    ((text,),) = rows(table, "EXPLAIN ALTER TABLE t SET TBLPROPERTIES ('k' = 'w')")
    assert text.splitlines()[-5:] == [
        "version 1: SET TBLPROPERTIES",
        "  metaData",
        "== Conflicts ==",
        "read: no rows",
        "conflicts with: changes of schema, properties or features",
    ]
    for mode in ("FORMATTED", "COST", "CODEGEN"):
        ((text,),) = rows(table, f"EXPLAIN {mode} SELECT id FROM t")
        assert text.splitlines()[-2:] == ["== Spark's Plan ==", f"Spark's, {mode.lower()}"]
    ((text,),) = rows(table, "EXPLAIN DROP TABLE t")
    assert text.endswith("Unregistration: no table changes")


def test_what_analyze_runs(table: Lab, fails: Fails) -> None:
    analysis = table.plan("EXPLAIN ANALYZE SELECT * FROM t")
    assert isinstance(analysis, Analysis)
    assert (analysis.read, analysis.text.splitlines()[-1]) == ("no data file", "Spark's, formatted")
    fails("EXPLAIN ANALYZE /* a */ drop TABLE t", NothingToAnalyzeError, at="drop")
    fails("EXPLAIN ANALYZE DELETE FROM t", NothingToAnalyzeError, at="DELETE")


def test_explaining_changes_nothing(table: Lab) -> None:
    table.run("EXPLAIN DELETE FROM t", "EXPLAIN DROP TABLE t", "EXPLAIN SET a = b")
    assert table.snapshot("t").version == 0
    assert table.settings.stored("a") is None


@pytest.mark.parametrize(
    ("sql", "kind", "at"),
    [
        ("SELECT a FROM b", TableNotFoundError, "b"),
        ("SELECT * FROM v VERSION AS OF 1", TimeTravelViewError, "v VERSION AS OF 1"),
        ("SELECT * FROM t TIMESTAMP AS OF 'soon'", TimestampInvalidError, "t TIMESTAMP AS OF 'soon'"),
        ("SELECT e FROM e", ReadTableWithoutColumnsError, "e"),
        ("WITH c AS (SELECT 1), d AS (SELECT * FROM t, nope) SELECT * FROM d", TableNotFoundError, "nope"),
    ],
)
def test_the_place_of_a_table_in_a_query(table: Lab, fails: Fails, sql: str, kind: type[Exception], at: str) -> None:
    table.run("CREATE TABLE e")
    error = fails(sql, kind, at=at)
    assert error.caret.start > sql.index("FROM")


def test_the_place_of_what_is_wrong_in_a_view_is_its_name(lab: Lab, fails: Fails) -> None:
    lab.run(
        "CREATE TABLE nope (a INT)", "CREATE TEMP VIEW v AS SELECT * FROM nope", "CREATE TEMP VIEW w AS SELECT * FROM v"
    )
    lab.run("DROP TABLE nope")
    fails("SELECT 1 AS v FROM w", TableNotFoundError, at="w")
