"""Catalogs and schemas that DataFrames and failing statements create, with deltasql.catalog.autoCreate."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from deltasql.base.errors import CatalogNotFoundError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.session.session import Session

ROWS = pa.table({"id": [1, 2]})


def test_tables_of_dataframes(session: Session) -> None:
    with pytest.raises(CatalogNotFoundError):
        session.write(ROWS).saveAsTable("dev.sales.orders")
    session.sql("SET deltasql.catalog.autoCreate = true")
    session.write(ROWS).saveAsTable("main.sales.orders")
    assert session.catalog.resolve(("main", "sales", "orders")) is not None
    session.writeTo(ROWS, "main.more.orders").create()
    assert session.catalog.has_schema(("main", "more"))


@pytest.mark.parametrize(
    "write",
    [
        lambda session: session.write(ROWS).insertInto("main.sales.orders"),
        lambda session: session.writeTo(ROWS, "main.sales.orders").append(),
        lambda session: session.writeTo(ROWS, "main.sales.orders").replace(),
    ],
)
def test_writes_into_tables_create_nothing(session: Session, write: Callable[[Session], object]) -> None:
    session.sql("SET deltasql.catalog.autoCreate = true")
    with pytest.raises(DeltaSqlError):
        write(session)
    assert session.catalog.used_catalogs() == ["spark_catalog"]


def test_a_statement_that_fails_leaves_the_schema(session: Session) -> None:
    session.sql("SET deltasql.catalog.autoCreate = true")
    with pytest.raises(DeltaSqlError):
        session.sql("CREATE TABLE main.sales.t (a INT, a INT)")
    assert session.catalog.tables(("main", "sales")) == []


def test_nothing_is_created_in_a_transaction(session: Session) -> None:
    session.sql("SET deltasql.catalog.autoCreate = true")
    session.sql("BEGIN TRANSACTION")
    with pytest.raises(DeltaSqlError):
        session.sql("CREATE TABLE main.sales.t (a INT)")
    session.sql("ROLLBACK")
    assert session.catalog.used_catalogs() == ["spark_catalog"]
