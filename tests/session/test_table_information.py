"""SHOW TABLE EXTENDED: what tools read out of its text by patterns. Only the view starts Spark."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from deltasql import Session
from deltasql.base.errors.base import DeltaSqlError

COLUMN = re.compile(r"^ \|-- (.*): (.*) \(nullable = (.*)\b", re.MULTILINE)


@pytest.fixture
def tables(session: Session) -> Session:
    session.sql(
        "CREATE TABLE orders (id INT NOT NULL, c CHAR(3), s STRUCT<a: BIGINT, b: ARRAY<STRING>>, m MAP<STRING, INT>, "
        "day DATE) PARTITIONED BY (day) COMMENT 'it''s' TBLPROPERTIES ('k' = 'v')"
    )
    session.sql("CREATE TABLE other (id INT)")
    session.sql("CREATE SCHEMA far")
    session.sql("CREATE TABLE far.away (id INT)")
    return session


def test_information(tables: Session) -> None:
    result = tables.sql("SHOW TABLE EXTENDED IN default LIKE 'ORD*'")
    assert result.columns == ["namespace", "tableName", "isTemporary", "information"]
    ((namespace, name, temporary, text),) = result.collect()
    assert (namespace, name, temporary) == ("default", "orders", False)
    lines = text.splitlines()
    assert {"Provider: delta", "Type: MANAGED", "Comment: it's", "Table Properties: [k=v]"} <= set(lines)
    assert {"Catalog: spark_catalog", "Database: default", "Table: orders", "Partition Columns: [`day`]"} <= set(lines)
    assert re.search(r"^Statistics: \d+ bytes$", text, re.MULTILINE)
    assert re.search(r"^Created Time: \w{3} \w{3} \d\d [\d:]{8} UTC \d{4}$", text, re.MULTILINE)
    assert COLUMN.findall(text) == [
        ("id", "integer", "false"),
        ("c", "char(3)", "true"),
        ("s", "struct", "true"),
        ("m", "map", "true"),
        ("day", "date", "true"),
    ]
    assert " |    |-- a: long (nullable = true)" in lines


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("SHOW TABLE EXTENDED LIKE '*'", ["orders", "other"]),
        ("show table extended from far like 'a*|b*'", ["away"]),
        ("SHOW TABLE EXTENDED IN `default` LIKE 'nothing|OTHER'", ["other"]),
        ("SHOW TABLE EXTENDED IN spark_catalog.far", ["away"]),
        ("SHOW TABLE EXTENDED /* all */ LIKE 'nothing'", []),
    ],
)
def test_patterns(tables: Session, statement: str, names: list[str]) -> None:
    assert [row.tableName for row in tables.sql(statement).collect()] == names
    plain = re.sub("table extended", "TABLES", statement, flags=re.IGNORECASE)
    assert [row.tableName for row in tables.sql(plain).collect()] == names


def test_a_table_without_its_log_hides_no_other(tables: Session, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "warehouse" / "orders")
    orders, other = tables.sql("SHOW TABLE EXTENDED LIKE 'o*'").collect()
    assert re.search(r"^Error: \[\w+\]", orders.information, re.MULTILINE)
    assert COLUMN.findall(other.information) == [("id", "integer", "true")]


def test_views(tables: Session) -> None:
    tables.sql("CREATE TEMPORARY VIEW mine AS SELECT 1 AS id")
    ((namespace, name, temporary, text),) = tables.sql("SHOW TABLE EXTENDED IN far LIKE 'm*'").collect()
    assert (namespace, name, temporary) == ("", "mine", True)
    assert text == "Table: mine\nType: VIEW\nView Text: SELECT 1 AS id\n"


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("SHOW TABLE EXTENDED IN nowhere LIKE '*'", "SCHEMA_NOT_FOUND"),
        ("SHOW TABLE EXTENDED LIKE 'orders' PARTITION (day = '2024-01-01')", "PARTITIONS_NOT_FOUND"),
    ],
)
def test_refused(tables: Session, statement: str, condition: str) -> None:
    with pytest.raises(DeltaSqlError) as caught:
        tables.sql(statement)
    assert caught.value.condition == condition
