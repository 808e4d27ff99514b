"""PEP 249, the Python database API 2.0, over a session: `connect`, cursors, type objects and the exceptions of the PEP.

Here belongs what a caller of the PEP sees. How a statement runs, and what a row is, does not: that is the session's.

>>> from deltasql import dbapi
>>> with dbapi.connect("warehouse") as connection, connection.cursor() as cursor:
...     cursor.execute("SHOW SCHEMAS").fetchall()
[Row(namespace='default')]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from deltasql.catalog import Catalogs
from deltasql.clients.dbapi.cursor import Connection, Cursor
from deltasql.clients.dbapi.types import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Binary,
    DatabaseError,
    DataError,
    Date,
    DateFromTicks,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
    TypeObject,
    Warning,  # noqa: A004 - the PEP's name
)
from deltasql.session import Session
from deltasql.session import connect as open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "Binary",
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "TypeObject",
    "Warning",
    "apilevel",
    "connect",
    "paramstyle",
    "threadsafety",
]

apilevel = "2.0"
threadsafety = 2
"""Threads may share the module and connections, which run one statement at a time; a cursor is one thread's."""
paramstyle = "qmark"
"""`WHERE a = ?` with a sequence; `WHERE a = :name` with a mapping is understood as well."""


def connect(
    warehouse: str | Session = "warehouse",
    spark: SparkSession | str | None = None,
    *,
    storage_options: Mapping[str, str] | None = None,
    catalog: str | None = None,
    schema: str | None = None,
    autocommit: bool = True,
    engine: str | None = None,
    catalogs: Catalogs | None = None,
) -> Connection:
    """A connection to the tables of `warehouse`, which is a place as in `deltasql.connect`, or a session of yours.

    A session that was handed in stays open when the connection is closed. `catalog` and `schema` complete names. With
    `autocommit`, the default, each statement is a commit of its own; without it a transaction begins with the first
    statement, and ends with `Connection.commit` or `rollback`. `spark`, `engine`, `storage_options` and
    `catalogs` are those of `deltasql.connect`. Raises DatabaseError for a catalog or schema that does not exist.
    """
    if isinstance(warehouse, Session):
        connection = Connection(warehouse, owns_session=False, autocommit=autocommit)
    else:
        session = open_session(warehouse, spark, storage_options=storage_options, engine=engine, catalogs=catalogs)
        connection = Connection(session, owns_session=True, autocommit=autocommit)
    try:
        if catalog is not None:
            connection.use_catalog(catalog)
        if schema is not None:
            connection.use(schema)
    except BaseException:
        connection.close()
        raise
    return connection
