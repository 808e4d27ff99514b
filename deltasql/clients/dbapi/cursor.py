"""Connections and cursors of PEP 249: sessions with transactions, statements and their rows.

INSERT … VALUES for many sets of parameters is one statement, and one commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from threading import RLock
from types import TracebackType
from typing import Any, ClassVar, Protocol, TypeVar

from deltasql.base import DeltaSqlError, Token, errors, pa, tokenize
from deltasql.clients.dbapi import types
from deltasql.clients.dbapi.types import (
    Column,
    FetchedRows,
    InterfaceError,
    ProgrammingError,
    describe,
    in_words_of_the_pep,
    rows_of,
)
from deltasql.files import Result, Row
from deltasql.schema import quote_name
from deltasql.session import Session
from deltasql.sql import bind_parameters

MANY_ROWS = 500
"""From this number of rows on they are written as Arrow data, not as SQL, which is slow to parse."""

_OTHERWISE = frozenset({"OVERWRITE", "REPLACE", "WITH", "SELECT", "?"})
"""Tokens before VALUES that exclude merging: the statement does more than append, or has a parameter there."""


@dataclass(frozen=True, slots=True)
class BulkInsert:
    """INSERT INTO … VALUES (…), whose only row, `operation[start:end]`, is repeated for each set of parameters."""

    operation: str
    start: int
    end: int

    def statement(self, sets: Iterable[Any]) -> str:
        """One INSERT of all rows. Raises what `bind_parameters` raises, with positions in `operation`."""
        return self.operation[: self.start] + ", ".join(self._rows(sets))

    def target(self) -> tuple[str, tuple[str, ...]] | None:
        """The table and its listed columns, () for none; None if the statement has more before VALUES."""
        tokens = tokenize(self.operation[: self.start])[2:-1]
        if len(tokens) > 1 and tokens[0].key == "TABLE" and tokens[1].is_name:
            tokens = tokens[1:]
        opening = next((index for index, token in enumerate(tokens) if token.key == "("), len(tokens))
        name, listed = tokens[:opening], tokens[opening + 1 : -1]
        if not _alternate(name, ".") or (opening < len(tokens) and not _alternate(listed, ",")):
            return None
        return self.operation[name[0].start : name[-1].end], tuple(token.name for token in listed[::2])

    def rows(self, sets: Sequence[Any], columns: Sequence[str]) -> pa.Table | None:
        """The rows as a table with these or generated names; None if a value is an expression, or types are mixed."""
        markers = _markers(tokenize(self.operation[self.start : self.end])[1:-1])
        if markers is None or (columns and len(columns) != (markers if isinstance(markers, int) else len(markers))):
            return None
        try:
            values = zip(*(_in_order(item, markers) for item in sets), strict=True)
            arrays = [_array(list(column)) for column in values]
        except (LookupError, TypeError, ValueError, OverflowError):
            # The error is raised when the statement is built.
            return None
        return pa.table(arrays, names=list(columns) or [f"c{index}" for index in range(len(arrays))])

    def _rows(self, sets: Iterable[Any]) -> Iterator[str]:
        row = self.operation[self.start : self.end]
        for values in sets:
            try:
                yield bind_parameters(row, values).sql
            except DeltaSqlError as error:
                raise error.moved(row, self.operation, self.start) from None


def _alternate(tokens: Sequence[Token], separator: str) -> bool:
    """Whether the tokens are one or more names with separators between them."""
    named = all(token.is_name for token in tokens[::2])
    return bool(tokens) and len(tokens) % 2 == 1 and named and all(token.key == separator for token in tokens[1::2])


def _markers(tokens: Sequence[Token]) -> list[str] | int | None:
    """The names of the markers in a row, or the number of `?`; None if the row has anything else."""
    keys = [token.key for token in tokens]
    if keys == ["?", *[",", "?"] * (len(keys) // 2)]:
        return len(keys[::2])
    names = tokens[1::3]
    shape = [item for token in names for item in (":", token.key, ",")][:-1]
    return [token.text for token in names] if keys == shape and all(token.kind == "word" for token in names) else None


def _in_order(values: Any, markers: Sequence[str] | int) -> Sequence[Any]:
    """The values of one set, in the order of the markers. Raises TypeError, LookupError, ValueError."""
    if isinstance(markers, int):
        if isinstance(values, Mapping) or len(values) != markers:
            raise ValueError(markers)
        return list(values)
    return [values[name] for name in markers]


_PLAIN = (bool, int, float, Decimal, str, bytes, date, datetime)


def _array(values: Sequence[Any]) -> pa.Array:
    """The values as an array. Raises TypeError or ValueError if they are not of one plain type."""
    # Arrow takes times with a zone and times without one for one type, that of the first.
    kinds = {(type(value), getattr(value, "tzinfo", None) is None) for value in values if value is not None}
    if len(kinds) > 1 or not {kind for kind, _ in kinds} <= {*_PLAIN}:
        raise TypeError(kinds)
    return pa.array(values)


def bulk_insert(operation: str) -> BulkInsert | None:
    """The BulkInsert of `operation`; None if its sets of parameters must be run one by one."""
    tokens = list(tokenize(operation))
    while tokens and tokens[-1].key == ";":
        tokens.pop()
    values = next((index for index, token in enumerate(tokens) if token.key == "VALUES"), None)
    if values is None or [token.key for token in tokens[:2]] != ["INSERT", "INTO"]:
        return None
    head, row = tokens[:values], tokens[values + 1 :]
    if _is_special(head) or not _is_one_row(row):
        return None
    return BulkInsert(operation, row[0].start, row[-1].end)


def _is_special(head: Sequence[Token]) -> bool:
    named = any(token.key == ":" for token in head)
    return named or any(token.key in _OTHERWISE for token in head)


def _is_one_row(tokens: Sequence[Token]) -> bool:
    """Whether the tokens are exactly one parenthesized row."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token.key == "(") - (token.key == ")")
        if depth <= 0:
            return index == len(tokens) - 1 and index > 0 and depth == 0
    return False


