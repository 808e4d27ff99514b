"""The dialect of SQLAlchemy at work, as far as that needs no Spark: tables made, filled and reflected."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sqlalchemy as sa
from sqlalchemy import Engine, exc

from deltasql.clients.sqlalchemy import ARRAY, MAP, STRING, STRUCT, VARIANT


def made(engine: Engine, *tables: str) -> None:
    with engine.connect() as connection:
        for sql in tables:
            connection.exec_driver_sql(sql)


def rows_in_history(engine: Engine, table: str) -> list[Any]:
    """The operations of a table, the oldest first, with the rows that they wrote."""
    with engine.connect() as connection:
        history = connection.exec_driver_sql(f"DESCRIBE HISTORY {table}").mappings().all()
    return [(item["operation"], dict(item["operationMetrics"] or {}).get("numOutputRows")) for item in history[::-1]]


def test_tables_are_reflected_as_they_were_made(engine: Engine) -> None:
    metadata = sa.MetaData()
    sa.Table("Item", metadata, sa.Column("id", sa.Integer, primary_key=True))
    sa.Table(
        "orders",
        metadata,
        sa.Column("id", sa.BigInteger, sa.Identity(start=5), primary_key=True, comment="a number"),
        sa.Column("item", sa.Integer, sa.ForeignKey("Item.id", name="ordered")),
        sa.Column("note", sa.String(20)),
        sa.Column("state", sa.String, server_default="none"),
        sa.Column("price", sa.Numeric(10, 2), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True)),
        sa.Column("day", sa.Date, sa.Computed("CAST(at AS DATE)")),
        sa.Column("tags", ARRAY(sa.String)),
        sa.Column("more", MAP(sa.String, STRUCT(("x", sa.Double), ("v", VARIANT)))),
        sa.CheckConstraint("price > 0", name="costs"),
        comment="what was ordered",
    )
    metadata.create_all(engine)
    metadata.create_all(engine)
    found = sa.inspect(engine)
    assert found.get_table_names() == ["item", "orders"]
    assert found.has_table("ORDERS")
    assert not found.has_table("nope")
    assert found.get_pk_constraint("orders") == {"constrained_columns": ["id"], "name": "orders_pk"}
    assert found.get_foreign_keys("orders") == [
        {
            "name": "ordered",
            "constrained_columns": ["item"],
            "referred_schema": None,
            "referred_table": "item",
            "referred_columns": ["id"],
            "options": {},
        }
    ]
    assert found.get_check_constraints("orders") == [{"name": "costs", "sqltext": "price > 0"}]
    assert found.get_table_comment("orders") == {"text": "what was ordered"}
    assert not found.get_indexes("orders")
    assert not found.get_unique_constraints("orders")
    columns = {column["name"]: column for column in found.get_columns("orders")}
    assert [str(column["type"].compile(engine.dialect)) for column in columns.values()] == [
        *("BIGINT", "INT", "VARCHAR(20)", "STRING", "DECIMAL(10, 2)", "TIMESTAMP", "DATE", "ARRAY<STRING>"),
        "MAP<STRING, STRUCT<x: DOUBLE, v: VARIANT>>",
    ]
    assert [name for name, column in columns.items() if not column["nullable"]] == ["id", "price"]
    assert columns["id"]["identity"] == {"always": False, "start": 5, "increment": 1}
    assert columns["id"]["comment"] == "a number"
    assert columns["state"]["default"] == "'none'"
    assert columns["day"]["computed"]["sqltext"] == "CAST(at AS DATE)"
    again = sa.Table("orders", sa.MetaData(), autoload_with=engine)
    assert [key.column.table.name for key in again.foreign_keys] == ["item"]
    assert again.c.id.identity is not None
    metadata.drop_all(engine)
    assert sa.inspect(engine).get_table_names() == []


def test_schemas_and_views(engine: Engine, tmp_path: Path) -> None:
    made(
        engine,
        "CREATE SCHEMA other",
        "CREATE TABLE other.parent (id INT NOT NULL, p INT, PRIMARY KEY (id)) PARTITIONED BY (p)",
        "CREATE TABLE child (id INT, CONSTRAINT up FOREIGN KEY (id) REFERENCES other.parent)",
    )
    found = sa.inspect(engine)
    assert found.get_schema_names() == ["default", "other"]
    assert found.default_schema_name == "default"
    assert found.get_table_names("other") == found.get_table_names("spark_catalog.other") == ["parent"]
    assert found.get_view_names("other") == []
    assert found.has_table("parent", schema="other")
    assert found.has_schema("other")
    assert not found.has_schema("nope")
    assert found.get_table_options("parent", schema="other") == {"deltasql_partition_by": ["p"]}
    assert found.get_foreign_keys("child")[0]["referred_schema"] == "other"
    assert found.get_foreign_keys("child", schema="default")[0]["referred_schema"] == "other"
    there = sa.create_engine(f"deltasql:///{tmp_path / 'warehouse'}?schema=other")
    assert sa.inspect(there).get_table_names() == ["parent"]
    there.dispose()
    for missing in ("nope", "other.parent"):
        with pytest.raises(exc.NoSuchTableError):
            found.get_columns(missing)
    with pytest.raises(exc.NoSuchTableError):
        found.get_table_names("nope")


def test_catalogs(engine: Engine, tmp_path: Path) -> None:
    made(engine, "CREATE CATALOG main", "CREATE SCHEMA main.sales")
    metadata = sa.MetaData(schema="main.sales")
    parent = sa.Table("parent", metadata, sa.Column("id", sa.Integer, primary_key=True, autoincrement=False))
    sa.Table("child", metadata, sa.Column("id", sa.Integer, sa.ForeignKey(parent.c.id)))
    metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(parent.insert(), [{"id": 1}])
    assert sa.inspect(engine).get_table_names("main.sales") == ["child", "parent"]
    url = f"deltasql:///{tmp_path / 'warehouse'}?catalog=main"
    for address, schema, referred in (
        (f"{url}&schema=sales", None, None),
        (url, "sales", "sales"),
        (url, "main.sales", "main.sales"),
    ):
        there = sa.create_engine(address)
        found = sa.inspect(there)
        assert found.get_schema_names() == ["default", "sales"]
        assert found.get_foreign_keys("child", schema=schema)[0]["referred_schema"] == referred
        again = sa.Table("child", sa.MetaData(), schema=schema, autoload_with=there)
        assert [key.column.table.schema for key in again.foreign_keys] == [schema]
        there.dispose()
    missing = sa.create_engine(url.replace("main", "nope"))
    with pytest.raises(exc.ProgrammingError, match="CATALOG_NOT_FOUND"):
        sa.inspect(missing)


def test_many_rows_are_one_commit(engine: Engine) -> None:
    table = sa.Table(
        "t",
        sa.MetaData(),
        sa.Column("a", sa.Integer),
        sa.Column("s", sa.String),
        sa.Column("d", sa.Date),
        sa.Column("n", sa.Numeric(5, 2)),
        sa.Column("b", sa.LargeBinary),
        sa.Column("ok", sa.Boolean),
    )
    table.create(engine)
    rows = [
        {"a": number, "s": f"it's {number}", "d": date(2024, 1, 1), "n": Decimal("1.50"), "b": b"\x00'", "ok": True}
        for number in range(100)
    ]
    with engine.begin() as connection:
        done = connection.execute(table.insert(), rows)
        assert done.rowcount == 100
        one = connection.execute(table.insert().values(a=None, s=None))
        assert one.rowcount == 1
    assert rows_in_history(engine, "t") == [("CREATE TABLE", None), ("WRITE", "100"), ("WRITE", "1")]


def test_transactions_are_told_as_they_are(engine: Engine) -> None:
    made(engine, "CREATE TABLE t (a INT)")
    table = sa.table("t", sa.column("a"))
    with engine.connect() as connection:
        assert connection.get_isolation_level() == "AUTOCOMMIT"
        connection.execute(table.insert().values(a=1))
        connection.rollback()
    assert len(rows_in_history(engine, "t")) == 2
    with engine.connect().execution_options(isolation_level="SERIALIZABLE") as connection:
        connection.execute(table.insert().values(a=2))
        connection.rollback()
        assert len(rows_in_history(engine, "t")) == 2
        connection.execute(table.insert().values(a=3))
        connection.execute(table.insert().values(a=4))
        connection.commit()
    assert len(rows_in_history(engine, "t")) == 3
    with engine.connect() as connection:
        assert connection.get_isolation_level() == "AUTOCOMMIT"


def test_errors_are_those_of_the_dbapi(engine: Engine) -> None:
    with engine.connect() as connection:
        with pytest.raises(exc.ProgrammingError, match=r"TABLE_OR_VIEW_NOT_FOUND") as raised:
            connection.execute(sa.text("DESCRIBE TABLE nope"))
        assert getattr(raised.value.orig, "sqlstate", None) == "42P01"


def test_comments_are_changed(engine: Engine) -> None:
    made(engine, "CREATE TABLE t (a INT)")
    table = sa.Table("t", sa.MetaData(), sa.Column("a", sa.Integer, comment="it's a"), comment="it's t")
    with engine.connect() as connection:
        connection.execute(sa.schema.SetTableComment(table))
        connection.execute(sa.schema.SetColumnComment(table.c.a))
    found = sa.inspect(engine)
    assert (found.get_table_comment("t"), found.get_columns("t")[0]["comment"]) == ({"text": "it's t"}, "it's a")
    with engine.connect() as connection:
        connection.execute(sa.schema.DropTableComment(table))
    assert sa.inspect(engine).get_table_comment("t") == {"text": None}


@pytest.mark.sail
def test_json_is_written_and_read_by_functions_of_the_caller(tmp_path: Path) -> None:
    engine = sa.create_engine(
        f"deltasql+dbapi:///{tmp_path / 'warehouse'}?engine=sail",
        json_serializer=lambda value: json.dumps({"in": value}),
        json_deserializer=lambda text: ["out", json.loads(text)],
    )
    table = sa.Table(
        "t", sa.MetaData(), sa.Column("j", sa.JSON), sa.Column("n", sa.Integer), sa.Column("at", sa.TIMESTAMP)
    )
    table.create(engine)
    with engine.connect() as connection:
        connection.execute(table.insert(), [{"j": [1], "n": 1, "at": datetime(2024, 1, 1)}])
        assert connection.execute(table.select()).all() == [(["out", {"in": [1]}], 1, datetime(2024, 1, 1))]
        pair = sa.tuple_(table.c.n, table.c.at)
        for values, count in (([(1, datetime(2024, 1, 1)), (2, datetime(2024, 1, 1))], 1), ([], 0)):
            assert len(connection.execute(table.select().where(pair.in_(values))).all()) == count
    engine.dispose()


def test_pandas_writes_tables(engine: Engine) -> None:
    frame = pd.DataFrame(
        {
            "a": [1, 2],
            "s": ["x", None],
            "f": [0.5, float("nan")],
            "d": [datetime(2024, 1, 1), datetime(2024, 1, 2, 3)],
            "ok": [True, False],
        }
    )
    assert frame.to_sql("t", engine, index=False) == 2
    frame.to_sql("t", engine, index=False, if_exists="append")
    with pytest.raises(ValueError, match="already exists"):
        frame.to_sql("t", engine, index=False)
    assert rows_in_history(engine, "t") == [("CREATE TABLE", None), ("WRITE", "2"), ("WRITE", "2")]
    frame[["a"]].to_sql("t", engine, if_exists="replace")
    pd.DataFrame().to_sql("empty", engine, index=False)
    assert sa.inspect(engine).get_columns("empty") == []
    sa.MetaData().reflect(engine)
    with engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE empty"))
    found = sa.inspect(engine)
    columns = {column["name"]: type(column["type"]) for column in found.get_columns("t")}
    assert columns == {"index": sa.BIGINT, "a": sa.BIGINT}
    told = pd.read_sql("SHOW TABLES", engine)
    assert told["tableName"].tolist() == ["t"]
    assert isinstance(found.get_columns("t")[0]["type"], sa.BIGINT)
    assert STRING().compile(engine.dialect) == "STRING"


REFLECTED = """
import sys, sqlalchemy as sa
from sqlalchemy.dialects import registry
registry.register("deltasql", "deltasql.clients.sqlalchemy.dialect", "DeltaSqlDialect")
engine = sa.create_engine("deltasql:///" + sys.argv[1])
table = sa.Table("t", sa.MetaData(), sa.Column("a", sa.Integer, primary_key=True))
table.create(engine)
sa.inspect(engine).get_columns("t")
print(*{name.partition(".")[0] for name in sys.modules})
"""


def test_reflection_loads_nothing_heavy(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", REFLECTED, str(tmp_path)], capture_output=True, text=True, check=True)
    assert {"pyspark", "pyarrow", "pandas", "sqlglot"} & set(done.stdout.split()) == set()
