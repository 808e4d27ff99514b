"""databricks-sqlalchemy against a warehouse: DDL, rows, queries, reflection, errors."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa

from deltasql.warehouse import Address

pytest.importorskip("databricks.sqlalchemy")

METADATA = sa.MetaData()
OWNERS = sa.Table(
    "alchemy_owner",
    METADATA,
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String, nullable=False, comment="in full"),
    comment="who owns",
)
ITEMS = sa.Table(
    "alchemy_item",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("owner", sa.BigInteger, sa.ForeignKey("alchemy_owner.id", name="fk_owner")),
    sa.Column("price", sa.Numeric(10, 2)),
    sa.Column("day", sa.Date),
    sa.Column("at", sa.DateTime),
    sa.Column("flag", sa.Boolean),
    sa.Column("ratio", sa.Float),
)
ITEM = {
    "id": 1,
    "owner": 7,
    "price": Decimal("1.25"),
    "day": dt.date(2020, 1, 2),
    "at": dt.datetime(2020, 1, 2, 3, 4, 5),
    "flag": True,
    "ratio": 0.5,
}


@pytest.fixture
def engine(warehouse: Address) -> Iterator[Any]:
    url = sa.URL.create(
        "databricks",
        username="token",
        password=warehouse.token,
        host=warehouse.host,
        query={"http_path": warehouse.http_path, "catalog": "main", "schema": "default"},
    )
    own = {"_port": warehouse.port, "_tls_trusted_ca_file": warehouse.certificate, "enable_telemetry": False}
    with warnings.catch_warnings():
        # The dialect and the connector use what newer releases of others call deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        made = sa.create_engine(url, connect_args=own)
        METADATA.drop_all(made)
        METADATA.create_all(made)
        yield made
        made.dispose()


@pytest.mark.spark
def test_rows(engine: Any) -> None:
    with engine.begin() as connection:
        connection.execute(sa.insert(OWNERS), [{"id": 7, "name": "it's"}, {"id": 8, "name": "b"}])
        connection.execute(sa.insert(ITEMS), ITEM)
        connection.execute(sa.insert(ITEMS), {"id": 2})
        found = connection.execute(sa.select(ITEMS).order_by(ITEMS.c.id)).mappings().all()
        assert [dict(row) for row in found] == [ITEM, {**dict.fromkeys(ITEM), "id": 2}]
        joined = sa.select(OWNERS.c.name, sa.func.count()).join(ITEMS, ITEMS.c.owner == OWNERS.c.id).group_by("name")
        assert connection.execute(joined).all() == [("it's", 1)]
        connection.execute(sa.update(ITEMS).where(ITEMS.c.id == 2).values(price=Decimal("2.50")))
        connection.execute(sa.delete(ITEMS).where(ITEMS.c.id == 1))
        assert connection.execute(sa.select(ITEMS.c.price)).scalars().all() == [Decimal("2.50")]
        text = sa.text("SELECT :a AS a, :b AS b")
        assert connection.execute(text, {"a": 1, "b": "x"}).one() == (1, "x")


def test_inspection(engine: Any) -> None:
    found = sa.inspect(engine)
    assert "default" in found.get_schema_names()
    assert {"alchemy_owner", "alchemy_item"} <= set(found.get_table_names())
    assert found.has_table("alchemy_item")
    assert not found.has_table("alchemy_missing")
    columns = found.get_columns("alchemy_item")
    assert [column["name"] for column in columns] == list(ITEM)
    assert [str(column["type"]) for column in columns] == [
        *("INTEGER", "BIGINT", "NUMERIC(10, 2)", "DATE", "DATETIME", "BOOLEAN", "FLOAT")
    ]
    assert [column["nullable"] for column in columns] == [False, *[True] * 6]
    assert found.get_pk_constraint("alchemy_item")["constrained_columns"] == ["id"]
    (key,) = found.get_foreign_keys("alchemy_item")
    assert (key["constrained_columns"], key["referred_table"], key["referred_columns"]) == (
        *(["owner"], "alchemy_owner", ["id"]),
    )
    assert found.get_table_comment("alchemy_owner") == {"text": "who owns"}
    with pytest.raises(sa.exc.NoSuchTableError):
        found.get_columns("alchemy_missing")


def test_reflection(engine: Any) -> None:
    reflected = sa.Table("alchemy_item", sa.MetaData(), autoload_with=engine)
    assert list(reflected.columns.keys()) == list(ITEM)
    assert [column.name for column in reflected.primary_key] == ["id"]
    assert {key.target_fullname for key in reflected.foreign_keys} == {"alchemy_owner.id"}


def test_views(engine: Any) -> None:
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE OR REPLACE VIEW alchemy_view (id) AS SELECT 1 AS id"))
    found = sa.inspect(engine)
    assert found.get_view_names() == ["alchemy_view"]
    assert "alchemy_view" not in found.get_table_names()


def test_errors(engine: Any) -> None:
    with engine.connect() as connection, pytest.raises(sa.exc.DatabaseError, match="TABLE_OR_VIEW_NOT_FOUND"):
        connection.execute(sa.text("SELECT * FROM alchemy_missing"))
