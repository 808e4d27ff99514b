"""A connection: a session with the transactions of PEP 249."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from threading import RLock
from types import TracebackType
from typing import Any, ClassVar, TypeVar

from deltasql.base.errors.statements.transaction import NestedTransactionError, NotInTransactionError
from deltasql.base.lazy import pa
from deltasql.clients.dbapi import exceptions
from deltasql.clients.dbapi.cursor import Cursor
from deltasql.clients.dbapi.exceptions import in_words_of_the_pep
from deltasql.files.result import Result
from deltasql.schema.text import quote_name
from deltasql.session.session import Session

Parameters = Mapping[str, Any] | Sequence[Any]
_Self = TypeVar("_Self", bound="Connection")


class Connection:
    """One session. Threads may share it: they wait for each other's statements, and share its transaction.

    As a context manager it commits what is open, or rolls it back after an exception, and closes.
    """

    Warning: ClassVar = exceptions.Warning
    Error: ClassVar = exceptions.Error
    InterfaceError: ClassVar = exceptions.InterfaceError
    DatabaseError: ClassVar = exceptions.DatabaseError
    DataError: ClassVar = exceptions.DataError
    OperationalError: ClassVar = exceptions.OperationalError
    IntegrityError: ClassVar = exceptions.IntegrityError
    InternalError: ClassVar = exceptions.InternalError
    ProgrammingError: ClassVar = exceptions.ProgrammingError
    NotSupportedError: ClassVar = exceptions.NotSupportedError

    def __init__(self, session: Session, *, owns_session: bool = True, autocommit: bool = True) -> None:
        self.session = session
        """The session below, for what the PEP has no words for."""
        self._owns_session = owns_session
        self._autocommit = autocommit
        self._implicit = False
        self._closed = False
        self._lock = RLock()

    @property
    def closed(self) -> bool:
        return self._closed

    def cursor(self) -> Cursor:
        """A new cursor. Raises InterfaceError."""
        self.check_open()
        return Cursor(self)

    # Transactions

    @property
    def autocommit(self) -> bool:
        """Whether each statement is a commit of its own.

        Else a transaction begins with the first statement after each end. It writes one table, or several that the
        catalog manages; a statement that can be no part of any, such as CREATE TABLE, runs by itself, and is committed
        at once, as long as nothing is to commit.
        """
        return self._autocommit

    @autocommit.setter
    def autocommit(self, value: bool) -> None:
        """Raises ProgrammingError where a transaction has changes."""
        with self._lock:
            self.check_open()
            if self.session.in_transaction and bool(value) != self._autocommit:
                if self.session.has_changes or not self._implicit:
                    raise exceptions.ProgrammingError(
                        "A transaction is open: call commit() or rollback() before autocommit is changed."
                    )
                self.rollback()
            self._autocommit = bool(value)

    @property
    def in_transaction(self) -> bool:
        """Whether statements wait for `commit` or `rollback`."""
        return self.session.in_transaction

    def commit(self) -> None:
        """Commits the open transaction as one version of each table; does nothing where none is open.

        Raises OperationalError where another writer was first; the transaction is rolled back then.
        """
        self._end("COMMIT")

    def rollback(self) -> None:
        """Gives up the open transaction; does nothing where none is open. What was committed stays."""
        self._end("ROLLBACK")

    def _end(self, statement: str) -> None:
        with self._lock, self.errors():
            self.check_open()
            if self.session.in_transaction:
                self.session.sql(statement)

    # Statements

    def errors(self) -> AbstractContextManager[None]:
        """Within the context, errors of deltasql come out as those of PEP 249."""
        return in_words_of_the_pep()

    def use_catalog(self, catalog: str) -> None:
        """Names without a catalog are looked up in `catalog` from now on, a name without quotes."""
        with self.errors():
            self.session.sql(f"USE CATALOG {quote_name(catalog)}")

    def use(self, schema: str) -> None:
        """Names without a schema are looked up in `schema` from now on, a name without quotes."""
        with self.errors():
            self.session.sql(f"USE {quote_name(schema)}")

    def run(self, operation: str, parameters: Parameters | None = None) -> Result:
        """Runs one statement within the transaction that there is to be; its query has not run yet.

        Raises a DeltaSqlError, or InterfaceError.
        """
        return self._within(lambda: self.session.sql(operation, parameters))

    def insert(self, table: str, columns: Sequence[str], rows: pa.Table) -> Result:
        """Adds rows to `table`, a name in SQL: to the `columns` that it names, or by position. Raises as `run` does."""
        if columns:
            return self._within(self.session.writeTo(rows, table).append)
        return self._within(lambda: self.session.write(rows).insertInto(table))

    def _within(self, work: Callable[[], Result]) -> Result:
        with self._lock:
            self.check_open()
            if self._autocommit:
                return work()
            if not self.session.in_transaction:
                self.session.sql("BEGIN TRANSACTION")
                self._implicit = True
            try:
                return work()
            except (NotInTransactionError, NestedTransactionError):
                if not self._implicit or self.session.has_changes:
                    raise
            self._implicit = False
            self.session.sql("ROLLBACK")
            return work()

    def cancel(self) -> None:
        """Stops what Spark runs for this connection; may be called in another thread, and then raises there."""
        self.session.interrupt()

    # The end

    def check_open(self) -> None:
        """Raises InterfaceError."""
        if self._closed:
            raise exceptions.InterfaceError("The connection is closed. Open a new one: connect(…).")

    def close(self) -> None:
        """Ends the connection; what is not committed is rolled back. Raises nothing the second time."""
        with self._lock:
            if self._closed:
                return
            try:
                if self._owns_session:
                    self.session.close()
                elif self._implicit:
                    self.rollback()
            finally:
                self._closed = True

    def __enter__(self: _Self) -> _Self:
        self.check_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        try:
            if kind is None and not self._closed:
                self.commit()
        finally:
            self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} to {self.session.catalog.warehouse}{' (closed)' * self._closed}>"
