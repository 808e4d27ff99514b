"""INSERT of plain literals: which are planned without Spark, as what, and which are left to it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from deltasql.plan.operators import Literals, Write
from deltasql.planner.changes import Answer, RowChange
from tests.unit.planner.lab import Lab, columns


@pytest.fixture
def table(lab: Lab) -> Lab:
    lab.analyst.is_plain = True
    lab.settings.set("spark.sql.session.timeZone", "UTC")
    lab.run(
        "CREATE TABLE t (id INT NOT NULL, name VARCHAR(3), c CHAR(3), price DECIMAL(5,2) DEFAULT 1.5, p STRING) "
        "PARTITIONED BY (p) TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
    )
    return lab


def rows_of(lab: Lab, sql: str) -> list[tuple[Any, ...]] | None:
    """The rows that the plan of an INSERT has; None where Spark is to make them."""
    change = lab.plan(sql)
    assert isinstance(change, RowChange)
    assert isinstance(change.operator, Write)
    rows = change.operator.child
    return list(zip(*rows.columns, strict=True)) if isinstance(rows, Literals) else None


def test_rows_as_the_table_stores_them(table: Lab) -> None:
    price = Decimal("1.50")
    assert rows_of(table, "INSERT INTO t (id, c, name) VALUES (1, 'a', 'bcd  '), (2L, NULL, DEFAULT)") == [
        (1, "bcd", "a  ", price, None),
        (2, None, None, price, None),
    ]
    assert rows_of(table, "INSERT INTO t PARTITION (p = 'x') VALUES (1, 'a', 'b', DEFAULT)") == [
        (1, "a", "b  ", price, "x")
    ]
    answer = table.plan("EXPLAIN INSERT INTO t (id) VALUES (1), (2)")
    assert isinstance(answer, Answer)
    assert "Literals [id, name, c, price, p] rows: 2" in answer.rows[0][0]


@pytest.mark.parametrize(
    "values",
    [
        *(
            "(NULL, 'a', 'b', 1, 'x')",
            "(1, 'abcd', 'b', 1, 'x')",
            "(1, 'a', 'bcde', 1, 'x')",
            "(1, 'a', 'b', 1000, 'x')",
        ),
        f"(1, 'a', 'b', 1, '{'x' * 61}')",
    ],
)
def test_rows_that_may_be_wrong_are_sparks(table: Lab, values: str) -> None:
    assert rows_of(table, f"INSERT INTO t VALUES {values}") is None


@pytest.mark.parametrize(
    "key",
    ["spark.sql.parquet.compression.codec", "spark.sql.timestampType", "spark.sql.parser.escapedStringLiterals", "x"],
)
def test_settings_that_may_matter_are_sparks(table: Lab, key: str) -> None:
    table.settings.set(key, "a")
    table.analyst.rows["VALUES"] = columns("id INT")
    assert rows_of(table, "INSERT INTO t (id) VALUES (1)") is None


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT WITH SCHEMA EVOLUTION INTO t (id) VALUES (1)",
        "INSERT OVERWRITE t (id) VALUES (1)",
        "WITH x AS (SELECT 1) INSERT INTO t (id) VALUES (1)",
    ],
)
def test_forms_that_are_sparks(table: Lab, sql: str) -> None:
    table.analyst.rows["VALUES"] = columns("id INT")
    assert rows_of(table, sql) is None


@pytest.mark.parametrize(
    "column",
    [
        *("b INT GENERATED ALWAYS AS (a + 1)", "b BIGINT GENERATED ALWAYS AS IDENTITY", "b VARIANT"),
        *("b ARRAY<VARIANT>", "b STRUCT<c: VOID>"),
    ],
)
def test_columns_that_are_sparks(table: Lab, column: str) -> None:
    table.run(f"CREATE TABLE u (a INT, {column})")
    assert rows_of(table, "INSERT INTO u (a) VALUES (1)") is None


@pytest.mark.parametrize("kind", ["ARRAY<INT>", "MAP<STRING, CHAR(3)>", "STRUCT<c: DATE, d: ARRAY<DOUBLE>>"])
def test_null_is_a_value_of_nested_types(table: Lab, kind: str) -> None:
    table.run(f"CREATE TABLE u (a INT, b {kind})")
    assert rows_of(table, "INSERT INTO u (a) VALUES (1)") == [(1, None)]
    assert rows_of(table, "INSERT INTO u VALUES (1, NULL)") == [(1, None)]
    table.analyst.rows["VALUES"] = columns("a INT, b INT")
    assert rows_of(table, "INSERT INTO u VALUES (1, NULL), (2, NULL)") == [(1, None), (2, None)]


def test_checks_are_sparks(table: Lab) -> None:
    table.run("CREATE TABLE u (a INT, CONSTRAINT c CHECK (a > 0))")
    assert rows_of(table, "INSERT INTO u VALUES (1)") is None


@pytest.mark.parametrize("kind", ["DOUBLE", "BINARY", "DECIMAL(10,7)", "TIMESTAMP_NTZ"])
def test_partitions_that_spark_spells_in_its_own_way(table: Lab, kind: str) -> None:
    table.run(f"CREATE TABLE u (a INT, p {kind}) PARTITIONED BY (p)")
    assert rows_of(table, "INSERT INTO u VALUES (1, NULL)") is None


def test_a_session_of_somebody_elses(table: Lab) -> None:
    table.analyst.is_plain = False
    table.analyst.rows["VALUES"] = columns("id INT")
    assert rows_of(table, "INSERT INTO t (id) VALUES (1)") is None


@pytest.mark.parametrize("name", ["PST", "CST6CDT", "EST"])
def test_zones_that_are_not_certain(table: Lab, name: str) -> None:
    table.settings.set("spark.sql.session.timeZone", name)
    table.run("CREATE TABLE u (a TIMESTAMP)")
    assert rows_of(table, "INSERT INTO u VALUES ('2024-01-01 00:00:00')") is None
    assert rows_of(table, "INSERT INTO u VALUES ('2024-01-01 00:00:00+01:00')") == [(1_704_063_600_000_000,)]
