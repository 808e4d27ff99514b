"""Profiles, and one session of deltasql for each connection that dbt opens.

dbt opens a connection per node and thread. Sessions of one process share its Spark, with its settings, and its tables;
temporary views and settings of Delta are per session, so that parallel nodes are isolated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from warnings import catch_warnings, simplefilter

from dbt.adapters.contracts.connection import AdapterResponse, Connection, ConnectionState
from dbt.adapters.deltasql.literals import bound
from dbt.adapters.deltasql.relation import CATALOG, DeltaSqlRelation
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions import FailedToConnectError
from dbt.adapters.spark.connections import (
    SparkConnectionManager,
    SparkConnectionMethod,
    SparkConnectionWrapper,
    SparkCredentials,
)
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError

from deltasql import DeltaSqlError, Result, Session, connect
from deltasql.base import errors
from deltasql.plan import StatementWarning
from deltasql.schema import quote_name as quote
from deltasql.schema import type_text
from deltasql.sql import split

_LOGGER = AdapterLogger("deltasql")

MISSING_CATALOG = "[CATALOG_NOT_FOUND]"
Described = tuple[str, str, None, None, None, None, bool]


@dataclass
class DeltaSqlCredentials(SparkCredentials):
    """A target of profiles.yml. `settings` are SET in each session; the rest is as of `deltasql.connect`."""

    warehouse: str = "warehouse"
    remote: str | None = None
    engine: str | None = None
    storage_options: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    catalogs: dict[str, dict[str, Any]] = field(default_factory=dict)
    current_catalog: str = CATALOG

    _ALIASES = {"catalog": "database"}

    def __post_init__(self) -> None:
        if self.schema is None:
            raise DbtRuntimeError("Name a `schema` in the profile: that of the models.")
        self.database = self.current_catalog = getattr(self, "database", None) or CATALOG
        DeltaSqlRelation.profile_catalog = self.database
        # dbt-spark's macros ask for them.
        self.method, self.host = SparkConnectionMethod.SESSION, ""

    @property
    def type(self) -> str:
        return "deltasql"

    @property
    def unique_field(self) -> str:
        return self.warehouse

    def connect(self) -> Session:
        """A session of the target, with its settings. Raises a DeltaSqlError."""
        options = self.storage_options or None
        catalogs = self.catalogs or None
        session = connect(self.warehouse, self.remote, storage_options=options, engine=self.engine, catalogs=catalogs)
        return self.prepared(session)

    def prepared(self, session: Session) -> Session:
        """The session, after its settings are SET and the catalog is current. Raises a DeltaSqlError."""
        for key, text in self.texts():
            session.sql(f"SET {key} = {text}")
        if self.database != CATALOG:
            session.sql(f"USE CATALOG {quote(self.database)}")
        return session

    def texts(self) -> Iterator[tuple[str, str]]:
        """The settings, as SET takes their values."""
        for key, value in {**self.server_side_parameters, **self.settings}.items():
            yield key, str(value).lower() if isinstance(value, bool) else str(value)

    def _connection_keys(self) -> tuple[str, ...]:
        return ("warehouse", "database", "current_catalog", "schema", "remote", "engine", "settings")


class SessionHandle(SparkConnectionWrapper):
    """dbt's connection and cursor in one: a session, and the result of its last statement."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._result: Result | None = None

    def cursor(self) -> SessionHandle:
        self._result = None
        return self

    def execute(self, sql: str, bindings: Sequence[Any] | None = None) -> None:
        """Runs a statement, or several with `;` between them: a model's `sql_header` stands before its statement."""
        text = bound(sql, bindings)
        several = [statement.text for statement in split(text)] if ";" in text else []
        for statement in several or [text]:
            self._run(statement)

    def _run(self, sql: str) -> None:
        with catch_warnings():
            # dbt's log has them.
            simplefilter("ignore", StatementWarning)
            self._result = self.session.sql(sql)
        for text in self._result.warnings:
            _LOGGER.warning(text)
        for text in self._result.notes:
            _LOGGER.info(text)

    def fetchall(self) -> list[Any]:
        return [] if self._result is None else self._result.collect()

    def fetchmany(self, size: int) -> list[Any]:
        return [] if self._result is None else self._result.head(size)

    @property
    def description(self) -> list[Described]:
        """The columns of the last result, with their types as DESCRIBE names them."""
        if self._result is None:
            return []
        fields = self._result.schema
        return [(item.name, type_text(item.type), None, None, None, None, item.nullable) for item in fields]

    @property
    def metrics(self) -> Mapping[str, Any]:
        """Metrics of the last statement, if it has committed: its result row by column name; else empty."""
        if self._result is None or self._result.version is None or self._result.is_query:
            return {}
        return next((row.asDict() for row in self._result.head(1)), {})

    def cancel(self) -> None:
        self.session.interrupt()

    def close(self) -> None:
        self.session.close()

    def rollback(self, *_: Any, **__: Any) -> None:
        """Does nothing: each statement is a transaction."""


class DeltaSqlConnectionManager(SparkConnectionManager):
    """Opens sessions, and returns the responses of their statements."""

    TYPE = "deltasql"

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        """Opens a session; Spark starts with the first statement that needs it. Raises FailedToConnectError."""
        if connection.state == ConnectionState.OPEN:
            return connection
        try:
            session = connection.credentials.connect()
        except DeltaSqlError as error:
            raise FailedToConnectError(_text(error)) from error
        connection.handle = SessionHandle(session)
        connection.state = ConnectionState.OPEN
        return connection

    @contextmanager
    def exception_handler(self, sql: str) -> Iterator[None]:
        """Context: converts errors to DbtDatabaseError; dbt knows some, such as a missing schema, by their text."""
        try:
            yield
        except DbtRuntimeError:
            raise
        except Exception as error:
            raise DbtDatabaseError(_text(error)) from error

    @classmethod
    def get_response(cls, cursor: Any) -> AdapterResponse:
        """`OK`, with the number of rows that a commit affected."""
        rows = getattr(cursor, "metrics", {}).get("num_affected_rows")
        return AdapterResponse(_message="OK" if rows is None else f"OK {rows}", rows_affected=rows)

    @classmethod
    def data_type_code_to_name(cls, type_code: Any) -> str:
        return str(type_code)


def _text(error: Exception) -> str:
    """The message of an error; of a missing catalog with what to do about it in a project of dbt."""
    if not isinstance(error, errors.CatalogNotFoundError):
        return str(error)
    create = f"CREATE CATALOG {quote(error.catalog)}"
    return (
        f'{error}\ndbt creates schemas, but no catalogs. Run {create} before (deltasql -e "{create}"), or have '
        "`deltasql.catalog.autoCreate: true` in the `settings` of the profile."
    )
