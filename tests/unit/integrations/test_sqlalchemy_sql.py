"""What the dialect of SQLAlchemy compiles, and how it reads its URLs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import exc, types
from sqlalchemy.engine import make_url
from sqlalchemy.schema import CreateIndex, CreateTable

from deltasql.clients.sqlalchemy import (
    ARRAY,
    MAP,
    STRING,
    STRUCT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VARIANT,
    DeltaSqlDialect,
)
from deltasql.clients.sqlalchemy.dialect import arguments_of
from deltasql.sql.parser import parse

DIALECT = DeltaSqlDialect()
T = sa.table("t", sa.column("a", sa.Integer), sa.column("select"), sa.column("s", sa.String))


def compiled(clause: Any, **options: Any) -> str:
    return " ".join(str(clause.compile(dialect=DIALECT, **options)).split())


def inlined(clause: Any) -> str:
    return compiled(clause, compile_kwargs={"literal_binds": True})


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (sa.select(T.c.a).limit(5), "SELECT t.a FROM t LIMIT 5"),
        (sa.select(T.c.a).limit(5).offset(2), "SELECT t.a FROM t LIMIT 5 OFFSET 2"),
        (sa.select(T.c.a).offset(2), "SELECT t.a FROM t OFFSET 2"),
        (sa.select(T.c.select), "SELECT t.`select` FROM t"),
        (sa.select(sa.column("x`y")), "SELECT `x``y`"),
        (sa.select(T.c.a).where(T.c.s == "it's \\ 5%"), r"SELECT t.a FROM t WHERE t.s = 'it\'s \\ 5%'"),
        (sa.select(T.c.a).where(T.c.s.regexp_match("^a")), "SELECT t.a FROM t WHERE t.s RLIKE '^a'"),
        (sa.select(T.c.a / 2), "SELECT t.a / 2 AS anon_1 FROM t"),
        (sa.select(T.c.a // 2), "SELECT FLOOR(t.a / 2) AS anon_1 FROM t"),
        (sa.select(sa.true()), "SELECT true AS anon_1"),
        (sa.select(T.c.a).where(sa.column("x", sa.LargeBinary) == b"\x00'"), "SELECT t.a FROM t WHERE x = X'0027'"),
        (sa.select(T.c.a).where(sa.column("e", sa.Enum("b", "c")) == "c"), "SELECT t.a FROM t WHERE e = 'c'"),
        (
            sa.select(sa.column("j", sa.JSON)["a b"][0].as_integer()),
            r"SELECT CAST(get_json_object(to_json(variant_get(parse_json(j), '$[\'a b\']')), '$[0]') AS INT) AS anon_1",
        ),
        (
            sa.select(sa.column("j", sa.JSON)[("a", 1)].as_string()),
            r"SELECT CAST(get_json_object(j, '$[\'a\'][1]') AS STRING) AS anon_1",
        ),
        (sa.select(sa.cast(T.c.s, types.Float)), "SELECT CAST(t.s AS DOUBLE) AS s FROM t"),
        (
            T.insert().from_select(["a"], sa.select(sa.select(T.c.a).cte("x").c.a)),
            "INSERT INTO t (a) WITH x AS (SELECT t.a AS a FROM t) SELECT x.a FROM x",
        ),
        (T.insert().values([{"a": 1}, {"a": 2}]), "INSERT INTO t (a) VALUES (1), (2)"),
        (T.update().values(a=1).where(T.c.s.is_(None)), "UPDATE t SET a=1 WHERE t.s IS NULL"),
        (T.delete().where(T.c.a.in_([1, 2])), "DELETE FROM t WHERE t.a IN (1, 2)"),
        (
            T.delete().where(sa.tuple_(T.c.a, T.c.s).in_([(1, "x")])),
            "DELETE FROM t WHERE (t.a, t.s) IN ((1, 'x'))",
        ),
        (
            T.delete().where(sa.tuple_(T.c.a, T.c.s).not_in([])),
            "DELETE FROM t WHERE ((t.a, t.s) NOT IN (NULL) OR (1 = 1))",
        ),
    ],
)
def test_queries(clause: Any, expected: str) -> None:
    assert inlined(clause) == expected


def test_arrays_are_calls() -> None:
    nested = sa.literal([["it's", None], []], sa.ARRAY(sa.String, dimensions=2))
    assert inlined(sa.select(nested)) == "SELECT array(array('it\\'s', NULL), array()) AS anon_1"
    assert inlined(sa.select(sa.literal([1, 2], ARRAY(sa.Integer)))) == "SELECT array(1, 2) AS anon_1"


def test_parameters_are_question_marks() -> None:
    assert compiled(sa.select(T.c.a).where(T.c.a > 5)) == "SELECT t.a FROM t WHERE t.a > ?"


def test_a_schema_may_have_its_catalog() -> None:
    table = sa.table("t", sa.column("a"), schema="cat.my-schema")
    assert compiled(sa.select(table.c.a)) == "SELECT cat.`my-schema`.t.a FROM cat.`my-schema`.t"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (sa.Integer(), "INT"),
        (sa.BigInteger(), "BIGINT"),
        (sa.SmallInteger(), "SMALLINT"),
        (TINYINT(), "TINYINT"),
        (sa.Float(), "DOUBLE"),
        (sa.Float(53), "DOUBLE"),
        (sa.Float(23), "FLOAT"),
        (sa.Double(), "DOUBLE"),
        (sa.REAL(), "FLOAT"),
        (sa.Numeric(10, 2), "DECIMAL(10, 2)"),
        (sa.Numeric(10), "DECIMAL(10, 0)"),
        (sa.Numeric(), "DECIMAL(38, 18)"),
        (sa.String(), "STRING"),
        (sa.String(5), "VARCHAR(5)"),
        (sa.Unicode(), "STRING"),
        (sa.Text(), "STRING"),
        (STRING(), "STRING"),
        (sa.CHAR(3), "CHAR(3)"),
        (sa.Boolean(), "BOOLEAN"),
        (sa.Date(), "DATE"),
        (sa.DateTime(), "TIMESTAMP_NTZ"),
        (sa.DateTime(timezone=True), "TIMESTAMP"),
        (sa.TIMESTAMP(timezone=True), "TIMESTAMP"),
        (TIMESTAMP(), "TIMESTAMP"),
        (TIMESTAMP_NTZ(), "TIMESTAMP_NTZ"),
        (sa.LargeBinary(), "BINARY"),
        (sa.JSON(), "STRING"),
        (sa.Enum("one", "three"), "VARCHAR(5)"),
        (sa.Uuid(), "CHAR(32)"),
        (VARIANT(), "VARIANT"),
        (ARRAY(sa.Integer), "ARRAY<INT>"),
        (ARRAY(sa.String, dimensions=2), "ARRAY<ARRAY<STRING>>"),
        (MAP(sa.String, sa.Numeric(5, 1)), "MAP<STRING, DECIMAL(5, 1)>"),
        (STRUCT(("a", sa.Date), ("b c", ARRAY(VARIANT))), "STRUCT<a: DATE, `b c`: ARRAY<VARIANT>>"),
    ],
)
def test_types(kind: Any, expected: str) -> None:
    assert kind.compile(dialect=DIALECT) == expected
    parse(f"CREATE TABLE t (c {expected})")


def test_what_delta_has_not_is_refused() -> None:
    with pytest.raises(exc.CompileError, match="time of day"):
        sa.Time().compile(dialect=DIALECT)
    with pytest.raises(exc.CompileError, match="no locks"):
        compiled(sa.select(T.c.a).with_for_update())
    with pytest.raises(exc.CompileError, match="no sequences"):
        compiled(sa.schema.CreateSequence(sa.Sequence("s")))


def test_a_table_with_all_that_delta_has() -> None:
    table = sa.Table(
        "orders",
        sa.MetaData(schema="shop"),
        sa.Column("id", sa.BigInteger, sa.Identity(always=True, start=10, increment=2), primary_key=True),
        sa.Column("day", sa.Date, nullable=False, comment="it's a day"),
        sa.Column("state", sa.String, server_default="new"),
        sa.Column("year", sa.Integer, sa.Computed("year(day)")),
        sa.Column("item", sa.Integer, sa.ForeignKey("shop.items.id"), index=True),
        sa.CheckConstraint("id > 0", name="positive"),
        comment="what was ordered",
        deltasql_partition_by="day",
        deltasql_location="/data/orders",
        deltasql_properties={"delta.appendOnly": "true"},
    )
    sa.Table("items", table.metadata, sa.Column("id", sa.Integer, primary_key=True))
    assert compiled(CreateTable(table)) == (
        "CREATE TABLE shop.orders ( id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10 INCREMENT BY 2) NOT NULL, "
        "day DATE NOT NULL COMMENT 'it\\'s a day', state STRING DEFAULT 'new', "
        "year INT GENERATED ALWAYS AS (year(day)), item INT, PRIMARY KEY (id), "
        "CONSTRAINT positive CHECK (id > 0), FOREIGN KEY(item) REFERENCES shop.items (id) ) "
        "USING DELTA PARTITIONED BY (day) LOCATION '/data/orders' COMMENT 'what was ordered' "
        "TBLPROPERTIES ('delta.appendOnly' = 'true', 'delta.feature.allowColumnDefaults' = 'supported')"
    )
    parse(str(CreateTable(table).compile(dialect=DIALECT)))
    (index,) = table.indexes
    assert compiled(CreateIndex(index)) == ""


def test_an_integer_key_numbers_nothing() -> None:
    table = sa.Table("t", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True), deltasql_cluster_by=["id"])
    assert compiled(CreateTable(table)) == (
        "CREATE TABLE t ( id INT NOT NULL, PRIMARY KEY (id) ) USING DELTA CLUSTER BY (id)"
    )


def test_a_unique_constraint_is_left_out_with_a_note_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    table = sa.Table("t", sa.MetaData(), sa.Column("id", sa.Integer, unique=True))
    assert "UNIQUE" not in compiled(CreateTable(table))
    assert "nothing keeps equal values out of t" in caplog.text


def test_rows_without_a_key_that_nothing_numbers() -> None:
    table = sa.Table("t", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True), sa.Column("a", sa.Integer))
    for insert in (table.insert().values(a=1), table.insert().values([{"a": 1}])):
        with pytest.raises(exc.CompileError, match=r"have no id\. .* Identity\(\)"):
            compiled(insert)
    assert compiled(table.insert()) == "INSERT INTO t (id, a) VALUES (?, ?)"
    assert inlined(table.insert().values(id=sa.func.abs(-1), a=2)) == "INSERT INTO t (id, a) VALUES (abs(-1), 2)"
    numbered = sa.Table(
        "n", sa.MetaData(), sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True), sa.Column("a", sa.Integer)
    )
    assert inlined(numbered.insert().values(a=1)) == "INSERT INTO n (a) VALUES (1)"


def test_tuples_that_sail_compares() -> None:
    pair = sa.tuple_(T.c.a, T.c.s)
    dialect = DeltaSqlDialect()
    dialect.create_connect_args(make_url("deltasql:///w?engine=sail"))
    for clause, expected in (
        (pair.in_([(1, "x"), (2, "y")]), "(t.a, t.s) IN (SELECT * FROM VALUES (1, 'x'), (2, 'y'))"),
        (pair.in_([]), "(t.a, t.s) IN (NULL) AND (1 != 1)"),
    ):
        found = str(clause.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))
        assert found == expected


@pytest.mark.parametrize(
    ("url", "arguments"),
    [
        ("deltasql://", {"warehouse": "warehouse"}),
        ("deltasql:///a/b", {"warehouse": "a/b"}),
        ("deltasql:////a/b?schema=s", {"warehouse": "/a/b", "schema": "s"}),
        ("deltasql:////a/b?catalog=c&schema=s", {"warehouse": "/a/b", "catalog": "c", "schema": "s"}),
        ("deltasql:///w?spark=sc://host:15002", {"warehouse": "w", "spark": "sc://host:15002"}),
        ("deltasql:///w?engine=sail", {"warehouse": "w", "engine": "sail"}),
        ("deltasql:///w?autocommit=false", {"warehouse": "w", "autocommit": False}),
        (
            "deltasql:///s3://bucket/w?storage.aws_region=eu-west-1&storage.aws_endpoint=http://host:9000",
            {
                "warehouse": "s3://bucket/w",
                "storage_options": {"aws_region": "eu-west-1", "aws_endpoint": "http://host:9000"},
            },
        ),
        (
            "deltasql:///abfss://c@account.dfs.core.windows.net/w",
            {"warehouse": "abfss://c@account.dfs.core.windows.net/w"},
        ),
    ],
)
def test_urls(url: str, arguments: dict[str, Any]) -> None:
    assert arguments_of(make_url(url)) == arguments


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("deltasql://host/w", "a place and no server"),
        ("deltasql:///w?shema=s", "has no shema"),
        ("deltasql:///w?autocommit=1", "true or false"),
    ],
)
def test_urls_that_mean_nothing(url: str, told: str) -> None:
    with pytest.raises(exc.ArgumentError, match=told):
        arguments_of(make_url(url))


def test_the_entry_points_lead_here() -> None:
    # Python 3.10 has no reader of TOML.
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'"sqlalchemy\.dialects"\]\n((?:.+\n)+)', text)
    assert found is not None
    place = f"{DeltaSqlDialect.__module__}:{DeltaSqlDialect.__name__}"
    assert found[1].splitlines() == [f'deltasql = "{place}"', f'"deltasql.dbapi" = "{place}"']
