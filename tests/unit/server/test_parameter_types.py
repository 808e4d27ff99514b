"""What clients are told of parameters: the types of the columns that they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from deltasql import Session, connect
from deltasql.clients.server.clients import Prepared
from deltasql.clients.server.parameter_types import parameter_schema, parameter_types
from deltasql.clients.server.statements import bound_rows
from deltasql.schema.text import type_text


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with connect(str(tmp_path_factory.mktemp("parameters") / "w")) as made:
        made.sql(
            "CREATE TABLE t (a INT, b BIGINT, s STRING, d DECIMAL(10,2), at TIMESTAMP, `x y` DATE, st STRUCT<f: FLOAT>)"
            " TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
        )
        made.sql("CREATE SCHEMA other")
        made.sql("CREATE TABLE other.u (a STRING, c BOOLEAN)")
        yield made


@pytest.mark.parametrize(
    ("sql", "types"),
    [
        ("SELECT * FROM t WHERE a = ? AND ? <= b", "int, bigint"),
        ("select * from T x where X.A<>? -- ?\n and `x y` = ?", "int, date"),
        ("SELECT * FROM t WHERE spark_catalog.default.t.d > ? AND t.st.f = ?", "decimal(10,2), float"),
        ("SELECT * FROM t WHERE a IN (?, 5, ?) AND b NOT IN (?) LIMIT ? OFFSET ?", "int, int, bigint, int, int"),
        ("SELECT * FROM t WHERE at BETWEEN ? AND ? AND b NOT BETWEEN 1 AND ?", "timestamp, timestamp, bigint"),
        ("SELECT * FROM t WHERE a = :n OR b = :m OR a = :n", "n int, m bigint"),
        # A name for two types, a column of two tables, functions, casts, what no table has: text.
        ("SELECT * FROM t WHERE a = :n OR b = :n", "n string"),
        ("SELECT * FROM t JOIN other.u ON t.a = u.a WHERE a = ? AND c = ?", "?, boolean"),
        ("SELECT * FROM t WHERE abs(a) = ? AND a + 1 = abs(?) AND s LIKE ? AND ? = upper(s)", "?, ?, ?, ?"),
        ("SELECT CAST(? AS DATE), ? FROM nowhere WHERE a = ?", "?, ?, ?"),
        ("INSERT INTO t VALUES (?, 2, ?, ?, NULL, ?, NULL)", "int, string, decimal(10,2), date"),
        ("INSERT INTO TABLE other.u (c, a) VALUES (?, ?), (true, concat(?, 'x'))", "boolean, string, ?"),
        ("INSERT INTO nowhere VALUES (?)", "?"),
        ("UPDATE other.u SET c = ?, a = ? WHERE a = ?", "boolean, string, string"),
        ("UPDATE t SET st.f = ? WHERE b >= ?", "float, bigint"),
        ("DELETE FROM t WHERE `x y` <=> ?", "date"),
        ("MERGE INTO t USING other.u AS v ON t.b = ? WHEN MATCHED AND v.c = ? THEN DELETE", "bigint, boolean"),
        ("INSERT INTO", ""),
        ("?", "?"),
    ],
)
def test_types(session: Session, sql: str, types: str) -> None:
    found = parameter_types(session, sql)
    told = [found.get(name) for name in parameter_schema(sql, found).names]
    expected = [text for text in types.split(", ") if text]
    if ":n" in sql:
        assert [f"{name} {type_text(kind)}" for name, kind in found.items()] == expected
    else:
        assert [type_text(kind) if kind is not None else "?" for kind in told] == expected


def test_values_arrive_exactly(session: Session) -> None:
    sql = "INSERT INTO t (d, at, a) VALUES (?, ?, ?)"
    types = parameter_types(session, sql)
    told = parameter_schema(sql, types)
    # What JDBC's driver can fill for them.
    assert told.types == [pa.float64(), pa.timestamp("ms"), pa.int32()]
    moment = datetime(2024, 1, 1, 10, 0, 0, 123000)
    batch = pa.record_batch(
        [pa.array([0.1, 12.34]), pa.array([moment] * 2, told.types[1]), pa.array([1, None], pa.int32())], schema=told
    )
    assert bound_rows(Prepared(sql, types), iter([batch])) == [
        [Decimal("0.1"), moment, 1],
        [Decimal("12.34"), moment, None],
    ]
