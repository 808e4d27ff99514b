"""Connections and cursors with the methods of `databricks.sql.client`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from deltasql.clients.dbapi import cursor as dbapi_connection
from deltasql.clients.dbapi import cursor as dbapi_cursor
from deltasql.clients.dbapi import listings
from deltasql.clients.dbapi.typed_values import bound
from deltasql.clients.dbapi.types import FetchedRows, describe, rows_of
from deltasql.databricks.sql.exc import (
    InterfaceError,
    NotSupportedError,
    ProgrammingError,
    TransactionError,
    as_of_server,
)
from deltasql.files import Result
from deltasql.schema import quote_name as quote
from deltasql.session import Session, local_folders

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WAREHOUSE = "DELTASQL_WAREHOUSE"
"""The variable of the environment that names the warehouse where `connect` does not."""
DEFAULT_ARRAY_SIZE = 100_000
TRANSACTION_ISOLATION_LEVEL_REPEATABLE_READ = "REPEATABLE_READ"

_Self = TypeVar("_Self", bound="Cursor")


class Connection(dbapi_connection.Connection):
    """A connection; host, path and token are accepted and ignored.

    `warehouse` is the place of the tables: it may be given by the variable DELTASQL_WAREHOUSE of the environment, and
    is `./warehouse` otherwise. `session` is a session of yours in its place. `catalog` and `schema` are made if they
    are not there; `catalogs` are those of `deltasql.connect`. `session_configuration` is SET.
    `staging_allowed_local_path` is a folder, or several, whose files PUT and GET may use; without it there is none.
    With `ignore_transactions=False` the connection has transactions, each of one table. Any other option of the
    connector is taken and not used. Raises DatabaseError for a setting that is wrong.
    """

    def __init__(
        self,
        server_hostname: str = "",
        http_path: str = "",
        access_token: str | None = None,
        http_headers: Sequence[tuple[str, str]] | None = None,
        session_configuration: Mapping[str, Any] | None = None,
        catalog: str | None = None,
        schema: str | None = None,
        **options: Any,
    ) -> None:
        session: Session | None = options.get("session")
        spark: SparkSession | str | None = options.get("spark")
        warehouse = options.get("warehouse") or os.environ.get(WAREHOUSE) or "warehouse"
        opened = session or Session(warehouse, spark, catalogs=options.get("catalogs"))
        super().__init__(opened, owns_session=session is None)
        allowed = options.get("staging_allowed_local_path")
        if session is None or allowed is not None:
            # Without the option PUT and GET are refused, as by the connector.
            self.session.stores.local_folders = local_folders(allowed or ())
        self._ignores_transactions = bool(options.get("ignore_transactions", True))
        self._inline = bool(options.get("use_inline_params", False))
        self._id = uuid4()
        self._cursors: list[Cursor] = []
        try:
            with self.errors():
                self._prepare(session_configuration or {}, catalog, schema)
        except BaseException:
            self.close()
            raise

    def _prepare(self, settings: Mapping[str, Any], catalog: str | None, schema: str | None) -> None:
        for key, value in settings.items():
            self.session.sql(f"SET {key} = {str(value).lower() if isinstance(value, bool) else value}")
        if catalog is not None:
            if catalog.lower() not in self.session.catalog.catalogs():
                self.session.catalog.create_catalog(catalog, if_not_exists=True)
            self.session.sql(f"USE CATALOG {quote(catalog)}")
        if schema is not None:
            self.session.sql(f"CREATE SCHEMA IF NOT EXISTS {quote(schema)}")
            self.use(schema)

    @property
    def open(self) -> bool:
        return not self.closed

    def get_session_id(self) -> bytes:
        return self._id.bytes

    def get_session_id_hex(self) -> str:
        return self._id.hex

    def errors(self) -> AbstractContextManager[None]:
        """Within the context, errors of statements come out as ServerOperationError."""
        return as_of_server()

    def cursor(
        self, arraysize: int = DEFAULT_ARRAY_SIZE, buffer_size_bytes: int = 0, row_limit: int | None = None, **_: Any
    ) -> Cursor:
        """A new cursor; no query gives more than `row_limit` rows. Raises InterfaceError."""
        if self.closed:
            raise InterfaceError("Cannot create cursor from closed connection")
        cursor = Cursor(self, arraysize, row_limit)
        self._cursors.append(cursor)
        return cursor

    def close(self) -> None:
        for cursor in self._cursors:
            cursor.close()
        self._cursors.clear()
        super().close()

    # Transactions

    @property
    def autocommit(self) -> bool:
        return self._autocommit

    @autocommit.setter
    def autocommit(self, value: bool) -> None:
        """Does nothing where transactions are ignored. Raises TransactionError where one has changes."""
        if self._ignores_transactions:
            return
        if self.session.has_changes and value != self._autocommit:
            raise TransactionError("A transaction is open: call commit() or rollback() before autocommit is changed.")
        if self.session.in_transaction:
            self._end("ROLLBACK")
        self._autocommit = bool(value)

    def commit(self) -> None:
        """Does nothing where transactions are ignored. Raises TransactionError, with autocommit too."""
        if self._ignores_transactions:
            return
        if self._autocommit and not self.session.in_transaction:
            raise TransactionError("There is no transaction to commit: autocommit is on.")
        with as_of_server(TransactionError), self._lock:
            if self.session.in_transaction:
                self.session.sql("COMMIT")

    def rollback(self) -> None:
        """Raises NotSupportedError where transactions are ignored."""
        if self._ignores_transactions:
            raise NotSupportedError("Transactions are ignored: connect with ignore_transactions=False.")
        self._end("ROLLBACK")

    def get_transaction_isolation(self) -> str:
        """REPEATABLE_READ: a transaction reads one version of each table."""
        self.check_open()
        return TRANSACTION_ISOLATION_LEVEL_REPEATABLE_READ

    def set_transaction_isolation(self, level: str) -> None:
        """Raises NotSupportedError for any level but REPEATABLE_READ."""
        self.check_open()
        if level.upper().replace(" ", "_") != TRANSACTION_ISOLATION_LEVEL_REPEATABLE_READ:
            raise NotSupportedError(f"The isolation level {level} is not supported: there is REPEATABLE_READ.")

    def __exit__(self, *_: object) -> None:
        """Closes, as the connector does: nothing is committed."""
        self.close()


class Cursor(dbapi_cursor.Cursor):
    """A cursor of the connector: a write gives its numbers as a row, `rowcount` is -1, and DDL gives no rows."""

    connection: Connection

    def __init__(
        self, connection: Connection, arraysize: int = DEFAULT_ARRAY_SIZE, row_limit: int | None = None, **_: Any
    ) -> None:
        super().__init__(connection)
        self.arraysize, self.row_limit = arraysize, row_limit
        self._query_id: str | None = None
        self._pending: _Pending | None = None

    @property
    def open(self) -> bool:
        return not self.closed

    @property
    def query_id(self) -> str | None:
        """An identifier of the last statement, made up by this cursor."""
        return self._query_id

    # Statements

    def execute(self: _Self, operation: str, parameters: Any = None, **_: Any) -> _Self:
        """Runs a statement. `parameters`: a mapping for `:name` and `%(name)s`, a sequence for `?`, typed or not.

        Raises ServerOperationError.
        """
        self._reset()
        self._query_id = str(uuid4())
        with self.connection.errors():
            self._take(self._run(operation, parameters))
        return self

    def executemany(self: _Self, operation: str, seq_of_parameters: Iterable[Any]) -> _Self:
        """Runs a statement for each set of parameters, one commit each, as the connector does."""
        for parameters in seq_of_parameters:
            self.execute(operation, parameters)
        return self

    def execute_async(self: _Self, operation: str, parameters: Any = None, **_: Any) -> _Self:
        """Begins a statement in a thread of its own; `get_async_execution_result` waits for it."""
        self._reset()
        self._query_id = str(uuid4())
        self._pending = _Pending(lambda: self._computed(operation, parameters))
        return self

    def is_query_pending(self) -> bool:
        """Whether the statement of `execute_async` still runs. Raises ProgrammingError where there is none."""
        return self._begun().is_running

    def get_async_execution_result(self: _Self) -> _Self:
        """Waits for the statement of `execute_async`, whose rows can be fetched then. Raises ServerOperationError."""
        pending = self._begun()
        with self.connection.errors():
            self._take(*pending.result())
        return self

    def _begun(self) -> _Pending:
        self._check_open()
        if self._pending is None:
            raise ProgrammingError("No statement was begun with execute_async().")
        return self._pending

    def _run(self, operation: str, parameters: Any) -> Result:
        text, args = bound(operation, parameters, inline=self.connection._inline)
        return self.connection.run(text, args)

    def _computed(self, operation: str, parameters: Any) -> tuple[Result, FetchedRows]:
        result = self._run(operation, parameters)
        return result, rows_of(result)

    def _reset(self) -> None:
        super()._reset()
        self._pending = None

    def _take(self, result: Result, rows: FetchedRows | None = None) -> None:
        self.result, self._rows = result, rows or rows_of(result)
        self.description = describe(result.schema) if result.columns else None

    # Listings

    def catalogs(self: _Self) -> _Self:
        return self._list(listings.catalogs)

    def schemas(self: _Self, catalog_name: str | None = None, schema_name: str | None = None) -> _Self:
        """Names may have the wildcards `%` and `_`."""
        return self._list(lambda session: listings.schemas(session, catalog_name, schema_name))

    def tables(
        self: _Self,
        catalog_name: str | None = None,
        schema_name: str | None = None,
        table_name: str | None = None,
        table_types: Sequence[str] | None = None,
    ) -> _Self:
        """Tables and views; `table_types` are TABLE and VIEW. Names may have the wildcards `%` and `_`."""
        return self._list(lambda session: listings.tables(session, catalog_name, schema_name, table_name, table_types))

    def columns(
        self: _Self,
        catalog_name: str | None = None,
        schema_name: str | None = None,
        table_name: str | None = None,
        column_name: str | None = None,
    ) -> _Self:
        """Names may have the wildcards `%` and `_`."""
        return self._list(lambda session: listings.columns(session, catalog_name, schema_name, table_name, column_name))

    def _list(self: _Self, listing: Callable[[Session], Result]) -> _Self:
        self._reset()
        self._query_id = str(uuid4())
        with self.connection.errors():
            self._take(listing(self.connection.session))
        return self

    # Rows

    def _end(self, rows: FetchedRows, size: int) -> int:
        return min(super()._end(rows, size), rows.count if self.row_limit is None else self.row_limit)


class _Pending:
    """A statement that runs in a thread."""

    def __init__(self, run: Callable[[], tuple[Result, FetchedRows]]) -> None:
        self._run = run
        self._outcome: tuple[Result, FetchedRows] | BaseException | None = None
        self._thread = Thread(target=self._work, name="deltasql-async", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            self._outcome = self._run()
        except BaseException as error:
            self._outcome = error

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def result(self) -> tuple[Result, FetchedRows]:
        """Waits; raises what the statement has raised."""
        self._thread.join()
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        assert self._outcome is not None
        return self._outcome