_AFFECTED = "num_affected_rows"
"""The first result column of INSERT, UPDATE, DELETE, MERGE and COPY INTO."""

_Self = TypeVar("_Self", bound="Cursor")


class Runs(Protocol):
    """Interface of a connection to its cursors."""

    def run(self, operation: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None) -> Result: ...

    def insert(self, table: str, columns: Sequence[str], rows: pa.Table) -> Result: ...

    def errors(self) -> AbstractContextManager[None]: ...

    def check_open(self) -> None: ...

    def cancel(self) -> None: ...


class Cursor:
    """A cursor of PEP 249, for one thread at a time. Cursors of a connection see each other's changes at once.

    `rowcount` is the number of rows of a query, or of rows changed by a write; -1 if unknown. A write has no rows to
    fetch. `result` is the `deltasql.Result` of the last statement, with `version`, `metrics` and `schema`.
    """

    lastrowid: None = None
    """Always None: rows of tables have no id."""

    def __init__(self, connection: Runs) -> None:
        self.connection: Any = connection
        """The Connection of this cursor."""
        self.arraysize = 1
        self.rowcount = -1
        self.description: list[Column] | None = None
        self.result: Result | None = None
        self._rows: FetchedRows | None = None
        self._at = 0
        self._closed = False

    # Statements

    def execute(self: _Self, operation: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None) -> _Self:
        """Runs one statement, and computes its rows. `parameters`: a sequence for `?`, a mapping for `:name`.

        Raises an Error of PEP 249. The rows of the previous statement are discarded.
        """
        self._reset()
        with self.connection.errors():
            self._take(self.connection.run(operation, parameters))
        return self

    def executemany(self: _Self, operation: str, seq_of_parameters: Iterable[Any]) -> _Self:
        """Runs a statement for each set of parameters. `rowcount` is the sum; there is nothing to fetch.

        INSERT INTO … VALUES (…) becomes one statement, and so one atomic commit. Other statements are run one by one,
        each with its own commit if no transaction is open; commits before an error are then not undone.
        """
        self._reset()
        sets, total = list(seq_of_parameters), 0
        bulk = bulk_insert(operation) if len(sets) > 1 else None
        if bulk is not None:
            with self.connection.errors():
                self._take(self._inserted(bulk, sets))
            return self
        for parameters in sets:
            self.execute(operation, parameters)
            total += max(0, self.rowcount)
        self._rows, self.description, self.rowcount = None, None, total
        return self

    def _inserted(self, bulk: BulkInsert, sets: Sequence[Any]) -> Result:
        """The result of one INSERT of all rows: of many as Arrow data, else as SQL."""
        target = bulk.target() if len(sets) >= MANY_ROWS else None
        rows = None if target is None else bulk.rows(sets, target[1])
        owner: Runs = self.connection
        if target is None or rows is None:
            return owner.run(bulk.statement(sets))
        return owner.insert(*target, rows)

    def _reset(self) -> None:
        self._check_open()
        self.result = self._rows = self.description = None
        self.rowcount, self._at = -1, 0

    def _take(self, result: Result) -> None:
        """Sets `result` as the source of fetched rows."""
        self.result = result
        if result.columns and result.columns[0] == _AFFECTED and not result.is_query:
            self.rowcount = int(result.collect()[0][0])
            return
        if result.columns or result.is_query:
            rows = rows_of(result)
            self._rows, self.rowcount, self.description = rows, rows.count, describe(result.schema)

    def setinputsizes(self, sizes: Sequence[Any]) -> None:
        """Does nothing: types are those of the values."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Does nothing: values are never truncated."""

    def cancel(self) -> None:
        """Cancels the running statement of the connection; may be called in another thread."""
        self.connection.cancel()

    # Rows

    @property
    def rownumber(self) -> int | None:
        """The index, from 0, of the next row to fetch; None if there are no rows to fetch."""
        return None if self._rows is None else self._at

    def fetchone(self) -> Row | None:
        """The next row, or None after the last."""
        rows = self._next(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int | None = None) -> list[Row]:
        """At most the next `size` rows, by default `arraysize`."""
        return self._next(self.arraysize if size is None else size)

    def fetchall(self) -> list[Row]:
        """All remaining rows."""
        return self._next(None)

    def fetchmany_arrow(self, size: int | None = None) -> pa.Table:
        """At most the next `size` rows, by default `arraysize`, as a pyarrow.Table."""
        rows = self._fetchable()
        start, self._at = self._at, self._end(rows, self.arraysize if size is None else size)
        return rows.table(start, self._at)

    def fetchall_arrow(self) -> pa.Table:
        """All remaining rows as a pyarrow.Table."""
        rows = self._fetchable()
        start, self._at = self._at, self._end(rows, rows.count)
        return rows.table(start, self._at)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The remaining rows, for consumers of Arrow data: `polars.DataFrame(cursor)`."""
        return self.fetchall_arrow().__arrow_c_stream__(requested_schema)

    def __iter__(self: _Self) -> _Self:
        return self

    def __next__(self) -> Row:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def _next(self, size: int | None) -> list[Row]:
        rows = self._fetchable()
        end = self._end(rows, rows.count if size is None else size)
        with self.connection.errors():
            part = rows.part(self._at, end)
        self._at = end
        return part

    def _end(self, rows: FetchedRows, size: int) -> int:
        return min(rows.count, self._at + max(0, size))

    def _fetchable(self) -> FetchedRows:
        """The rows to fetch from. Raises InterfaceError, and ProgrammingError if no statement has returned rows."""
        self._check_open()
        if self._rows is None:
            message = "No statement was executed" if self.result is None else "The statement has no rows to fetch"
            raise ProgrammingError(f"{message}. A query, SHOW or DESCRIBE gives some.")
        return self._rows

    # The end

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Closes the cursor and discards its rows; any later use but `close` raises InterfaceError."""
        self._closed = True
        self._rows = self.description = self.result = None

    def _check_open(self) -> None:
        if self._closed:
            raise InterfaceError("The cursor is closed. Open a new one: connection.cursor().")
        self.connection.check_open()

    def __enter__(self: _Self) -> _Self:
        self._check_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.close()


Parameters = Mapping[str, Any] | Sequence[Any]
_ConnectionSelf = TypeVar("_ConnectionSelf", bound="Connection")


class Connection:
    """One session. Threads may share it: they wait for each other's statements, and share its transaction.

    As a context manager it commits what is open, or rolls it back after an exception, and closes.
    """

    Warning: ClassVar = types.Warning
    Error: ClassVar = types.Error
    InterfaceError: ClassVar = types.InterfaceError
    DatabaseError: ClassVar = types.DatabaseError
    DataError: ClassVar = types.DataError
    OperationalError: ClassVar = types.OperationalError
    IntegrityError: ClassVar = types.IntegrityError
    InternalError: ClassVar = types.InternalError
    ProgrammingError: ClassVar = types.ProgrammingError
    NotSupportedError: ClassVar = types.NotSupportedError

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
                    raise types.ProgrammingError(
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
            except (errors.NotInTransactionError, errors.NestedTransactionError):
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
            raise types.InterfaceError("The connection is closed. Open a new one: connect(…).")

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

    def __enter__(self: _ConnectionSelf) -> _ConnectionSelf:
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
